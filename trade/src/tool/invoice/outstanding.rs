//! What is still to be paid on an invoice.

use crate::data::StoredRow;

/// Returns what is still to be paid on an invoice, in cents. Nothing is owed on a void invoice.
pub(in crate::tool) fn outstanding(invoice: &StoredRow) -> i64 {
    match invoice.text("status") {
        "void" => 0,
        _ => invoice.int("total") - invoice.int("paid"),
    }
}
