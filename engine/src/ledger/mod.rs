//! Defines the contents of the ledger: the forms of receipts and events, the kinds of
//! events, and the limits on the size of receipts. This module uses no clock and no IO.

mod bounded;
mod effects;
mod fold;
mod kind;
mod receipt;
mod shapes;

pub use bounded::bounded;
pub use effects::{DbWrite, Effects, ExternalEffect, ExternalOutcome};
pub use fold::Life;
pub use kind::{EventKind, KindName};
pub use receipt::{Receipt, ReceiptError, ReceiptStatus};
pub use shapes::{CountedList, ListCount, ReceiptEffects};
