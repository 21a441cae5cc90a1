//! The claims of this process as its memory knows them:
//! the runs that it works on, and the unsettled claims.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use super::super::bell::Bells;
use super::node_status::NodeStatus;
use super::unsettled::Unsettled;
use crate::base::{NodeId, RunId};
use crate::clock::Clock;
use crate::store::{Dialect, Fence, Store};

/// The claims of this process on runs.
pub(crate) struct Claims {
    pub(super) store: Store,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) bells: Arc<Bells>,
    /// The status of this process among the processes that share its database.
    pub(crate) status: NodeStatus,
    /// The runs that this process works on. The value is true if the run was found
    /// due again since it was claimed.
    active: Mutex<BTreeMap<RunId, bool>>,
    /// The suspect: a run in progress whose earlier claim ended without a commit. Only one suspect runs
    /// at a time, so that a run that crashes its process does not take other suspects down with it.
    suspect: Mutex<Option<RunId>>,
    pub(super) unsettled: Unsettled,
    /// The number of runs in `active`. Receivers are also notified when a part of the driver falls asleep.
    idle: watch::Sender<usize>,
}

impl Claims {
    /// Creates the record of claims, with no run claimed.
    pub(in crate::driver) fn new(
        store: Store,
        clock: Arc<dyn Clock>,
        bells: Arc<Bells>,
        node: NodeId,
    ) -> Self {
        Self {
            store,
            clock,
            bells,
            status: NodeStatus::of(node),
            active: Mutex::default(),
            suspect: Mutex::default(),
            unsettled: Unsettled::default(),
            idle: watch::channel(0).0,
        }
    }

    /// Whether this process may claim runs. On an embedded file it always may;
    /// on a shared database it needs a lease, a clock close to the database's, and a schema that it knows.
    pub(in crate::driver) fn may_take(&self) -> bool {
        self.store.dialect() == Dialect::Sqlite || self.status.may_take()
    }

    /// Marks a run as being worked on in this process. Returns false if it already is;
    /// then the bell of the runs rings as soon as the run is released.
    pub(in crate::driver) fn mark_active(&self, run: RunId) -> bool {
        let mut active = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(due_again) = active.get_mut(&run) {
            *due_again = true;
            return false;
        }
        active.insert(run, false);
        self.idle.send_replace(active.len());
        true
    }

    /// Marks a run as the suspect, because an earlier claim of it ended without a commit.
    /// Returns false if another run is the suspect now.
    pub(super) fn take_suspect(&self, run: RunId) -> bool {
        let mut suspect = self.suspect.lock().unwrap_or_else(PoisonError::into_inner);
        *suspect.get_or_insert(run) == run
    }

    /// Makes a run in progress be checked again as soon as this process releases it.
    pub(in crate::driver) fn recheck_after_release(&self, run: RunId) {
        let mut active = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(due_again) = active.get_mut(&run) {
            *due_again = true;
        }
    }

    /// Marks a run as no longer being worked on in this process.
    pub(in crate::driver) fn release(&self, run: RunId) {
        let mut suspect = self.suspect.lock().unwrap_or_else(PoisonError::into_inner);
        if *suspect == Some(run) {
            *suspect = None;
        }
        drop(suspect);
        let mut active = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        let due_again = active.remove(&run) == Some(true);
        self.idle.send_replace(active.len());
        drop(active);
        if due_again {
            self.bells.runs.ring();
        }
    }

    /// Whether a run is being worked on in this process.
    pub(crate) fn is_active(&self, run: RunId) -> bool {
        self.active.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&run)
    }

    /// Returns the number of runs that are being worked on in this process.
    pub(in crate::driver) fn active(&self) -> usize {
        self.active.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Returns a receiver of the number of runs being worked on in this process.
    /// It is notified whenever that number changes, and when a part of the driver falls asleep.
    ///
    /// A condition on the number is evaluated under the channel's lock, so it must not call any method
    /// of `Claims`: [`mark_active`](Self::mark_active) and [`release`](Self::release) change the number
    /// while they hold the lock of `active`.
    pub(in crate::driver) fn watch(&self) -> watch::Receiver<usize> {
        self.idle.subscribe()
    }

    /// Notifies the receivers of [`watch`](Self::watch) that a part has fallen asleep.
    pub(in crate::driver) fn tell(&self) {
        self.idle.send_modify(|_| {});
    }

    /// Records a claim that this process owns but does not work on, so that it is given back.
    pub(in crate::driver) fn owe(&self, claim: Fence) {
        self.unsettled.owe(claim);
    }

    /// Records that this process may own unknown claims, because the commit
    /// that took them was not confirmed.
    pub(in crate::driver) fn doubt(&self) {
        self.unsettled.doubt();
    }

    /// Whether any claim is owed or in doubt.
    pub(in crate::driver) fn is_any_unsettled(&self) -> bool {
        self.unsettled.any()
    }
}
