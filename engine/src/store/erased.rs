//! Removes the result type from the work of a transaction.
//! Generic code is compiled once for each type that it is used with. Erased work always has the same type,
//! so the code that runs transactions is compiled only once.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;

use super::tx::Tx;
use crate::base::Problem;

/// Returns the closure `work` unchanged. A call of this function makes the compiler infer the lifetimes
/// of the closure, from the bound on the type of `work`. The closure may run more than once.
pub fn tx_closure<T, W>(work: W) -> W
where
    W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send,
{
    work
}

/// The work of a transaction. The work may run several times. It leaves its result
/// in the slot that [`erase`] returns together with the work.
pub(super) type ErasedWork =
    Box<dyn for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<(), Problem>> + Send>;

/// Holds the result of erased work.
pub(super) struct ResultSlot<T>(Arc<Mutex<Option<T>>>);

impl<T> ResultSlot<T> {
    /// Returns the result of the last time that the work ran and succeeded.
    ///
    /// # Errors
    /// A problem that reports a bug in the engine, if the work has never succeeded.
    pub(super) fn take(self) -> Result<T, Problem> {
        let result = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        result.ok_or_else(|| Problem::bug("a transaction succeeded without a result"))
    }
}

/// Removes the result type from the work of a transaction.
/// Returns the erased work, and the slot in which this work leaves its result.
pub(super) fn erase<T, W>(mut work: W) -> (ErasedWork, ResultSlot<T>)
where
    T: Send + 'static,
    W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
{
    let slot = Arc::new(Mutex::new(None));
    let filled = Arc::clone(&slot);
    let erased = tx_closure(move |tx: &mut Tx| {
        let (filled, running) = (Arc::clone(&filled), work(tx));
        Box::pin(async move {
            let result = running.await?;
            *filled.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            Ok(())
        })
    });
    (Box::new(erased), ResultSlot(slot))
}
