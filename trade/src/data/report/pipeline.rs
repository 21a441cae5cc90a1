//! Counts and sums leads and quotes by stage.

use std::collections::BTreeMap;

use abide_engine::params;
use abide_engine::store::{StoreError, Tx};

/// The number of rows in a stage, and the sum of their amounts in cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StageFigures {
    /// Number of rows.
    pub count: i64,
    /// Sum of the amounts in cents.
    pub cents: i64,
}

/// Counts the leads that are not archived by stage, if given only those of one person.
pub async fn leads_by_stage(
    tx: &mut Tx,
    tenant: &str,
    assigned_to: Option<&str>,
) -> Result<BTreeMap<String, i64>, StoreError> {
    let rows = tx
        .rows(
            "SELECT status, COUNT(*) AS count FROM leads
             WHERE tenant = $1 AND archived_at IS NULL
               AND (CAST($2 AS TEXT) IS NULL OR assigned_to = $2)
             GROUP BY status",
            &params![tenant, assigned_to],
        )
        .await?;
    rows.iter().map(|row| Ok((row.text("status")?, row.int("count")?))).collect()
}

/// Sums the quotes that are open or accepted by the stage of their lead, in cents. Quotes of archived leads
/// do not count.
pub async fn quote_sums_by_lead_stage(
    tx: &mut Tx,
    tenant: &str,
    assigned_to: Option<&str>,
) -> Result<BTreeMap<String, i64>, StoreError> {
    let rows = tx
        .rows(
            "SELECT l.status AS status, CAST(SUM(q.total) AS BIGINT) AS cents
             FROM quotes q JOIN leads l ON l.tenant = q.tenant AND l.id = q.lead_id
             WHERE q.tenant = $1 AND q.status IN ('draft', 'finalized', 'sent', 'accepted')
               AND l.archived_at IS NULL
               AND (CAST($2 AS TEXT) IS NULL OR l.assigned_to = $2)
             GROUP BY l.status",
            &params![tenant, assigned_to],
        )
        .await?;
    rows.iter().map(|row| Ok((row.text("status")?, row.int("cents")?))).collect()
}

/// Counts and sums the open quotes by stage, if given only those for the leads of one person.
pub async fn open_quotes_by_stage(
    tx: &mut Tx,
    tenant: &str,
    assigned_to: Option<&str>,
) -> Result<BTreeMap<String, StageFigures>, StoreError> {
    let rows = tx
        .rows(
            "SELECT status, COUNT(*) AS count, CAST(SUM(total) AS BIGINT) AS cents FROM quotes q
             WHERE tenant = $1 AND status IN ('draft', 'finalized', 'sent')
               AND (CAST($2 AS TEXT) IS NULL OR EXISTS (
                   SELECT 1 FROM leads l
                   WHERE l.tenant = q.tenant AND l.id = q.lead_id AND l.assigned_to = $2))
             GROUP BY status",
            &params![tenant, assigned_to],
        )
        .await?;
    rows.iter()
        .map(|row| {
            let figures = StageFigures { count: row.int("count")?, cents: row.int("cents")? };
            Ok((row.text("status")?, figures))
        })
        .collect()
}
