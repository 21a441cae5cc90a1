//! Does the work that remains after a kill switch is turned on or off. After the switch is turned on, the
//! tenant's runs are held. After the switch is turned off, first the messages that it kept from leaving are
//! permitted, then the runs are freed. Each commit handles a limited number of rows. The progress is stored
//! in a row, the *job* of the tenant, so a crash loses nothing and any process can continue.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::core::Core;
use crate::base::{MessageId, Problem, RunId, Timestamp, TypedId, limits};
use crate::planted::PlantedFault;
use crate::policy::ExpiryOnResume;
use crate::store::{HeldSend, SwitchPhase, TenantJob, Tx};
use crate::transaction;

/// Maximum number of jobs that are continued in one pass. Each job makes only one commit per pass, so that
/// a large job does not delay the other jobs.
const JOBS_A_PASS: i64 = 100;

/// Continues each job by one commit. Returns the number of rows handled; a commit that handles no row but
/// ends a phase of its job counts as one row. If a commit fails, the jobs of other tenants still
/// continue.
pub(super) async fn pump(core: &Arc<Core>) -> Result<u64, Problem> {
    let read = transaction!(|tx| Ok(tx.tenant_jobs(JOBS_A_PASS).await?));
    let (mut done, mut failed) = (0, None);
    for job in core.store.read_one(read).await? {
        let tenant = job.tenant.clone();
        match step(core, job).await {
            Ok(rows) => done += rows,
            Err(problem) => {
                tracing::warn!(tenant, code = %problem.code, "a step of a kill switch failed: {problem}");
                failed = Some(problem);
            }
        }
    }
    match failed {
        Some(problem) if done == 0 => Err(problem),
        _ => Ok(done),
    }
}

async fn step(core: &Arc<Core>, job: TenantJob) -> Result<u64, Problem> {
    let task = transaction!([core = Arc::clone(core), job], |tx| {
        match job.phase {
            SwitchPhase::Permitting => permit(&core, tx, job).await,
            SwitchPhase::Holding | SwitchPhase::Freeing => turns(tx, job).await,
        }
    });
    core.store.write(task).await
}

/// Returns the maximum number of rows per commit. It is small enough
/// that a commit takes only tens of milliseconds.
fn page() -> i64 {
    i64::try_from(limits::SWEEP_ROWS_MAX).unwrap_or(1)
}

/// Holds or frees the next runs of the tenant, up to the maximum number per commit. Returns the number of
/// these runs; 1 if no run is left and the commit only ends the job; 0 if another process has locked or
/// changed the job.
async fn turns(tx: &mut Tx, job: TenantJob) -> Result<u64, Problem> {
    if !tx.lock_tenant_job(&job).await? {
        return Ok(0);
    }
    let tenant = job.tenant.as_str();
    let runs: Vec<RunId> = match job.phase {
        SwitchPhase::Holding => tx.hold_turns(tenant, job.reached, page()).await?,
        _ if PlantedFault::ResumeReleasesNothing.is_active() => Vec::new(),
        _ => tx.free_turns(tenant, job.reached, page()).await?,
    };
    let count = i64::try_from(runs.len()).unwrap_or(0);
    if count < page() {
        tx.end_tenant_job(tenant).await?;
    } else {
        let reached = runs.last().copied();
        tx.put_tenant_job(&TenantJob { reached, runs: job.runs + count, ..job }).await?;
    }
    Ok(runs.len().max(1) as u64)
}

/// Permits the next messages that the switch kept from leaving, and moves the deadlines that count from
/// their departure. The requests of these messages are locked before the job. Returns the number of these
/// messages; 1 if no message is left and the commit only ends the pause; 0 if another process has locked
/// or changed the job.
async fn permit(core: &Core, tx: &mut Tx, job: TenantJob) -> Result<u64, Problem> {
    let tenant = job.tenant.as_str();
    let held = tx.held_sends(tenant, job.since, page()).await?;
    if held.is_empty() {
        return end_pause(tx, job).await;
    }
    let requests: BTreeSet<_> = held.iter().filter_map(|held| held.request).collect();
    let keys: Vec<_> = requests.into_iter().map(TypedId::uuid).collect();
    tx.lock_partitions(tenant, &keys).await?;
    if !tx.lock_tenant_job(&job).await? {
        tx.roll_back();
        return Ok(0);
    }
    // `held_sends` selects the messages that are planned before the instant `since`. The clock of the
    // process that turned the switch may be ahead of this process's clock, so `since` may be later than
    // now. If so, a message that is now permitted to leave at once would be selected and permitted again.
    // So the earliest instant at which messages are permitted to leave is `since`.
    let at = tx.now().max(job.since);
    let count = held.len();
    let ids: Vec<MessageId> = held.iter().map(|held| held.id).collect();
    let expiry = move_along(core, tx, tenant, at, held).await?;
    tx.permit_sends(&ids, at, expiry).await?;
    let sends = job.sends + i64::try_from(count).unwrap_or(0);
    tx.put_tenant_job(&TenantJob { sends, ..job }).await?;
    Ok(count as u64)
}

/// Ends the pause of the tenant after all its messages are permitted, and begins to free its runs. Locks
/// the tenant's row before the job's row. Turning the switch locks these rows in the same sequence, so no
/// deadlock can occur.
async fn end_pause(tx: &mut Tx, job: TenantJob) -> Result<u64, Problem> {
    tx.mark_unpaused(&job.tenant).await?;
    if !tx.lock_tenant_job(&job).await? {
        tx.roll_back();
        return Ok(0);
    }
    tx.put_tenant_job(&TenantJob { phase: SwitchPhase::Freeing, ..job }).await?;
    Ok(1)
}

/// Moves the deadlines that count from the departure of the messages `held`, if the tenant's settings
/// demand it. Returns the setting that says how expiry is counted after a pause.
async fn move_along(
    core: &Core,
    tx: &mut Tx,
    tenant: &str,
    at: Timestamp,
    held: Vec<HeldSend>,
) -> Result<ExpiryOnResume, Problem> {
    let settings = core.settings(tx, tenant).await?;
    let expiry = settings.expiry_on_resume;
    if expiry != ExpiryOnResume::FromSend {
        return Ok(expiry);
    }
    let causes: Vec<_> = held.into_iter().map(|held| held.cause).collect();
    core.domain.sends_postponed(tx, &causes, at).await?;
    Ok(expiry)
}
