//! Builds the rows of a new run.

use crate::base::{RunId, Value};
use crate::domain::{ConflictingRun, PreparedStart, StartRun};
use crate::library::Bundle;
use crate::run::{Lineage, RunState, STATE_V};
use crate::store::{NewRun, ParentLink};

/// What a child run has besides the rows of any run.
pub(in crate::driver) struct Child {
    /// Its parent, and its place among its siblings.
    pub(in crate::driver) link: ParentLink,
    /// The lineage that its state records.
    pub(in crate::driver) lineage: Lineage,
}

/// What the rows of a new run are built from.
pub(in crate::driver) struct RunStart<'a> {
    /// The id of the run.
    pub(in crate::driver) id: RunId,
    /// The tenant.
    pub(in crate::driver) tenant: &'a str,
    /// The start as it was asked for.
    pub(in crate::driver) wanted: &'a StartRun,
    /// The bundle that the run is pinned to.
    pub(in crate::driver) bundle: &'a Bundle,
    /// The version of that bundle.
    pub(in crate::driver) version: i64,
    /// What the domain made of the start.
    pub(in crate::driver) prepared: &'a PreparedStart,
    /// The number of its campaign on the request.
    pub(in crate::driver) campaign: i64,
    /// Its parent, if another run starts it.
    pub(in crate::driver) child: Option<Child>,
}

/// Builds the rows of a new run.
pub(in crate::driver) fn new_run(start: RunStart<'_>) -> NewRun {
    let RunStart { id, tenant, wanted, bundle, version, prepared, campaign, child } = start;
    let parent_link = child.as_ref().map(|child| child.link);
    let lineage = child.map(|child| child.lineage);
    let replaces = match prepared.conflict {
        Some(ConflictingRun::Replaced(rival)) => Some(rival),
        _ => None,
    };
    let scheduled = wanted.scheduled;
    let state = RunState { lineage, scheduled, replaces, ..RunState::default() };
    NewRun {
        id,
        tenant: tenant.to_owned(),
        request: prepared.request,
        bundle: bundle.digest,
        method: wanted.method.clone(),
        version,
        campaign,
        parent_link,
        start_key: wanted.key.clone(),
        state_v: STATE_V,
        state: serde_json::to_value(state).unwrap_or(Value::Null).to_string(),
        vars: first_vars(wanted, prepared).map(|(name, v)| (name, v.to_string())).collect(),
        owner: None,
        expected_active_version: None,
        settings_version: None,
    }
}

/// Returns the variables that a run starts with: those of the start, and `goal` and `ctx`.
pub(in crate::driver) fn first_vars<'a>(
    wanted: &'a StartRun,
    prepared: &'a PreparedStart,
) -> impl Iterator<Item = (String, &'a Value)> {
    let own = [("goal".to_owned(), &prepared.goal), ("ctx".to_owned(), &prepared.ctx)];
    let given = wanted.vars.iter().filter(|(name, _)| *name != "goal" && *name != "ctx");
    given.map(|(name, value)| (name.clone(), value)).chain(own)
}
