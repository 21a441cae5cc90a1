//! Determines the bundle and version that a new run starts with.

use std::sync::Arc;

use super::super::core::{Chosen, Core};
use crate::base::Problem;
use crate::domain::StartRun;
use crate::library::Bundle;
use crate::store::{MethodRef, Tx};

/// Determines the bundle and version that a new run of a method starts with: the active version,
/// or the method in this process's files if no version is active.
pub(super) async fn choose(
    core: &Core,
    tx: &mut Tx,
    tenant: &str,
    wanted: &StartRun,
) -> Result<(Arc<Bundle>, Chosen), Problem> {
    let method = &wanted.method;
    if wanted.outside_call.is_some() {
        return choose_call(core, tx, method).await;
    }
    if let Some(text) = &wanted.outside_plan {
        return choose_plan(core, tx, text).await;
    }
    if let Some((version, bundle)) = tx.active_version(tenant, method).await? {
        let chosen = Chosen { bundle, version, active: version };
        return Ok((core.bundles.load(tx, bundle).await?, chosen));
    }
    let library = core.library();
    let bundle = Arc::clone(library.method(method)?);
    let named = MethodRef { tenant, method };
    let version = tx.store_bundle(named, bundle.digest, || library.definitions(&bundle)).await?;
    let chosen = Chosen { bundle: bundle.digest, version, active: 0 };
    Ok((bundle, chosen))
}

/// Determines the bundle of a run that carries out a call from outside. It is no version of a method.
async fn choose_call(
    core: &Core,
    tx: &mut Tx,
    method: &str,
) -> Result<(Arc<Bundle>, Chosen), Problem> {
    let library = core.library();
    let bundle = library.call(method).map(Arc::clone);
    let bundle = bundle.ok_or_else(|| Problem::bug(format!("there is no method `{method}`")))?;
    tx.store_definitions(bundle.digest, || library.definitions(&bundle)).await?;
    let chosen = Chosen { bundle: bundle.digest, version: 0, active: 0 };
    Ok((bundle, chosen))
}

/// Builds the bundle of a run that carries out a plan from outside, and stores it. It is no version of a method.
async fn choose_plan(
    core: &Core,
    tx: &mut Tx,
    text: &str,
) -> Result<(Arc<Bundle>, Chosen), Problem> {
    let drafted = core.library().plan(text)?;
    let bundle = Arc::new(drafted.bundle);
    tx.store_definitions(bundle.digest, || drafted.definitions).await?;
    let chosen = Chosen { bundle: bundle.digest, version: 0, active: 0 };
    Ok((bundle, chosen))
}
