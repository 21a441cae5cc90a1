//! The writers of messages from people on a database server. Messages that arrive together share a commit, and so do
//! messages that are applied to the same partition, one after another. Each writer gets a connection with its first job.

use std::sync::Arc;

use sqlx::PgPool;
use tokio::sync::{OnceCell, mpsc};
use uuid::Uuid;

use super::conn::Conn;
use super::error::StoreError;
use super::members::Job;
use super::postgres;
use super::tx::{Source, Tx};
use super::writer::{Committer, Writer};

/// Number of writers that apply messages. While one waits for its flush, the server works for another.
const APPLIERS: usize = 2;
/// Number of connections that the writers use: one more stores messages.
pub(super) const MESSAGE_WRITERS: usize = APPLIERS + 1;

/// A kind of writes of lane B, by what they share a commit with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorkQueue {
    /// Writes that have a transaction of their own on a database server.
    Normal,
    /// Like the normal writes, but on an embedded database they run before those of their batch.
    Urgent,
    /// Urgent writes that apply messages to this partition.
    Applied(Uuid),
}

/// The writers of messages on a database server.
pub(super) struct MessageWriters {
    pool: PgPool,
    committer: Committer,
    source: Source,
    /// Maximum number of jobs that wait for a writer.
    queue_max: usize,
    queues: [OnceCell<mpsc::Sender<Job>>; MESSAGE_WRITERS],
}

impl MessageWriters {
    /// Creates the writers, without a connection yet.
    pub(super) fn new(
        pool: PgPool,
        committer: Committer,
        source: Source,
        queue_max: usize,
    ) -> Arc<Self> {
        Arc::new(Self { pool, committer, source, queue_max, queues: Default::default() })
    }

    /// Returns the queue of the writer that stores messages.
    pub(super) async fn receiver(&self) -> Result<&mpsc::Sender<Job>, StoreError> {
        self.at(APPLIERS).await
    }

    /// Returns the queue of the writer that applies the messages of a partition.
    pub(super) async fn applier(&self, partition: Uuid) -> Result<&mpsc::Sender<Job>, StoreError> {
        self.at(usize::from(partition.as_bytes()[15]) % APPLIERS).await
    }

    async fn at(&self, place: usize) -> Result<&mpsc::Sender<Job>, StoreError> {
        self.queues[place].get_or_try_init(|| self.begin()).await
    }

    async fn begin(&self) -> Result<mpsc::Sender<Job>, StoreError> {
        let conn = postgres::connection(&self.pool, &self.committer).await?;
        let conn = Conn::from(conn).with_faults(self.committer.faults());
        let tx = Tx::new(conn, self.source.clone());
        Ok(Writer::begin_with(tx, &self.committer, self.queue_max, Some(self.pool.clone())))
    }
}
