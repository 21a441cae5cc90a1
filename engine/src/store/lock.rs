//! One driver for an embedded file: an advisory lock on a file beside it, held for life.
//!
//! The lock is what counts; the text inside only informs (the address of the server that holds
//! it). The database file itself is opened through SQLite alone.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::base::Problem;

/// The lock, held until it is dropped.
#[derive(Debug)]
pub struct DriverLock {
    file: File,
}

/// Longest text that a holder leaves: a URL.
const TEXT_BYTES_MAX: u64 = 512;

fn beside(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

impl DriverLock {
    /// Takes the lock of an embedded database, or says who has it.
    ///
    /// # Errors
    /// `database_in_use` with the holder's text as detail; `database_unreachable` where the file
    /// cannot be made.
    pub fn take(database: &Path) -> Result<Self, Problem> {
        let path = beside(database);
        let unreachable = |e: std::io::Error| {
            Problem::operator("database_unreachable", format!("cannot open `{}`", path.display()))
                .with_detail(e.to_string())
                .with_hint("check that the folder exists and may be written")
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        // What the holder announces may open its server: it is for the owner of the data alone.
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

    /// Leaves a text for those who find the lock taken, such as the server's URL.
    pub fn announce(&mut self, text: &str) -> std::io::Result<()> {
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(text.as_bytes())
    }
}

/// What the present or last holder announced.
#[must_use]
pub fn holder(database: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(beside(database)).ok()?.take(TEXT_BYTES_MAX).read_to_string(&mut text).ok()?;
    (!text.is_empty()).then_some(text)
}
