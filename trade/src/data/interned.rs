//! Keeps each statement that was built, because a transaction takes only statements that live forever.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

/// The statements that were built so far.
static STATEMENTS: RwLock<BTreeSet<&'static str>> = RwLock::new(BTreeSet::new());

/// Returns a statement that lives forever. The same statement is kept only once.
///
/// The number of statements is bounded: a table has a few of its own, an update has one for each contract,
/// and a list has one for each set of filters that the calls of a contract give.
pub(super) fn interned(statement: String) -> &'static str {
    let known = STATEMENTS.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known.get(statement.as_str()) {
        return known;
    }
    drop(known);
    let mut statements = STATEMENTS.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = statements.get(statement.as_str()) {
        return known; // another thread was faster
    }
    let kept: &'static str = Box::leak(statement.into_boxed_str());
    statements.insert(kept);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_kept_once() {
        let (one, same) = (interned("A ".to_owned() + "b"), interned("A b".to_owned()));
        assert!(std::ptr::eq(one, same));
        assert!(!std::ptr::eq(one, interned("A c".to_owned())));
    }
}
