//! The write-ahead log of an embedded file: when it is copied back into the database, and a warning if it
//! gets long.
//!
//! The one writer copies it back, after a commit of its own: no other connection could keep up with it, and
//! no other one ever checkpoints. The next commit then restarts the log from its beginning, unless a reader
//! still needs it; so a reader that holds an old snapshot is what makes a log long.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of pages after which the writer copies the log back: 8 MB, some tens of milliseconds of work.
pub(super) const COPIED_AT_PAGES: &str = "2048";
/// Size in bytes to which the file is cut when a log that had grown restarts: room for the ordinary cycle,
/// which then never changes the length of the file.
pub(super) const KEPT_BYTES: &str = "16777216";
/// Size in bytes of a log that counts as long: a restart of the process has to read all of it.
const LONG_BYTES: u64 = 256 << 20;

/// Checks the size of the log after each commit, and warns the operator once when it gets long.
pub(super) struct LogWatch {
    path: PathBuf,
    long: AtomicBool,
}

impl LogWatch {
    /// Watches the log of this database.
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
