//! The interface to the files of archives. The engine does no IO of its own: the server implements it with a folder, and
//! tests and simulations with memory.

use async_trait::async_trait;

use crate::base::Problem;

/// Reads and writes the files of archives.
#[async_trait]
pub trait ArchiveFiles: Send + Sync {
    /// Returns the path of a file in the default folder.
    fn default_path(&self, name: &str) -> String;

    /// Returns the path of a file in a folder that the operator names.
    fn path_in(&self, folder: &str, name: &str) -> String;

    /// Cuts a file to its first `at` bytes, appends `bytes` to it, and returns when all of it is on disk. Creates the
    /// file if `at` is 0.
    ///
    /// # Errors
    /// `archive_missing` if there is no such file, or if it is shorter; `archive_unwritable`.
    async fn write(&self, path: &str, at: u64, bytes: Vec<u8>) -> Result<(), Problem>;

    /// Reads at most `most` bytes of a file from the position `at`; none at its end. Returns `None` if there is no such
    /// file.
    ///
    /// # Errors
    /// `archive_unreadable`.
    async fn read(&self, path: &str, at: u64, most: usize) -> Result<Option<Vec<u8>>, Problem>;

    /// Replaces the file `to` by the file `from`.
    ///
    /// # Errors
    /// `archive_unwritable`.
    async fn replace(&self, from: &str, to: &str) -> Result<(), Problem>;
}

/// Builds the problem of a file that the process needs and does not find.
#[must_use]
pub fn archive_missing(path: &str) -> Problem {
    Problem::operator("archive_missing", format!("the archive `{path}` is not complete here"))
        .with_hint("run `abide archive` where the file was begun, or put the file back")
}
