//! Starts a run in lane A, which inserts many runs in one transaction. The process that starts the run also
//! drives the run at once, if it has room for another run.

use std::sync::Arc;

use super::super::core::{Core, check_bundle};
use super::super::start::{
    RunStart, Started, check_goal, first_state, first_vars, new_run, prepare_in_memory,
};
use super::super::step::{FirstValues, RunInMemory};
use super::pump::{has_room, release, spawn};
use crate::base::Problem;
use crate::domain::StartRun;
use crate::store::{Dialect, DrivenBy, Inserted, StoreError};

/// Starts a run in lane A, if the run works on no request. Drives the run at once if this process has room
/// and the run is not held.
///
/// Returns `None` if the run must be started in lane B, because the run works on a request, the domain must
/// read the database, an earlier run has the same start key, the tenant has shadow runs, or the caches cannot
/// be used. The caches
/// cannot be used if the active version or the tenant's settings have changed, or if this process has not
/// started the method for this tenant before.
pub(crate) async fn start_in_lane_a(
    core: &Arc<Core>,
    tenant: &str,
    wanted: &StartRun,
) -> Result<Option<Started>, Problem> {
    let Some((known, chosen)) = core.known(tenant, &wanted.method) else { return Ok(None) };
    if wanted.dry_run || known.has_shadows {
        return Ok(None);
    }
    let Some(bundle) = core.bundles.get(chosen.bundle) else { return Ok(None) };
    check_goal(&bundle, wanted)?;
    let library = core.library();
    if check_bundle(&library, &known.settings, &bundle).is_err() {
        return Ok(None); // lane B refuses the start by the current settings
    }
    let cx = core.domain_context(tenant, &known.settings, &library);
    let Some(prepared) = prepare_in_memory(core, &cx, wanted) else { return Ok(None) };
    let run = core.ids.mint(core.now());
    let mut new = new_run(RunStart {
        id: run,
        tenant,
        wanted,
        bundle: &bundle,
        version: chosen.version,
        prepared: &prepared,
        campaign: 1,
        child: None,
    });
    new.expected_active_version = Some(chosen.active);
    new.settings_version = Some(known.version);
    let driven = has_room(core) && core.claims.mark_active(run);
    let driven_by = if driven { DrivenBy::Caller } else { DrivenBy::AnyClaimer };
    if driven && core.store.dialect() == Dialect::Postgres {
        new.owner = Some(core.claims.status.node());
    }
    let vars = first_vars(wanted, &prepared).map(|(name, v)| (name, Some(Arc::new(v.clone()))));
    let state = first_state(wanted, &prepared, &bundle);
    let first = FirstValues { state, vars: vars.collect() };
    let live = RunInMemory::fresh(&new, core.now(), bundle, known, first);
    match core.store.start(new, driven_by).await {
        Ok(Inserted::Free) if driven => spawn(core, live),
        Ok(Inserted::Free) => {}
        Ok(Inserted::Held) => release(core, run), // the kill switch keeps the run from working
        Ok(Inserted::LeftOut) => {
            core.forget_settings(tenant);
            release(core, run);
            return Ok(None);
        }
        Err(StoreError::Overloaded) => {
            release(core, run);
            return Err(StoreError::Overloaded.into());
        }
        Err(error) => {
            if driven {
                core.claims.owe(live.fence()); // if the run was committed, this process owns it
                release(core, run);
            }
            core.bells.ring_runs();
            return Err(error.into());
        }
    }
    Ok(Some(Started::fresh(run, None)))
}
