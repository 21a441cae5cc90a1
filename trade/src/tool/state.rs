//! Checks that a row is in the state that a call needs.

use abide_engine::base::{Problem, Value};

use crate::data::StoredRow;
use crate::refusal;

/// Checks that a column has one of the words.
///
/// # Errors
/// `wrong_state`, which names the row, its word and the words that the call needs.
pub(super) fn check(row: &StoredRow, column: &str, needed: &[&str]) -> Result<(), Problem> {
    let has = row.text(column);
    if needed.contains(&has) {
        return Ok(());
    }
    let needed: Vec<Value> = needed.iter().map(|word| (*word).into()).collect();
    Err(refusal::wrong_state(row.id(), column, &has.into(), &needed))
}
