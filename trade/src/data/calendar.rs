//! Reads the events of the calendar by their times.

use abide_engine::base::Timestamp;
use abide_engine::params;
use abide_engine::store::{StoreError, Tx};

use super::interned::interned;
use super::rows::{StoredRow, listed};
use crate::table::Table;

/// Selects the confirmed events that take time in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BusyQuery<'a> {
    /// The tenant that owns the events.
    pub tenant: &'a str,
    /// The beginning of the period.
    pub since: Timestamp,
    /// The first instant after the period.
    pub until: Timestamp,
    /// Maximum number of events.
    pub limit: i64,
}

/// The time that an event takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusyTime {
    /// When the event begins.
    pub starts_at: Timestamp,
    /// When it ends.
    pub ends_at: Timestamp,
    /// Who takes part, as a JSON list.
    pub attendees: String,
}

/// Returns the times of the events that a query selects, earliest end first.
pub async fn busy_times(tx: &mut Tx, query: &BusyQuery<'_>) -> Result<Vec<BusyTime>, StoreError> {
    let rows = tx
        .rows(
            "SELECT starts_at, ends_at, attendees FROM calendar_events
             WHERE tenant = $1 AND status = 'confirmed' AND ends_at > $2 AND starts_at < $3
             ORDER BY ends_at, id LIMIT $4",
            &params![query.tenant, query.since, query.until, query.limit],
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok(BusyTime {
                starts_at: row.at("starts_at")?,
                ends_at: row.at("ends_at")?,
                attendees: row.text("attendees")?,
            })
        })
        .collect()
}

/// Selects the confirmed events that start in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfirmedEventQuery<'a> {
    /// The table of events.
    pub table: &'static Table,
    /// The tenant that owns the events.
    pub tenant: &'a str,
    /// The beginning of the period.
    pub since: Timestamp,
    /// The first instant after the period.
    pub until: Timestamp,
    /// The job that the events belong to; any if `None`.
    pub job_id: Option<&'a str>,
    /// Maximum number of events.
    pub limit: i64,
}

/// Returns the events that a query selects, earliest first.
pub async fn confirmed_events(
    tx: &mut Tx,
    query: &ConfirmedEventQuery<'_>,
) -> Result<Vec<StoredRow>, StoreError> {
    let sql = format!(
        "SELECT {} FROM calendar_events
         WHERE tenant = $1 AND status = 'confirmed' AND starts_at >= $2 AND starts_at < $3
           AND (CAST($4 AS TEXT) IS NULL OR job_id = $4)
         ORDER BY starts_at, id LIMIT $5",
        listed(query.table)
    );
    let params = params![query.tenant, query.since, query.until, query.job_id, query.limit];
    let rows = tx.rows(interned(sql), &params).await?;
    rows.iter().map(|row| StoredRow::read(query.table, row)).collect()
}
