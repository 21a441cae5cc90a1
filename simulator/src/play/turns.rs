//! Who of those that go on side by side comes next. The parts of a process wait for their turn before each
//! piece of work on the database, and before each call to the provider. Only when nothing in the process
//! can go on without one is a turn given, and only one at a time: so nothing depends on how fast a thread
//! of the database answers, and an order comes of a seed alone.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abide_engine::driver::part_at_work;
use abide_engine::store::Turn;
use fastrand::Rng;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

/// In which order the parts of a process come to their turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// First the database's writer and whoever asks from outside, then replies, what falls due by itself,
    /// runs and at last messages; of these whoever began first. What a process does is alike in plays
    /// that differ elsewhere.
    #[default]
    Fixed,
    /// A seed draws who comes next.
    Drawn(u64),
}

/// Turns at one instant after which a process is taken to be going round in a circle.
const TURNS_MAX: u64 = 1_000_000;

/// The turns of one process.
#[derive(Default)]
pub(super) struct Turns(Mutex<State>);

#[derive(Default)]
struct State {
    /// Whoever waits, with their place in the fixed order, in the order in which they came.
    waiting: Vec<(Place, oneshot::Sender<Turn>)>,
    /// Turns that were given and are not over.
    under_way: usize,
    /// None where the fixed order holds.
    chance: Option<Rng>,
    /// Turns that were given since the world last told the process something.
    given: u64,
}

/// How things stand in a process in which nothing can go on by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Somebody has a turn now, or has had it all the time and waits for the database.
    Goes,
    /// Nobody waits for anything but time, or the world.
    Rests,
    /// It never comes to rest.
    Circles,
}

/// Tells at its end that a turn is over.
struct Over(Arc<Turns>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.state().under_way -= 1;
    }
}

impl Turns {
    pub(super) fn of(order: Order) -> Self {
        let chance = match order {
            Order::Fixed => None,
            Order::Drawn(seed) => Some(Rng::with_seed(seed)),
        };
        Self(Mutex::new(State { chance, ..State::default() }))
    }

    /// Waits for a turn.
    pub(super) fn turn(self: &Arc<Self>) -> BoxFuture<'static, Turn> {
        let (give, given) = oneshot::channel();
        let turns = Arc::clone(self);
        Box::pin(async move {
            turns.state().waiting.push((place(), give));
            match given.await {
                Ok(turn) => turn,
                // The process ends.
                Err(_) => std::future::pending().await,
            }
        })
    }

    /// Counts a piece of work as under way without having it wait: there somebody else decides over the order.
    pub(super) fn begun(self: &Arc<Self>) -> Turn {
        self.state().under_way += 1;
        Turn::new(Over(Arc::clone(self)))
    }

    /// The world tells the process something.
    pub(super) fn told(&self) {
        self.state().given = 0;
    }

    /// Nothing goes on by itself: somebody is given a turn, if anybody waits for one.
    pub(super) fn next(self: &Arc<Self>) -> Standing {
        loop {
            let mut state = self.state();
            state.waiting.retain(|(_, waits)| !waits.is_closed());
            if state.under_way > 0 {
                return Standing::Goes;
            }
            let first = (0..state.waiting.len()).min_by_key(|ix| state.waiting[*ix].0);
            let Some(first) = first else { return Standing::Rests };
            state.given += 1;
            if state.given > TURNS_MAX {
                return Standing::Circles;
            }
            let count = state.waiting.len();
            let chosen = match &mut state.chance {
                Some(chance) if count > 1 => chance.usize(..count),
                _ => first,
            };
            let (_, waits) = state.waiting.remove(chosen);
            state.under_way += 1;
            drop(state);
            if waits.send(Turn::new(Over(Arc::clone(self)))).is_ok() {
                return Standing::Goes;
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the fixed order: which part, then which task; later ones have higher numbers.
type Place = (usize, u64);

/// The place of the task that runs.
fn place() -> Place {
    const PARTS: [&str; 5] = ["inbox", "chores", "runs", "outbox", "answers"];
    let part = part_at_work().and_then(|part| PARTS.iter().position(|known| *known == part));
    let task = tokio::task::try_id().and_then(|id| id.to_string().parse().ok());
    (part.map_or(0, |part| part + 1), task.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    /// The order in which so many who wait are given their turns, each over before the next.
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
