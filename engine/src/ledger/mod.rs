//! The contents of the ledger: the forms of receipts and events,
//! the kinds of events, and bounds on their size. This module is pure.

mod bounded;
mod effects;
mod fold;
mod kind;
mod receipt;
mod shapes;

pub use bounded::bounded;
pub use effects::{DbWrite, Effects};
pub use fold::Life;
pub use kind::{EventKind, KindName};
pub use receipt::{Receipt, ReceiptError, ReceiptStatus};
pub use shapes::{CountedList, ListCount, ReceiptEffects};
