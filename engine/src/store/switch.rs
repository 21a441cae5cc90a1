//! Stores, in one row per tenant, the job that carries out a change of the tenant's kill switch. Holds or
//! frees the tenant's runs in batches. The file `outbox/pause.rs` handles the tenant's messages.

use uuid::Uuid;

use super::error::StoreError;
use super::faults::CommitPart;
use super::row::Row;
use super::tx::Tx;
use crate::base::{RunId, Timestamp, TypedId};
use crate::params;

crate::words! {
    /// The phase of the job that remains after a kill switch is turned.
    pub enum SwitchPhase {
        /// The switch was turned on: runs are being held.
        Holding = "holding",
        /// The switch was turned off: held messages are being permitted.
        /// The tenant counts as paused until all are permitted.
        Permitting = "permitting",
        /// All messages are permitted: runs are being freed.
        Freeing = "freeing",
    }
}

/// The work that remains after a kill switch is turned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantJob {
    /// The id of the tenant whose kill switch was turned.
    pub tenant: String,
    /// The phase that the job has reached.
    pub phase: SwitchPhase,
    /// The last run that this phase has processed; `None` if it has processed none.
    pub reached: Option<RunId>,
    /// The tenant's change counter after the switch was turned. It distinguishes this job from the jobs
    /// of earlier and later changes of the switch.
    pub version: i64,
    /// Number of messages permitted so far.
    pub sends: i64,
    /// Number of runs held or freed so far.
    pub runs: i64,
    /// When the switch was turned.
    pub since: Timestamp,
}

/// Builds a query of jobs. The query selects the columns that [`read`] reads.
macro_rules! select_job {
    ($which:literal) => {
        concat!(
            "SELECT tenant, phase, reached, version, sends, runs, since FROM tenant_job ",
            $which
        )
    };
}

fn read(row: &Row) -> Result<TenantJob, StoreError> {
    Ok(TenantJob {
        tenant: row.text("tenant")?,
        phase: row.word("phase")?,
        reached: row.opt_id("reached")?,
        version: row.int("version")?,
        sends: row.int("sends")?,
        runs: row.int("runs")?,
        since: row.at("since")?,
    })
}

impl Tx {
    /// Reads the job of a tenant, if there is one.
    pub async fn tenant_job(&mut self, tenant: &str) -> Result<Option<TenantJob>, StoreError> {
        let row = self.row(select_job!("WHERE tenant = $1"), &params![tenant]).await?;
        row.as_ref().map(read).transpose()
    }

    /// Returns the jobs of all tenants, oldest first, at most `limit`.
    pub async fn tenant_jobs(&mut self, limit: i64) -> Result<Vec<TenantJob>, StoreError> {
        let oldest = select_job!("ORDER BY since, tenant LIMIT $1");
        self.rows(oldest, &params![limit]).await?.iter().map(read).collect()
    }

    /// Stores a job. Replaces the job of an earlier change of the switch, if that job is not finished.
    pub async fn put_tenant_job(&mut self, job: &TenantJob) -> Result<(), StoreError> {
        self.record_part(CommitPart::Switch);
        self.note_timer();
        self.execute(
            "INSERT INTO tenant_job (tenant, phase, reached, version, sends, runs, since)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (tenant) DO UPDATE SET phase = excluded.phase, reached = excluded.reached,
                version = excluded.version, sends = excluded.sends, runs = excluded.runs, since = excluded.since",
            &params![
                &job.tenant,
                job.phase.as_str(),
                job.reached,
                job.version,
                job.sends,
                job.runs,
                job.since
            ],
        )
        .await
        .map(drop)
    }

    /// Locks a job that was read before.
    /// Returns `false` if another process has locked, changed or ended the job in the meantime.
    pub async fn lock_tenant_job(&mut self, job: &TenantJob) -> Result<bool, StoreError> {
        let same = select_job!("WHERE tenant = $1 {for_update} {skip_locked}");
        let row = self.row(same, &params![&job.tenant]).await?;
        Ok(row.as_ref().map(read).transpose()?.as_ref() == Some(job))
    }

    /// Deletes a finished job.
    pub async fn end_tenant_job(&mut self, tenant: &str) -> Result<(), StoreError> {
        self.record_part(CommitPart::Switch);
        self.execute("DELETE FROM tenant_job WHERE tenant = $1", &params![tenant]).await.map(drop)
    }

    /// Increments the tenant's change counter. Used when a setting changes that is in no column of the tenant, such as
    /// the time zone of its church, and when turning the kill switch leaves the column `paused`
    /// unchanged: a tenant that is resumed stays marked as paused until a job has permitted its messages.
    pub async fn bump_tenant_version(&mut self, tenant: &str) -> Result<(), StoreError> {
        let sql = "UPDATE tenant SET version = version + 1 WHERE id = $1";
        self.execute(sql, &params![tenant]).await.map(drop)
    }

    /// Marks a tenant as not paused. Its runs stay held until they are freed.
    /// The tenant's change counter stays the same, because this function does not turn the switch.
    pub async fn mark_unpaused(&mut self, tenant: &str) -> Result<(), StoreError> {
        self.note_outbox();
        self.note_timer();
        self.execute("UPDATE tenant SET paused = 0 WHERE id = $1", &params![tenant]).await.map(drop)
    }

    /// Holds at most `limit` of a tenant's live runs that are not held yet and follow the run `after`.
    /// Returns the runs that this call has held, ordered by id.
    /// The query compares pairs of tenant and run, because PostgreSQL might otherwise scan the runs
    /// of all tenants to get one tenant's runs in order.
    pub async fn hold_turns(
        &mut self,
        tenant: &str,
        after: Option<RunId>,
        limit: i64,
    ) -> Result<Vec<RunId>, StoreError> {
        self.record_part(CommitPart::Switch);
        let rows = self
            .rows(
                "WITH page AS MATERIALIZED (SELECT run_id FROM turn
                    WHERE (tenant, run_id) > ($1, $2) AND tenant <= $1 AND held = 0
                    ORDER BY tenant, run_id LIMIT $3 {for_update})
                 UPDATE turn SET held = 1 FROM page WHERE turn.run_id = page.run_id RETURNING turn.run_id",
                &params![tenant, place(after), limit],
            )
            .await?;
        in_order(&rows)
    }

    /// Frees at most `limit` of a tenant's held runs that follow the run `after`.
    /// Returns the freed runs, ordered by id.
    pub async fn free_turns(
        &mut self,
        tenant: &str,
        after: Option<RunId>,
        limit: i64,
    ) -> Result<Vec<RunId>, StoreError> {
        self.record_part(CommitPart::Switch);
        self.note_due();
        let rows = self
            .rows(
                "WITH page AS MATERIALIZED (SELECT run_id FROM turn
                    WHERE (tenant, run_id) > ($1, $2) AND tenant <= $1 AND held = 1
                    ORDER BY tenant, run_id LIMIT $3 {for_update})
                 UPDATE turn SET held = 0 FROM page WHERE turn.run_id = page.run_id RETURNING turn.run_id",
                &params![tenant, place(after), limit],
            )
            .await?;
        in_order(&rows)
    }

    /// Whether a tenant's kill switch is off and no job is left that would free the tenant's runs.
    /// If so, a held run of the tenant is an error.
    pub async fn held_without_pause(&mut self, tenant: &str) -> Result<bool, StoreError> {
        let row = self
            .row(
                "SELECT CASE WHEN EXISTS (SELECT 1 FROM tenant t WHERE t.id = $1 AND t.paused = 1)
                    OR EXISTS (SELECT 1 FROM tenant_job j WHERE j.tenant = $1)
                    THEN CAST(0 AS BIGINT) ELSE CAST(1 AS BIGINT) END AS stray",
                &params![tenant],
            )
            .await?;
        row.map_or(Ok(false), |row| row.flag("stray"))
    }

    /// Counts the held runs of a tenant, but no further than `most`.
    pub async fn held_runs(&mut self, tenant: &str, most: i64) -> Result<i64, StoreError> {
        let row = self
            .row(
                "SELECT COUNT(*) AS count FROM (SELECT 1 FROM turn WHERE tenant = $1 AND held = 1 LIMIT $2) AS held",
                &params![tenant, most],
            )
            .await?;
        row.map_or(Ok(0), |row| row.int("count"))
    }
}

/// Returns the id after which a batch begins: `after`, or the nil id, which precedes every other id.
fn place(after: Option<RunId>) -> Uuid {
    after.map_or(Uuid::nil(), TypedId::uuid)
}

/// Reads the ids of changed runs and sorts them,
/// because the database returns the changed rows in an order that its planner chooses.
fn in_order(rows: &[Row]) -> Result<Vec<RunId>, StoreError> {
    let mut runs: Vec<RunId> = rows.iter().map(|row| row.id("run_id")).collect::<Result<_, _>>()?;
    runs.sort_unstable();
    Ok(runs)
}
