//! Turns a tenant's kill switch on or off. The commit that turns the switch also stores a job,
//! which then holds or frees the tenant's runs, many per commit. The caller gets the answer
//! once no message of the tenant is about to be sent.

use super::engine::Engine;
use crate::base::{Problem, Span};
use crate::driver;
use crate::ledger::EventKind;
use crate::planted::PlantedFault;
use crate::store::{About, SwitchPhase, TenantJob, TenantRow, Tx};
use crate::transaction;

/// How often to check whether messages of the tenant are still about to be sent.
const POLL_INTERVAL: Span = Span::from_micros(50_000);

impl Engine {
    /// Starts the job that was stored when the switch was turned. Then waits until no message of the tenant
    /// is about to be sent. Returns the number of messages that were about to be sent at the beginning.
    pub(super) async fn finish_switch(&self, tenant: &str) -> Result<i64, Problem> {
        let in_flight = self.count_in_flight(tenant).await?;
        self.settle().await?;
        if in_flight > 0 && !PlantedFault::SwitchAnsweredEarly.is_active() {
            driver::within(
                &self.core,
                driver::START_WITHIN,
                self.wait_until_none_in_flight(tenant),
            )
            .await?;
        }
        Ok(in_flight)
    }

    async fn wait_until_none_in_flight(&self, tenant: &str) -> Result<(), Problem> {
        while self.count_in_flight(tenant).await? > 0 {
            driver::pause(&self.core, POLL_INTERVAL).await;
        }
        Ok(())
    }

    async fn count_in_flight(&self, tenant: &str) -> Result<i64, Problem> {
        let task = transaction!([tenant = tenant.to_owned()], |tx| {
            Ok(tx.count_in_flight(&tenant).await?)
        });
        self.core.store.read(task).await
    }
}

/// Whether the kill switch is on. The switch is off as soon as a person turns it off,
/// although the tenant's row stays marked as paused until the job has permitted the tenant's messages.
pub(super) fn is_on(row: &TenantRow, job: Option<&TenantJob>) -> bool {
    row.paused && job.is_none_or(|job| job.phase != SwitchPhase::Permitting)
}

/// Turns the kill switch, and stores the job that holds or frees the tenant's runs. The new job replaces
/// an earlier job that is unfinished. Does nothing if the switch already has this position.
/// The caller must have locked the tenant's stream.
pub(super) async fn turn(tx: &mut Tx, row: &TenantRow, paused: bool) -> Result<(), Problem> {
    let tenant = row.id.as_str();
    let earlier = tx.tenant_job(tenant).await?;
    if is_on(row, earlier.as_ref()) == paused {
        return Ok(());
    }
    // Resuming a tenant changes only the version of its row here:
    // the row stays marked as paused until the job has permitted the tenant's messages.
    if !paused || !tx.set_tenant_paused(tenant, true).await? {
        tx.bump_tenant_version(tenant).await?;
    }
    let version = tx.tenant_version(tenant).await?;
    let phase = if paused { SwitchPhase::Holding } else { SwitchPhase::Permitting };
    let (tenant, since) = (tenant.to_owned(), tx.now());
    let job = TenantJob { tenant, phase, reached: None, version, sends: 0, runs: 0, since };
    tx.put_tenant_job(&job).await?;
    let kind = if paused { EventKind::TenantPaused } else { EventKind::TenantResumed };
    Ok(tx.log(row.stream, kind, About::default(), serde_json::json!({}))?)
}
