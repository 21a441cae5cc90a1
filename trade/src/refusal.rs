//! The problems with which calls of tools fail.

use abide_engine::base::{Problem, Value};

use crate::cell::Misfit;
use crate::table::Table;

/// The row that the input of a call names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NamedRow<'a> {
    /// The member of the input.
    pub(crate) member: &'a str,
    /// The id of the row.
    pub(crate) id: &'a str,
}

/// Refuses a call whose contract names what this program does not have. Such a contract is refused when
/// the program starts, so the call is one of a run that is pinned to a contract of another program.
pub(crate) fn unknown(what: impl Into<String>) -> Problem {
    Problem::author("handler_missing", what).with_hint("correct the member `data` of the contract")
}

/// Refuses a member of the input. `what` is a sentence without its subject.
pub(crate) fn invalid(member: &str, what: &str) -> Problem {
    Problem::caller("invalid_args", format!("`{member}` {what}"))
        .with_hint("see the contract of the tool")
}

/// Refuses a member of the input whose value the column cannot have.
pub(crate) fn misfit(member: &str, misfit: &Misfit) -> Problem {
    match misfit {
        Misfit::Phone(what) => invalid_phone(member, what),
        Misfit::Other(what) => invalid(member, what),
    }
}

/// Refuses a member of the input that is not a phone number. `what` is a sentence without its subject.
pub(crate) fn invalid_phone(member: &str, what: &str) -> Problem {
    Problem::caller("invalid_phone", format!("`{member}` {what}")).with_hint(
        "write it with the code of its country, such as `+61400123456` or `+15125550100`",
    )
}

/// Refuses a member of the input that names a row that does not exist.
pub(crate) fn not_found(row: NamedRow<'_>, place: &str) -> Problem {
    let NamedRow { member, id } = row;
    Problem::caller("not_found", format!("`{member}` is `{id}`, which is not in `{place}`"))
        .with_hint("give the id of a row that exists")
}

/// Refuses a change of a row that does not have one of the values that the change needs.
pub(crate) fn wrong_state(id: &str, column: &str, has: &Value, needed: &[Value]) -> Problem {
    let needed: Vec<String> = needed.iter().map(word).collect();
    let message =
        format!("`{column}` of `{id}` is {}, and must be {}", word(has), needed.join(" or "));
    Problem::caller("wrong_state", message).with_hint("look at the row, and choose another tool")
}

/// Refuses a change to a value that another row has already.
pub(crate) fn duplicate(member: &str, table: &Table, other: &str) -> Problem {
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
