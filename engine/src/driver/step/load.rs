//! Loads the values that the expressions of a step read: variables,
//! and the results of functions that ask the database (*fact functions*).
//! A value is loaded only when an expression needs it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::context::Step;
use crate::base::{Digest, Problem, RunId, Value, limits};
use crate::ledger::EventKind;
use crate::run::{StepError, StepScope};
use crate::store::Tx;
use crate::transaction;

/// Maximum number of times that one commit may load missing values. Each step that the run passes
/// loads values once or twice, and each fact function loads values once.
pub(super) const DEMANDS_MAX: usize = limits::EXPR_FACTS_MAX + 2 * limits::WALK_STEPS_MAX;

/// Builds the scope in which the expressions of the next step are evaluated, from the variables in memory.
pub(super) fn scope(step: &Step<'_>) -> StepScope {
    let live = step.live;
    let mut scope = StepScope::at(step.draft.last_at);
    scope.variables.clone_from(&live.vars);
    for (name, value) in &step.draft.loaded {
        scope.variables.insert(name.clone(), value.clone());
    }
    for (name, value) in &step.draft.assigned {
        scope.set(name, value.clone());
    }
    let run = serde_json::json!({ "id": live.id, "method": live.bundle.graph.method });
    scope.set("run", run);
    scope.set("timeout", Value::Bool(step.draft.state.timed_out));
    scope
}

/// Evaluates expressions, as often as values are missing that can be loaded. The inner error is the failure of an
/// expression.
pub(super) async fn evaluated<T>(
    step: &mut Step<'_>,
    scope: &mut StepScope,
    mut evaluate: impl FnMut(&mut StepScope) -> Result<T, StepError>,
) -> Result<Result<T, Problem>, Problem> {
    for _ in 0..DEMANDS_MAX {
        match evaluate(scope) {
            Ok(value) => return Ok(Ok(value)),
            Err(error) => {
                if let Some(problem) = supply(step, scope, error).await? {
                    return Ok(Err(problem));
                }
            }
        }
    }
    Ok(Err(Problem::bug("an expression never stops asking for values")))
}

/// Loads into `scope` the values that `error` reports as missing. If `error` reports a failure and not a
/// missing value, returns the problem.
pub(super) async fn supply(
    step: &mut Step<'_>,
    scope: &mut StepScope,
    error: StepError,
) -> Result<Option<Problem>, Problem> {
    match error {
        StepError::Failed(problem) => Ok(Some(problem)),
        StepError::MissingVariables(names) if names == ["req"] => {
            let view = request_view(step).await?;
            scope.variables.insert("req".to_owned(), view.map(Arc::new));
            Ok(None)
        }
        StepError::MissingVariables(names) => {
            variables(step, scope, names).await?;
            Ok(None)
        }
        StepError::MissingFact(call) => {
            let (core, live) = (step.core, step.live);
            let tx = transaction(step)?;
            let library = core.library();
            let cx = core.domain_context(&live.tenant, &live.settings, &library);
            let answer = core.domain.fact(tx, &cx, live.request, &call).await?;
            let body =
                serde_json::json!({ "fact": call, "value": crate::ledger::bounded(&answer) });
            step.event(EventKind::FactRead, body);
            scope.facts.insert(call, answer);
            Ok(None)
        }
    }
}

async fn request_view(step: &mut Step<'_>) -> Result<Option<Value>, Problem> {
    let (core, live) = (step.core, step.live);
    let Some(request) = live.request else { return Ok(None) };
    let tx = transaction(step)?;
    let library = core.library();
    let cx = core.domain_context(&live.tenant, &live.settings, &library);
    core.domain.request_view(tx, &cx, request).await.map(Some)
}

fn transaction<'s>(step: &'s mut Step<'_>) -> Result<&'s mut Tx, Problem> {
    step.tx.as_deref_mut().ok_or_else(|| Problem::bug("a step needs a transaction but has none"))
}

/// Loads missing variables in one query. After the last step of a phase,
/// also loads all variables that `success_when` and the conditions of the fallbacks read.
async fn variables(
    step: &mut Step<'_>,
    scope: &mut StepScope,
    mut names: Vec<String>,
) -> Result<(), Problem> {
    let graph = &step.live.bundle.graph;
    if step.draft.state.node(graph).is_none() {
        let more = graph.ending_reads.iter().filter(|name| {
            *name != "req" && !scope.variables.contains_key(*name) && !names.contains(name)
        });
        let more: Vec<String> = more.cloned().collect();
        names.extend(more);
    }
    let found = named_values(step, &names).await?;
    let mut found: BTreeMap<String, Value> = found.into_iter().collect();
    for name in names {
        let value = found.remove(&name).map(Arc::new);
        step.draft.loaded.insert(name.clone(), value.clone());
        scope.variables.insert(name, value);
    }
    Ok(())
}

/// Reads stored variables by name. A branch or a round also sees the variables of the runs that it is
/// part of. If several of these runs have the variable, the innermost run takes precedence.
pub(super) async fn named_values(
    step: &mut Step<'_>,
    names: &[String],
) -> Result<Vec<(String, Value)>, Problem> {
    let runs = step.live.state.visible_runs(step.live.id);
    match step.tx.as_deref_mut() {
        Some(tx) => vars_of(tx, &runs, names).await,
        None => {
            let read =
                transaction!([runs, names = names.to_vec()], |tx| vars_of(tx, &runs, &names).await);
            step.core.store.read(read).await
        }
    }
}

/// Reads stored variables by name. The value of a variable comes from the first run in `runs` that has
/// this variable.
pub(super) async fn vars_of(
    tx: &mut Tx,
    runs: &[RunId],
    names: &[String],
) -> Result<Vec<(String, Value)>, Problem> {
    let (mut found, mut missing): (Vec<(String, Value)>, _) = (Vec::new(), names.to_vec());
    for run in runs {
        let here = tx.vars(*run, &missing).await?;
        missing.retain(|name| here.iter().all(|(known, _)| known != name));
        found.extend(here);
        if missing.is_empty() {
            break;
        }
    }
    Ok(found)
}

/// Reads the stored arguments of the current call by their digest.
pub(super) async fn frozen(step: &mut Step<'_>, digest: Digest) -> Result<Value, Problem> {
    if let Some((_, args)) = step.live.args.as_ref().filter(|(known, _)| *known == digest) {
        return Ok(Value::clone(args));
    }
    match step.tx.as_deref_mut() {
        Some(tx) => Ok(tx.blob(digest).await?),
        None => {
            let read = transaction!(|tx| Ok(tx.blob(digest).await?));
            step.core.store.read(read).await
        }
    }
}
