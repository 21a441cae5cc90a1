//! The write-ahead log of an embedded file: when it is copied back, and who is told if it never is.
//!
//! The one writer copies it, behind a commit of its own: no other connection could catch up with it,
//! and none else ever checkpoints. Then the next commit begins the log anew, unless a reader still
//! needs it; so a reader that holds an old snapshot is what makes a log long.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Pages after which the writer copies the log back: 8 MB, some tens of milliseconds of work.
pub(super) const COPIED_AT_PAGES: &str = "2048";
/// What is left of the file once a log that had grown begins anew: room for the ordinary cycle, which
/// then never changes the file's length.
pub(super) const KEPT_BYTES: &str = "16777216";
/// A log that nobody lets go of: a restart has to read all of it.
const LONG_BYTES: u64 = 256 << 20;

/// Looks at the log after each commit and tells the operator once when it gets long.
pub(super) struct LogWatch {
    path: PathBuf,
    long: AtomicBool,
}

impl LogWatch {
    /// The log of that database.
    pub(super) fn of(database: &Path) -> Self {
        let mut path = database.as_os_str().to_owned();
        path.push("-wal");
        Self { path: path.into(), long: AtomicBool::new(false) }
    }

    pub(super) fn look(&self) {
        let bytes = std::fs::metadata(&self.path).map_or(0, |log| log.len());
        let long = bytes >= LONG_BYTES;
        if long && !self.long.swap(long, Ordering::Relaxed) {
            let log = self.path.display();
            tracing::warn!(bytes, "`{log}` grows: a reader or a backup holds an old snapshot");
        } else if !long {
            self.long.store(false, Ordering::Relaxed);
        }
    }
}
