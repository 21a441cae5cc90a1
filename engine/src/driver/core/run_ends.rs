//! Notifies the callers in this process that wait for a run to end. The caller of a tool from outside is also
//! notified when the call begins to wait for an approval, because a person may take hours.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::base::RunId;

/// For each run, the callers that wait until the run ends. They are notified after the commit that ends
/// the run.
#[derive(Debug, Default)]
pub(crate) struct RunEndListeners(Mutex<BTreeMap<RunId, Vec<oneshot::Sender<()>>>>);

/// The registration of one waiting caller. Dropping the registration removes the caller.
pub(crate) struct RunEndListener<'a> {
    run_ends: &'a RunEndListeners,
    run: RunId,
    ended: oneshot::Receiver<()>,
}

impl RunEndListeners {
    /// Registers a caller that waits for `run`. If the run has already ended, the caller is never notified,
    /// so check the status of the run after registering, not before.
    pub(crate) fn of(&self, run: RunId) -> RunEndListener<'_> {
        let (told, ended) = oneshot::channel();
        self.waiting().entry(run).or_default().push(told);
        RunEndListener { run_ends: self, run, ended }
    }

    /// Notifies the waiting callers of `run`. Use this only after the commit that they wait for.
    pub(in crate::driver) fn tell(&self, run: RunId) {
        for one in self.waiting().remove(&run).into_iter().flatten() {
            let _ = one.send(());
        }
    }

    fn waiting(&self) -> MutexGuard<'_, BTreeMap<RunId, Vec<oneshot::Sender<()>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunEndListener<'_> {
    /// Waits until this caller is notified.
    pub(crate) async fn told(&mut self) {
        let _ = (&mut self.ended).await;
    }
}

impl Drop for RunEndListener<'_> {
    fn drop(&mut self) {
        self.ended.close();
        let mut waiting = self.run_ends.waiting();
        if let Some(all) = waiting.get_mut(&self.run) {
            all.retain(|one| !one.is_closed());
            if all.is_empty() {
                waiting.remove(&self.run);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Timestamp, id::IdSource};

    #[tokio::test]
    async fn each_who_waits_is_told_and_nobody_who_left_is_kept() {
        let ids = IdSource::seeded(1);
        let (run, other): (RunId, RunId) = (ids.mint(Timestamp::EPOCH), ids.mint(Timestamp::EPOCH));
        let run_ends = RunEndListeners::default();
        let (mut first, mut second) = (run_ends.of(run), run_ends.of(run));
        drop(run_ends.of(other));
        assert_eq!(run_ends.waiting().len(), 1);
        run_ends.tell(run);
        first.told().await;
        second.told().await;
        assert!(run_ends.waiting().is_empty());
    }
}
