//! What went between the world and the processes, in the order in which it did.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abide_engine::base::Timestamp;
use abide_engine::clock::{Clock as _, VirtualClock};

use super::ask::Question;
use super::provider::Provider;

/// Something between the world and the process.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// The tenant that it concerns.
    pub(crate) tenant: Arc<str>,
    pub(crate) what: Exchange,
    /// How many of our messages the provider had by then: that order holds whatever the clock does.
    pub(crate) sent: usize,
    /// By the world's clock.
    pub(crate) at: Timestamp,
}

/// What went between the world and the process.
#[derive(Debug, Clone)]
pub(crate) enum Exchange {
    /// The provider took a message to us.
    Heard { id: String, from: String, body: String },
    /// The process is asked: from now on it may have done it.
    Asked(Question),
    /// It has answered: it is done for good. How a message was dealt with.
    Answered(Question, Option<String>),
}

/// Keeps what goes to and fro. It outlives every process of ours.
pub(super) struct Journal {
    entries: Mutex<Vec<Entry>>,
    provider: Arc<Provider>,
    clock: Arc<VirtualClock>,
}

impl Journal {
    pub(super) fn of(provider: &Arc<Provider>, clock: &Arc<VirtualClock>) -> Arc<Self> {
        let (provider, clock) = (Arc::clone(provider), Arc::clone(clock));
        Arc::new(Self { entries: Mutex::default(), provider, clock })
    }

    /// Adds what happens just now.
    pub(super) fn enter(&self, tenant: &Arc<str>, what: Exchange) {
        let (sent, at) = (self.provider.sent_count(), self.clock.now());
        self.entries().push(Entry { tenant: Arc::clone(tenant), what, sent, at });
    }

    pub(super) fn take(&self) -> Vec<Entry> {
        std::mem::take(&mut self.entries())
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
