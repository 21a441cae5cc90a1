//! Reads the quotes and invoices that wait for an answer.

use abide_engine::base::Timestamp;
use abide_engine::params;
use abide_engine::store::{StoreError, Tx};

/// Selects the quotes and invoices that wait for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowUpQuery<'a> {
    /// The tenant that owns the rows.
    pub tenant: &'a str,
    /// The first instant at which a quote was sent too late to be in the report.
    pub sent_before: Timestamp,
    /// The last day on which an invoice in the report can be due.
    pub due_by: &'a str,
    /// Maximum number of quotes, and of invoices.
    pub limit: i64,
}

/// A quote that was sent and neither accepted nor declined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnansweredQuote {
    /// The id of the quote.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The lead that it is for.
    pub lead_id: Option<String>,
    /// The customer that it is for.
    pub customer_id: Option<String>,
    /// Its total in cents.
    pub total: i64,
    /// When it was sent.
    pub sent_at: Timestamp,
}

/// An invoice that is due and not fully paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnansweredInvoice {
    /// The id of the invoice.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The customer that it is for.
    pub customer_id: Option<String>,
    /// What is unpaid, in cents.
    pub outstanding: i64,
    /// The day on which it was due.
    pub due_date: String,
}

/// Returns the quotes that a query selects, longest wait first.
pub async fn unanswered_quotes(
    tx: &mut Tx,
    query: &FollowUpQuery<'_>,
) -> Result<Vec<UnansweredQuote>, StoreError> {
    let rows = tx
        .rows(
            "SELECT id, title, lead_id, customer_id, total, sent_at FROM quotes
             WHERE tenant = $1 AND status = 'sent' AND sent_at < $2
             ORDER BY sent_at, id LIMIT $3",
            &params![query.tenant, query.sent_before, query.limit],
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok(UnansweredQuote {
                id: row.text("id")?,
                title: row.text("title")?,
                lead_id: row.opt_text("lead_id")?,
                customer_id: row.opt_text("customer_id")?,
                total: row.int("total")?,
                sent_at: row.at("sent_at")?,
            })
        })
        .collect()
}

/// Returns the invoices that a query selects, longest wait first.
pub async fn unanswered_invoices(
    tx: &mut Tx,
    query: &FollowUpQuery<'_>,
) -> Result<Vec<UnansweredInvoice>, StoreError> {
    let rows = tx
        .rows(
            "SELECT id, title, customer_id, total - paid AS outstanding, due_date FROM invoices
             WHERE tenant = $1 AND status = 'sent' AND due_date <= $2 AND paid < total
             ORDER BY due_date, id LIMIT $3",
            &params![query.tenant, query.due_by, query.limit],
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok(UnansweredInvoice {
                id: row.text("id")?,
                title: row.text("title")?,
                customer_id: row.opt_text("customer_id")?,
                outstanding: row.int("outstanding")?,
                due_date: row.text("due_date")?,
            })
        })
        .collect()
}

/// Counts the quotes and invoices that a query selects, also those beyond its limit.
pub async fn count_follow_ups(tx: &mut Tx, query: &FollowUpQuery<'_>) -> Result<i64, StoreError> {
    let row = tx
        .row(
            "SELECT (SELECT COUNT(*) FROM quotes
                     WHERE tenant = $1 AND status = 'sent' AND sent_at < $2)
                  + (SELECT COUNT(*) FROM invoices
                     WHERE tenant = $1 AND status = 'sent' AND due_date <= $3 AND paid < total) AS count",
            &params![query.tenant, query.sent_before, query.due_by],
        )
        .await?;
    row.map_or(Ok(0), |row| row.int("count"))
}
