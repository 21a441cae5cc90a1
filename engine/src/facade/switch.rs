//! The kill switch of a tenant: turned in one commit, with what it leaves to do; answered when nothing is
//! on its way any more.

use super::Engine;
use crate::base::{Problem, Span};
use crate::driver;
use crate::planted::Planted;
use crate::store::{SwitchPhase, TenantJob, TenantRow, Tx, work};

/// How often a pausing operator's process looks whether all answers are in.
const LOOKS_EVERY: Span = Span::from_micros(50_000);

impl Engine {
    /// Sets to work on what a switch has left to do, and returns when no message of the tenant begins to leave
    /// any more that was let go before; the number of those that were.
    pub(super) async fn obey_switch(&self, tenant: &str) -> Result<i64, Problem> {
        let in_flight = self.in_flight(tenant).await?;
        self.settle().await?;
        if in_flight > 0 && !Planted::SwitchAnsweredEarly.is_in() {
            driver::within(&self.core, driver::START_WITHIN, self.nothing_in_flight(tenant))
                .await?;
        }
        Ok(in_flight)
    }

    async fn nothing_in_flight(&self, tenant: &str) -> Result<(), Problem> {
        while self.in_flight(tenant).await? > 0 {
            driver::pause(&self.core, LOOKS_EVERY).await;
        }
        Ok(())
    }

    async fn in_flight(&self, tenant: &str) -> Result<i64, Problem> {
        let owned = tenant.to_owned();
        let task = work(move |tx| {
            let tenant = owned.clone();
            Box::pin(async move { Ok(tx.beginning(&tenant).await?) })
        });
        self.core.store.read(task).await
    }
}

/// True where the switch is on: a tenant that is being resumed holds what it sends a little longer.
pub(super) fn is_on(row: &TenantRow, job: Option<&TenantJob>) -> bool {
    row.paused && !job.is_some_and(|job| job.phase == SwitchPhase::Permitting)
}

/// Turns the switch of a tenant whose stream is locked, and leaves the work of it as a job, in the place of
/// what an earlier turn left; true if it stood the other way.
pub(super) async fn turn(tx: &mut Tx, row: &TenantRow, paused: bool) -> Result<bool, Problem> {
    let tenant = row.id.as_str();
    let earlier = tx.tenant_job(tenant).await?;
    if is_on(row, earlier.as_ref()) == paused {
        return Ok(false);
    }
    // What is resumed counts as paused until its messages are permitted again.
    if !paused || !tx.pause_tenant(tenant, true).await? {
        tx.count_switch(tenant).await?;
    }
    let version = tx.tenant_version(tenant).await?;
    let phase = if paused { SwitchPhase::Holding } else { SwitchPhase::Permitting };
    let (tenant, since) = (tenant.to_owned(), tx.now());
    let job = TenantJob { tenant, phase, reached: None, version, sends: 0, runs: 0, since };
    tx.put_tenant_job(&job).await?;
    let kind = if paused { "tenant.paused" } else { "tenant.resumed" };
    tx.log(row.stream, kind, (None, None), serde_json::json!({}))?;
    Ok(true)
}
