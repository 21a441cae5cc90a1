//! The files of archives: rows that have left the database, as JSON lines.
//!
//! The first line of a file is its header, each further line one row, and the last line the seal. The seal contains the
//! digest of a hash chain over the lines before it, so a changed, missing or added line is noticed.
//! A file is written only at its end, and what is behind the committed length is cut: see [`ArchiveFiles::write`].

mod config;
mod event;
mod files;
mod line;
mod memory;
mod reader;
mod rewrite;

pub use config::ArchiveConfig;
pub use event::{archived_event, archived_id};
pub use files::{ArchiveFiles, archive_missing};
pub use line::{ArchiveHeader, ArchiveLine, FORMAT_VERSION, FileSeal, row_line, seal_line};
pub use memory::MemoryArchives;
pub use reader::{ArchiveReader, FileDigest};
pub use rewrite::{Rewritten, rewrite};
