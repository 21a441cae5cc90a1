//! The claims of this process, as far as memory knows them: the runs in hand, and what is to be settled.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use super::super::bell::Bells;
use super::standing::Standing;
use super::unsettled::Unsettled;
use crate::base::{NodeId, RunId};
use crate::clock::Clock;
use crate::store::{Dialect, Store};

/// The claims of this process.
pub(crate) struct Claims {
    pub(super) store: Store,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) bells: Arc<Bells>,
    /// Who this process is to the others that share its database.
    pub(crate) standing: Standing,
    /// The runs in hand; true for one that was found due meanwhile.
    active: Mutex<BTreeMap<RunId, bool>>,
    /// The run in hand that was claimed before and came to nothing: one at a time, so that the one
    /// which ends its process takes no other with it again and again.
    suspect: Mutex<Option<RunId>>,
    pub(super) unsettled: Unsettled,
    /// How many runs are in hand; told also when a part falls asleep.
    idle: watch::Sender<usize>,
}

impl Claims {
    /// Nothing is claimed yet.
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
            standing: Standing::of(node),
            active: Mutex::default(),
            suspect: Mutex::default(),
            unsettled: Unsettled::default(),
            idle: watch::channel(0).0,
        }
    }

    /// True where this process may take work in hand: it drives an embedded file alone, or stands
    /// among the others with a lease and a clock like theirs.
    pub(in crate::driver) fn may_take(&self) -> bool {
        self.store.dialect() == Dialect::Sqlite || self.standing.may_take()
    }

    /// Marks a run as being worked on here; false if it is already: then its bell is rung once it
    /// was let go.
    pub(in crate::driver) fn take(&self, run: RunId) -> bool {
        let mut active = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(due_again) = active.get_mut(&run) {
            *due_again = true;
            return false;
        }
        active.insert(run, false);
        self.idle.send_replace(active.len());
        true
    }

    /// Takes a run in hand that was claimed before and came to nothing; false if another such one is
    /// in hand.
    pub(super) fn take_suspect(&self, run: RunId) -> bool {
        let mut suspect = self.suspect.lock().unwrap_or_else(PoisonError::into_inner);
        *suspect.get_or_insert(run) == run
    }

    /// A run in hand is to be looked at again as soon as it was let go.
    pub(in crate::driver) fn look_again(&self, run: RunId) {
        let mut active = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(due_again) = active.get_mut(&run) {
            *due_again = true;
        }
    }

    /// The run is not being worked on here any more.
    pub(in crate::driver) fn let_go(&self, run: RunId) {
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

    /// True while a run is being worked on here.
    pub(crate) fn has(&self, run: RunId) -> bool {
        self.active.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&run)
    }

    /// How many runs are being worked on here.
    pub(in crate::driver) fn active(&self) -> usize {
        self.active.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Tells how many runs are in hand whenever that changes, and when a part falls asleep.
    ///
    /// A condition on the number is evaluated under the channel's lock and must not call any method of `Claims`:
    /// [`take`](Self::take) and [`let_go`](Self::let_go) write the number while they hold the lock of the runs.
    pub(in crate::driver) fn watch(&self) -> watch::Receiver<usize> {
        self.idle.subscribe()
    }

    /// Tells those who watch that a part has fallen asleep.
    pub(in crate::driver) fn tell(&self) {
        self.idle.send_modify(|_| {});
    }

    /// A claim is ours and nobody works on it: it is to be given back.
    pub(in crate::driver) fn owe(&self, claim: (RunId, i64)) {
        self.unsettled.owe(claim);
    }

    /// A claim may be ours without our knowing: its commit was not confirmed.
    pub(in crate::driver) fn doubt(&self) {
        self.unsettled.doubt();
    }

    /// True where a claim is owed or in doubt.
    pub(in crate::driver) fn is_any_unsettled(&self) -> bool {
        self.unsettled.any()
    }
}
