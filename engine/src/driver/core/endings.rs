//! Callers in this process that wait for a run to end.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::base::RunId;

/// The callers that wait for each run. They are told after the commit that ends the run.
#[derive(Debug, Default)]
pub(crate) struct Endings(Mutex<BTreeMap<RunId, Vec<oneshot::Sender<()>>>>);

/// The registration of one waiting caller; dropping it removes the caller.
pub(crate) struct Awaited<'a> {
    endings: &'a Endings,
    run: RunId,
    ended: oneshot::Receiver<()>,
}

impl Endings {
    /// Registers a caller that waits for `run`. A run that has ended already is never announced, so check
    /// its status after registering, not before.
    pub(crate) fn of(&self, run: RunId) -> Awaited<'_> {
        let (told, ended) = oneshot::channel();
        self.waiting().entry(run).or_default().push(told);
        Awaited { endings: self, run, ended }
    }

    /// Tells the waiting callers that `run` has ended. Call this after the commit that ends it.
    pub(in crate::driver) fn tell(&self, run: RunId) {
        for one in self.waiting().remove(&run).into_iter().flatten() {
            let _ = one.send(());
        }
    }

    fn waiting(&self) -> MutexGuard<'_, BTreeMap<RunId, Vec<oneshot::Sender<()>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Awaited<'_> {
    /// Waits until the end is announced.
    pub(crate) async fn told(&mut self) {
        let _ = (&mut self.ended).await;
    }
}

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        self.ended.close();
        let mut waiting = self.endings.waiting();
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
        let endings = Endings::default();
        let (mut first, mut second) = (endings.of(run), endings.of(run));
        drop(endings.of(other));
        assert_eq!(endings.waiting().len(), 1);
        endings.tell(run);
        first.told().await;
        second.told().await;
        assert!(endings.waiting().is_empty());
    }
}
