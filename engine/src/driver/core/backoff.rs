//! Postpones work items that failed, so that they do not block other work items.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::base::{Problem, RequestId, Span, Timestamp};

/// The pause before an item is tried again after a failure that a person must fix.
const AFTER_FAILURE: Span = Span::from_secs(60);
/// The pause before an item is tried again after a temporary failure,
/// and the pause between two passes over the items while any item is postponed.
const AFTER_BUSY: Span = Span::from_secs(1);

/// What is swept in a transaction of its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::driver) enum SweepItem {
    /// A request.
    Request(RequestId),
    /// The work of a tenant that belongs to no request.
    Tenant(String),
}

/// The postponed work items, each identified by its key.
pub(in crate::driver) struct Backoff<K>(Mutex<Failed<K>>);

struct Failed<K> {
    /// The instant at which each item is tried again.
    until: BTreeMap<K, Timestamp>,
    /// The instant before which the next pass must not begin, if any item is postponed.
    /// Without this limit the next pass would begin at once, because a postponed item stays due.
    again: Option<Timestamp>,
}

impl<K> Default for Backoff<K> {
    fn default() -> Self {
        Self(Mutex::new(Failed { until: BTreeMap::new(), again: None }))
    }
}

impl<K: Ord + Clone> Backoff<K> {
    /// Postpones a work item that failed with `problem`.
    pub(in crate::driver) fn add(&self, key: K, now: Timestamp, problem: &Problem) {
        let pause = if problem.is_transient() { AFTER_BUSY } else { AFTER_FAILURE };
        self.failed().until.insert(key, now + pause);
    }

    /// Begins a pass over the due work items. Returns the postponed items, which this pass must leave out.
    pub(in crate::driver) fn begin(&self, now: Timestamp) -> BTreeSet<K> {
        let mut failed = self.failed();
        failed.until.retain(|_, until| *until > now);
        failed.until.keys().cloned().collect()
    }

    /// Ends a pass over the due work items, and delays the next pass if any item is postponed.
    pub(in crate::driver) fn end(&self, now: Timestamp) {
        let mut failed = self.failed();
        failed.again = (!failed.until.is_empty()).then(|| now + AFTER_BUSY);
    }

    /// Returns the time at which the next pass begins. The parameter `first` is the earliest due time of
    /// all work items. If there are no work items, `first` and the result are `None`.
    pub(in crate::driver) fn next(
        &self,
        first: Option<Timestamp>,
        now: Timestamp,
    ) -> Option<Timestamp> {
        match (first, self.failed().again) {
            (Some(first), Some(again)) if first > now => Some(first.min(again)),
            (Some(_), Some(again)) => Some(again),
            (first, _) => first,
        }
    }

    fn failed(&self) -> MutexGuard<'_, Failed<K>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Logs why a work item failed and is postponed: as a warning if the failure is temporary, or as an error
/// if a person must fix the failure.
pub(in crate::driver) fn failed(what: &str, which: &str, problem: &Problem) {
    let (code, detail) = (&problem.code, problem.detail.as_deref().unwrap_or(""));
    match problem.is_transient() {
        true => tracing::warn!(which, %code, detail, "{what}: {problem}"),
        false => tracing::error!(which, %code, detail, "{what}: {problem}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(s: i64) -> Timestamp {
        Timestamp::from_micros(s * 1_000_000)
    }

    #[test]
    fn what_failed_waits_and_the_rest_is_looked_at_meanwhile() {
        let backoff = Backoff::default();
        assert_eq!(backoff.next(Some(second(5)), second(9)), Some(second(5)));
        backoff.add("broken", second(10), &Problem::bug("x"));
        backoff.add("busy", second(10), &Problem::transient("x", "x"));
        backoff.end(second(10));
        assert_eq!(backoff.next(Some(second(5)), second(10)), Some(second(11)), "not at once");
        assert_eq!(backoff.next(Some(second(90)), second(10)), Some(second(11)));
        assert_eq!(backoff.next(None, second(10)), None, "nothing is due");
        assert_eq!(backoff.begin(second(11)), BTreeSet::from(["broken"]));
        backoff.end(second(11));
        assert!(backoff.begin(second(70)).is_empty());
        backoff.end(second(70));
        assert_eq!(backoff.next(Some(second(5)), second(70)), Some(second(5)));
    }
}
