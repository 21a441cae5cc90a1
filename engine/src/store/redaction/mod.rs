//! Redacts stored texts: takes the personal data of one person out of them.
//!
//! [`TextTable`] names the columns of a table that may quote somebody. Such a table is redacted page by page, and so are the
//! values of runs, the messages and the events. Everything that belongs to the person alone is erased as a whole.

mod events;
mod messages;
mod order;
mod rows;
mod runs;
mod tables;

pub use events::{RedactedEvent, redacted_event};
pub use messages::MessageTable;
pub use order::ErasureOrder;
pub use rows::{TextCursor, TextPage, TextTable};

/// The number of rows that one read looks at. Their texts fit into memory many times over.
const PAGE_ROWS: i64 = 500;
