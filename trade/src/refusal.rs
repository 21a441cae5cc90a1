//! The problems with which a call of a data-driven tool fails.

use abide_engine::base::{Problem, Value};

use super::NamedRow;
use crate::cell::Misfit;
use crate::table::Table;

/// Refuses a call whose contract names what this program does not have. Such a contract is refused when
/// the program starts, so the call is one of a run that is pinned to a contract of another program.
pub(super) fn unknown(what: impl Into<String>) -> Problem {
    Problem::author("handler_missing", what).with_hint("correct the member `data` of the contract")
}

/// Refuses a member of the input. `what` is a sentence without its subject.
pub(super) fn invalid(member: &str, what: &str) -> Problem {
    Problem::caller("invalid_args", format!("`{member}` {what}"))
        .with_hint("see the contract of the tool")
}

/// Refuses a member of the input whose value the column cannot have.
pub(super) fn misfit(member: &str, misfit: &Misfit) -> Problem {
    match misfit {
        Misfit::Phone(what) => Problem::caller("invalid_phone", format!("`{member}` {what}"))
            .with_hint("write it in full: `0400 123 456` in Australia, else `+15125550100`"),
        Misfit::Other(what) => invalid(member, what),
    }
}

/// Refuses a member of the input that names a row that does not exist.
pub(super) fn not_found(row: NamedRow<'_>, place: &str) -> Problem {
    let NamedRow { member, id } = row;
    Problem::caller("not_found", format!("`{member}` is `{id}`, which is not in `{place}`"))
        .with_hint("give the id of a row that exists")
}

/// Refuses a change of a row that does not have one of the values that the change needs.
pub(super) fn wrong_state(id: &str, column: &str, has: &Value, needed: &[Value]) -> Problem {
    let needed: Vec<String> = needed.iter().map(word).collect();
    let message =
        format!("`{column}` of `{id}` is {}, and must be {}", word(has), needed.join(" or "));
    Problem::caller("wrong_state", message).with_hint("look at the row, and choose another tool")
}

/// Refuses a change to a value that another row has already.
pub(super) fn duplicate(member: &str, table: &Table, other: &str) -> Problem {
    let message = format!("`{member}`: `{other}` in `{}` has this value already", table.name);
    Problem::caller("duplicate", message).with_hint("change that row instead")
}

fn word(value: &Value) -> String {
    match value {
        Value::Null => "missing".to_owned(),
        Value::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    }
}
