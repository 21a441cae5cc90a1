//! Decides which of several concurrent parts proceeds next. The parts of a process wait for their turn before
//! each piece of work on the database and before each call to the provider. A turn is given only when nothing
//! can proceed without one, and only one at a time. So the order does not depend on how fast a database
//! thread answers; a seed alone determines it.
//!
//! Several nodes on a server share their turns, one for each statement. There a statement may wait for a lock
//! whose holder waits for its turn: when nothing has moved for a while, another waiter gets a turn as well.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use abide_engine::driver::part_at_work;
use abide_engine::store::Turn;
use fastrand::Rng;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

/// The order in which the parts of a process get their turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// First the database's writer and questions from outside, then the inbox, due items, runs, the outbox
    /// and answers; within each, the task that started first. So a process behaves alike in simulations that
    /// differ elsewhere.
    #[default]
    Fixed,
    /// A seed draws who is next.
    Drawn(u64),
}

/// Number of turns at one instant after which a process is considered to be in an endless loop.
const TURNS_MAX: u64 = 1_000_000;

/// How long nothing must move on a server, in real time, before all nodes are considered at rest: by then
/// every thread that was woken is awake.
const SETTLED_AFTER: Duration = Duration::from_micros(500);
/// How long a statement may take, in real time, before it is assumed to wait for a lock.
const BLOCKED_AFTER: Duration = Duration::from_millis(2);

/// The turns of one process, or of all nodes on a server.
#[derive(Default)]
pub(super) struct Turns {
    state: Mutex<State>,
    /// Notified of each change, for nodes that share their turns.
    moved: Condvar,
}

/// How a process is told that nothing can proceed without the world or the passing of time.
pub(super) trait Rests: Send + Sync {
    /// Everything is at rest.
    fn rest(&self);
    /// The process never comes to rest.
    fn circles(&self);
}

#[derive(Default)]
struct State {
    /// The processes that share these turns.
    members: Vec<Arc<dyn Rests>>,
    /// Number of their threads that have something to do.
    awake: usize,
    /// Counter of all changes.
    moves: u64,
    /// The value of `moves` at which the members were last told that all are at rest.
    rested: Option<u64>,
    /// Whether the turns have ended because no node shares them any more.
    ended: bool,
    /// The waiters, in the order in which they came, each with its place in the fixed order.
    waiting: Vec<Waiting>,
    /// Number of turns that were given and have not ended.
    under_way: usize,
    /// The generator of a drawn order; `None` for the fixed order.
    chance: Option<Rng>,
    /// Number of turns given since the world last gave the process something to do.
    given: u64,
}

/// A task that waits for a turn.
struct Waiting {
    place: Place,
    give: oneshot::Sender<Turn>,
    /// Until which turn it is held back, once that has been drawn. With even chances alone, no task would
    /// wait for as long as one can on a busy machine.
    aside: Option<u64>,
}

/// The state of a process in which nothing can proceed by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// A task was given a turn, or still has one and waits for the database.
    Goes,
    /// Everything waits for time or for the world.
    Rests,
    /// The process never comes to rest.
    Circles,
}

/// Marks the end of a turn when it is dropped.
struct Over(Arc<Turns>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.change(|state| state.under_way -= 1);
    }
}

/// Gives turns to nodes that share them, on a thread of its own, until it is dropped.
pub(super) struct Conductor {
    turns: Arc<Turns>,
    thread: Option<JoinHandle<()>>,
}

impl Conductor {
    /// Starts to give turns in this order.
    pub(super) fn begin(order: Order) -> Self {
        let turns = Arc::new(Turns::of(order));
        let own = Arc::clone(&turns);
        let thread = std::thread::spawn(move || own.conduct());
        Self { turns, thread: Some(thread) }
    }

    pub(super) fn turns(&self) -> Arc<Turns> {
        Arc::clone(&self.turns)
    }
}

impl Drop for Conductor {
    fn drop(&mut self) {
        self.turns.change(|state| state.ended = true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Turns {
    pub(super) fn of(order: Order) -> Self {
        let chance = match order {
            Order::Fixed => None,
            Order::Drawn(seed) => Some(Rng::with_seed(seed)),
        };
        let state = Mutex::new(State { chance, ..State::default() });
        Self { state, moved: Condvar::new() }
    }

    /// Adds a process, whose thread is awake.
    pub(super) fn join(&self, member: Arc<dyn Rests>) {
        self.change(|state| {
            state.members.push(member);
            state.awake += 1;
        });
    }

    /// Removes a process that has ended, whose thread is awake.
    pub(super) fn leave(&self, member: &Arc<dyn Rests>) {
        self.change(|state| {
            state.members.retain(|other| !Arc::ptr_eq(other, member));
            state.awake -= 1;
        });
    }

    /// Notes that a thread has something to do again.
    pub(super) fn wake(&self) {
        self.change(|state| state.awake += 1);
    }

    /// Notes that a thread has nothing to do until a turn, the time or the world lets it proceed.
    pub(super) fn falls_idle(&self) {
        self.change(|state| state.awake -= 1);
    }

    /// Gives turns, and tells the members when all are at rest, until no node shares them any more.
    fn conduct(self: Arc<Self>) {
        let mut state = self.state();
        while !state.ended {
            let told = state.rested == Some(state.moves);
            if state.awake > 0 || told || state.members.is_empty() {
                state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            // A waiter may proceed at once even if a thread is about to wake: that is one of many orders.
            let waits = !state.waiting.is_empty();
            let patience = match state.under_way {
                0 if waits => None,
                0 => Some(SETTLED_AFTER),
                _ => Some(BLOCKED_AFTER),
            };
            if let Some(patience) = patience {
                let seen = state.moves;
                let waited = self.moved.wait_timeout(state, patience);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                if state.moves != seen || (state.under_way > 0 && !waits) {
                    continue;
                }
            }
            drop(state);
            let standing = self.give();
            state = self.state();
            let members = state.members.clone();
            match standing {
                Standing::Goes => {}
                Standing::Rests => {
                    state.rested = Some(state.moves);
                    members.iter().for_each(|member| member.rest());
                }
                Standing::Circles => members.iter().for_each(|member| member.circles()),
            }
        }
    }

    /// Waits for a turn.
    pub(super) fn turn(self: &Arc<Self>) -> BoxFuture<'static, Turn> {
        let (give, given) = oneshot::channel();
        let turns = Arc::clone(self);
        Box::pin(async move {
            turns.change(|state| state.waiting.push(Waiting { place: place(), give, aside: None }));
            match given.await {
                Ok(turn) => turn,
                // The process ends.
                Err(_) => std::future::pending().await,
            }
        })
    }

    /// Counts a piece of work as under way without making it wait, because the server decides the order.
    pub(super) fn begun(self: &Arc<Self>) -> Turn {
        self.change(|state| state.under_way += 1);
        Turn::new(Over(Arc::clone(self)))
    }

    /// Notes that the world gave the process something to do.
    pub(super) fn told(&self) {
        self.change(|state| state.given = 0);
    }

    /// Gives a turn if a task waits for one and none has one. Called when nothing can proceed by itself.
    pub(super) fn next(self: &Arc<Self>) -> Standing {
        if self.state().under_way > 0 { Standing::Goes } else { self.give() }
    }

    /// Gives a turn if a task waits for one.
    fn give(self: &Arc<Self>) -> Standing {
        loop {
            let mut state = self.state();
            state.waiting.retain(|waits| !waits.give.is_closed());
            // Sort, because tasks that wait for the same thing are woken in an arbitrary order.
            state.waiting.sort_by_key(|waits| waits.place);
            if state.waiting.is_empty() {
                return if state.under_way > 0 { Standing::Goes } else { Standing::Rests };
            }
            state.given += 1;
            if state.given > TURNS_MAX {
                return Standing::Circles;
            }
            let chosen = state.draw();
            let Waiting { give: waits, .. } = state.waiting.remove(chosen);
            state.under_way += 1;
            state.moves += 1;
            drop(state);
            if waits.send(Turn::new(Over(Arc::clone(self)))).is_ok() {
                return Standing::Goes;
            }
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        state.moves += 1;
        drop(state);
        self.moved.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the fixed order: the part, then the task; later tasks have higher numbers.
type Place = (usize, u64);

/// The parts of a process in the fixed order; tasks that belong to none come first.
const PARTS: [&str; 5] = ["inbox", "chores", "runs", "outbox", "answers"];
/// One in this many waits is delayed, so that others get far ahead; the delay is at most this many turns.
const LAID_ASIDE: u8 = 8;
const ASIDE_MAX: u64 = 200;

impl State {
    /// Chooses the next waiter.
    fn draw(&mut self) -> usize {
        let Some(chance) = self.chance.as_mut().filter(|_| self.waiting.len() > 1) else {
            return 0;
        };
        let now = self.given;
        let mut ready = Vec::with_capacity(self.waiting.len());
        for (place, waits) in self.waiting.iter_mut().enumerate() {
            let aside = *waits.aside.get_or_insert_with(|| match chance.u8(..LAID_ASIDE) {
                0 => now + chance.u64(1..=ASIDE_MAX),
                _ => now,
            });
            if aside <= now {
                ready.push(place);
            }
        }
        match ready.as_slice() {
            [] => chance.usize(..self.waiting.len()),
            ready => ready[chance.usize(..ready.len())],
        }
    }
}

/// Returns the place of the current task.
fn place() -> Place {
    let part = part_at_work().and_then(|part| PARTS.iter().position(|known| *known == part));
    let task = tokio::task::try_id().and_then(|id| id.to_string().parse().ok());
    (part.map_or(0, |part| part + 1), task.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    /// Returns the order in which `count` waiters get their turns, each over before the next.
    fn order(order: Order, count: usize) -> Vec<usize> {
        let turns = Arc::new(Turns::of(order));
        let mut waits: Vec<_> = (0..count).map(|_| turns.turn()).collect();
        assert!(waits.iter_mut().all(|wait| wait.now_or_never().is_none()));
        let mut came = Vec::new();
        while turns.next() == Standing::Goes {
            for (ix, wait) in waits.iter_mut().enumerate() {
                if !came.contains(&ix) && wait.now_or_never().is_some() {
                    came.push(ix);
                }
            }
        }
        assert_eq!(turns.next(), Standing::Rests);
        came
    }

    #[test]
    fn the_first_comes_first_or_whom_the_seed_draws() {
        assert_eq!(order(Order::Fixed, 5), [0, 1, 2, 3, 4]);
        let drawn = order(Order::Drawn(7), 9);
        assert_eq!(drawn, order(Order::Drawn(7), 9));
        assert_ne!(drawn, order(Order::Drawn(8), 9));
        assert_ne!(drawn, order(Order::Fixed, 9));
    }

    #[test]
    fn one_turn_at_a_time_and_none_for_whoever_has_gone() {
        let turns = Arc::new(Turns::default());
        let mut waits = [turns.turn(), turns.turn(), turns.turn()];
        let mut poll = |ix: usize| waits[ix].as_mut().now_or_never();
        assert!((0..3).all(|ix| poll(ix).is_none()));
        assert_eq!(turns.next(), Standing::Goes);
        let first = poll(0);
        assert!(first.is_some() && poll(1).is_none());
        assert_eq!(turns.next(), Standing::Goes, "the first has not ended");
        assert!(poll(1).is_none());
        drop(first);
        let [_, second, third] = waits;
        drop(second);
        assert_eq!(turns.next(), Standing::Goes);
        assert!(third.now_or_never().is_some());
        assert_eq!(turns.next(), Standing::Rests);
    }
}
