//! The work of a transaction without its result type. The code that runs transactions is therefore compiled
//! once, not once for each closure that runs in a transaction.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;

use super::tx::Tx;
use crate::base::Problem;

/// Returns the closure `work` unchanged. The bound on its type makes the compiler infer its lifetimes.
/// The closure may run more than once.
pub fn tx_closure<T, W>(work: W) -> W
where
    W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send,
{
    work
}

/// The work of a transaction, which may run several times.
/// It leaves its result in the slot that [`erase`] returns with it.
pub(super) type ErasedWork =
    Box<dyn for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<(), Problem>> + Send>;

/// The place for the result of erased work.
pub(super) struct ResultSlot<T>(Arc<Mutex<Option<T>>>);

impl<T> ResultSlot<T> {
    /// Returns the result of the last run that succeeded.
    ///
    /// # Errors
    /// A bug if the work has not succeeded.
    pub(super) fn take(self) -> Result<T, Problem> {
        let result = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        result.ok_or_else(|| Problem::bug("a transaction succeeded without a result"))
    }
}

/// Removes the result type from the work of a transaction.
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
