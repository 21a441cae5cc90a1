//! Reads the input of a call. The engine has checked the input against the contract of the tool.

use abide_engine::base::{Problem, Timestamp, Value};
use abide_engine::policy::Region;
use jiff::tz::TimeZone;

use crate::cell::{self, Cell};
use crate::data::StoredRow;
use crate::refusal;

/// Returns a member of the input; `None` if it is left out or null.
pub(super) fn given<'a>(args: &'a Value, member: &str) -> Option<&'a Value> {
    args.get(member).filter(|value| !value.is_null())
}

/// Reads a member that is a text.
pub(super) fn text<'a>(args: &'a Value, member: &str) -> Result<&'a str, Problem> {
    optional_text(args, member).ok_or_else(|| refusal::invalid(member, "is not a text"))
}

/// Reads a member that is a text, if it is given.
pub(super) fn optional_text<'a>(args: &'a Value, member: &str) -> Option<&'a str> {
    given(args, member).and_then(Value::as_str)
}

/// Reads a member that is an instant.
pub(super) fn instant(args: &Value, member: &str) -> Result<Timestamp, Problem> {
    let at = text(args, member)?.parse();
    at.map_err(|_| {
        refusal::invalid(member, "is not an instant such as `2025-10-05T09:00:00-05:00`")
    })
}

/// Reads a member that is a whole number; `default` if it is left out.
pub(super) fn number(args: &Value, member: &str, default: i64) -> Result<i64, Problem> {
    match given(args, member) {
        None => Ok(default),
        Some(value) => cell::whole(value).map_err(|misfit| refusal::misfit(member, &misfit)),
    }
}

/// Sets a column of a row to a value. `place` names the value in a refusal.
pub(super) fn assign(
    row: &mut StoredRow,
    column: &str,
    value: &Value,
    place: &str,
    region: Region,
) -> Result<(), Problem> {
    let known = row.table().column(column).map_err(Problem::bug)?;
    let stored = known.stored(value, region).map_err(|misfit| refusal::misfit(place, &misfit))?;
    row.set(column, stored);
    Ok(())
}

/// Sets a column of a row to a text.
pub(super) fn assign_text(row: &mut StoredRow, column: &str, text: &str) {
    row.set(column, Cell::Text(text.to_owned()));
}

/// Returns the time zone of the business. The settings accept only names of known zones.
pub(super) fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap_or(TimeZone::UTC)
}
