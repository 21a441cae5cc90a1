//! Decides when the write-ahead log of an embedded database is copied back
//! into the database file, and warns the operator if the log gets too long.
//!
//! Only the writing connection copies the log back, after one of its own commits. The next commit then
//! restarts the log from its beginning, unless a reader still needs the old pages.
//! So a log gets long only if a reader holds an old snapshot.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of pages that the log must reach before the writer copies it back into the database file.
/// This many pages are 8 MB, and copying them takes some tens of milliseconds.
pub(super) const COPIED_AT_PAGES: &str = "2048";
/// Size in bytes to which the file of a long log is cut when the log restarts.
/// A log of ordinary length is shorter, so its file is never cut.
pub(super) const KEPT_BYTES: &str = "16777216";
/// Size in bytes from which a log counts as long. A process that restarts must read the whole log,
/// so a long log delays its start.
const LONG_BYTES: u64 = 256 << 20;

/// Checks the size of the write-ahead log after each commit, and warns the operator once
/// when the log gets long.
pub(super) struct LogWatch {
    path: PathBuf,
    long: AtomicBool,
}

impl LogWatch {
    /// Creates the watch for the write-ahead log of this database.
    pub(super) fn of(database: &Path) -> Self {
        let mut path = database.as_os_str().to_owned();
        path.push("-wal");
        Self { path: path.into(), long: AtomicBool::new(false) }
    }

    pub(super) fn check_size(&self) {
        let bytes = std::fs::metadata(&self.path).map_or(0, |log| log.len());
        let long = bytes >= LONG_BYTES;
        if long && !self.long.swap(long, Ordering::Relaxed) {
            let log = self.path.display();
            tracing::warn!(
                bytes,
                "`{log}` keeps growing: a reader or a backup holds an old snapshot"
            );
        } else if !long {
            self.long.store(false, Ordering::Relaxed);
        }
    }
}
