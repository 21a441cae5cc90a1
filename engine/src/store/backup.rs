//! Makes backups of an embedded database. Each backup is a single self-contained file.

use std::path::Path;

use super::conn::Conn;
use super::error::StoreError;
use super::sqlite::{self, Durability};
use super::store::Store;
use crate::base::Problem;
use crate::params;

impl Store {
    /// Copies an embedded database into the new file `to`. The copy is a complete snapshot of one instant
    /// and has no write-ahead log. Fails if `to` already exists.
    pub async fn back_up(from: &Path, to: &Path) -> Result<(), Problem> {
        let (conn, _) = sqlite::open(from, Durability::Full).await?;
        let to = to.to_string_lossy().into_owned();
        let copying = Box::pin(async move {
            Conn::from(conn).execute("VACUUM INTO $1", &params![to]).await.map(drop)
        });
        let copied = sqlite::on_a_thread(copying).await;
        let ended = |_| StoreError::Unavailable("the process is shutting down".into());
        Ok(copied.map_err(ended)??)
    }
}
