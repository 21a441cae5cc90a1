//! Lane B: runs work that needs SQL statements of its own. On SQLite, each piece of work
//! runs in a savepoint of a batch. On PostgreSQL, only the work of applying messages does; other work
//! runs in a transaction of its own.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use uuid::Uuid;

use super::erased::{ErasedWork, erase};
use super::error::StoreError;
use super::faults::WorkKind;
use super::member::Member;
use super::members::{Job, Priority};
use super::message_writers::WorkQueue;
use super::postgres;
use super::store::{Pools, Store, WhenFull};
use super::tx::Tx;
use crate::base::Problem;

/// Builds a closure that runs in a transaction,
/// for [`Store::write`], [`Store::read`] and similar functions.
///
/// In `transaction!([tenant, key = key.to_owned()], |tx| …)`, the list names the values that the closure
/// owns: `tenant` is a variable of the caller, `key` a new variable. Whenever the closure runs, it gets
/// a clone of each value, because a transaction that conflicts with another one runs again.
/// The expression after `|tx|` may use `?` and `.await`; its value is the result of the transaction.
#[macro_export]
macro_rules! transaction {
    ([$($name:ident $(= $value:expr)?),+ $(,)?], |$tx:ident| $body:expr $(,)?) => {{
        $($(let $name = $value;)?)+
        $crate::store::tx_closure(move |$tx| {
            $(let $name = ::std::clone::Clone::clone(&$name);)+
            ::std::boxed::Box::pin(async move { $body })
        })
    }};
    (|$tx:ident| $body:expr $(,)?) => {
        $crate::store::tx_closure(move |$tx| ::std::boxed::Box::pin(async move { $body }))
    };
}

impl Store {
    /// Runs `work` in a transaction of lane B. Commits the transaction if `work` succeeds,
    /// and rolls it back if `work` fails. Waits while the queue of jobs is full.
    pub async fn write<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.lane_b(WorkQueue::Normal, work, WhenFull::Wait).await
    }

    /// Like [`Store::write`], but on an embedded database `work` runs
    /// before the normal work of its batch. Used for inbound messages.
    pub async fn write_urgent<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.lane_b(WorkQueue::Urgent, work, WhenFull::Wait).await
    }

    /// Like [`Store::write_urgent`], for work that applies a message and locks this partition first. Such work of the same
    /// partition is done in the order of the calls, and shares commits.
    pub async fn write_to_partition<T, W>(&self, partition: Uuid, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.lane_b(WorkQueue::Applied(partition), work, WhenFull::Wait).await
    }

    /// Like [`Store::write`], but fails instead of waiting if the queue of jobs is full.
    /// Used for requests from outside the process.
    ///
    /// # Errors
    /// `overloaded` if the queue of jobs is full; otherwise the problem that `work` returns.
    pub async fn try_write<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.lane_b(WorkQueue::Normal, work, WhenFull::Refuse).await
    }

    /// Like [`Store::write`], for the work that keeps this process alive: on a database server, it waits for no other write.
    pub async fn write_vital<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        let (work, slot) = erase(work);
        self.run_vital(work).await?;
        slot.take()
    }

    async fn lane_b<T, W>(
        &self,
        queue: WorkQueue,
        work: W,
        when_full: WhenFull,
    ) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        let (work, slot) = erase(work);
        self.run_member(queue, work, when_full).await?;
        slot.take()
    }

    fn run_vital(&self, work: ErasedWork) -> BoxFuture<'_, Result<(), Problem>> {
        let Pools::Postgres { pool, .. } = &self.pools else {
            return self.run_member(WorkQueue::Urgent, work, WhenFull::Wait);
        };
        Box::pin(async move {
            let (member, answer) = Member::new(work, None);
            let _permit = self.committer.permit(WorkKind::Write).await;
            let (committer, source) = (self.committer.clone(), self.source.clone());
            tokio::spawn(postgres::run_member(pool.clone(), committer, source, member));
            answer.await.map_err(|_| self.has_stopped())?
        })
    }

    /// Runs work whose type is erased. On an embedded database, the work is a member of a batch;
    /// on a database server, it has a transaction of its own, or is a member of a batch of messages.
    /// The future is boxed, so that its code is compiled only in this crate.
    fn run_member(
        &self,
        queue: WorkQueue,
        work: ErasedWork,
        when_full: WhenFull,
    ) -> BoxFuture<'_, Result<(), Problem>> {
        Box::pin(async move {
            let partition = match queue {
                WorkQueue::Applied(partition) => Some(partition),
                WorkQueue::Normal | WorkQueue::Urgent => None,
            };
            let (member, answer) = Member::new(work, partition);
            let permit = self.committer.permit(WorkKind::Write).await;
            match (&self.pools, partition) {
                (Pools::Sqlite { jobs, .. }, _) => {
                    let priority = match queue {
                        WorkQueue::Normal => Priority::Normal,
                        _ => Priority::Urgent,
                    };
                    self.send(jobs, Job::Work { priority, member }, when_full).await?;
                }
                (Pools::Postgres { messages, .. }, Some(partition)) => {
                    let job = Job::Work { priority: Priority::Urgent, member };
                    self.send(messages.applier(partition).await?, job, when_full).await?;
                }
                (Pools::Postgres { .. }, None) => self.run_alone(member, when_full).await?,
            }
            let _permit = self.permit_after_queueing(permit);
            answer.await.map_err(|_| self.has_stopped())?
        })
    }

    /// Runs a write in a transaction of its own, in a task. Returns when there is room for it.
    async fn run_alone(&self, member: Member, when_full: WhenFull) -> Result<(), StoreError> {
        let Pools::Postgres { pool, room, at_work, .. } = &self.pools else { return Ok(()) };
        let place = match when_full {
            WhenFull::Wait => Arc::clone(room).acquire_owned().await.ok(),
            WhenFull::Refuse => {
                let place = Arc::clone(room).try_acquire_owned();
                Some(place.map_err(|_| StoreError::Overloaded)?)
            }
        };
        let (committer, source) = (self.committer.clone(), self.source.clone());
        let work = postgres::run_member(pool.clone(), committer, source, member);
        let at_work = Arc::clone(at_work);
        tokio::spawn(async move {
            let _turn = at_work.acquire_owned().await;
            work.await;
            drop(place);
        });
        Ok(())
    }
}
