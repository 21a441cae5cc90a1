//! Lets the server store its answer to a client in the same commit as the changes that the client wants.
//! If the client repeats its call with the same idempotency key, the server returns the stored answer.

use async_trait::async_trait;

use crate::base::Problem;
use crate::store::Tx;

/// Stores the answer to a caller in the transaction that makes the caller's changes.
/// The answer and the changes are committed together or not at all.
#[async_trait]
pub trait AnswerStore<T>: Send + Sync {
    /// Stores the answer.
    ///
    /// # Errors
    /// An error rolls back the whole transaction, including the caller's changes.
    async fn store(&self, tx: &mut Tx, answer: &T) -> Result<(), Problem>;
}

/// An answer store that stores nothing: for callers without an idempotency key.
#[derive(Debug, Clone, Copy)]
pub struct NoAnswerStore;

#[async_trait]
impl<T: Sync> AnswerStore<T> for NoAnswerStore {
    async fn store(&self, _: &mut Tx, _: &T) -> Result<(), Problem> {
        Ok(())
    }
}
