//! Gives work with an embedded database a thread that may block.

use futures_util::future::BoxFuture;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::JoinError;

/// Whether work that blocks gets a thread of its own. A runtime with one thread does everything on that thread, so
/// that the same input always has the same result.
pub(in crate::store) fn has_threads() -> bool {
    Handle::current().runtime_flavor() != RuntimeFlavor::CurrentThread
}

/// Runs work to its end in a task, even if the caller is dropped. The task has a thread of its own where there are
/// several.
pub(in crate::store) async fn on_a_thread<T: Send + 'static>(
    work: BoxFuture<'static, T>,
) -> Result<T, JoinError> {
    if !has_threads() {
        return tokio::spawn(work).await;
    }
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || runtime.block_on(work)).await
}
