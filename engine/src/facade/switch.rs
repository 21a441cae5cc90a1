//! Turns a tenant's kill switch on or off in one commit, which stores the remaining work as a job.
//! The caller gets its answer when no message of the tenant can begin to be sent any more.

use super::engine::Engine;
use crate::base::{Problem, Span};
use crate::driver;
use crate::ledger::EventKind;
use crate::planted::PlantedFault;
use crate::store::{About, SwitchPhase, TenantJob, TenantRow, Tx};
use crate::transaction;

/// How often to check whether messages of the tenant can still begin to be sent.
const POLL_INTERVAL: Span = Span::from_micros(50_000);

impl Engine {
    /// Starts the job that turning the switch stored. Then waits until no message of the tenant
    /// that was released before can begin to be sent any more. Returns the number of these messages.
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

/// Whether the switch is on. While a tenant is being resumed, its switch is already off,
/// although the tenant counts as paused until its messages are permitted.
pub(super) fn is_on(row: &TenantRow, job: Option<&TenantJob>) -> bool {
    row.paused && job.is_none_or(|job| job.phase != SwitchPhase::Permitting)
}

/// Turns the switch and stores the resulting work as a job, which replaces the job of an earlier turn.
/// The caller holds the lock of the tenant's stream. Does nothing if the switch already has this position.
pub(super) async fn turn(tx: &mut Tx, row: &TenantRow, paused: bool) -> Result<(), Problem> {
    let tenant = row.id.as_str();
    let earlier = tx.tenant_job(tenant).await?;
    if is_on(row, earlier.as_ref()) == paused {
        return Ok(());
    }
    // A resumed tenant counts as paused until its messages are permitted again.
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
