//! An embedded database as one file that needs nothing beside it.

use std::path::Path;

use super::conn::Conn;
use super::sqlite::{self, Durability};
use super::store::Store;
use crate::base::Problem;
use crate::params;

impl Store {
    /// Writes an embedded database into a file that is not there yet: whole, of one instant, without a log.
    pub async fn back_up(from: &Path, to: &Path) -> Result<(), Problem> {
        let (conn, _) = sqlite::open(from, Durability::Full).await?;
        let to = to.to_string_lossy().into_owned();
        Conn::from(conn).execute("VACUUM INTO $1", &params![to]).await?;
        Ok(())
    }
}
