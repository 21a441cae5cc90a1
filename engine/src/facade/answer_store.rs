//! Lets a caller store the answer to its request in the same commit that carries out the request.
//! A repeated request with the same idempotency key gets the stored answer.

use async_trait::async_trait;

use crate::base::Problem;
use crate::store::Tx;

/// Stores the answer to a caller in the transaction that carries out the request.
/// Neither is committed without the other.
#[async_trait]
pub trait AnswerStore<T>: Send + Sync {
    /// Stores the answer.
    ///
    /// # Errors
    /// An error rolls back the whole transaction, so the request is not carried out.
    async fn store(&self, tx: &mut Tx, answer: &T) -> Result<(), Problem>;
}

/// An answer store that stores nothing: for requests without an idempotency key.
#[derive(Debug, Clone, Copy)]
pub struct NoAnswerStore;

#[async_trait]
impl<T: Sync> AnswerStore<T> for NoAnswerStore {
    async fn store(&self, _: &mut Tx, _: &T) -> Result<(), Problem> {
        Ok(())
    }
}
