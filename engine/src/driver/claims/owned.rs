//! Keeps the claims of this process in memory: the runs that this process works on, and the claims that it
//! must give back.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
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
    /// The runs that this process works on. The value is true if the run became due again
    /// while this process worked on it.
    active: Mutex<BTreeMap<RunId, bool>>,
    /// The suspect: a run in progress whose earlier claim ended without a commit, perhaps because a step
    /// of the run crashes the process. A crash counts against every run in progress, because the claims
    /// of all these runs end without a commit. So only one suspect is in progress at a time: if it causes
    /// a crash, the crash does not count against another suspect.
    suspect: Mutex<Option<RunId>>,
    pub(super) unsettled: Unsettled,
    /// Whether the part of the driver that claims runs waits until workers are free.
    wants_room: AtomicBool,
    /// The number of runs in `active` that an outside system keeps waiting.
    outside: AtomicUsize,
    /// The number of runs in `active`. The receivers of this channel are also notified when a part of the
    /// driver falls asleep.
    idle: watch::Sender<usize>,
}

/// Maximum number of runs of this process that may wait for outside systems without occupying a worker. Each
/// holds a connection and a few kilobytes.
const OUTSIDE_MAX: usize = 64;

/// Stands for a run that waits for the answer of an outside system.
pub(in crate::driver) struct Outside<'a>(&'a AtomicUsize);

impl Drop for Outside<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Claims {
    /// Creates the claims of a process that has claimed no run yet.
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
            wants_room: AtomicBool::new(false),
            outside: AtomicUsize::new(0),
            idle: watch::channel(0).0,
        }
    }

    /// Whether this process may claim runs. On SQLite the process always may. On PostgreSQL the process
    /// needs a lease, a clock close to the database's clock, and a database schema that it knows.
    pub(in crate::driver) fn may_take(&self) -> bool {
        self.store.dialect() == Dialect::Sqlite || self.status.may_take()
    }

    /// Records that this process works on a run. Returns false if this process already works on the run; in
    /// that case the run is checked again as soon as this process stops working on it.
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

    /// Makes a run the suspect, because an earlier claim of the run ended without a commit.
    /// Returns false if another run is the suspect.
    pub(super) fn take_suspect(&self, run: RunId) -> bool {
        let mut suspect = self.suspect.lock().unwrap_or_else(PoisonError::into_inner);
        *suspect.get_or_insert(run) == run
    }

    /// Records that a run in progress may be due again. This process then checks the run for due work as
    /// soon as it stops working on the run.
    pub(in crate::driver) fn recheck_after_release(&self, run: RunId) {
        let mut active = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(due_again) = active.get_mut(&run) {
            *due_again = true;
        }
    }

    /// Records that this process no longer works on a run. If the run became due again,
    /// wakes the part of the driver that works on runs.
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

    /// Whether this process works on a run.
    pub(crate) fn is_active(&self, run: RunId) -> bool {
        self.active.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&run)
    }

    /// Returns the number of runs that this process works on.
    pub(in crate::driver) fn active(&self) -> usize {
        self.active.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Returns the number of runs that occupy a worker of this process. A run that waits for the answer of an
    /// outside system occupies none, so that a slow system does not hold up the other runs. Only
    /// `OUTSIDE_MAX` runs may wait so.
    pub(in crate::driver) fn at_work(&self) -> usize {
        let outside = self.outside.load(Ordering::SeqCst).min(OUTSIDE_MAX);
        self.active().saturating_sub(outside)
    }

    /// Records that the part of the driver that claims runs waits until workers are free.
    pub(in crate::driver) fn want_room(&self) {
        self.wants_room.store(true, Ordering::SeqCst);
    }

    /// Returns whether the part of the driver that claims runs waits until workers are free, and forgets it.
    pub(in crate::driver) fn take_want_of_room(&self) -> bool {
        self.wants_room.swap(false, Ordering::SeqCst)
    }

    /// Records that one of the runs of this process waits for an outside system, until the returned value is
    /// dropped.
    pub(in crate::driver) fn go_outside(&self) -> Outside<'_> {
        self.outside.fetch_add(1, Ordering::SeqCst);
        Outside(&self.outside)
    }

    /// Returns a receiver of the number of runs that this process works on.
    /// The receiver is notified when that number changes, and when a part of the driver falls asleep.
    ///
    /// A closure passed to `wait_for` must not use any method of `Claims`, or it may deadlock:
    /// the closure runs under the channel's lock, and [`mark_active`](Self::mark_active)
    /// and [`release`](Self::release) take the channel's lock while they hold the lock of `active`.
    pub(in crate::driver) fn watch(&self) -> watch::Receiver<usize> {
        self.idle.subscribe()
    }

    /// Notifies the receivers of [`watch`](Self::watch) that a part of the driver has fallen asleep.
    pub(in crate::driver) fn tell(&self) {
        self.idle.send_modify(|_| {});
    }

    /// Records the claim of a run that this process owns but does not work on, so that the claim is given
    /// back.
    pub(in crate::driver) fn owe(&self, claim: Fence) {
        self.unsettled.owe(claim);
    }

    /// Records that this process may have claimed runs without knowing it,
    /// because the database did not confirm the commit of a claim.
    pub(in crate::driver) fn doubt(&self) {
        self.unsettled.doubt();
    }

    /// Whether this process has a claim that it must give back, or may have a claim that only the
    /// database knows and that this process must look up.
    pub(in crate::driver) fn is_any_unsettled(&self) -> bool {
        self.unsettled.any()
    }
}
