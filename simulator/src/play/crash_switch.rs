//! Decides where a process crashes: counts commits and sends, and ends the process at the chosen one.

use std::fmt::Display;
use std::future::ready;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abide_engine::base::{Span, Timestamp};
use abide_engine::clock::{Clock as _, VirtualClock};
use abide_engine::domain::Domain;
use abide_engine::store::{CommitPoint, Faults, Holding, Part, Turn, Tx, Verdict, Work};
use futures_util::future::BoxFuture;
use tokio::sync::Notify;

use super::mischief::{Fault, Later, Mischief};
use super::turns::{Order, Turns};

/// A point at which a process can crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Point {
    Commit(CommitPoint),
    /// Before or after a commit, counted as commits begin; commits that another crash cut off count too.
    Begun(CommitPoint),
    /// The provider has accepted a message.
    Send,
}

impl Point {
    /// Whether reaching the point `reached` counts towards a crash at this point.
    fn counts(self, reached: Self) -> bool {
        match self {
            Self::Begun(_) => reached == Self::Commit(CommitPoint::Before),
            _ => self == reached,
        }
    }

    /// Whether a crash at this point that is due can happen at the point `reached`.
    fn comes(self, reached: Self) -> bool {
        match self {
            Self::Begun(side) => reached == Self::Commit(side),
            _ => true,
        }
    }
}

/// A scheduled crash, at the `left`-th such point from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Death {
    pub(super) point: Point,
    pub(super) left: u64,
    /// How long no process runs after it.
    pub(super) down: Span,
}

/// The moment at which a number of commits have begun. With `part`, only commits that hold that part count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    part: Option<Part>,
    count: usize,
}

/// How a process takes its turns.
pub(super) enum Seat {
    /// It has its own turns, in this order.
    Alone(Order),
    /// It has its own turns, on a server that decides the order of statements itself.
    Served(Order),
    /// It shares the turns of several nodes on a server and stands still by the world's clock.
    Shared(Arc<Turns>, Arc<VirtualClock>),
}

/// Makes a node stand still now and then.
struct Still {
    clock: Arc<VirtualClock>,
    until: Mutex<Timestamp>,
}

impl Still {
    /// Returns until when the node begins no work, and draws a new standstill if none is in effect.
    fn until(&self, mischief: &Mischief) -> Timestamp {
        let mut until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        if *until <= self.clock.now() && mischief.comes(Fault::NodeStands) {
            *until = self.clock.now() + mischief.stands_still();
        }
        *until
    }
}

/// The switch of one process. Once it has tripped, nothing can be committed or sent any more.
#[derive(Default)]
pub(super) struct Switch {
    state: Mutex<State>,
    dead: AtomicBool,
    died: Notify,
    mischief: Arc<Mischief>,
    turns: Arc<Turns>,
    /// Whether the server decides the order of statements itself.
    is_served: bool,
    /// Whether several nodes on a server share the turns.
    shares_turns: bool,
    /// Standstills of a node among others.
    still: Option<Still>,
    /// Whether the engine is open; a node stands still only after that.
    is_open: AtomicBool,
    /// The domain whose rules are checked in inspected commits.
    domain: Option<Arc<dyn Domain>>,
    /// Whether waiting for moments has been cut short.
    hurried: AtomicBool,
    /// Notified of each commit. Waiters continue in the order in which they began to wait, so that the seed
    /// determines everything.
    begins: Notify,
}

#[derive(Debug, Default)]
struct State {
    deaths: Vec<Death>,
    /// What each begun commit held, in order.
    commits: Vec<Holding>,
    /// The crash that has happened.
    came: Option<Death>,
    /// Breaches in inspected commits, and other things that must not happen.
    breaches: Vec<String>,
}

impl Switch {
    /// Creates the switch of a process with random faults. Inspected commits are checked against the rules of
    /// `domain`.
    pub(super) fn of(mischief: Arc<Mischief>, domain: Arc<dyn Domain>, seat: Seat) -> Self {
        let domain = Some(domain);
        match seat {
            Seat::Alone(order) => {
                let turns = Arc::new(Turns::of(order));
                Self { mischief, domain, turns, ..Self::default() }
            }
            Seat::Served(order) => {
                let turns = Arc::new(Turns::of(order));
                Self { mischief, domain, turns, is_served: true, ..Self::default() }
            }
            Seat::Shared(turns, clock) => {
                let still = Some(Still { clock, until: Mutex::new(Timestamp::EPOCH) });
                Self { mischief, domain, turns, shares_turns: true, still, ..Self::default() }
            }
        }
    }

    /// Notes that the process has opened its engine.
    pub(super) fn open(&self) {
        self.is_open.store(true, Ordering::SeqCst);
    }

    /// Whether several nodes on a server share the turns.
    pub(super) fn shares_turns(&self) -> bool {
        self.shares_turns
    }

    /// Waits for the turn of a node that shares its turns. A node that stands still begins no new work. Work
    /// that has begun waits for a turn before each statement.
    fn shared_turn(&self, work: Work) -> BoxFuture<'static, Turn> {
        let turn = self.turns.turn();
        let Some(still) = self.still.as_ref().filter(|_| work != Work::Statement) else {
            return turn;
        };
        let is_open = self.is_open.load(Ordering::SeqCst);
        let until = if is_open { still.until(&self.mischief) } else { Timestamp::EPOCH };
        let clock = Arc::clone(&still.clock);
        Box::pin(async move {
            clock.until(until).await;
            drop(turn.await);
            Turn::new(())
        })
    }

    /// Returns the turns that its parts wait for.
    pub(super) fn turns(&self) -> &Arc<Turns> {
        &self.turns
    }

    /// Records something that must never happen.
    pub(super) fn note_breach(&self, breach: String) {
        self.state().breaches.push(breach);
    }

    pub(super) fn arm(&self, death: Death) {
        self.state().deaths.push(death);
    }

    /// Removes and returns the crashes that have not happened yet; the next process takes them over.
    pub(super) fn disarm(&self) -> Vec<Death> {
        std::mem::take(&mut self.state().deaths)
    }

    /// Returns the crash that has happened, if it was an armed one or a random one.
    pub(super) fn came(&self) -> Option<Death> {
        self.state().came
    }

    /// Returns what each commit begun so far held, in order.
    pub(super) fn commits(&self) -> Vec<Holding> {
        self.state().commits.clone()
    }

    /// Returns the number of commits begun so far.
    pub(super) fn commit_count(&self) -> usize {
        self.count(None)
    }

    fn count(&self, part: Option<Part>) -> usize {
        let state = self.state();
        state.commits.iter().filter(|holding| part.is_none_or(|part| holding.has(part))).count()
    }

    /// Returns the moment that is this much later than now.
    pub(super) fn moment(&self, later: Later) -> Moment {
        match later {
            Later::Commits(count) => Moment { part: None, count: self.count(None) + count },
            Later::At(part) => {
                let part = Some(part);
                Moment { part, count: self.count(part) + 1 }
            }
        }
    }

    /// Waits for a moment, or until [`Self::hurry`] is called.
    pub(super) async fn comes(&self, moment: Moment) {
        while !self.hurried.load(Ordering::SeqCst) && self.count(moment.part) < moment.count {
            self.begins.notified().await;
        }
    }

    /// Ends all waiting for moments, now and later.
    pub(super) fn hurry(&self) {
        self.hurried.store(true, Ordering::SeqCst);
        self.begins.notify_waiters();
    }

    /// Whether one of the commits after the first `seen` held this part.
    pub(super) fn held_since(&self, seen: usize, part: Part) -> bool {
        self.state().commits.iter().skip(seen).any(|holding| holding.has(part))
    }

    /// Returns the breaches so far.
    pub(super) fn breaches(&self) -> Vec<String> {
        self.state().breaches.clone()
    }

    pub(super) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::SeqCst)
    }

    /// Ends the process.
    pub(super) fn trip(&self) {
        self.dead.store(true, Ordering::SeqCst);
        self.died.notify_one();
    }

    /// Waits until the process has ended.
    pub(super) async fn died(&self) {
        while !self.is_dead() {
            self.died.notified().await;
        }
    }

    /// Notes that a point was reached; returns whether the process has ended, there or before.
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

    /// Draws whether a fault ends the process here; if so, it has ended.
    pub(super) fn dies(&self, fault: Fault, point: Point) -> bool {
        let dies = self.mischief.comes(fault);
        if dies {
            self.state().came = Some(Death { point, left: 0, down: self.mischief.down(fault) });
            self.trip();
        }
        dies
    }

    /// Draws the faults at a commit.
    fn chance(&self, point: CommitPoint) -> Verdict {
        let mischief = &self.mischief;
        if mischief.comes(Fault::Stalls) {
            mischief.dawdle(Fault::Stalls);
        }
        let (dies, lost) = match point {
            CommitPoint::Before => (Fault::DiesBeforeCommit, Fault::CommitForgotten),
            CommitPoint::After => (Fault::DiesAfterCommit, Fault::CommitUnconfirmed),
        };
        if self.dies(dies, Point::Commit(point)) {
            Verdict::Crash
        } else if mischief.comes(lost) {
            Verdict::Lose
        } else if point == CommitPoint::Before && mischief.comes(Fault::CommitRefused) {
            Verdict::Refuse
        } else {
            Verdict::Go
        }
    }

    /// Inspects a transaction that is about to be committed: the domain's audit, and the run heads.
    async fn look(&self, tx: &mut Tx, domain: &dyn Domain) {
        let broken =
            |problem: &dyn Display| vec![format!("a commit cannot be inspected: {problem}")];
        let mut found = match domain.audit(tx).await {
            Ok(breaches) => {
                breaches.into_iter().map(|b| format!("{}: {}", b.rule, b.detail)).collect()
            }
            Err(problem) => broken(&problem),
        };
        found.extend(match tx.broken_heads().await {
            Ok(heads) => heads.into_iter().map(|(rule, run)| format!("{rule}: {run}")).collect(),
            Err(problem) => broken(&problem),
        });
        let mut state = self.state();
        let nth = state.commits.len() + 1;
        let placed = found.into_iter().map(|breach: String| format!("commit {nth}: {breach}"));
        state.breaches.extend(placed);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Faults for Switch {
    fn turn(&self, work: Work) -> Option<BoxFuture<'static, Turn>> {
        match (self.shares_turns, work) {
            (true, work) => Some(self.shared_turn(work)),
            (false, Work::Statement) => None,
            (false, _) if self.is_served => Some(Box::pin(ready(self.turns.begun()))),
            (false, _) => Some(self.turns.turn()),
        }
    }

    fn at_commit(&self, point: CommitPoint, holding: Holding) -> Verdict {
        if point == CommitPoint::Before {
            self.state().commits.push(holding);
            self.begins.notify_waiters();
        }
        if self.reached(Point::Commit(point)) { Verdict::Crash } else { self.chance(point) }
    }

    fn refused(&self, why: &str) {
        self.note_breach(format!("the database refused a duplicate row: {why}"));
    }

    fn inspect<'a>(&'a self, tx: &'a mut Tx) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let looks = self.mischief.inspects() && !self.is_dead();
            if let Some(domain) = self.domain.as_ref().filter(|_| looks) {
                self.look(tx, &**domain).await;
            }
        })
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
