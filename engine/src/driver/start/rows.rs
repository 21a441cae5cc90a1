//! Builds the rows of a new run.

use crate::base::{RunId, Value};
use crate::domain::{Opened, Rival, StartRun};
use crate::library::Bundle;
use crate::run::{Lineage, RunState, STATE_V};
use crate::store::{ChildOf, NewRun};

/// What a child run has besides the rows of any run.
pub(in crate::driver) struct Child {
    /// Its parent, and its place among its siblings.
    pub(in crate::driver) of: ChildOf,
    /// The lineage that its state records.
    pub(in crate::driver) lineage: Lineage,
}

/// Builds the rows of a new run.
pub(in crate::driver) fn new_run(
    (tenant, wanted): (&str, &StartRun),
    (bundle, version): (&Bundle, i64),
    (opened, campaign): (&Opened, i64),
    (id, child): (RunId, Option<Child>),
) -> NewRun {
    let child_of = child.as_ref().map(|child| child.of);
    let lineage = child.map(|child| child.lineage);
    let replaces = match opened.rival {
        Some(Rival::Replaced(rival)) => Some(rival),
        _ => None,
    };
    let scheduled = wanted.scheduled;
    let state = RunState { lineage, scheduled, replaces, ..RunState::default() };
    NewRun {
        id,
        tenant: tenant.to_owned(),
        request: opened.request,
        bundle: bundle.digest,
        method: wanted.method.clone(),
        version,
        campaign,
        child_of,
        start_key: wanted.key.clone(),
        state_v: STATE_V,
        state: serde_json::to_value(state).unwrap_or(Value::Null).to_string(),
        vars: first_vars(wanted, opened).map(|(name, v)| (name, v.to_string())).collect(),
        owner: None,
        rests_on: None,
        settings_version: None,
    }
}

/// Returns the variables that a run starts with: those of the start, and `goal` and `ctx`.
pub(in crate::driver) fn first_vars<'a>(
    wanted: &'a StartRun,
    opened: &'a Opened,
) -> impl Iterator<Item = (String, &'a Value)> {
    let own = [("goal".to_owned(), &opened.goal), ("ctx".to_owned(), &opened.ctx)];
    let given = wanted.vars.iter().filter(|(name, _)| *name != "goal" && *name != "ctx");
    given.map(|(name, value)| (name.clone(), value)).chain(own)
}
