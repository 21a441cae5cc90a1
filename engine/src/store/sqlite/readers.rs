//! The reading connections of an embedded database, each opened when it is first needed.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::super::error::StoreError;
use super::link::{Idle, Link};
use super::open::ConnectionOptions;

/// Maximum number of reading connections, in addition to the writing connection.
const READERS_MAX: usize = 4;

/// The reading connections.
#[derive(Clone)]
pub(in crate::store) struct Readers {
    options: Arc<ConnectionOptions>,
    room: Arc<Semaphore>,
    idle: Idle,
}

impl Readers {
    pub(super) fn new(options: ConnectionOptions) -> Self {
        let (room, idle) = (Arc::new(Semaphore::new(READERS_MAX)), Arc::new(Mutex::default()));
        Self { options: Arc::new(options), room, idle }
    }

    /// Returns the file of the database.
    pub(in crate::store) fn path(&self) -> PathBuf {
        self.options.path.clone()
    }

    /// Lends a connection. Waits while [`READERS_MAX`] connections are lent.
    pub(in crate::store) async fn lend(&self) -> Result<Link, StoreError> {
        let room = Arc::clone(&self.room).acquire_owned().await;
        let room = room.map_err(|_| StoreError::Unavailable("the readers are closed".into()))?;
        let idle: Option<Connection> =
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let conn = match idle {
            Some(conn) => conn,
            None => self.options.connect()?,
        };
        Ok(Link::lent(conn, Arc::clone(&self.idle), room))
    }
}
