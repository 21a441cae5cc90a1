//! What only invoices do.

mod list_overdue;
mod outstanding;

pub(super) use list_overdue::ListOverdue;
pub(super) use outstanding::outstanding;
