//! Looks for erased data in the file of an embedded database. A page may still hold old bytes of a row that the database moved
//! elsewhere, and the write-ahead log holds pages as they were.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::conn::Conn;
use super::error::StoreError;
use super::sqlite::{self, Durability};
use super::store::{Pools, Store};
use crate::base::Problem;
use crate::erasure::Redactor;

/// Number of bytes that are searched at a time.
const PART_BYTES: usize = 1 << 20;
/// Number of bytes of the part before that are searched again. A text that reaches over the border of two parts is
/// found by its beginning, which is shorter.
const OVERLAP_BYTES: usize = 1 << 10;

crate::words! {
    /// Whether erased data is left in the files of a database.
    pub enum Leftovers {
        /// The files were searched, and nothing is left.
        None = "none",
        /// Something is left: another connection still reads an old state.
        Found = "found",
        /// The files belong to a database server. Its old versions of rows go with its next vacuum.
        WithServer = "with_server",
    }
}

impl Store {
    /// Empties the write-ahead log, and searches the file. If something is left in it, rewrites the file.
    ///
    /// # Errors
    /// Errors of the database and of the file.
    pub async fn clear_leftovers(&self, redactor: Arc<Redactor>) -> Result<Leftovers, Problem> {
        let Pools::Sqlite { readers, .. } = &self.pools else { return Ok(Leftovers::WithServer) };
        let path = readers.path();
        let conn = Conn::from(sqlite::open(&path, Durability::Full).await?.0);
        let cleared = sqlite::on_a_thread(Box::pin(clear(conn, path, redactor))).await;
        let ended = |e| Problem::bug(format!("a search for erased data ended: {e}"));
        Ok(cleared.map_err(ended)??)
    }
}

async fn clear(
    mut conn: Conn,
    path: PathBuf,
    redactor: Arc<Redactor>,
) -> Result<Leftovers, StoreError> {
    for rewrite in [None, Some("VACUUM")] {
        if let Some(sql) = rewrite {
            // The copy that VACUUM makes may be larger than the memory.
            conn.batch("PRAGMA temp_store = FILE").await?;
            conn.batch(sql).await?;
        }
        conn.rows("PRAGMA wal_checkpoint(TRUNCATE)", &[]).await?;
        if !is_in_file(&path, &redactor) && !is_in_file(&log(&path), &redactor) {
            return Ok(Leftovers::None);
        }
    }
    Ok(Leftovers::Found)
}

fn log(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// Whether a file contains personal data. A file that is not there contains none.
fn is_in_file(path: &Path, redactor: &Redactor) -> bool {
    let Ok(mut file) = std::fs::File::open(path) else { return false };
    let mut part = Vec::with_capacity(PART_BYTES + OVERLAP_BYTES);
    loop {
        let read = file.by_ref().take(PART_BYTES as u64).read_to_end(&mut part);
        if redactor.is_in(&part) {
            return true;
        }
        if !matches!(read, Ok(bytes) if bytes > 0) {
            return false;
        }
        part.drain(..part.len().saturating_sub(OVERLAP_BYTES));
    }
}
