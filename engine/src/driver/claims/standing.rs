//! Where this process stands among those that share a database: who it is to them, whether its lease
//! stands, whether its clock may be trusted.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::base::{NodeId, Problem, Span};
use crate::policy::skew;
use crate::store::SchemaStatus;

/// The standing of this process.
#[derive(Debug)]
pub(crate) struct Standing {
    node: Mutex<NodeId>,
    enlisted: AtomicBool,
    skew_micros: AtomicI64,
    outdated: OnceLock<SchemaStatus>,
}

impl Standing {
    /// A process that nobody knows yet.
    pub(super) fn of(node: NodeId) -> Self {
        Self {
            node: Mutex::new(node),
            enlisted: AtomicBool::new(false),
            skew_micros: AtomicI64::new(0),
            outdated: OnceLock::new(),
        }
    }

    /// Who owns what this process takes in hand.
    pub(in crate::driver) fn node(&self) -> NodeId {
        *self.node.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its lease stands, or does not any more.
    pub(in crate::driver) fn enlist(&self, stands: bool) {
        self.enlisted.store(stands, Ordering::SeqCst);
    }

    /// It was taken for dead, and death is for good: from now on it is another node.
    pub(in crate::driver) fn begin_anew(&self, node: NodeId) {
        self.enlist(false);
        *self.node.lock().unwrap_or_else(PoisonError::into_inner) = node;
    }

    /// Notes how far its clock is off; positive where it is behind the database's.
    pub(in crate::driver) fn note_skew(&self, skew: Span) {
        self.skew_micros.store(skew.micros(), Ordering::SeqCst);
    }

    /// Why it may take no work by its clock.
    ///
    /// # Errors
    /// `clock_skewed`.
    pub(crate) fn check_clock(&self) -> Result<(), Problem> {
        skew::check(Span::from_micros(self.skew_micros.load(Ordering::SeqCst)))
    }

    /// Notes that the database is newer than this program; true for the first time.
    pub(in crate::driver) fn note_schema(&self, status: SchemaStatus) -> bool {
        self.outdated.set(status).is_ok()
    }

    /// Why it takes no more work by the schema.
    ///
    /// # Errors
    /// `schema_newer`.
    pub(crate) fn check_schema(&self) -> Result<(), Problem> {
        match self.outdated.get().and_then(|status| status.refusal()) {
            Some(problem) => Err(problem),
            None => Ok(()),
        }
    }

    /// True where it may take work from the others.
    pub(in crate::driver) fn may_take(&self) -> bool {
        self.enlisted.load(Ordering::SeqCst)
            && self.check_clock().is_ok()
            && self.check_schema().is_ok()
    }
}
