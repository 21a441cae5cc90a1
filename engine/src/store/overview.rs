//! Summarises the state of a tenant in a few counts. No count reads more than [`COUNTED_MAX`] rows of an index.

use std::collections::BTreeMap;

use super::error::StoreError;
use super::param::ColumnType;
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{EventId, RunId, Span, Timestamp};
use crate::params;

/// The maximum value of a count. Larger numbers are reported only by the metrics of the process.
const COUNTED_MAX: i64 = 10_000;
/// Maximum number of waiting runs of each method among which the oldest is looked for: those with the lowest ids.
const OLDEST_AMONG: i64 = 500;
/// Time within which a due run should be claimed. A node normally claims it within milliseconds,
/// so a run that is not claimed after this time is late.
const TAKEN_WITHIN: Span = Span::from_secs(5);

/// The state of a tenant at one instant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overview {
    /// Number of live runs by status. Branches are left out.
    pub runs: BTreeMap<String, i64>,
    /// Number of runs that will become due by a timer.
    pub timers: i64,
    /// When the first of the runs that `timers` counts becomes due; `None` if there is no such run.
    pub next_at: Option<Timestamp>,
    /// Number of runs that have been due for some seconds and are not claimed.
    pub late: i64,
    /// Number of messages that are queued or being sent, by state.
    pub outbox: BTreeMap<String, i64>,
    /// The waiting run that has been without a new event for the longest time, with the name of its
    /// method and the time of its latest event. Of each method, only the runs that started first are considered.
    pub oldest: Option<(RunId, String, Timestamp)>,
    /// Number of overdue runs, plus the number of runs that are held although the tenant is not paused.
    pub stuck: i64,
    /// Number of runs that are held by the kill switch.
    pub held: i64,
    /// The id of the tenant's latest event.
    pub last: Option<EventId>,
    /// Number of events after the event that the caller names, and the number of receipts among
    /// these events; `None` if the caller names no event.
    pub since: Option<(i64, i64)>,
}

impl Tx {
    /// Reads the state of a tenant. If `after` is given, also counts the events after that event.
    pub async fn overview(
        &mut self,
        tenant: &str,
        after: Option<EventId>,
    ) -> Result<Overview, StoreError> {
        let (timers, next_at, late) = self.timers(tenant).await?;
        let held = self.held_runs(tenant, COUNTED_MAX).await?;
        let stray = held > 0 && self.held_without_pause(tenant).await?;
        Ok(Overview {
            runs: self.live_by_status(tenant, COUNTED_MAX).await?,
            timers,
            next_at,
            late,
            outbox: self.open_messages(tenant).await?,
            oldest: self.oldest_waiting(tenant).await?,
            stuck: self.stuck_runs(tenant).await? + if stray { held } else { 0 },
            held: if stray { 0 } else { held },
            last: self.last_event(tenant).await?,
            since: match after {
                Some(after) => Some(self.events_since(tenant, after).await?),
                None => None,
            },
        })
    }

    async fn timers(&mut self, tenant: &str) -> Result<(i64, Option<Timestamp>, i64), StoreError> {
        let now = self.now();
        let row = self
            .row(
                "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM turn WHERE owner IS NULL AND held = 0
                        AND {due_at} IS NOT NULL AND tenant = $1 AND due_at > $2 LIMIT $4) AS later) AS timers,
                    (SELECT MIN(due_at) FROM turn WHERE owner IS NULL AND held = 0
                        AND {due_at} IS NOT NULL AND tenant = $1 AND due_at > $2) AS earliest,
                    (SELECT COUNT(*) FROM (SELECT 1 FROM turn WHERE owner IS NULL AND held = 0
                        AND {due_at} IS NOT NULL AND tenant = $1 AND due_at <= $3 LIMIT $4) AS due) AS late",
                &params![tenant, now, now - TAKEN_WITHIN, COUNTED_MAX],
            )
            .await?;
        row.map_or(Ok((0, None, 0)), |row| {
            Ok((row.int("timers")?, row.opt_at("earliest")?, row.int("late")?))
        })
    }

    async fn open_messages(&mut self, tenant: &str) -> Result<BTreeMap<String, i64>, StoreError> {
        let mut states = BTreeMap::new();
        let queued = "SELECT COUNT(*) AS count FROM (SELECT 1 FROM outbox WHERE state = 'queued' AND tenant = $1 LIMIT $2) AS open";
        let sending = "SELECT COUNT(*) AS count FROM (SELECT 1 FROM outbox WHERE {state} = 'sending' AND tenant = $1 LIMIT $2) AS open";
        for (state, sql) in [("queued", queued), ("sending", sending)] {
            let row = self.row(sql, &params![tenant, COUNTED_MAX]).await?;
            let count = row.map_or(Ok(0), |row| row.int("count"))?;
            if count > 0 {
                states.insert(state.to_owned(), count);
            }
        }
        Ok(states)
    }

    async fn oldest_waiting(
        &mut self,
        tenant: &str,
    ) -> Result<Option<(RunId, String, Timestamp)>, StoreError> {
        let mut methods = Rows::new(&[("method", ColumnType::Text)]);
        for method in self.methods_with_runs(tenant).await? {
            methods.push([method.into()]);
        }
        let rows = self
            .bulk(
                "SELECT r.id, r.method, r.last_at FROM {rows} CROSS JOIN run r WHERE r.id {in} SELECT {p.id} FROM run p
                    WHERE p.tenant = $1 AND p.branch = 0 AND p.method = v.method AND p.status = 'waiting'
                    ORDER BY {p.id} LIMIT $2 {end}
                 ORDER BY r.last_at, r.id LIMIT 1",
                &params![tenant, OLDEST_AMONG],
                &methods,
            )
            .await?;
        let row = rows.first();
        row.map(|row| Ok((row.id("id")?, row.text("method")?, row.at("last_at")?))).transpose()
    }

    async fn stuck_runs(&mut self, tenant: &str) -> Result<i64, StoreError> {
        let now = self.now();
        let row = self
            .row(
                "SELECT COUNT(*) AS count FROM
                    (SELECT 1 FROM turn WHERE tenant = $1 AND held = 0 AND expected_by < $2 LIMIT $3) AS late",
                &params![tenant, now, COUNTED_MAX],
            )
            .await?;
        row.map_or(Ok(0), |row| row.int("count"))
    }

    async fn last_event(&mut self, tenant: &str) -> Result<Option<EventId>, StoreError> {
        let sql = "SELECT id FROM ledger WHERE tenant = $1 ORDER BY id DESC LIMIT 1";
        let row = self.row(sql, &params![tenant]).await?;
        row.map(|row| row.id("id")).transpose()
    }

    async fn events_since(
        &mut self,
        tenant: &str,
        after: EventId,
    ) -> Result<(i64, i64), StoreError> {
        let row = self
            .row(
                "SELECT COUNT(*) AS events, COUNT(CASE WHEN kind = 'receipt' THEN 1 END) AS receipts FROM
                    (SELECT kind FROM ledger WHERE tenant = $1 AND id > $2 LIMIT $3) AS recent",
                &params![tenant, after, COUNTED_MAX],
            )
            .await?;
        row.map_or(Ok((0, 0)), |row| Ok((row.int("events")?, row.int("receipts")?)))
    }
}
