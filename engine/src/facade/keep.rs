//! What a caller has kept in the very commit of what it asks for: the answer, by the key of its request.

use async_trait::async_trait;

use crate::base::Problem;
use crate::store::Tx;

/// Keeps the answer to a caller in the transaction that does what was asked: one is never committed
/// without the other.
#[async_trait]
pub trait Keep<T>: Send + Sync {
    /// Keeps it. An error undoes what was asked.
    async fn keep(&self, tx: &mut Tx, answer: &T) -> Result<(), Problem>;
}

/// For callers whose requests have no key.
#[derive(Debug, Clone, Copy)]
pub struct KeepNothing;

#[async_trait]
impl<T: Sync> Keep<T> for KeepNothing {
    async fn keep(&self, _: &mut Tx, _: &T) -> Result<(), Problem> {
        Ok(())
    }
}
