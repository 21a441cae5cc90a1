//! What the ledger says: the forms of receipts and events, and how long they may get. Pure.

mod bounded;
mod effects;
mod fold;
mod receipt;

pub use bounded::bounded;
pub use effects::{DbWrite, Effects};
pub use fold::Life;
pub use receipt::{Receipt, ReceiptError, ReceiptStatus};
