//! Moves old rows out of the database into the files of archives, a chunk at a time.
//!
//! A chunk is read, appended to the file and committed: the transaction deletes the rows and records how far the file
//! belongs to the archive. After a crash between the two, the file is cut to that length, and the chunk is read again.

mod chunk;

mod commit;
mod file;
mod step;

pub(crate) use file::{record_seal, seal};
pub(crate) use step::{ArchiveStep, step};
