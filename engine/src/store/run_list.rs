//! Lists runs: those of a tenant, of a bundle and of a request.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::error::StoreError;
use super::param::{ColumnType, Param};
use super::rows::Rows;
use super::run::{RunRow, read_run, select_run};
use super::run_filter::RunFilter;
use super::tx::Tx;
use crate::base::{Digest, RequestId, RunId, TypedId as _};
use crate::params;
use crate::run::RunStatus;

/// The runs of the tenant `$1` that precede the run `$2`, newest first.
const NEWEST: &str = select_run!(
    "(SELECT {p.id} AS id FROM run p WHERE p.tenant = $1 AND p.branch = 0 AND {p.id} < $2
        ORDER BY {p.id} DESC LIMIT $3) page CROSS JOIN run r",
    "WHERE r.id = page.id ORDER BY r.id DESC"
);
/// The same, of the methods and with the statuses in the rows: the first ones of each row, merged.
const NEWEST_OF_GROUPS: &str = select_run!(
    "(SELECT q.id FROM {rows} CROSS JOIN run q WHERE q.id {in} SELECT {p.id} FROM run p
            WHERE p.tenant = $1 AND p.branch = 0 AND p.method = v.method AND p.status = v.status AND {p.id} < $2
            ORDER BY {p.id} DESC LIMIT $3 {end}
        ORDER BY q.id DESC LIMIT $3) page CROSS JOIN run r",
    "WHERE r.id = page.id ORDER BY r.id DESC"
);
/// The runs of the request `$6`, which has few of them.
const OF_REQUEST: &str = select_run!(
    "(SELECT l.id FROM run l WHERE l.partition_key = $6 AND l.ended_at IS NULL
        UNION ALL SELECT e.id FROM run e WHERE e.partition_key = $6 AND e.ended_at IS NOT NULL) found CROSS JOIN run r",
    "WHERE r.id = found.id AND r.tenant || '' = $1 AND r.branch + 0 = 0 AND r.id < $2
        AND ($4 IS NULL OR r.method = $4) AND ($5 IS NULL OR r.status = $5) AND ($7 = 0 OR r.ended_at IS NULL)
     ORDER BY r.id DESC LIMIT $3"
);
/// The stuck runs, and those with a stuck branch. `$8` is now, and `$9` is 1 if held runs are stuck.
const STUCK: &str = concat!(
    "WITH RECURSIVE up(id, parent, branch) AS (
        SELECT s.id, s.parent, s.branch FROM (
            SELECT o.run_id FROM turn o WHERE o.tenant = $1 AND o.held = 0 AND o.expected_by < $8
            UNION SELECT o.run_id FROM turn o WHERE o.tenant = $1 AND o.held = 0 AND o.stuck_on IS NOT NULL
            UNION SELECT o.run_id FROM turn o WHERE o.tenant = $1 AND o.held = 1 AND $9 = 1) found
            CROSS JOIN run s WHERE s.id = found.run_id
        UNION SELECT p.id, p.parent, p.branch FROM up CROSS JOIN run p WHERE p.id = up.parent AND up.branch = 1) ",
    select_run!(
        "up CROSS JOIN run r",
        "WHERE up.branch = 0 AND r.id = up.id AND r.id < $2
            AND ($4 IS NULL OR r.method = $4) AND ($5 IS NULL OR r.status = $5)
            AND ($6 IS NULL OR r.partition_key = $6) AND ($7 = 0 OR r.ended_at IS NULL)
         ORDER BY r.id DESC LIMIT $3"
    )
);
/// The methods of the tenant `$1`. Each step of the recursion reads one entry of the index.
const METHODS: &str = "WITH RECURSIVE known (method) AS (
        SELECT MIN(r.method) FROM run r WHERE r.tenant = $1 AND r.branch = 0
        UNION ALL
        SELECT (SELECT MIN(r.method) FROM run r WHERE r.tenant = $1 AND r.branch = 0 AND r.method > known.method)
        FROM known WHERE known.method IS NOT NULL)
     SELECT method FROM known WHERE method IS NOT NULL";

/// Returns rows with each of the methods and each of the statuses.
fn groups(methods: &[String], statuses: &[&str]) -> Rows {
    let mut rows = Rows::new(&[("method", ColumnType::Text), ("status", ColumnType::Text)]);
    for method in methods {
        statuses.iter().for_each(|status| rows.push([Param::from(method), (*status).into()]));
    }
    rows
}

/// Returns the statuses that runs of a list can have; `None` if they can have any.
fn statuses(filter: &RunFilter) -> Option<Vec<&str>> {
    let is_live = |status: &str| RunStatus::parse(status).is_some_and(|it| !it.is_terminal());
    let of_list = if filter.waiting { Some("waiting") } else { filter.status.as_deref() };
    if of_list.is_none() && !filter.live {
        return None;
    }
    let all = RunStatus::ALL.iter().map(|status| status.as_str());
    let all = all.filter(|status| of_list.is_none_or(|only| only == *status));
    Some(all.filter(|status| !filter.live || is_live(status)).collect())
}

impl Tx {
    /// Returns at most `limit` of a tenant's runs that match `filter`, newest first.
    /// Branches are left out.
    pub async fn runs(
        &mut self,
        tenant: &str,
        filter: &RunFilter,
        limit: i64,
    ) -> Result<Vec<RunRow>, StoreError> {
        if filter.stuck || filter.request.is_some() {
            return self.runs_among_few(tenant, filter, limit).await;
        }
        let before = filter.before.unwrap_or(RunId::from_uuid(Uuid::max()));
        let statuses = statuses(filter);
        let params = params![tenant, before, limit];
        let rows = if statuses.is_none() && filter.method.is_none() {
            self.rows(NEWEST, &params).await?
        } else {
            let methods = match &filter.method {
                Some(method) => vec![method.clone()],
                None => self.methods_with_runs(tenant).await?,
            };
            let all: Vec<&str> = RunStatus::ALL.iter().map(|status| status.as_str()).collect();
            let groups = groups(&methods, &statuses.unwrap_or(all));
            if groups.is_empty() {
                return Ok(Vec::new());
            }
            self.bulk(NEWEST_OF_GROUPS, &params, &groups).await?
        };
        rows.iter().map(read_run).collect()
    }

    /// Returns the runs of a list that contains only stuck runs, or only those of one request.
    async fn runs_among_few(
        &mut self,
        tenant: &str,
        filter: &RunFilter,
        limit: i64,
    ) -> Result<Vec<RunRow>, StoreError> {
        let before = filter.before.unwrap_or(RunId::from_uuid(Uuid::max()));
        let status = if filter.waiting { Some("waiting") } else { filter.status.as_deref() };
        let method = filter.method.as_deref();
        let mut params =
            params![tenant, before, limit, method, status, filter.request, filter.live].to_vec();
        let sql = if filter.stuck {
            let stray = self.held_without_pause(tenant).await?;
            params.extend([self.now().into(), stray.into()]);
            STUCK
        } else {
            OF_REQUEST
        };
        self.rows(sql, &params).await?.iter().map(read_run).collect()
    }

    /// Returns the methods of which a tenant has runs.
    pub(super) async fn methods_with_runs(
        &mut self,
        tenant: &str,
    ) -> Result<Vec<String>, StoreError> {
        self.rows(METHODS, &params![tenant]).await?.iter().map(|row| row.text("method")).collect()
    }

    /// Counts the live runs of a tenant by their status, each status up to `most`. Branches are left out.
    /// Reads at most `most` entries of the index for each method and status.
    pub(super) async fn live_by_status(
        &mut self,
        tenant: &str,
        most: i64,
    ) -> Result<BTreeMap<String, i64>, StoreError> {
        let live = RunStatus::ALL.iter().filter(|status| !status.is_terminal());
        let live: Vec<&str> = live.map(|status| status.as_str()).collect();
        let groups = groups(&self.methods_with_runs(tenant).await?, &live);
        let mut counts = BTreeMap::new();
        if groups.is_empty() {
            return Ok(counts);
        }
        let sql = "SELECT v.status, (SELECT COUNT(*) FROM (SELECT 1 FROM run r WHERE r.tenant = $1 AND r.branch = 0
                AND r.method = v.method AND r.status = v.status LIMIT $2) live) AS count FROM {rows}";
        for row in &self.bulk(sql, &params![tenant, most], &groups).await? {
            let count = row.int("count")?;
            if count > 0 {
                let sum = counts.entry(row.text("status")?).or_insert(0);
                *sum = most.min(*sum + count);
            }
        }
        Ok(counts)
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
                    "WHERE r.bundle = $2 AND substr(r.bundle, 1, 8) = substr($2, 1, 8)
                        AND COALESCE(r.ended_at, r.ended_at) IS NULL AND r.tenant = $1 AND r.branch = 0
                     AND {r.id} > $3 ORDER BY {r.id} LIMIT $4"
                ),
                &params![tenant, bundle, after.unwrap_or(RunId::from_uuid(Uuid::nil())), limit],
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
