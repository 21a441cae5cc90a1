//! A provider that is ourselves: for demos, simulations and tests of the real program.
//!
//! What it was handed stands in memory, or in a file beside the database, where it survives the
//! death of the process as a real provider's records do. It never drops a second copy of a
//! message: doubling one must show.

use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{Gateway, SendAnswer, SendRequest};
use crate::base::{MessageId, Timestamp};
use crate::store::NewInbound;

/// A message as the provider has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentMessage {
    /// Our id.
    pub id: MessageId,
    /// The number.
    pub to: String,
    /// The text.
    pub body: String,
    /// When it was handed over.
    pub at: Timestamp,
}

/// The loopback provider. Clones share their records.
#[derive(Debug, Clone, Default)]
pub struct Loopback {
    records: Arc<Mutex<Vec<SentMessage>>>,
    inbound: Arc<Mutex<Vec<NewInbound>>>,
    file: Option<PathBuf>,
}

impl Loopback {
    /// A provider that lives as long as its last clone.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// A provider whose records are lines of a file.
    #[must_use]
    pub fn in_file(path: PathBuf) -> Self {
        let records = read_lines(&path);
        Self { records: Arc::new(Mutex::new(records)), file: Some(path), ..Self::default() }
    }

    /// Everything it was handed, in order.
    #[must_use]
    pub fn sent(&self) -> Vec<SentMessage> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A message reached the provider while nobody answered its webhook.
    pub fn missed(&self, message: NewInbound) {
        self.inbound.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }

    fn record(&self, message: SentMessage) -> std::io::Result<()> {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = &self.file {
            let line = serde_json::to_string(&message).unwrap_or_default() + "\n";
            let mut file = OpenOptions::new().append(true).create(true).open(path)?;
            file.write_all(line.as_bytes())?;
        }
        records.push(message);
        Ok(())
    }
}

/// The records of a file; a torn last line was never acknowledged and is left out.
fn read_lines(path: &PathBuf) -> Vec<SentMessage> {
    let Ok(file) = std::fs::File::open(path) else { return Vec::new() };
    BufReader::new(file)
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| serde_json::from_str(&line).ok())
        .collect()
}

#[async_trait]
impl Gateway for Loopback {
    fn name(&self) -> &'static str {
        "loopback"
    }

    async fn send(&self, send: &SendRequest) -> SendAnswer {
        let SendRequest { id, to, body, at, .. } = send.clone();
        match self.record(SentMessage { id, to, body, at }) {
            Ok(()) => SendAnswer::Accepted { reference: format!("loopback-{id}") },
            Err(e) => SendAnswer::NotSent { reason: e.to_string() },
        }
    }

    async fn look_up(&self, id: MessageId) -> Result<Option<String>, String> {
        let records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(records.iter().any(|m| m.id == id).then(|| format!("loopback-{id}")))
    }

    async fn status(&self) -> Result<(), String> {
        Ok(())
    }

    async fn inbound_since(&self, since: Timestamp) -> Result<Vec<NewInbound>, String> {
        let inbound = self.inbound.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(inbound.iter().filter(|m| m.received_at >= since).cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_in_a_file_survive_the_process() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sent.jsonl");
        let id = crate::base::id::IdSource::seeded(1).mint(Timestamp::EPOCH);
        let message =
            SentMessage { id, to: "+15125550101".into(), body: "Hi".into(), at: Timestamp::EPOCH };
        Loopback::in_file(path.clone()).record(message.clone()).expect("recorded");
        std::fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .and_then(|mut f| f.write_all(b"{\"id\":\"msg_"))
            .expect("a torn line");
        assert_eq!(Loopback::in_file(path).sent(), vec![message]);
    }
}
