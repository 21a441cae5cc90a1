//! Replays a trace: gives the same answer from the assertions that it names, or says which of them has changed.

use abide_engine::base::{Problem, RowId, Value};
use abide_engine::facade::Engine;
use abide_engine::transaction;
use serde::Serialize;
use utoipa::ToSchema;

use super::trace::{Trace, TracedObligation};
use crate::data::asked;
use crate::data::ir::{self, StoredAssertion};

/// The predicates whose objects are the answers themselves.
const ANSWERED_BY: [&str; 2] = ["evaluatesTo", "hasTime"];

/// What a replay came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Replay {
    /// The answer.
    pub answer: String,
    /// Whether the answer still rests on everything that it rested on.
    pub same: bool,
    /// What has changed: each assertion that was replaced or removed, with its source.
    pub changed: Vec<String>,
}

/// Replays a trace.
///
/// # Errors
/// `trace_invalid`; errors from the store.
pub async fn replay(engine: &Engine, tenant: &str, trace: &Value) -> Result<Replay, Problem> {
    let invalid = |why: String| {
        Problem::caller("trace_invalid", format!("this is no trace: {why}"))
            .with_hint("give the JSON that `abide ask --trace` prints")
    };
    let trace: Trace =
        serde_json::from_value(trace.clone()).map_err(|error| invalid(error.to_string()))?;
    let ask: RowId = trace
        .ask_id
        .parse()
        .map_err(|_| invalid("the id of the request cannot be read".to_owned()))?;
    let named = trace.obligations.iter().flat_map(|obligation| &obligation.assertions);
    let ids: Vec<RowId> = named
        .map(|id| id.parse())
        .collect::<Result<_, _>>()
        .map_err(|_| invalid("an id of an assertion cannot be read".to_owned()))?;
    let read = transaction!([tenant = tenant.to_owned(), ids = ids.clone()], |tx| {
        let asked = asked::ask(tx, &tenant, ask).await?;
        Ok((asked, ir::assertions(tx, &tenant, &ids).await?))
    });
    let (asked, found) = engine.read(read).await?;
    let stored = asked.and_then(|row| serde_json::from_value::<Trace>(row.trace?).ok());
    if stored.as_ref() != Some(&trace) {
        return Err(invalid("it is not the one that was stored with its request".to_owned()));
    }
    let mut changed: Vec<String> = Vec::new();
    for id in &ids {
        match found.iter().find(|one| one.id == *id) {
            None => changed.push(format!("{id} is no longer stored")),
            Some(one) if !one.is_current => changed.push(format!(
                "{} {} is no longer {} ({})",
                one.subject, one.predicate, one.object, one.source_uri
            )),
            Some(_) => {}
        }
    }
    changed.extend(trace.obligations.iter().filter_map(|it| other_value(it, &found)));
    Ok(Replay { answer: trace.answer, same: changed.is_empty(), changed })
}

/// Returns how the value of an answer that rests on a single assertion differs from what the assertion says now; `None`
/// if it does not.
fn other_value(traced: &TracedObligation, found: &[StoredAssertion]) -> Option<String> {
    let [id] = traced.assertions.as_slice() else { return None };
    let one = found.iter().find(|one| one.id.to_string() == *id)?;
    let answer = traced.answer.as_deref().filter(|_| ANSWERED_BY.contains(&&*one.predicate))?;
    let kept = answer == one.object;
    (!kept).then(|| {
        format!("{} {} is {} now ({})", one.subject, one.predicate, one.object, one.source_uri)
    })
}
