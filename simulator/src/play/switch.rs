//! Where the process dies: counts commits and sends, and ends it at the one that was asked for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use abide_engine::base::Span;
use abide_engine::store::{CommitPoint, Faults, Holding, Verdict};
use tokio::sync::Notify;

/// A point of a process's life at which it can be made to die.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Point {
    Commit(CommitPoint),
    /// This side of a commit that is counted as it is begun, those among them that another death cut off.
    Begun(CommitPoint),
    /// The provider has accepted a message.
    Send,
}

impl Point {
    /// Whether a death at this point comes nearer when that one is reached.
    fn counts(self, reached: Self) -> bool {
        match self {
            Self::Begun(_) => reached == Self::Commit(CommitPoint::Before),
            _ => self == reached,
        }
    }

    /// Whether a death at this point, once it is due, can come where that one is reached.
    fn comes(self, reached: Self) -> bool {
        match self {
            Self::Begun(side) => reached == Self::Commit(side),
            _ => true,
        }
    }
}

/// A death that is due at the `left`th such point from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Death {
    pub(super) point: Point,
    pub(super) left: u64,
    /// How long nothing runs after it.
    pub(super) down: Span,
}

/// One process's switch. Once it has tripped nothing can be committed or sent any more.
#[derive(Debug, Default)]
pub(super) struct Switch {
    state: Mutex<State>,
    dead: AtomicBool,
    died: Notify,
}

#[derive(Debug, Default)]
struct State {
    deaths: Vec<Death>,
    /// What each commit held that was begun.
    commits: Vec<Holding>,
    /// The death that has come.
    came: Option<Death>,
}

impl Switch {
    pub(super) fn arm(&self, death: Death) {
        self.state().deaths.push(death);
    }

    /// The deaths that have not come yet; the next process takes them over.
    pub(super) fn disarm(&self) -> Vec<Death> {
        std::mem::take(&mut self.state().deaths)
    }

    /// The death that has come, if it was one that was armed.
    pub(super) fn came(&self) -> Option<Death> {
        self.state().came
    }

    /// What each commit held that was begun so far.
    pub(super) fn commits(&self) -> Vec<Holding> {
        self.state().commits.clone()
    }

    pub(super) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::SeqCst)
    }

    /// Ends the process.
    pub(super) fn trip(&self) {
        self.dead.store(true, Ordering::SeqCst);
        self.died.notify_one();
    }

    /// Returns when the process has died.
    pub(super) async fn died(&self) {
        while !self.is_dead() {
            self.died.notified().await;
        }
    }

    /// Tells that a point was reached; true if the process dies there.
    pub(super) fn reached(&self, point: Point) -> bool {
        let mut state = self.state();
        for death in state.deaths.iter_mut().filter(|death| death.point.counts(point)) {
            death.left = death.left.saturating_sub(1);
        }
        let due = |death: &Death| death.left == 0 && death.point.comes(point);
        if let Some(ix) = state.deaths.iter().position(due) {
            state.came = Some(state.deaths.remove(ix));
            drop(state);
            self.trip();
        }
        self.is_dead()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Faults for Switch {
    fn at_commit(&self, point: CommitPoint, holding: Holding) -> Verdict {
        if point == CommitPoint::Before {
            self.state().commits.push(holding);
        }
        if self.reached(Point::Commit(point)) { Verdict::Crash } else { Verdict::Go }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn death(point: Point, left: u64) -> Death {
        Death { point, left, down: Span::from_secs(60) }
    }

    #[test]
    fn the_process_dies_at_the_very_point_and_stays_dead() {
        let switch = Switch::default();
        switch.arm(death(Point::Commit(CommitPoint::After), 2));
        let verdicts: Vec<Verdict> = [CommitPoint::Before, CommitPoint::After]
            .into_iter()
            .cycle()
            .take(5)
            .map(|point| switch.at_commit(point, Holding::default()))
            .collect();
        assert_eq!(
            verdicts,
            [Verdict::Go, Verdict::Go, Verdict::Go, Verdict::Crash, Verdict::Crash]
        );
        assert_eq!(switch.commits().len(), 3);
        assert_eq!(switch.came().map(|death| death.down), Some(Span::from_secs(60)));
        assert!(switch.disarm().is_empty());
    }

    #[test]
    fn a_commit_that_a_death_cuts_off_counts_as_begun() {
        let (before, after) = (CommitPoint::Before, CommitPoint::After);
        let switch = Switch::default();
        switch.arm(death(Point::Commit(before), 1));
        switch.arm(death(Point::Begun(after), 2));
        assert_eq!(switch.at_commit(before, Holding::default()), Verdict::Crash);
        let next = Switch::default();
        switch.disarm().into_iter().for_each(|death| next.arm(death));
        assert_eq!(next.at_commit(before, Holding::default()), Verdict::Go);
        assert_eq!(next.at_commit(after, Holding::default()), Verdict::Crash);
    }

    #[test]
    fn commits_do_not_count_as_sends_and_the_next_process_goes_on_counting() {
        let switch = Switch::default();
        switch.arm(death(Point::Send, 1));
        switch.arm(death(Point::Commit(CommitPoint::Before), 3));
        assert_eq!(switch.at_commit(CommitPoint::Before, Holding::default()), Verdict::Go);
        assert!(switch.reached(Point::Send));
        assert_eq!(switch.disarm(), [death(Point::Commit(CommitPoint::Before), 2)]);
    }
}
