//! A provider inside the process, for demos, simulations and tests of the program.
//!
//! The loopback provider keeps the messages that it receives in memory, or in a file next to the database.
//! The file survives a crash of the process, like the records of a real provider.
//! The provider does not deduplicate: a message that is sent twice must be visible twice.
//!
//! The provider accepts every message immediately, unless it is given a [`Script`] with other rules.

use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::interface::{
    Gateway, GatewayError, LookupAnswer, LookupRequest, SendAnswer, SendRequest,
};
use super::script::{LookupBehaviour, Reaction, Script};
use crate::base::{MessageId, Timestamp};
use crate::erasure::{ERASED, Redactor};
use crate::store::NewInbound;

/// A message in the provider's records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentMessage {
    /// The engine's id of the message.
    pub id: MessageId,
    /// Phone number of the recipient.
    pub to: String,
    /// Text of the message.
    pub body: String,
    /// Time at which the message was handed to the provider.
    pub at: Timestamp,
}

/// The loopback provider. Clones share their records and their script.
#[derive(Debug, Clone, Default)]
pub struct Loopback {
    records: Records,
    inbound: Arc<Mutex<Vec<NewInbound>>>,
    script: Arc<RwLock<Option<Script>>>,
}

/// The messages that the provider has received.
#[derive(Debug, Clone)]
enum Records {
    Memory(Arc<Mutex<Vec<SentMessage>>>),
    /// Lines of a file that several processes append to. Each process sees the messages of all processes.
    File(PathBuf),
}

impl Default for Records {
    fn default() -> Self {
        Self::Memory(Arc::default())
    }
}

impl Loopback {
    /// Creates a provider that keeps its records in memory.
    /// The records are lost when the last clone is dropped.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// Creates a provider whose records are lines of a file.
    #[must_use]
    pub fn in_file(path: PathBuf) -> Self {
        Self { records: Records::File(path), ..Self::default() }
    }

    /// Returns all messages that the provider has received, the earliest first.
    #[must_use]
    pub fn sent(&self) -> Vec<SentMessage> {
        self.sent_since(0)
    }

    /// Returns the number of messages that the provider has received.
    #[must_use]
    pub fn sent_count(&self) -> usize {
        match &self.records {
            Records::Memory(sent) => sent.lock().unwrap_or_else(PoisonError::into_inner).len(),
            Records::File(path) => read_lines(path).count(),
        }
    }

    /// Returns the messages that the provider has received, except the earliest `known` messages.
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

    /// Makes the provider handle messages and lookups by the rules of `script` from now on.
    pub fn set_script(&self, script: Script) {
        *self.script.write().unwrap_or_else(PoisonError::into_inner) = Some(script);
    }

    /// Adds an inbound message that `inbound_since` returns, as if its webhook request had been missed.
    pub fn add_missed(&self, message: NewInbound) {
        self.inbound.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }

    fn script(&self) -> Option<Script> {
        self.script.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records a message and accepts it.
    fn accept(&self, send: &SendRequest) -> SendAnswer {
        let SendRequest { id, to, body, at, .. } = send.clone();
        match self.record(SentMessage { id, to, body, at }) {
            Ok(()) => SendAnswer::Accepted { reference: format!("loopback-{id}") },
            Err(e) => SendAnswer::NotSent { reason: e.to_string() },
        }
    }

    /// Answers a message with the reaction that a rule of the [`Script`] prescribes.
    async fn react(&self, send: &SendRequest, script: &Script, reaction: Reaction) -> SendAnswer {
        match reaction {
            Reaction::Accept { after } => {
                let answer = self.accept(send);
                script.pause(after).await;
                answer
            }
            Reaction::Refuse { code, later } => SendAnswer::Refused { code, later },
            Reaction::Unreachable { reason } => SendAnswer::NotSent { reason },
            Reaction::Hang => std::future::pending().await,
            Reaction::LoseAnswer { sent } => {
                if sent {
                    self.accept(send);
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
                file.lock()?;
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

/// Redacts a message. One that went to the person is erased as a whole.
fn redact(message: &mut SentMessage, redactor: &Redactor) {
    if redactor.redact(&message.to).is_some() {
        message.to = ERASED.to_owned();
        message.body = ERASED.to_owned();
    } else if let Some(body) = redactor.redact(&message.body) {
        message.body = body;
    }
}

/// Reads the records of a file. Skips an incomplete last line: the process crashed while it wrote the line,
/// so the message was never acknowledged.
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
        let Some(script) = script else { return self.accept(send) };
        match script.reaction(send) {
            Some(reaction) => self.react(send, &script, reaction).await,
            None => self.accept(send),
        }
    }

    async fn look_up(&self, lookup: &LookupRequest) -> LookupAnswer {
        let unclear = || "it cannot tell whether it received the text".to_owned();
        match self
            .script()
            .map_or(LookupBehaviour::Honest, |script| script.lookup_behaviour(&lookup.to))
        {
            LookupBehaviour::CannotTellYet => LookupAnswer::CannotTellYet { reason: unclear() },
            LookupBehaviour::CanNeverTell => LookupAnswer::CanNeverTell { reason: unclear() },
            LookupBehaviour::Honest if self.has(lookup.id) => {
                LookupAnswer::Received { reference: format!("loopback-{}", lookup.id) }
            }
            LookupBehaviour::Honest => LookupAnswer::NotReceived,
        }
    }

    async fn inbound_since(&self, since: Timestamp) -> Result<Vec<NewInbound>, GatewayError> {
        let inbound = self.inbound.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(inbound.iter().filter(|m| m.received_at >= since).cloned().collect())
    }

    fn erase(&self, redactor: &Redactor) -> std::io::Result<()> {
        match &self.records {
            Records::Memory(sent) => {
                let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
                sent.iter_mut().for_each(|message| redact(message, redactor));
                Ok(())
            }
            Records::File(path) if path.exists() => {
                let mut file = OpenOptions::new().read(true).write(true).open(path)?;
                file.lock()?; // nobody adds a message meanwhile
                let mut text = String::new();
                for mut message in read_lines(path) {
                    redact(&mut message, redactor);
                    text += &(serde_json::to_string(&message)? + "\n");
                }
                file.set_len(0)?;
                file.write_all(text.as_bytes())
            }
            Records::File(_) => Ok(()),
        }
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
        assert!(other.has(id), "a process sees what another process sent");
        std::fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .and_then(|mut f| f.write_all(b"{\"id\":\"msg_"))
            .expect("a torn line is written");
        assert_eq!(Loopback::in_file(path).sent(), vec![message]);
    }
}
