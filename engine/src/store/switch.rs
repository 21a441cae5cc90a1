//! What a turn of a tenant's kill switch has still to do: a row, and the pages of turns that it holds or
//! frees. Messages that were held are in `outbox/pause.rs`.

use uuid::Uuid;

use super::error::StoreError;
use super::faults::Part;
use super::row::Row;
use super::tx::Tx;
use crate::base::{RunId, Timestamp, TypedId};
use crate::params;

/// The part of its work that such a job is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchPhase {
    /// The switch was turned on: runs are held.
    Holding,
    /// It was turned off: messages that were held are permitted. The tenant counts as paused until all are.
    Permitting,
    /// Then runs are freed.
    Freeing,
}

impl SwitchPhase {
    /// The word in the table and in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Holding => "holding",
            Self::Permitting => "permitting",
            Self::Freeing => "freeing",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::Holding, Self::Permitting, Self::Freeing].into_iter().find(|p| p.as_str() == word)
    }
}

/// The work that a turn of the switch leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantJob {
    /// The tenant.
    pub tenant: String,
    /// How far it is.
    pub phase: SwitchPhase,
    /// The last run that this phase has dealt with.
    pub reached: Option<RunId>,
    /// The tenant's version since the switch was turned: each turn makes another job.
    pub version: i64,
    /// Messages permitted so far.
    pub sends: i64,
    /// Runs held or freed so far.
    pub runs: i64,
    /// When the switch was turned.
    pub since: Timestamp,
}

/// Reads jobs in the form of [`read`]: which.
macro_rules! select_job {
    ($which:literal) => {
        concat!(
            "SELECT tenant, phase, reached, version, sends, runs, since FROM tenant_job ",
            $which
        )
    };
}

fn read(row: &Row) -> Result<TenantJob, StoreError> {
    let phase = row.text(1)?;
    Ok(TenantJob {
        tenant: row.text(0)?,
        phase: SwitchPhase::parse(&phase)
            .ok_or_else(|| StoreError::Corrupt(format!("a job in the phase `{phase}`")))?,
        reached: row.opt_id(2)?,
        version: row.int(3)?,
        sends: row.int(4)?,
        runs: row.int(5)?,
        since: row.at(6)?,
    })
}

impl Tx {
    /// The job of a tenant, if its last switch has left one.
    pub async fn tenant_job(&mut self, tenant: &str) -> Result<Option<TenantJob>, StoreError> {
        let row = self.row(select_job!("WHERE tenant = $1"), &params![tenant]).await?;
        row.as_ref().map(read).transpose()
    }

    /// The jobs of all tenants, the oldest first.
    pub async fn tenant_jobs(&mut self, limit: i64) -> Result<Vec<TenantJob>, StoreError> {
        let oldest = select_job!("ORDER BY since, tenant LIMIT $1");
        self.rows(oldest, &params![limit]).await?.iter().map(read).collect()
    }

    /// Leaves a job in the place of whatever an earlier switch left.
    pub async fn put_tenant_job(&mut self, job: &TenantJob) -> Result<(), StoreError> {
        self.holds(Part::Switch);
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

    /// Locks a job as it was read; false where another process has it or has gone on with it.
    pub async fn lock_tenant_job(&mut self, job: &TenantJob) -> Result<bool, StoreError> {
        let same = select_job!("WHERE tenant = $1 {for_update} {skip_locked}");
        let row = self.row(same, &params![&job.tenant]).await?;
        Ok(row.as_ref().map(read).transpose()?.as_ref() == Some(job))
    }

    /// Takes a finished job away.
    pub async fn end_tenant_job(&mut self, tenant: &str) -> Result<(), StoreError> {
        self.holds(Part::Switch);
        self.execute("DELETE FROM tenant_job WHERE tenant = $1", &params![tenant]).await.map(drop)
    }

    /// Notes that a switch was turned whose work is a job.
    pub async fn count_switch(&mut self, tenant: &str) -> Result<(), StoreError> {
        let sql = "UPDATE tenant SET version = version + 1 WHERE id = $1";
        self.execute(sql, &params![tenant]).await.map(drop)
    }

    /// Ends what the kill switch holds back but for the runs: the tenant's version stays, for this is no
    /// turn of the switch.
    pub async fn let_go_tenant(&mut self, tenant: &str) -> Result<(), StoreError> {
        self.note_outbox();
        self.note_timer();
        self.execute("UPDATE tenant SET paused = 0 WHERE id = $1", &params![tenant]).await.map(drop)
    }

    /// Holds the live runs of a tenant that come after `after`, at most `limit`: which, in order. The
    /// condition is one on pairs: asked for the runs of one tenant in their order, PostgreSQL may walk the
    /// runs of all.
    pub async fn hold_turns(
        &mut self,
        tenant: &str,
        after: Option<RunId>,
        limit: i64,
    ) -> Result<Vec<RunId>, StoreError> {
        self.holds(Part::Switch);
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

    /// Frees those that are held, likewise.
    pub async fn free_turns(
        &mut self,
        tenant: &str,
        after: Option<RunId>,
        limit: i64,
    ) -> Result<Vec<RunId>, StoreError> {
        self.holds(Part::Switch);
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

    /// True where held runs of a tenant are a fault: its switch is off, and no job is freeing them.
    pub async fn holds_for_nothing(&mut self, tenant: &str) -> Result<bool, StoreError> {
        let row = self
            .row(
                "SELECT CASE WHEN EXISTS (SELECT 1 FROM tenant t WHERE t.id = $1 AND t.paused = 1)
                    OR EXISTS (SELECT 1 FROM tenant_job j WHERE j.tenant = $1)
                    THEN CAST(0 AS BIGINT) ELSE CAST(1 AS BIGINT) END",
                &params![tenant],
            )
            .await?;
        row.map_or(Ok(false), |row| row.flag(0))
    }

    /// How many runs of a tenant are held, up to `most`.
    pub async fn held_runs(&mut self, tenant: &str, most: i64) -> Result<i64, StoreError> {
        let row = self
            .row(
                "SELECT COUNT(*) FROM (SELECT 1 FROM turn WHERE tenant = $1 AND held = 1 LIMIT $2) AS held",
                &params![tenant, most],
            )
            .await?;
        row.map_or(Ok(0), |row| row.int(0))
    }
}

/// Where a page begins: every id comes after the nil one.
fn place(after: Option<RunId>) -> Uuid {
    after.map_or(Uuid::nil(), TypedId::uuid)
}

/// The order in which rows were changed is the planner's.
fn in_order(rows: &[Row]) -> Result<Vec<RunId>, StoreError> {
    let mut runs: Vec<RunId> = rows.iter().map(|row| row.id(0)).collect::<Result<_, _>>()?;
    runs.sort_unstable();
    Ok(runs)
}
