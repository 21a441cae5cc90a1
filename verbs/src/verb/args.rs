//! Reads the arguments of a call. The engine has checked the types of the arguments against the verb's
//! contract. This module checks what a contract cannot express, such as whether a person exists.

use std::collections::BTreeSet;

use abide_engine::base::{PersonId, Problem, Timestamp, Value, limits};
use abide_engine::store::{Queued, Tx};
use abide_engine::verb::{CallContext, Effects};

use crate::data;
use crate::data::person::PersonFilter;
use crate::directory::SkipReason;
use crate::operations::messages::QueuedMessage;
use crate::operations::requests;
use crate::request::Request;
use crate::request::targets::checked_role;

/// Reads an argument that is a string.
pub(super) fn text<'a>(args: &'a Value, name: &str) -> Result<&'a str, Problem> {
    args.get(name).and_then(Value::as_str).ok_or_else(|| invalid(format!("`{name}` is not a text")))
}

/// Reads an argument that is a time in RFC 3339.
pub(super) fn instant(args: &Value, name: &str) -> Result<Timestamp, Problem> {
    text(args, name)?.parse().map_err(|e| invalid(format!("`{name}`: {e}")))
}

/// Reads an argument that is a role, and returns its stored form.
pub(super) fn role(args: &Value, name: &str) -> Result<String, Problem> {
    checked_role(text(args, name)?)
}

/// Reads an argument that is a list of people. Returns the people in the sequence of the list,
/// without duplicates.
pub(super) fn people(args: &Value, name: &str) -> Result<Vec<PersonId>, Problem> {
    let Some(items) = args.get(name).and_then(Value::as_array) else {
        return Err(invalid(format!("`{name}` is not a list of people")));
    };
    let mut seen = BTreeSet::new();
    let mut people = Vec::with_capacity(items.len());
    for item in items {
        let person = person_id(item)?;
        if seen.insert(person) {
            people.push(person);
        }
    }
    Ok(people)
}

/// Reads an argument that is a list of people, if it is given; none otherwise.
pub(super) fn people_or_none(args: &Value, name: &str) -> Result<Vec<PersonId>, Problem> {
    match args.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(_) => people(args, name),
    }
}

/// Reads a value that is a person's id.
pub(super) fn person_id(value: &Value) -> Result<PersonId, Problem> {
    value
        .as_str()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| invalid(format!("`{value}` is not the id of a person")))
}

/// Reads the argument `person`: the id of a person who must be in the tenant's directory.
pub(super) async fn person(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    args: &Value,
) -> Result<PersonId, Problem> {
    let person = person_id(args.get("person").unwrap_or(&Value::Null))?;
    if data::person::known(tx, cx.tenant, &[person]).await?.is_empty() {
        return Err(Problem::caller("person_unknown", format!("there is no person `{person}`")));
    }
    Ok(person)
}

/// Reads a value that is a filter for people, with the optional members `roles` and `campus`.
pub(super) fn filter(value: &Value) -> Result<PersonFilter, Problem> {
    let roles = value.get("roles").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let roles = roles
        .iter()
        .map(|role| checked_role(role.as_str().unwrap_or_default()))
        .collect::<Result<_, _>>()?;
    let campus = value.get("campus").and_then(Value::as_str).filter(|campus| !campus.is_empty());
    Ok(PersonFilter { roles, campus: campus.map(ToOwned::to_owned), after: None, limit: i64::MAX })
}

/// Returns the run's request, locked. If `time` is given, checks that the service begins at that time.
pub(super) async fn request(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    time: Option<Timestamp>,
) -> Result<Request, Problem> {
    let Some(id) = cx.request else {
        return Err(Problem::author("no_request", format!("`{}` needs a request", cx.step_id))
            .with_hint("start the run with a goal that has a time, or with `request_id`"));
    };
    let request = requests::lock(tx, cx.tenant, id).await?;
    match time {
        Some(time) if !request.is_at(time) => Err(Problem::author(
            "wrong_time",
            format!(
                "`time` is {time}, but the request's service begins at {}",
                request.service_time
            ),
        )
        .with_hint("use `{{goal.time}}` or `{{req.service_time}}`")),
        _ => Ok(request),
    }
}

/// Checks that the request is in a state in which people may be asked.
pub(super) fn check_live(request: &Request) -> Result<(), Problem> {
    if request.status.is_live() {
        return Ok(());
    }
    Err(Problem::caller("wrong_state", format!("the request is `{}`", request.status))
        .with_hint("ask people only while the request is open"))
}

/// Records for the call's receipt which messages the call has queued,
/// and which messages had been queued before under the same key.
pub(super) fn record_messages(effects: &mut Effects, sent: &[QueuedMessage]) {
    for one in sent {
        match &one.queued {
            Queued::New(id) => effects.messages_sent.push(id.to_string()),
            Queued::Duplicate(key) => effects.idempotency_hit.push(key.clone()),
        }
    }
}

/// Returns the entry in a verb's result for a person whom the verb left out.
pub(super) fn skipped(person: PersonId, reason: SkipReason) -> Value {
    serde_json::json!({"person": person, "reason": reason})
}

/// Returns the error for invalid arguments, for which the author of the method is to blame.
pub(super) fn invalid(message: impl Into<String>) -> Problem {
    Problem::author("invalid_args", message).with_hint("see the verb's contract")
}

/// The progress of a call that handles many people in chunks, one chunk per commit.
///
/// The progress is stored in the run's head between two chunks. To stay small, it contains only
/// counts and at most [`SKIPPED_KEPT`] of the people who were left out.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Cursor {
    /// Number of people processed so far.
    pub done: usize,
    /// Number of the processed people who were asked or were sent a message.
    pub reached: usize,
    /// The number of the wave of offers that the call makes; `None` for a call that makes no offers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wave: Option<i64>,
    /// People who were left out, each with the reason.
    pub skipped: Vec<Value>,
}

/// Maximum number of left-out people that are stored in the run's head. 40 people take about 3 KB,
/// which is well below the maximum size of a head.
const SKIPPED_KEPT: usize = 40;

impl Cursor {
    /// Parses a stored cursor. If none is stored, returns a cursor at the first person.
    pub(super) fn read(value: Option<&Value>) -> Result<Self, Problem> {
        value.map_or(Ok(Self::default()), |value| {
            serde_json::from_value(value.clone())
                .map_err(|e| Problem::bug(format!("a stored cursor cannot be read: {e}")))
        })
    }

    /// Returns the next people to process, at most [`limits::CHUNK_PEOPLE_MAX`],
    /// so that each commit stays small even if the call handles many people.
    pub(super) fn chunk<'a>(&self, people: &'a [PersonId]) -> &'a [PersonId] {
        let rest = people.get(self.done..).unwrap_or_default();
        &rest[..rest.len().min(limits::CHUNK_PEOPLE_MAX)]
    }

    /// Returns the cursor as JSON, for storing it in the run's head.
    pub(super) fn to_value(&self) -> Result<Value, Problem> {
        let kept = Self {
            skipped: self.skipped.iter().take(SKIPPED_KEPT).cloned().collect(),
            ..self.clone()
        };
        serde_json::to_value(&kept)
            .map_err(|e| Problem::bug(format!("a cursor cannot be written as JSON: {e}")))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn people_come_once_and_in_order() {
        let (a, b) =
            ("per_00000000000070008000000000000002", "per_00000000000070008000000000000001");
        let found = people(&json!({"people": [a, b, a]}), "people").expect("people");
        assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), [a, b]);
        assert!(people(&json!({"people": ["Ana"]}), "people").is_err());
        assert!(people(&json!({"people": "Ana"}), "people").is_err());
    }

    #[test]
    fn a_cursor_fits_into_the_head_of_a_run() {
        let person = "per_00000000000070008000000000000002".parse().expect("an id");
        let cursor = Cursor {
            done: 10_000,
            skipped: vec![skipped(person, SkipReason::AlreadyAsked); 10_000],
            ..Cursor::default()
        };
        let stored = cursor.to_value().expect("JSON");
        assert!(stored.to_string().len() < abide_engine::base::limits::HEAD_BYTES_MAX / 2);
        assert_eq!(Cursor::read(Some(&stored)).expect("reads back").done, 10_000);
    }
}
