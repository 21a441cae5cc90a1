//! Keeps the status of this process among the processes that share a database: its node id, whether it
//! holds a lease, and whether its clock and the schema of the database allow it to work.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::base::{NodeId, Problem, Span};
use crate::policy::skew;
use crate::store::SchemaStatus;

/// The node id of this process, and what decides whether the process may take work.
#[derive(Debug)]
pub(crate) struct NodeStatus {
    node: Mutex<NodeId>,
    has_lease: AtomicBool,
    skew_micros: AtomicI64,
    outdated: OnceLock<SchemaStatus>,
}

impl NodeStatus {
    /// Creates the status of a process that has no lease yet and whose clock is assumed to be right.
    pub(super) fn of(node: NodeId) -> Self {
        Self {
            node: Mutex::new(node),
            has_lease: AtomicBool::new(false),
            skew_micros: AtomicI64::new(0),
            outdated: OnceLock::new(),
        }
    }

    /// Returns the node id under which this process claims runs.
    pub(in crate::driver) fn node(&self) -> NodeId {
        *self.node.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records whether this process holds a lease.
    pub(in crate::driver) fn set_lease(&self, stands: bool) {
        self.has_lease.store(stands, Ordering::SeqCst);
    }

    /// Continues under a new node id, because the old node was declared dead and cannot get a lease again.
    pub(in crate::driver) fn renew_identity(&self, node: NodeId) {
        self.set_lease(false);
        *self.node.lock().unwrap_or_else(PoisonError::into_inner) = node;
    }

    /// Records how far this machine's clock is behind the database's clock; negative if this machine's
    /// clock is ahead.
    pub(in crate::driver) fn note_skew(&self, skew: Span) {
        self.skew_micros.store(skew.micros(), Ordering::SeqCst);
    }

    /// Checks that this machine's clock is close enough to the database's clock for this process to work.
    ///
    /// # Errors
    /// `clock_skewed` if the clocks differ too much.
    pub(crate) fn check_clock(&self) -> Result<(), Problem> {
        skew::check(Span::from_micros(self.skew_micros.load(Ordering::SeqCst)))
    }

    /// Records that the database has a newer schema than this program knows.
    /// Returns false if this was recorded before.
    pub(in crate::driver) fn note_schema(&self, status: SchemaStatus) -> bool {
        self.outdated.set(status).is_ok()
    }

    /// Checks that the schema of the database allows this process to take more work.
    ///
    /// # Errors
    /// `schema_newer` if the database has a newer schema than this program knows.
    pub(crate) fn check_schema(&self) -> Result<(), Problem> {
        match self.outdated.get().and_then(|status| status.refusal()) {
            Some(problem) => Err(problem),
            None => Ok(()),
        }
    }

    /// Whether this process may take work on a shared database. The process must hold a lease, its clock
    /// must be close enough to the database's clock, and it must know the schema of the database.
    pub(in crate::driver) fn may_take(&self) -> bool {
        self.has_lease.load(Ordering::SeqCst)
            && self.check_clock().is_ok()
            && self.check_schema().is_ok()
    }
}
