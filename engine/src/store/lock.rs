//! The driver lock of an embedded database: an advisory lock on a file next to the database. A process
//! holds the lock for as long as it drives the database, so that no other process drives the database.
//!
//! The lock is not on the database file, because only SQLite may open and lock that file. The content of
//! the lock file only informs other processes: it says how to reach the server that holds the lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::base::Problem;

/// The driver lock of this process. Dropping this value releases the lock.
#[derive(Debug)]
pub struct DriverLock {
    file: File,
}

/// Maximum number of bytes that are read from the lock file.
const TEXT_BYTES_MAX: u64 = 512;

fn beside(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

impl DriverLock {
    /// Takes the driver lock of an embedded database.
    ///
    /// # Errors
    /// `database_in_use` if another process holds the lock, with the content of the lock file as detail;
    /// `database_unreachable` if the lock file cannot be opened or created.
    pub fn take(database: &Path) -> Result<Self, Problem> {
        let path = beside(database);
        let unreachable = |e: std::io::Error| {
            Problem::operator("database_unreachable", format!("cannot open `{}`", path.display()))
                .with_detail(e.to_string())
                .with_hint("check that the folder exists and is writable")
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        // The lock file may contain the key that gives access to
        // the server, so only the owner of the file may read it.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(unreachable)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => {
                Err(Problem::caller("database_in_use", "another process drives this database")
                    .with_detail(holder(database).unwrap_or_default())
                    .with_hint("send the command to the running server, or stop it first"))
            }
            Err(TryLockError::Error(e)) => Err(unreachable(e)),
        }
    }

    /// Writes a string, such as the server's address, into the lock file.
    /// A process that finds the lock taken reads the string.
    pub fn announce(&mut self, text: &str) -> std::io::Result<()> {
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(text.as_bytes())
    }
}

/// Returns the content of the lock file, written by the current or last holder of the lock;
/// `None` if the file is missing, unreadable or empty.
#[must_use]
pub fn holder(database: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(beside(database)).ok()?.take(TEXT_BYTES_MAX).read_to_string(&mut text).ok()?;
    (!text.is_empty()).then_some(text)
}
