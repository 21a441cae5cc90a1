//! Sends messages, or looks messages up, through the gateway. Each message has a task of its own,
//! so that a slow answer of the provider delays no other message. Results are recorded as they arrive.

use std::future::Future;
use std::sync::Arc;

use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use super::super::core::Core;
use super::super::current_part::as_part;
use super::call_result::CallResult;
use super::record;
use crate::base::limits;
use crate::store::Outgoing;

/// Runs the futures `calls`, each of which sends or looks up one message, at most `CALLS_MAX` at a time.
/// `part` is the part of the driver that they work for. Returns after all results are recorded.
pub(super) async fn make<F>(core: &Arc<Core>, part: &'static str, calls: Vec<F>)
where
    F: Future<Output = (Outgoing, CallResult)> + Send + 'static,
{
    let room = Arc::new(Semaphore::new(limits::CALLS_MAX));
    let (told, mut came) = mpsc::unbounded_channel();
    let mut tasks = JoinSet::new();
    for call in calls {
        let (told, room) = (told.clone(), Arc::clone(&room));
        tasks.spawn(as_part(part, async move {
            let _place = room.acquire_owned().await;
            let _ = told.send(call.await);
        }));
    }
    drop(told);
    let core = Arc::clone(core);
    let noting = as_part(part, async move {
        let mut together = Vec::with_capacity(limits::SLICE_ROWS_MAX);
        while came.recv_many(&mut together, limits::SLICE_ROWS_MAX).await > 0 {
            record::record(&core, std::mem::take(&mut together)).await;
        }
    });
    let _ = tokio::spawn(noting).await;
}
