//! Builds the database rows of a new run.

use super::super::core::Chosen;
use crate::base::{RunId, Value};
use crate::contract::{Contract, Risk};
use crate::domain::{ConflictingRun, OnConflict, PreparedStart, StartRun};
use crate::library::Bundle;
use crate::run::{
    Lineage, OutsidePlan, PLAN_STATE_V, RunConsent, RunState, SHADOW_STATE_V, STATE_V, ShadowStart,
};
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
    let mut state = first_state(wanted, prepared, bundle);
    if let Some(child) = child {
        state = RunState { lineage: Some(child.lineage), consent: child.consent, ..state };
    }
    NewRun {
        id,
        tenant: tenant.to_owned(),
        request: prepared.request,
        bundle: bundle.digest,
        method: bundle.graph.method.clone(),
        version,
        campaign,
        shadow: false,
        parent_link,
        start_key: wanted.key.clone(),
        state_v: if state.outside_plan.is_some() { PLAN_STATE_V } else { STATE_V },
        state: serde_json::to_value(state).unwrap_or(Value::Null).to_string(),
        vars: first_vars(wanted, prepared).map(|(name, v)| (name, v.to_string())).collect(),
        owner: None,
        expected_active_version: None,
        settings_version: None,
        correlation: None,
    }
}

/// What a shadow run plays.
pub(in crate::driver) struct Shadowed {
    pub(in crate::driver) chosen: Chosen,
    /// The plan from outside that it plays, if it does.
    pub(in crate::driver) plan: Option<OutsidePlan>,
    /// The real run beside which it tries another version.
    pub(in crate::driver) beside: Option<RunId>,
}

/// Builds the rows of a shadow run. It works on no request, so that it locks and changes none.
pub(in crate::driver) fn shadow_run(
    id: RunId,
    tenant: &str,
    wanted: &StartRun,
    shadowed: Shadowed,
) -> NewRun {
    let Shadowed { chosen, plan: outside_plan, beside } = shadowed;
    let replace = wanted.on_conflict == OnConflict::Replace;
    let shadow = Some(ShadowStart { request: wanted.request, replace, beside });
    // A schedule waits for the end of its own run, and not for that of a shadow beside it.
    let scheduled = wanted.scheduled.filter(|_| beside.is_none());
    let outside_call = wanted.outside_call.clone();
    let consent = wanted.consent.of_version(chosen.bundle);
    let plan_origin = wanted.plan_origin;
    let own = RunState::default();
    let state =
        RunState { shadow, scheduled, outside_call, outside_plan, consent, plan_origin, ..own };
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

/// Builds the state that a run without a parent starts with, in the version of its method that `bundle` holds.
/// Who approves a plan from outside when ordering it stands for one supervisor, and never for more.
pub(in crate::driver) fn first_state(
    wanted: &StartRun,
    prepared: &PreparedStart,
    bundle: &Bundle,
) -> RunState {
    let replaces = match prepared.conflict {
        Some(ConflictingRun::Replaced(rival)) => Some(rival),
        _ => None,
    };
    let (scheduled, outside_call) = (wanted.scheduled, wanted.outside_call.clone());
    let outside_plan = wanted.outside_plan.as_ref().map(|_| outside_plan(bundle));
    let one_approves = |plan: &OutsidePlan| plan.risk < Risk::T2 || one_supervisor_approves(bundle);
    let counts = outside_plan.as_ref().is_none_or(one_approves);
    let consent = wanted.consent.of_version(bundle.digest).filter(|_| counts);
    let plan_origin = wanted.plan_origin;
    let own = RunState::default();
    RunState { scheduled, replaces, outside_call, outside_plan, consent, plan_origin, ..own }
}

/// Describes the plan whose calls the method of a bundle makes.
pub(super) fn outside_plan(bundle: &Bundle) -> OutsidePlan {
    let risk = bundle.called().map(Contract::risk_unplanned).max().unwrap_or(Risk::T0);
    OutsidePlan { risk, calls: bundle.called().count() }
}

/// Whether one supervisor alone may approve every call of a plan that needs an approval.
fn one_supervisor_approves(bundle: &Bundle) -> bool {
    let mut asking = bundle.called().filter(|contract| contract.risk_unplanned() >= Risk::T2);
    asking.all(Contract::one_supervisor_approves)
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
