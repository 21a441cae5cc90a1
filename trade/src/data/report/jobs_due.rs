//! Reads the jobs of the next days with what blocks them.

use abide_engine::base::Timestamp;
use abide_engine::params;
use abide_engine::store::{Row, StoreError, Tx};

/// Selects the jobs that are scheduled or in progress and start in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobsDueQuery<'a> {
    /// The tenant that owns the jobs.
    pub tenant: &'a str,
    /// The beginning of the period.
    pub since: Timestamp,
    /// The first instant after the period.
    pub until: Timestamp,
    /// The person who does the jobs; anybody if `None`.
    pub assigned_to: Option<&'a str>,
    /// Maximum number of jobs.
    pub limit: i64,
}

/// A job that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueJob {
    /// The id of the job.
    pub id: String,
    /// The title of the job.
    pub title: String,
    /// Whether the job is scheduled or in progress.
    pub status: String,
    /// When it begins.
    pub starts_at: Timestamp,
    /// When it ends, if that is planned.
    pub ends_at: Option<Timestamp>,
    /// Where it is done.
    pub address: Option<String>,
    /// Who does it.
    pub assigned_to: Option<String>,
    /// The customer.
    pub customer_id: Option<String>,
    /// The quote that it carries out.
    pub quote_id: Option<String>,
    /// The status of that quote.
    pub quote_status: Option<String>,
    /// The oldest other job of the same person that takes place at the same time.
    pub overlaps: Option<String>,
}

impl DueJob {
    fn read(row: &Row) -> Result<Self, StoreError> {
        Ok(Self {
            id: row.text("id")?,
            title: row.text("title")?,
            status: row.text("status")?,
            starts_at: row.at("starts_at")?,
            ends_at: row.opt_at("ends_at")?,
            address: row.opt_text("address")?,
            assigned_to: row.opt_text("assigned_to")?,
            customer_id: row.opt_text("customer_id")?,
            quote_id: row.opt_text("quote_id")?,
            quote_status: row.opt_text("quote_status")?,
            overlaps: row.opt_text("overlaps")?,
        })
    }
}

/// Returns the jobs that a query selects, earliest first. A job whose end is not planned takes its first
/// microsecond.
///
/// `MIN(o.id || '')` keeps SQLite from reading the jobs in the sequence of their ids, which takes a hundred
/// times as long as the index over the jobs of a person.
pub async fn jobs_due(tx: &mut Tx, query: &JobsDueQuery<'_>) -> Result<Vec<DueJob>, StoreError> {
    let rows = tx
        .rows(
            "SELECT d.*,
                    (SELECT q.status FROM quotes q WHERE q.tenant = $1 AND q.id = d.quote_id) AS quote_status,
                    (SELECT MIN(o.id || '') FROM jobs o
                     WHERE o.tenant = $1 AND o.assigned_to = d.assigned_to
                       AND o.status IN ('scheduled', 'in_progress') AND o.id <> d.id
                       AND o.starts_at < COALESCE(d.ends_at, d.starts_at + 1)
                       AND COALESCE(o.ends_at, o.starts_at + 1) > d.starts_at) AS overlaps
             FROM (SELECT id, title, status, starts_at, ends_at, address, assigned_to, customer_id, quote_id
                   FROM jobs
                   WHERE tenant = $1 AND starts_at >= $2 AND starts_at < $3
                     AND status IN ('scheduled', 'in_progress')
                     AND (CAST($4 AS TEXT) IS NULL OR assigned_to = $4)
                   ORDER BY starts_at, id LIMIT $5) AS d
             ORDER BY d.starts_at, d.id",
            &params![query.tenant, query.since, query.until, query.assigned_to, query.limit],
        )
        .await?;
    rows.iter().map(DueJob::read).collect()
}

/// Counts the jobs that a query selects, also those beyond its limit.
pub async fn count_jobs_due(tx: &mut Tx, query: &JobsDueQuery<'_>) -> Result<i64, StoreError> {
    let row = tx
        .row(
            "SELECT COUNT(*) AS count FROM jobs
             WHERE tenant = $1 AND starts_at >= $2 AND starts_at < $3
               AND status IN ('scheduled', 'in_progress')
               AND (CAST($4 AS TEXT) IS NULL OR assigned_to = $4)",
            &params![query.tenant, query.since, query.until, query.assigned_to],
        )
        .await?;
    row.map_or(Ok(0), |row| row.int("count"))
}
