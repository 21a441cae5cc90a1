//! Lane B: runs work that needs its own SQL statements, each unit of work in a transaction of its own.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use super::error::StoreError;
use super::faults::WorkKind;
use super::postgres;
use super::store::{Pools, Store, WhenFull};
use super::tx::Tx;
use super::writer::{Job, Member, Priority};
use crate::base::Problem;

/// Returns the closure `work` unchanged. The bound on its type makes the compiler infer its lifetimes.
/// The closure may run more than once.
pub fn tx_closure<T, W>(work: W) -> W
where
    W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send,
{
    work
}

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
        self.lane_b(Priority::Normal, work, WhenFull::Wait).await
    }

    /// Like [`Store::write`], but `work` runs before the other work of its batch.
    /// Used for inbound messages.
    pub async fn write_urgent<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.lane_b(Priority::Urgent, work, WhenFull::Wait).await
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
        self.lane_b(Priority::Normal, work, WhenFull::Refuse).await
    }

    /// Like [`Store::try_write`], but `work` runs before the other work of its batch.
    /// Used for inbound messages.
    ///
    /// # Errors
    /// The same errors as [`Store::try_write`].
    pub async fn try_write_urgent<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.lane_b(Priority::Urgent, work, WhenFull::Refuse).await
    }

    async fn lane_b<T, W>(
        &self,
        priority: Priority,
        work: W,
        when_full: WhenFull,
    ) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let member = Box::new(LaneBJob { work, value: None, reply });
        let permit = self.committer.permit(WorkKind::Write).await;
        match &self.pools {
            Pools::Sqlite { jobs, .. } => {
                self.send(jobs, Job::Work { priority, member }, when_full).await?;
            }
            Pools::Postgres { pool, room, .. } => {
                let place = match when_full {
                    WhenFull::Wait => Arc::clone(room).acquire_owned().await.ok(),
                    WhenFull::Refuse => {
                        let place = Arc::clone(room).try_acquire_owned();
                        Some(place.map_err(|_| StoreError::Overloaded)?)
                    }
                };
                let source = self.source.clone();
                let work =
                    postgres::run_member(pool.clone(), self.committer.clone(), source, member);
                tokio::spawn(async move {
                    work.await;
                    drop(place);
                });
            }
        }
        let _permit = self.permit_after_queueing(permit);
        answer.await.map_err(|_| self.has_stopped())?
    }
}

pub(super) fn panicked(panic: &(dyn std::any::Any + Send)) -> Problem {
    Problem::panicked("a database transaction", panic)
}

/// A job of lane B: the work, and the channel to which its result is sent.
struct LaneBJob<T, W> {
    work: W,
    value: Option<Result<T, Problem>>,
    reply: oneshot::Sender<Result<T, Problem>>,
}

impl<T, W> Member for LaneBJob<T, W>
where
    T: Send,
    W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send,
{
    fn run<'a>(&'a mut self, tx: &'a mut Tx) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            let work = AssertUnwindSafe(async { (self.work)(tx).await });
            let result = work.catch_unwind().await.unwrap_or_else(|panic| Err(panicked(&*panic)));
            let outcome = result.as_ref().map(drop).map_err(Clone::clone);
            self.value = Some(result);
            outcome
        })
    }

    fn settle(self: Box<Self>, committed: Result<(), StoreError>) {
        let answer = match (committed, self.value) {
            (Ok(()), Some(value)) | (Err(_), Some(value @ Err(_))) => value,
            (Err(error), _) => Err(error.into()),
            (Ok(()), None) => Err(Problem::bug("the work was settled before it ran")),
        };
        let _ = self.reply.send(answer);
    }
}
