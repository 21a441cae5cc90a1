//! The growth of the tables by the waiting runs.

use serde::Serialize;

use super::super::raw::TableSizes;
use super::super::report::DatabaseKind;

/// Name under which the sum of all tables is reported.
pub(super) const TOTAL: &str = "total";

/// Bytes that a waiting run takes in one table, with its indexes.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct BytesPerRun {
    pub(super) database: DatabaseKind,
    /// Name of the table, or [`TOTAL`].
    pub(super) table: String,
    /// Growth of the table over the fill, divided by the number of runs.
    pub(super) bytes_per_run: f64,
}

/// Returns how much each table has grown per run, largest first, and the sum. Leaves out tables that have
/// not grown.
pub(super) fn growth(
    database: DatabaseKind,
    before: &TableSizes,
    after: &TableSizes,
    runs: u64,
) -> Vec<BytesPerRun> {
    let row = |table: String, bytes: u64| BytesPerRun {
        database,
        table,
        bytes_per_run: bytes as f64 / runs.max(1) as f64,
    };
    let grown = |table: &String, bytes: u64| {
        bytes.saturating_sub(before.get(table).copied().unwrap_or_default())
    };
    let mut sizes: Vec<BytesPerRun> = after
        .iter()
        .map(|(table, bytes)| row(table.clone(), grown(table, *bytes)))
        .filter(|size| size.bytes_per_run > 0.0)
        .collect();
    sizes.sort_by(|a, b| b.bytes_per_run.total_cmp(&a.bytes_per_run));
    let total = after.iter().map(|(table, bytes)| grown(table, *bytes)).sum();
    sizes.push(row(TOTAL.to_owned(), total));
    sizes
}
