//! A provider that is ourselves: for demos, simulations and tests of the real program.
//!
//! What it was handed stands in memory, or in a file beside the database, where it survives the
//! death of the process as a real provider's records do. It never drops a second copy of a
//! message: doubling one must show.
//!
//! It takes every text at once, unless a [`Script`] says otherwise.

use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::script::{LookUp, Reaction, Script};
use super::{Found, Gateway, SendAnswer, SendRequest, Sought};
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

/// The loopback provider. Clones share their records and their script.
#[derive(Debug, Clone, Default)]
pub struct Loopback {
    records: Records,
    inbound: Arc<Mutex<Vec<NewInbound>>>,
    script: Arc<RwLock<Option<Script>>>,
}

/// What it was handed.
#[derive(Debug, Clone)]
enum Records {
    Memory(Arc<Mutex<Vec<SentMessage>>>),
    /// Lines of a file that several processes append to: each asks for what all of them sent.
    File(PathBuf),
}

impl Default for Records {
    fn default() -> Self {
        Self::Memory(Arc::default())
    }
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
        Self { records: Records::File(path), ..Self::default() }
    }

    /// Everything it was handed, in order.
    #[must_use]
    pub fn sent(&self) -> Vec<SentMessage> {
        self.sent_since(0)
    }

    /// How much it was handed.
    #[must_use]
    pub fn sent_count(&self) -> usize {
        match &self.records {
            Records::Memory(sent) => sent.lock().unwrap_or_else(PoisonError::into_inner).len(),
            Records::File(path) => read_lines(path).count(),
        }
    }

    /// What it was handed behind the first so many.
    #[must_use]
    pub fn sent_since(&self, known: usize) -> Vec<SentMessage> {
        match &self.records {
            Records::Memory(sent) => {
                let sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
                sent.get(known..).unwrap_or_default().to_vec()
            }
            Records::File(path) => read_lines(path).skip(known).collect(),
        }
    }

    /// From now on texts are treated as this script says.
    pub fn play(&self, script: Script) {
        *self.script.write().unwrap_or_else(PoisonError::into_inner) = Some(script);
    }

    /// A message reached the provider while nobody answered its webhook.
    pub fn missed(&self, message: NewInbound) {
        self.inbound.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }

    fn script(&self) -> Option<Script> {
        self.script.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes a text.
    fn take(&self, send: &SendRequest) -> SendAnswer {
        let SendRequest { id, to, body, at, .. } = send.clone();
        match self.record(SentMessage { id, to, body, at }) {
            Ok(()) => SendAnswer::Accepted { reference: format!("loopback-{id}") },
            Err(e) => SendAnswer::NotSent { reason: e.to_string() },
        }
    }

    /// Treats a text as a rule of the script says.
    async fn react(&self, send: &SendRequest, (script, how): (&Script, Reaction)) -> SendAnswer {
        match how {
            Reaction::Accept { after } => {
                let answer = self.take(send);
                script.pause(after).await;
                answer
            }
            Reaction::Refuse { code, later } => SendAnswer::Refused { code, later },
            Reaction::Unreachable { reason } => SendAnswer::NotSent { reason },
            Reaction::Hang => std::future::pending().await,
            Reaction::LoseAnswer { sent } => {
                if sent {
                    self.take(send);
                }
                SendAnswer::Unknown { reason: "the connection broke".to_owned() }
            }
        }
    }

    fn record(&self, message: SentMessage) -> std::io::Result<()> {
        match &self.records {
            Records::Memory(sent) => {
                sent.lock().unwrap_or_else(PoisonError::into_inner).push(message);
                Ok(())
            }
            Records::File(path) => {
                let line = serde_json::to_string(&message).unwrap_or_default() + "\n";
                let mut file = OpenOptions::new().append(true).create(true).open(path)?;
                file.write_all(line.as_bytes())
            }
        }
    }

    fn has(&self, id: MessageId) -> bool {
        match &self.records {
            Records::Memory(sent) => {
                let sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
                sent.iter().any(|message| message.id == id)
            }
            Records::File(path) => read_lines(path).any(|message| message.id == id),
        }
    }
}

/// The records of a file; a torn last line was never acknowledged and is left out.
fn read_lines(path: &PathBuf) -> impl Iterator<Item = SentMessage> + use<> {
    let file = std::fs::File::open(path).ok();
    let lines = file.into_iter().flat_map(|file| BufReader::new(file).lines());
    lines.map_while(Result::ok).filter_map(|line| serde_json::from_str(&line).ok())
}

#[async_trait]
impl Gateway for Loopback {
    fn name(&self) -> &'static str {
        "loopback"
    }

    async fn send(&self, send: &SendRequest) -> SendAnswer {
        let script = self.script();
        let reaction = script.as_ref().and_then(|script| Some((script, script.reaction(send)?)));
        match reaction {
            Some(reaction) => self.react(send, reaction).await,
            None => self.take(send),
        }
    }

    async fn look_up(&self, sought: &Sought) -> Found {
        let unclear = || "it cannot tell what became of it".to_owned();
        match self.script().map_or(LookUp::Honest, |script| script.look_up(&sought.to)) {
            LookUp::NotNow => Found::NotNow { reason: unclear() },
            LookUp::Never => Found::CanNeverTell { reason: unclear() },
            LookUp::Honest if self.has(sought.id) => {
                Found::HasIt { reference: format!("loopback-{}", sought.id) }
            }
            LookUp::Honest => Found::HasItNot,
        }
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
        let other = Loopback::in_file(path.clone());
        Loopback::in_file(path.clone()).record(message.clone()).expect("recorded");
        assert!(other.has(id), "whoever asks is told what another process sent");
        std::fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .and_then(|mut f| f.write_all(b"{\"id\":\"msg_"))
            .expect("a torn line");
        assert_eq!(Loopback::in_file(path).sent(), vec![message]);
    }
}
