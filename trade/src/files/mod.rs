//! Files, such as photos and documents: their bytes are in a folder, and their rows are in the table `files`.
//!
//! A file is stored under its digest, so the same bytes are stored once, also for several tenants. The rows
//! decide which tenant sees a file. The bytes are on disk before a transaction inserts the row, so no row
//! names a file that is missing. A crash in between leaves bytes without a row, which the next attempt reuses.

mod content_type;
mod new_file;
mod problem;
mod store;

pub use new_file::{FILE_BYTES_MAX, NewFile};
pub use problem::unknown_file;
pub use store::FileStore;
