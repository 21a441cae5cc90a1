//! Lists runs: those of a tenant, of a bundle and of a request.

use super::error::StoreError;
use super::run::{RunRow, read_run, select_run};
use super::run_filter::RunFilter;
use super::tx::Tx;
use crate::base::{Digest, RequestId, RunId};
use crate::params;

impl Tx {
    /// Returns at most `limit` of a tenant's runs that match `filter`, newest first.
    /// Branches are left out.
    pub async fn runs(
        &mut self,
        tenant: &str,
        filter: &RunFilter,
        limit: i64,
    ) -> Result<Vec<RunRow>, StoreError> {
        let now = self.now();
        let stray = filter.stuck && self.held_without_pause(tenant).await?;
        let status = if filter.waiting { Some("waiting") } else { filter.status.as_deref() };
        let rows = self
            .rows(
                select_run!(
                    "run r",
                    "WHERE r.tenant = $1 AND r.branch = 0 AND ($2 IS NULL OR r.status = $2) AND ($3 IS NULL OR r.method = $3)
                     AND ($4 IS NULL OR r.partition_key = $4) AND ($5 IS NULL OR r.id < $5)
                     AND ($6 = 0 OR (t.held = 0 AND (t.expected_by < $7 OR t.stuck_on IS NOT NULL))
                        OR ($9 = 1 AND t.held = 1) OR r.id IN (
                        WITH RECURSIVE up(id, parent, branch) AS (
                            SELECT s.id, s.parent, s.branch FROM turn q JOIN run s ON s.id = q.run_id
                            WHERE q.tenant = $1 AND s.branch = 1
                            AND (q.held = 0 AND (q.expected_by < $7 OR q.stuck_on IS NOT NULL)
                                OR ($9 = 1 AND q.held = 1))
                            UNION SELECT p.id, p.parent, p.branch FROM up JOIN run p ON p.id = up.parent
                            WHERE up.branch = 1)
                        SELECT id FROM up WHERE branch = 0))
                     AND ($10 = 0 OR r.ended_at IS NULL)
                     ORDER BY r.id DESC LIMIT $8"
                ),
                &params![
                    tenant,
                    status,
                    filter.method.as_deref(),
                    filter.request,
                    filter.before,
                    filter.stuck,
                    now,
                    limit,
                    stray,
                    filter.live
                ],
            )
            .await?;
        rows.iter().map(read_run).collect()
    }

    /// Returns at most `limit` live runs that are pinned to a bundle and follow the run `after`,
    /// ordered by id. Branches are left out.
    pub async fn runs_of_bundle(
        &mut self,
        tenant: &str,
        bundle: Digest,
        after: Option<RunId>,
        limit: i64,
    ) -> Result<Vec<RunRow>, StoreError> {
        let rows = self
            .rows(
                select_run!(
                    "run r",
                    "WHERE r.bundle = $2 AND r.ended_at IS NULL AND r.tenant = $1 AND r.branch = 0
                     AND ($3 IS NULL OR r.id > $3) ORDER BY r.id LIMIT $4"
                ),
                &params![tenant, bundle, after, limit],
            )
            .await?;
        rows.iter().map(read_run).collect()
    }

    /// Returns the runs of a request that have not begun yet.
    pub async fn pending_runs(&mut self, request: RequestId) -> Result<Vec<RunId>, StoreError> {
        let rows = self
            .rows(
                "SELECT id FROM run
                 WHERE partition_key = $1 AND ended_at IS NULL AND status = 'pending' ORDER BY id",
                &params![request],
            )
            .await?;
        rows.iter().map(|row| row.id("id")).collect()
    }

    /// Returns the live runs of a request. Branches are left out.
    pub async fn live_runs(&mut self, request: RequestId) -> Result<Vec<RunRow>, StoreError> {
        let rows = self
            .rows(
                select_run!(
                    "run r",
                    "WHERE r.partition_key = $1 AND r.ended_at IS NULL AND r.branch = 0 ORDER BY r.id"
                ),
                &params![request],
            )
            .await?;
        rows.iter().map(read_run).collect()
    }
}
