//! Keeps a log of what people and the simulator sent, and of what the processes answered, in order of time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abide_engine::base::Timestamp;
use abide_engine::clock::{Clock as _, VirtualClock};

use super::command::EngineCommand;
use super::provider::Provider;

/// One entry of the log.
#[derive(Debug, Clone)]
pub(crate) struct JournalEntry {
    /// The tenant that the entry concerns.
    pub(crate) tenant: Arc<str>,
    pub(crate) what: Exchange,
    /// Number of messages that the provider had accepted before this entry was made.
    /// The number tells which messages came before the entry, even if a clock was set back.
    pub(crate) sent: usize,
    /// Number of requests to send that had begun before this entry was made. A request may still be on its way
    /// to the provider.
    pub(crate) begun: usize,
    /// The time of the entry, by the clock of the simulation.
    pub(crate) at: Timestamp,
}

/// The event that an entry of the log records.
#[derive(Debug, Clone)]
pub(crate) enum Exchange {
    /// The provider received a message for the tenant.
    TextReceived { id: String, from: String, body: String },
    /// The process received a command. From this entry on, the process may have carried the command out.
    CommandSent(EngineCommand),
    /// The process answered the command, so the command's work is committed.
    /// For an inbound message, the string says how the message was handled; for a message to the operator or a question,
    /// what the answer is known by.
    CommandDone(EngineCommand, Option<String>),
}

/// Collects the entries of the log. The log outlives all processes.
pub(super) struct Journal {
    entries: Mutex<Vec<JournalEntry>>,
    provider: Arc<Provider>,
    clock: Arc<VirtualClock>,
}

impl Journal {
    pub(super) fn of(provider: &Arc<Provider>, clock: &Arc<VirtualClock>) -> Arc<Self> {
        let (provider, clock) = (Arc::clone(provider), Arc::clone(clock));
        Arc::new(Self { entries: Mutex::default(), provider, clock })
    }

    /// Adds an entry with the current time.
    pub(super) fn enter(&self, tenant: &Arc<str>, what: Exchange) {
        let (sent, at) = (self.provider.sent_count(), self.clock.now());
        let begun = self.provider.begun_count();
        self.entries().push(JournalEntry { tenant: Arc::clone(tenant), what, sent, begun, at });
    }

    pub(super) fn take(&self) -> Vec<JournalEntry> {
        std::mem::take(&mut self.entries())
    }

    fn entries(&self) -> MutexGuard<'_, Vec<JournalEntry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
