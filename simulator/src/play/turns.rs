//! Decides which of several concurrent parts proceeds next.
//! The parts of a process wait for their turn before each piece of work on the database and before each
//! call to the provider. Turns are given one at a time, and only when nothing can proceed without one.
//! So the order does not depend on how fast a database thread answers; the seed alone determines it.
//!
//! Several nodes on a server share their turns, one for each statement. There,
//! a statement may wait for a lock whose holder waits for its turn.
//! So if nothing has changed for a while, another waiting task gets a turn as well.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use abide_engine::driver::current_part;
use abide_engine::store::WorkPermit;
use fastrand::Rng;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

/// The order in which the parts of a process get their turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TurnOrder {
    /// First come the database's writer and commands from outside, then the inbox, due items, runs,
    /// the outbox and answers. Among the tasks of one of these, the one that started first is first.
    /// So a process behaves alike in simulations that differ elsewhere.
    #[default]
    Fixed,
    /// A seed draws the task that is next.
    Drawn(u64),
}

/// Maximum number of turns at one instant.
/// Beyond that, the process is considered to be in an endless loop.
const TURNS_MAX: u64 = 1_000_000;

/// Real time without any change after which all nodes on a server are considered at rest.
/// By then every thread that was woken is running.
const SETTLED_AFTER: Duration = Duration::from_micros(500);
/// Real time after which a statement is assumed to wait for a lock.
const BLOCKED_AFTER: Duration = Duration::from_millis(2);

/// The turns of one process, or of all nodes on a server.
#[derive(Default)]
pub(super) struct TurnQueue {
    state: Mutex<TurnState>,
    /// Notified of each change, for nodes that share their turns.
    moved: Condvar,
}

/// Receives the report that nothing in a process can proceed without the world or the passing of time.
pub(super) trait RestListener: Send + Sync {
    /// Called when everything in the process is at rest.
    fn at_rest(&self);
    /// Called when the process never comes to rest.
    fn never_rests(&self);
}

#[derive(Default)]
struct TurnState {
    /// The processes that share these turns.
    members: Vec<Arc<dyn RestListener>>,
    /// Number of threads of these processes that have work to do.
    awake: usize,
    /// Counter of all changes to this state.
    moves: u64,
    /// The value of `moves` at which the members last got the report that all are at rest.
    rested: Option<u64>,
    /// Whether no more turns are given, because no node shares them any more.
    ended: bool,
    /// The tasks that wait for a turn, in the order in which they began to wait.
    waiting: Vec<Waiter>,
    /// Number of turns that were given and have not ended yet.
    active: usize,
    /// The generator for a drawn order; `None` for the fixed order.
    rng: Option<Rng>,
    /// Number of turns given since the process last got a task from the world.
    given: u64,
}

/// A task that waits for a turn.
struct Waiter {
    position: QueuePosition,
    give: oneshot::Sender<WorkPermit>,
    /// The number of the turn until which the task is held back; `None` until that is drawn.
    /// Without such delays, no task would ever wait as long as a task can wait on a busy machine.
    held_until: Option<u64>,
}

/// The result of an attempt to give a turn when nothing can proceed by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnProgress {
    /// A task was given a turn, or still has one and waits for the database.
    Working,
    /// Every task waits for time to pass or for the world.
    AtRest,
    /// The process never comes to rest.
    Endless,
}

/// Ends a turn when it is dropped.
struct TurnGuard(Arc<TurnQueue>);

impl Drop for TurnGuard {
    fn drop(&mut self) {
        self.0.change(|state| state.active -= 1);
    }
}

/// Gives turns to the nodes that share them, on a thread of its own.
/// Dropping the dispatcher ends the thread.
pub(super) struct TurnDispatcher {
    turns: Arc<TurnQueue>,
    thread: Option<JoinHandle<()>>,
}

impl TurnDispatcher {
    /// Starts to give turns in the given order.
    pub(super) fn start(order: TurnOrder) -> Self {
        let turns = Arc::new(TurnQueue::of(order));
        let own = Arc::clone(&turns);
        let thread = std::thread::spawn(move || own.dispatch());
        Self { turns, thread: Some(thread) }
    }

    pub(super) fn turns(&self) -> Arc<TurnQueue> {
        Arc::clone(&self.turns)
    }
}

impl Drop for TurnDispatcher {
    fn drop(&mut self) {
        self.turns.change(|state| state.ended = true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl TurnQueue {
    pub(super) fn of(order: TurnOrder) -> Self {
        let rng = match order {
            TurnOrder::Fixed => None,
            TurnOrder::Drawn(seed) => Some(Rng::with_seed(seed)),
        };
        let state = Mutex::new(TurnState { rng, ..TurnState::default() });
        Self { state, moved: Condvar::new() }
    }

    /// Adds a process. Its thread counts as awake already.
    pub(super) fn join(&self, member: Arc<dyn RestListener>) {
        self.change(|state| {
            state.members.push(member);
            state.awake += 1;
        });
    }

    /// Removes a process that has ended. Its thread still counts as awake.
    pub(super) fn leave(&self, member: &Arc<dyn RestListener>) {
        self.change(|state| {
            state.members.retain(|other| !Arc::ptr_eq(other, member));
            state.awake -= 1;
        });
    }

    /// Records that a thread has work to do again.
    pub(super) fn thread_woke(&self) {
        self.change(|state| state.awake += 1);
    }

    /// Records that a thread has no work to do until a turn, the time or the world lets it proceed.
    pub(super) fn thread_idle(&self) {
        self.change(|state| state.awake -= 1);
    }

    /// Gives turns, and reports to the members when all are at rest,
    /// until no node shares the turns any more.
    fn dispatch(self: Arc<Self>) {
        let mut state = self.state();
        while !state.ended {
            let told = state.rested == Some(state.moves);
            if state.awake > 0 || told || state.members.is_empty() {
                state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            // A waiting task may proceed at once even if a thread is about to wake:
            // that is one of many possible orders.
            let waits = !state.waiting.is_empty();
            let patience = match state.active {
                0 if waits => None,
                0 => Some(SETTLED_AFTER),
                _ => Some(BLOCKED_AFTER),
            };
            if let Some(patience) = patience {
                let seen = state.moves;
                let waited = self.moved.wait_timeout(state, patience);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                if state.moves != seen || (state.active > 0 && !waits) {
                    continue;
                }
            }
            drop(state);
            let progress = self.give();
            state = self.state();
            let members = state.members.clone();
            match progress {
                TurnProgress::Working => {}
                TurnProgress::AtRest => {
                    state.rested = Some(state.moves);
                    members.iter().for_each(|member| member.at_rest());
                }
                TurnProgress::Endless => members.iter().for_each(|member| member.never_rests()),
            }
        }
    }

    /// Waits until the current task gets a turn.
    pub(super) fn turn(self: &Arc<Self>) -> BoxFuture<'static, WorkPermit> {
        let (give, given) = oneshot::channel();
        let turns = Arc::clone(self);
        Box::pin(async move {
            turns.change(|state| {
                state.waiting.push(Waiter { position: current_position(), give, held_until: None })
            });
            match given.await {
                Ok(turn) => turn,
                // The process ends, so the task never continues.
                Err(_) => std::future::pending().await,
            }
        })
    }

    /// Counts a piece of work as active without making it wait, because the server decides the order.
    pub(super) fn begun(self: &Arc<Self>) -> WorkPermit {
        self.change(|state| state.active += 1);
        WorkPermit::new(TurnGuard(Arc::clone(self)))
    }

    /// Records that the process got a task from the world.
    pub(super) fn work_arrived(&self) {
        self.change(|state| state.given = 0);
    }

    /// Gives a turn if a task waits for one and no turn is active.
    /// Called when nothing can proceed by itself.
    pub(super) fn give_next(self: &Arc<Self>) -> TurnProgress {
        if self.state().active > 0 { TurnProgress::Working } else { self.give() }
    }

    /// Gives a turn if a task waits for one, even if another turn is active.
    fn give(self: &Arc<Self>) -> TurnProgress {
        loop {
            let mut state = self.state();
            state.waiting.retain(|waits| !waits.give.is_closed());
            // Sort the tasks, because tasks that wait for the same event are woken in an arbitrary order.
            state.waiting.sort_by_key(|waits| waits.position);
            if state.waiting.is_empty() {
                return if state.active > 0 { TurnProgress::Working } else { TurnProgress::AtRest };
            }
            state.given += 1;
            if state.given > TURNS_MAX {
                return TurnProgress::Endless;
            }
            let chosen = state.draw();
            let Waiter { give: waits, .. } = state.waiting.remove(chosen);
            state.active += 1;
            state.moves += 1;
            drop(state);
            if waits.send(WorkPermit::new(TurnGuard(Arc::clone(self)))).is_ok() {
                return TurnProgress::Working;
            }
        }
    }

    fn change(&self, change: impl FnOnce(&mut TurnState)) {
        let mut state = self.state();
        change(&mut state);
        state.moves += 1;
        drop(state);
        self.moved.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, TurnState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A position in the fixed order: by part, then by task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct QueuePosition {
    /// 0 for a task of no part; otherwise the number of the part in [`PARTS`], from 1.
    part: usize,
    /// The id of the task. Later tasks have higher ids.
    task: u64,
}

/// The parts of a process in the fixed order. Tasks that belong to no part come before them.
const PARTS: [&str; 5] = ["inbox", "schedules", "runs", "outbox", "answers"];
/// Of this many waits, one is delayed, so that other tasks get far ahead;
/// and the maximum delay, in turns.
const DELAYED: u8 = 8;
const DELAY_MAX: u64 = 200;

impl TurnState {
    /// Chooses the next task, and returns its index.
    fn draw(&mut self) -> usize {
        let Some(rng) = self.rng.as_mut().filter(|_| self.waiting.len() > 1) else {
            return 0;
        };
        let now = self.given;
        let mut ready = Vec::with_capacity(self.waiting.len());
        for (ix, waits) in self.waiting.iter_mut().enumerate() {
            let held_until = *waits.held_until.get_or_insert_with(|| match rng.u8(..DELAYED) {
                0 => now + rng.u64(1..=DELAY_MAX),
                _ => now,
            });
            if held_until <= now {
                ready.push(ix);
            }
        }
        match ready.as_slice() {
            [] => rng.usize(..self.waiting.len()),
            ready => ready[rng.usize(..ready.len())],
        }
    }
}

/// Returns the position of the current task in the fixed order.
fn current_position() -> QueuePosition {
    let part = current_part().and_then(|part| PARTS.iter().position(|known| *known == part));
    let task = tokio::task::try_id().and_then(|id| id.to_string().parse().ok());
    QueuePosition { part: part.map_or(0, |part| part + 1), task: task.unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    /// Returns the order in which `count` tasks get their turns. Each turn ends before the next is given.
    fn order(order: TurnOrder, count: usize) -> Vec<usize> {
        let turns = Arc::new(TurnQueue::of(order));
        let mut waits: Vec<_> = (0..count).map(|_| turns.turn()).collect();
        assert!(waits.iter_mut().all(|wait| wait.now_or_never().is_none()));
        let mut came = Vec::new();
        while turns.give_next() == TurnProgress::Working {
            for (ix, wait) in waits.iter_mut().enumerate() {
                if !came.contains(&ix) && wait.now_or_never().is_some() {
                    came.push(ix);
                }
            }
        }
        assert_eq!(turns.give_next(), TurnProgress::AtRest);
        came
    }

    #[test]
    fn the_first_comes_first_or_whom_the_seed_draws() {
        assert_eq!(order(TurnOrder::Fixed, 5), [0, 1, 2, 3, 4]);
        let drawn = order(TurnOrder::Drawn(7), 9);
        assert_eq!(drawn, order(TurnOrder::Drawn(7), 9));
        assert_ne!(drawn, order(TurnOrder::Drawn(8), 9));
        assert_ne!(drawn, order(TurnOrder::Fixed, 9));
    }

    #[test]
    fn one_turn_at_a_time_and_none_for_whoever_has_gone() {
        let turns = Arc::new(TurnQueue::default());
        let mut waits = [turns.turn(), turns.turn(), turns.turn()];
        let mut poll = |ix: usize| waits[ix].as_mut().now_or_never();
        assert!((0..3).all(|ix| poll(ix).is_none()));
        assert_eq!(turns.give_next(), TurnProgress::Working);
        let first = poll(0);
        assert!(first.is_some() && poll(1).is_none());
        assert_eq!(turns.give_next(), TurnProgress::Working, "the first has not ended");
        assert!(poll(1).is_none());
        drop(first);
        let [_, second, third] = waits;
        drop(second);
        assert_eq!(turns.give_next(), TurnProgress::Working);
        assert!(third.now_or_never().is_some());
        assert_eq!(turns.give_next(), TurnProgress::AtRest);
    }
}
