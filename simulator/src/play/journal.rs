//! A log of the exchanges between the world and the processes, in order.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abide_engine::base::Timestamp;
use abide_engine::clock::{Clock as _, VirtualClock};

use super::command::EngineCommand;
use super::provider::Provider;

/// One entry of the journal.
#[derive(Debug, Clone)]
pub(crate) struct JournalEntry {
    /// The tenant that the exchange concerns.
    pub(crate) tenant: Arc<str>,
    pub(crate) what: Exchange,
    /// Number of messages that the provider had accepted by then.
    /// This order is right whatever the clocks show.
    pub(crate) sent: usize,
    /// The time of the exchange, by the world's clock.
    pub(crate) at: Timestamp,
}

/// An exchange between the world and the process.
#[derive(Debug, Clone)]
pub(crate) enum Exchange {
    /// The provider received a message for the tenant.
    TextReceived { id: String, from: String, body: String },
    /// The process received a command. From here on it may have carried the command out.
    CommandSent(EngineCommand),
    /// The process answered, so the command's work is committed.
    /// For an inbound message, contains how it was handled.
    CommandDone(EngineCommand, Option<String>),
}

/// Collects the entries of the journal. The journal outlives all processes.
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
        self.entries().push(JournalEntry { tenant: Arc::clone(tenant), what, sent, at });
    }

    pub(super) fn take(&self) -> Vec<JournalEntry> {
        std::mem::take(&mut self.entries())
    }

    fn entries(&self) -> MutexGuard<'_, Vec<JournalEntry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
