//! The claims of this process as far as its memory knows them: the runs it works on, and the claims to
//! settle.

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
    /// The status of this process among those that share its database.
    pub(crate) status: NodeStatus,
    /// The runs that this process works on. True for a run that was found due again since it was taken.
    active: Mutex<BTreeMap<RunId, bool>>,
    /// The suspect: a run being worked on that was claimed before without a commit since. There is one at
    /// a time, so that a run that crashes its process does not repeatedly take other suspects down with
    /// it.
    suspect: Mutex<Option<RunId>>,
    pub(super) unsettled: Unsettled,
    /// The number of runs in `active`. Also signalled when a part falls asleep.
    idle: watch::Sender<usize>,
}

impl Claims {
    /// Creates the record with nothing claimed.
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

    /// Whether this process may take work: it drives an embedded file alone, or it has a lease, a clock
    /// close to the database's and a schema that it knows.
    pub(in crate::driver) fn may_take(&self) -> bool {
        self.store.dialect() == Dialect::Sqlite || self.status.may_take()
    }

    /// Marks a run as being worked on here. Returns false if it is already; then the bell rings as soon
    /// as the run is released.
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

    /// Marks a run that was claimed before without a commit as the suspect. Returns false if another run
    /// is the suspect.
    pub(super) fn take_suspect(&self, run: RunId) -> bool {
        let mut suspect = self.suspect.lock().unwrap_or_else(PoisonError::into_inner);
        *suspect.get_or_insert(run) == run
    }

    /// Has a run that is being worked on here checked again as soon as it is released.
    pub(in crate::driver) fn recheck_after_release(&self, run: RunId) {
        let mut active = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(due_again) = active.get_mut(&run) {
            *due_again = true;
        }
    }

    /// Marks a run as no longer being worked on here.
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

    /// Whether a run is being worked on here.
    pub(crate) fn is_active(&self, run: RunId) -> bool {
        self.active.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&run)
    }

    /// Returns how many runs are being worked on here.
    pub(in crate::driver) fn active(&self) -> usize {
        self.active.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Returns a receiver of the number of runs being worked on here. It is signalled whenever that
    /// number changes, and when a part falls asleep.
    ///
    /// A condition on the number is evaluated under the channel's lock and must not call any method of
    /// `Claims`: [`take`](Self::take) and [`release`](Self::let_go) write the number while they hold the
    /// lock of the runs.
    pub(in crate::driver) fn watch(&self) -> watch::Receiver<usize> {
        self.idle.subscribe()
    }

    /// Signals those that watch that a part has fallen asleep.
    pub(in crate::driver) fn tell(&self) {
        self.idle.send_modify(|_| {});
    }

    /// Notes a claim that this process owns but does not work on: it must be given back.
    pub(in crate::driver) fn owe(&self, claim: Fence) {
        self.unsettled.owe(claim);
    }

    /// Notes that this process may own claims without knowing, because the commit that took them was not
    /// confirmed.
    pub(in crate::driver) fn doubt(&self) {
        self.unsettled.doubt();
    }

    /// Whether any claim is owed or in doubt.
    pub(in crate::driver) fn is_any_unsettled(&self) -> bool {
        self.unsettled.any()
    }
}
