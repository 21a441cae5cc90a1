//! Decides which of several concurrent tasks proceeds next. A task waits for a permit
//! before each read or write of the database and before each request to the provider.
//! Permits are given one at a time, and only when no task can proceed without a permit.
//! So the seed alone determines the order of the tasks, however fast a database thread answers.
//!
//! Several nodes on a database server share one queue, and a task needs a permit for each statement.
//! A statement may then wait for a lock whose holder waits for a permit.
//! So if nothing has changed for a while, another waiting task gets a permit as well.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use abide_engine::driver::current_part;
use abide_engine::store::WorkPermit;
use fastrand::Rng;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

/// The order in which the concurrent tasks of a process get permits to work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TurnOrder {
    /// First come the database's writer and commands from outside, then the driver's tasks for the inbox,
    /// schedules, runs, the outbox and answers. Within each of these groups, the task that started
    /// first comes first. So an unrelated difference between two simulations does not change the order.
    #[default]
    Fixed,
    /// The next task is drawn at random, with this seed.
    Drawn(u64),
}

/// Maximum number of permits after one input from the simulator.
/// A process that needs more permits is considered to be in an endless loop.
const TURNS_MAX: u64 = 1_000_000;

/// If nothing has changed for this long in real time, all nodes on a database server are considered at
/// rest. Within this time, every thread that was woken has begun to run.
const SETTLED_AFTER: Duration = Duration::from_micros(500);
/// Real time after which a statement is assumed to wait for a lock.
const BLOCKED_AFTER: Duration = Duration::from_millis(2);

/// The queue in which tasks wait for permits to work, for one process or for all nodes on a server.
#[derive(Default)]
pub(super) struct TurnQueue {
    state: Mutex<TurnState>,
    /// Notified of each change of the state, for the [`TurnDispatcher`].
    moved: Condvar,
}

/// Receives the report that a process is at rest:
/// no task of the process can proceed until the simulator sends input or lets time pass.
pub(super) trait RestListener: Send + Sync {
    /// Called when the process is at rest.
    fn at_rest(&self);
    /// Called when the process is considered to be in an endless loop.
    fn never_rests(&self);
}

#[derive(Default)]
struct TurnState {
    /// The processes that share the queue.
    members: Vec<Arc<dyn RestListener>>,
    /// Number of threads that have work to do, in all processes that share the queue.
    awake: usize,
    /// Counter of all changes to this state.
    moves: u64,
    /// The value of `moves` when the processes were last told that they are all at rest;
    /// `None` if they were never told so.
    rested: Option<u64>,
    /// Whether no more permits are given, because the [`TurnDispatcher`] was dropped.
    ended: bool,
    /// The tasks that wait for a permit. They are sorted before a permit is given.
    waiting: Vec<Waiter>,
    /// Number of permits that were given and have not been returned yet.
    active: usize,
    /// The generator for a drawn order; `None` for the fixed order.
    rng: Option<Rng>,
    /// Number of permits given since the simulator last gave the process new work.
    given: u64,
}

/// A task that waits for a permit.
struct Waiter {
    position: QueuePosition,
    give: oneshot::Sender<WorkPermit>,
    /// This task is delayed until [`TurnState::given`] reaches this value: tasks that are not delayed
    /// come first. `None` before the value is drawn. The delays imitate a busy machine, on which a task
    /// can wait for very long.
    held_until: Option<u64>,
}

/// The result of trying to give a permit when no task can proceed without a permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnProgress {
    /// A task got a permit, or still has a permit and waits for the database.
    Working,
    /// Every task waits for a later time or for input from the simulator.
    AtRest,
    /// The process is considered to be in an endless loop.
    Endless,
}

/// Holds one permit of the queue. Dropping the guard gives the permit back.
struct TurnGuard(Arc<TurnQueue>);

impl Drop for TurnGuard {
    fn drop(&mut self) {
        self.0.change(|state| state.active -= 1);
    }
}

/// Gives permits to the nodes that share a queue, on a thread of its own.
/// Dropping the dispatcher ends the thread.
pub(super) struct TurnDispatcher {
    turns: Arc<TurnQueue>,
    thread: Option<JoinHandle<()>>,
}

impl TurnDispatcher {
    /// Starts a thread that gives permits in the order `order`.
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

    /// Adds a process to those that share the queue. Counts the thread of the process as awake.
    pub(super) fn join(&self, member: Arc<dyn RestListener>) {
        self.change(|state| {
            state.members.push(member);
            state.awake += 1;
        });
    }

    /// Removes a process that has ended.
    /// The thread of the process, which counted as awake until now, no longer counts.
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

    /// Records that a thread has no work to do until a task gets a permit, time passes or input arrives.
    pub(super) fn thread_idle(&self) {
        self.change(|state| state.awake -= 1);
    }

    /// Gives permits until the [`TurnDispatcher`] is dropped.
    /// Reports to the processes when all of them are at rest.
    fn dispatch(self: Arc<Self>) {
        let mut state = self.state();
        while !state.ended {
            let told = state.rested == Some(state.moves);
            if state.awake > 0 || told || state.members.is_empty() {
                state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            // A waiting task may proceed at once, even if a thread is about to wake and the
            // task of this thread could come first: both orders are possible on a real machine.
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

    /// Waits until the current task gets a permit to work.
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

    /// Gives a permit at once, because the database server itself decides the order of the work.
    pub(super) fn begun(self: &Arc<Self>) -> WorkPermit {
        self.change(|state| state.active += 1);
        WorkPermit::new(TurnGuard(Arc::clone(self)))
    }

    /// Records that the simulator has given the process new work, and counts permits from 0 again.
    pub(super) fn work_arrived(&self) {
        self.change(|state| state.given = 0);
    }

    /// Gives a permit if a task waits for a permit and no other permit is in use.
    /// Called when no task can proceed without a permit.
    pub(super) fn give_next(self: &Arc<Self>) -> TurnProgress {
        if self.state().active > 0 { TurnProgress::Working } else { self.give() }
    }

    /// Gives a permit if a task waits for a permit, even if other permits are in use.
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

/// The position of a task in the fixed order: by part of the driver, then by task id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct QueuePosition {
    /// The number of the driver's part in [`PARTS`], counted from 1; 0 for a task of no part.
    part: usize,
    /// The id of the task. Later tasks have higher ids.
    task: u64,
}

/// The parts of the driver, in the order in which their tasks get permits under [`TurnOrder::Fixed`].
/// Tasks that belong to no part come before the tasks of all parts.
const PARTS: [&str; 5] = ["inbox", "schedules", "runs", "outbox", "answers"];
/// On average, one in [`DELAYED`] tasks that wait is delayed, so that other tasks get far ahead.
/// At most [`DELAY_MAX`] permits are given to other tasks during the delay.
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

    /// Returns the indexes of `count` tasks in the order in which they get permits.
    /// Each permit is returned before the next permit is given.
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
