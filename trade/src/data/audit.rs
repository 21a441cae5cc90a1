//! Finds rows that break the rules of the trade. Each rule is a query for the ids of such rows.

use abide_engine::store::{StoreError, Tx};
use abide_engine::verb::BrokenRow;

use super::interned::interned;

/// Maximum number of rows that one rule reports.
const FOUND_MAX: i64 = 100;

/// Returns the documents, invoices, lines and media that break a rule.
pub async fn broken_rules(tx: &mut Tx) -> Result<Vec<BrokenRow>, StoreError> {
    let mut found = Vec::new();
    for (documents, lines, column) in [
        ("quotes", "quote_line_items", "quote_id"),
        ("invoices", "invoice_line_items", "invoice_id"),
    ] {
        // The amounts of a document are the sums of its lines.
        let sums = format!(
            "SELECT d.id AS id FROM {documents} d LEFT JOIN (
                SELECT tenant, {column} AS document, CAST(SUM(net) AS BIGINT) AS net,
                    CAST(SUM(tax) AS BIGINT) AS tax FROM {lines} GROUP BY tenant, {column}
             ) l ON l.tenant = d.tenant AND l.document = d.id
             WHERE d.subtotal <> COALESCE(l.net, 0) OR d.tax <> COALESCE(l.tax, 0)
                OR d.total <> d.subtotal + d.tax
             ORDER BY d.id LIMIT $1"
        );
        found.extend(ids(tx, "document_sums", interned(sums)).await?);
        // The lines of a document have the positions 1, 2, 3 and so on.
        let places = format!(
            "SELECT {column} AS id FROM {lines} GROUP BY tenant, {column}
             HAVING MIN(position) <> 1 OR MAX(position) <> COUNT(*)
                OR COUNT(DISTINCT position) <> COUNT(*)
             ORDER BY {column} LIMIT $1"
        );
        found.extend(ids(tx, "line_positions", interned(places)).await?);
    }
    // What is paid on an invoice is the sum of its payments less its refunds.
    let paid = "SELECT i.id AS id FROM invoices i LEFT JOIN (
            SELECT tenant, invoice_id,
                CAST(SUM(CASE kind WHEN 'refund' THEN -amount ELSE amount END) AS BIGINT) AS sum
            FROM payments GROUP BY tenant, invoice_id
         ) p ON p.tenant = i.tenant AND p.invoice_id = i.id
         WHERE i.paid <> COALESCE(p.sum, 0) OR (i.status = 'paid' AND i.paid < i.total)
         ORDER BY i.id LIMIT $1";
    found.extend(ids(tx, "invoice_paid", paid).await?);
    // The tenant of an asset has stored its file.
    let unstored = "SELECT m.id AS id FROM media m
         LEFT JOIN files f ON f.tenant = m.tenant AND f.digest = m.digest AND f.size = m.size
         WHERE f.digest IS NULL ORDER BY m.id LIMIT $1";
    found.extend(ids(tx, "media_file", unstored).await?);
    Ok(found)
}

async fn ids(
    tx: &mut Tx,
    rule: &'static str,
    sql: &'static str,
) -> Result<Vec<BrokenRow>, StoreError> {
    let rows = tx.rows(sql, &[FOUND_MAX.into()]).await?;
    rows.iter().map(|row| Ok(BrokenRow { rule, id: row.text("id")? })).collect()
}
