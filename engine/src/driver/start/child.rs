//! Starts a called method as a child run.

use std::sync::Arc;

use super::super::core::Core;
use super::check::check_goal;
use super::rows::{Child, new_run};
use crate::base::Problem;
use crate::domain::StartRun;
use crate::library::Bundle;
use crate::policy::Settings;
use crate::store::Tx;

/// Starts a method for the run that waits for it, in that run's transaction and from the texts it is
/// pinned to.
pub(in crate::driver) async fn start_child(
    core: &Core,
    tx: &mut Tx,
    (tenant, wanted): (&str, &StartRun),
    (bundle, child): (Arc<Bundle>, Child),
    settings: &Settings,
) -> Result<(), Problem> {
    check_goal(&bundle, wanted)?;
    let version = tx.keep_bundle(tenant, (&wanted.method, bundle.digest), &[]).await?;
    let library = core.library();
    let cx = core.domain_context(tenant, settings, &library);
    let opened = core.domain.open_run(tx, &cx, wanted).await?;
    let campaign = match opened.request {
        Some(request) => {
            tx.lock_request(tenant, request).await?;
            tx.next_campaign(request)?
        }
        None => 1,
    };
    let own = (tx.mint(), Some(child));
    let new = new_run((tenant, wanted), (&bundle, version), (&opened, campaign), own);
    tx.insert_runs(std::slice::from_ref(&new)).await?;
    core.domain.run_opened(tx, &cx, new.id, &opened).await
}
