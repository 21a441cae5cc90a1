//! Moves old rows out of the database: which rows leave together, how they are found, read and deleted, and how far
//! the file that they leave for has been committed.
//!
//! The engine's groups of rows are listed in [`groups`], those of a domain in the domain's `data` folder.
//! [`kept`] says for each of the engine's tables how its rows are kept.

mod base;
mod group;
mod groups;
mod kept;
mod leaving;
mod progress;
mod rows;
mod values;

pub use base::ChainBase;
pub use group::{ArchivedGroup, ArchivedTable, Keep};
pub(crate) use groups::{LEDGER, RUNS, VALUES};
pub use kept::{Kept, KeptTable, kept, kept_tables};
pub use progress::{ArchiveCutoffs, ArchiveRow, ArchiveState};
pub use rows::ArchivedRows;
pub(crate) use rows::{ArchiveRange, first_id_at, named_digests};
