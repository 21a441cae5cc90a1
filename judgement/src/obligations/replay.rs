//! Replays a trace: gives the same answer from the assertions that it names, or says which of them has changed.

use abide_engine::base::{Problem, RowId, Value};
use abide_engine::facade::Engine;
use abide_engine::transaction;
use serde::Serialize;
use utoipa::ToSchema;

use super::trace::Trace;
use crate::data::ir;

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
    let named = trace.obligations.iter().flat_map(|obligation| &obligation.assertions);
    let ids: Vec<RowId> = named
        .map(|id| id.parse())
        .collect::<Result<_, _>>()
        .map_err(|_| invalid("an id of an assertion cannot be read".to_owned()))?;
    let read = transaction!([tenant = tenant.to_owned(), ids = ids.clone()], |tx| {
        Ok(ir::assertions(tx, &tenant, &ids).await?)
    });
    let found = engine.read(read).await?;
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
    Ok(Replay { answer: trace.answer, same: changed.is_empty(), changed })
}
