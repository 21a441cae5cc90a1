//! Builds the database rows of a new run.

use super::super::core::Chosen;
use crate::base::{Digest, RunId, Value};
use crate::domain::{ConflictingRun, OnConflict, PreparedStart, StartRun};
use crate::library::Bundle;
use crate::run::{Lineage, RunConsent, RunState, SHADOW_STATE_V, STATE_V, ShadowStart};
use crate::store::{NewRun, ParentLink};

/// The data that only a child run has.
pub(in crate::driver) struct Child {
    /// The parent of the child run, and the position of the child among its siblings.
    pub(in crate::driver) link: ParentLink,
    /// The origin of the child run, which the run's state records.
    pub(in crate::driver) lineage: Lineage,
    /// What the parent knows of the consent to calls of risk T2, which holds for the child as well.
    pub(in crate::driver) consent: Option<RunConsent>,
}

/// The arguments from which the rows of a new run are built.
pub(in crate::driver) struct RunStart<'a> {
    /// The id of the new run.
    pub(in crate::driver) id: RunId,
    /// The id of the tenant that owns the run.
    pub(in crate::driver) tenant: &'a str,
    /// The parameters of the run, as the caller gave them.
    pub(in crate::driver) wanted: &'a StartRun,
    /// The bundle that the run is pinned to.
    pub(in crate::driver) bundle: &'a Bundle,
    /// The version number of the bundle.
    pub(in crate::driver) version: i64,
    /// The goal, the request and the variable `ctx`, as the domain filled them in.
    pub(in crate::driver) prepared: &'a PreparedStart,
    /// The number of the run's campaign on its request; 1 without a request.
    pub(in crate::driver) campaign: i64,
    /// The data of a child run; `None` if no other run starts this run.
    pub(in crate::driver) child: Option<Child>,
}

/// Builds the rows of a new run.
pub(in crate::driver) fn new_run(start: RunStart<'_>) -> NewRun {
    let RunStart { id, tenant, wanted, bundle, version, prepared, campaign, child } = start;
    let parent_link = child.as_ref().map(|child| child.link);
    let mut state = first_state(wanted, prepared, bundle.digest);
    if let Some(child) = child {
        state = RunState { lineage: Some(child.lineage), consent: child.consent, ..state };
    }
    NewRun {
        id,
        tenant: tenant.to_owned(),
        request: prepared.request,
        bundle: bundle.digest,
        method: wanted.method.clone(),
        version,
        campaign,
        shadow: false,
        parent_link,
        start_key: wanted.key.clone(),
        state_v: STATE_V,
        state: serde_json::to_value(state).unwrap_or(Value::Null).to_string(),
        vars: first_vars(wanted, prepared).map(|(name, v)| (name, v.to_string())).collect(),
        owner: None,
        expected_active_version: None,
        settings_version: None,
        correlation: None,
    }
}

/// Builds the rows of a shadow run. It works on no request, so that it locks and changes none.
pub(in crate::driver) fn shadow_run(
    id: RunId,
    tenant: &str,
    wanted: &StartRun,
    chosen: Chosen,
    beside: Option<RunId>,
) -> NewRun {
    let replace = wanted.on_conflict == OnConflict::Replace;
    let shadow = Some(ShadowStart { request: wanted.request, replace, beside });
    // A schedule waits for the end of its own run, and not for that of a shadow beside it.
    let scheduled = wanted.scheduled.filter(|_| beside.is_none());
    let outside_call = wanted.outside_call.clone();
    let consent = wanted.consent.of_version(chosen.bundle);
    let plan_origin = wanted.plan_origin;
    let own = RunState::default();
    let state = RunState { shadow, scheduled, outside_call, consent, plan_origin, ..own };
    let goal = ("goal".to_owned(), wanted.goal.to_string());
    let given = wanted.vars.iter().filter(|(name, _)| *name != "goal");
    NewRun {
        id,
        tenant: tenant.to_owned(),
        request: None,
        bundle: chosen.bundle,
        method: wanted.method.clone(),
        version: chosen.version,
        campaign: 1,
        shadow: true,
        parent_link: None,
        start_key: wanted.key.clone().filter(|_| beside.is_none()),
        state_v: SHADOW_STATE_V,
        state: serde_json::to_value(state).unwrap_or(Value::Null).to_string(),
        vars: given.map(|(name, v)| (name.clone(), v.to_string())).chain([goal]).collect(),
        owner: None,
        expected_active_version: None,
        settings_version: None,
        correlation: None,
    }
}

/// Builds the state that a run without a parent starts with, in the version `bundle` of its method.
pub(in crate::driver) fn first_state(
    wanted: &StartRun,
    prepared: &PreparedStart,
    bundle: Digest,
) -> RunState {
    let replaces = match prepared.conflict {
        Some(ConflictingRun::Replaced(rival)) => Some(rival),
        _ => None,
    };
    let (scheduled, outside_call) = (wanted.scheduled, wanted.outside_call.clone());
    let consent = wanted.consent.of_version(bundle);
    let plan_origin = wanted.plan_origin;
    RunState { scheduled, replaces, outside_call, consent, plan_origin, ..RunState::default() }
}

/// Returns the variables that a run starts with: the given variables, plus `goal` and `ctx`.
pub(in crate::driver) fn first_vars<'a>(
    wanted: &'a StartRun,
    prepared: &'a PreparedStart,
) -> impl Iterator<Item = (String, &'a Value)> {
    let own = [("goal".to_owned(), &prepared.goal), ("ctx".to_owned(), &prepared.ctx)];
    let given = wanted.vars.iter().filter(|(name, _)| *name != "goal" && *name != "ctx");
    given.map(|(name, value)| (name.clone(), value)).chain(own)
}
