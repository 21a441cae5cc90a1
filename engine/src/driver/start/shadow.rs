//! Inserts shadow runs. A shadow run binds no request and changes no row that a real run reads: what it would do
//! is found later, in a copy of the database.

use super::super::core::{Chosen, Core, check_bundle, not_available};
use super::check::check_goal;
use super::choose::choose;
use super::rows::{Shadowed, outside_plan, shadow_run};
use crate::base::{Problem, RunId};
use crate::domain::StartRun;
use crate::store::{MethodRef, Tx};

/// Starts a shadow run instead of a real one.
pub(super) async fn start(
    core: &Core,
    tx: &mut Tx,
    tenant: &str,
    wanted: &StartRun,
) -> Result<RunId, Problem> {
    if core.previewer.is_none() {
        return Err(not_available());
    }
    let (bundle, chosen) = choose(core, tx, tenant, wanted).await?;
    check_goal(&bundle, wanted)?;
    let settings = core.settings(tx, tenant).await?;
    check_bundle(&core.library(), &settings, &bundle)?;
    let named = StartRun { method: bundle.graph.method.clone(), ..wanted.clone() };
    let plan = wanted.outside_plan.as_ref().map(|_| outside_plan(&bundle));
    let new = shadow_run(tx.mint(), tenant, &named, Shadowed { chosen, plan, beside: None });
    tx.insert_runs(std::slice::from_ref(&new)).await?;
    Ok(new.id)
}

/// Starts a shadow run beside the real run `run`, if a version of the method is published for shadow runs. The
/// real run does not depend on it.
pub(super) async fn start_beside(
    core: &Core,
    tx: &mut Tx,
    tenant: &str,
    wanted: &StartRun,
    run: RunId,
) -> Result<(), Problem> {
    if core.previewer.is_none() || wanted.is_from_outside() {
        return Ok(());
    }
    let method = MethodRef { tenant, method: &wanted.method };
    let Some((version, bundle)) = tx.shadow_version(method).await? else { return Ok(()) };
    let chosen = Chosen { bundle, version, active: 0 };
    let new =
        shadow_run(tx.mint(), tenant, wanted, Shadowed { chosen, plan: None, beside: Some(run) });
    tx.insert_runs(std::slice::from_ref(&new)).await?;
    Ok(())
}
