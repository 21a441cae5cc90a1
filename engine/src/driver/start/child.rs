//! Starts a child run for a step that calls another method.

use std::sync::Arc;

use super::super::core::Core;
use super::check::check_goal;
use super::rows::{Child, RunStart, new_run};
use crate::base::Problem;
use crate::domain::StartRun;
use crate::library::Bundle;
use crate::policy::Settings;
use crate::store::{MethodRef, Tx};

/// The arguments of [`start_child`]: the method to start, and the parent run that waits for it.
pub(in crate::driver) struct ChildStart<'a> {
    /// The id of the tenant that owns both runs.
    pub(in crate::driver) tenant: &'a str,
    /// The method, goal and variables that the parent passes.
    pub(in crate::driver) wanted: StartRun,
    /// The bundle of the called method, in the version that the parent is pinned to.
    pub(in crate::driver) bundle: Arc<Bundle>,
    /// The parent and the lineage of the child run.
    pub(in crate::driver) child: Child,
    /// The tenant's settings; the commit of the parent's step checks that they are still current.
    pub(in crate::driver) settings: &'a Settings,
}

/// Starts a method as a child run, inside the transaction of the parent's step.
pub(in crate::driver) async fn start_child(
    core: &Core,
    tx: &mut Tx,
    start: ChildStart<'_>,
) -> Result<(), Problem> {
    let ChildStart { tenant, wanted, bundle, child, settings } = start;
    check_goal(&bundle, &wanted)?;
    let method = MethodRef { tenant, method: &wanted.method };
    let version = tx.store_bundle(method, bundle.digest, Vec::new).await?;
    let library = core.library();
    let cx = core.domain_context(tenant, settings, &library);
    let prepared = core.domain.prepare_start(tx, &cx, &wanted).await?;
    let campaign = match prepared.request {
        Some(request) => {
            tx.lock_request(tenant, request).await?;
            tx.next_campaign(request)?
        }
        None => 1,
    };
    let new = new_run(RunStart {
        id: tx.mint(),
        tenant,
        wanted: &wanted,
        bundle: &bundle,
        version,
        prepared: &prepared,
        campaign,
        child: Some(child),
    });
    tx.insert_runs(std::slice::from_ref(&new)).await?;
    core.domain.run_inserted(tx, &cx, new.id, &prepared).await
}
