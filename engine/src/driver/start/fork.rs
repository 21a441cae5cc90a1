//! Forks a run: starts a new run at a step of an old run, with the old run's bundle
//! and with the variables that the old run had at that step.

use super::super::core::Core;
use super::begin::Started;
use super::check::check_goal;
use super::rows::first_vars;
use crate::base::{Problem, RunId, TypedId as _, Value};
use crate::domain::StartRun;
use crate::run::{ForkPoint, PLAN_STATE_V, RunState, STATE_V};
use crate::store::{Inserted, NewRun, RunRow, Tx};

/// The parameters with which a run is forked.
#[derive(Debug, Clone, PartialEq)]
pub struct ForkRun {
    /// The run to fork.
    pub run: RunId,
    /// The id of the main step at which the new run begins.
    pub from: String,
    /// The goal of the new run; `None` keeps the old run's goal.
    pub goal: Option<Value>,
    /// The start key of the new run: forking again with the same key returns the same run.
    pub key: Option<String>,
}

/// Forks a run inside a transaction. If a run with the same start key exists, returns that run instead.
pub(crate) async fn fork(
    core: &Core,
    tx: &mut Tx,
    row: RunRow,
    wanted: &ForkRun,
) -> Result<Started, Problem> {
    let tenant = row.tenant.as_str();
    if let Some(run) = tx.run_by_key(tenant, wanted.key.as_deref()).await? {
        return Ok(Started::earlier(run));
    }
    let state = row.parsed_state()?;
    if state.outside_call.is_some() {
        return Err(Problem::caller("cannot_fork", "a call from outside has one receipt")
            .with_hint("call the tool again"));
    }
    if row.shadow {
        return Err(Problem::caller("cannot_fork", "a shadow run has taken no step")
            .with_hint("start the method, or start another shadow run"));
    }
    let status = row.status;
    let bundle = core.bundle(tx, row.bundle).await?;
    let point = ForkPoint::find(&bundle.graph, &state, status, &wanted.from)?;
    let mut vars = variables(tx, row.id, &point).await?;
    let old_goal = vars.remove("goal").unwrap_or(Value::Null);
    let wanted_run = StartRun {
        method: row.method.clone(),
        goal: wanted.goal.clone().unwrap_or(old_goal),
        request: row.request,
        vars,
        key: wanted.key.clone(),
        ..StartRun::default()
    };
    check_goal(&bundle, &wanted_run)?;
    let (settings, library) = (core.settings(tx, tenant).await?, core.library());
    let cx = core.domain_context(tenant, &settings, &library);
    let prepared = core.domain.prepare_start(tx, &cx, &wanted_run).await?;
    let campaign = match prepared.request {
        // A fork on the same request keeps the campaign of the old run,
        // so that messages that the old run sent are not sent again.
        request if request == row.request => row.campaign,
        Some(request) => {
            tx.lock_request(tenant, request).await?;
            tx.next_campaign(request)?
        }
        None => 1,
    };
    let outside_plan = state.outside_plan;
    let state = RunState { forked_from: Some(row.id), outside_plan, ..point.state() };
    let state_v = if outside_plan.is_some() { PLAN_STATE_V } else { STATE_V };
    let vars = first_vars(&wanted_run, &prepared);
    let new = NewRun {
        id: tx.mint(),
        tenant: tenant.to_owned(),
        request: prepared.request,
        bundle: row.bundle,
        method: row.method.clone(),
        version: row.version,
        campaign,
        shadow: false,
        parent_link: None,
        start_key: wanted.key.clone(),
        state_v,
        state: serde_json::to_string(&state).map_err(|e| Problem::bug(e.to_string()))?,
        vars: vars.map(|(name, value)| (name, value.to_string())).collect(),
        owner: None,
        expected_active_version: None,
        settings_version: None,
        correlation: row.correlation,
    };
    if tx.insert_runs(std::slice::from_ref(&new)).await? == [Inserted::LeftOut] {
        return Err(Problem::bug(format!("the key of a fork of {} was taken", row.id.uuid())));
    }
    core.domain.run_inserted(tx, &cx, new.id, &prepared).await?;
    Ok(Started::fresh(new.id, None))
}

/// Reads the variables that the old run had at the fork point.
/// Leaves out internal variables, which only the old run needs.
async fn variables(
    tx: &mut Tx,
    run: RunId,
    point: &ForkPoint,
) -> Result<serde_json::Map<String, Value>, Problem> {
    let names = tx.all_vars(run).await?.into_iter().map(|(name, _)| name);
    let names: Vec<String> =
        names.filter(|name| !name.starts_with('#') && !point.later.contains(name)).collect();
    Ok(tx.vars(run, &names).await?.into_iter().collect())
}
