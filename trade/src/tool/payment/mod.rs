//! Payments on invoices, and their refunds.
//!
//! A call locks the invoice before it writes a payment, so that concurrent calls on one invoice change it
//! one after the other.

mod entry;
mod record;
mod refund;

pub(super) use record::{Record, record};
pub(super) use refund::Refund;
