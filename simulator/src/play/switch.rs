//! Where the process dies: counts commits and sends, and ends it at the one that was asked for.

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

/// The moment at which a number of commits have begun. With `part`, only commits that hold that part count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    part: Option<Part>,
    count: usize,
}

/// Where a process has its turns.
pub(super) enum Seat {
    /// Of its own, in this order.
    Alone(Order),
    /// Of its own, on a server that decides by itself whose statement comes first.
    Served(Order),
    /// With others, on a server; by the world's clock.
    Shared(Arc<Turns>, Arc<VirtualClock>),
}

/// A node that stands still now and then.
struct Still {
    clock: Arc<VirtualClock>,
    until: Mutex<Timestamp>,
}

impl Still {
    /// Until when the node begins no work.
    fn until(&self, mischief: &Mischief) -> Timestamp {
        let mut until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        if *until <= self.clock.now() && mischief.comes(Fault::NodeStands) {
            *until = self.clock.now() + mischief.stands_still();
        }
        *until
    }
}

/// One process's switch. Once it has tripped nothing can be committed or sent any more.
#[derive(Default)]
pub(super) struct Switch {
    state: Mutex<State>,
    dead: AtomicBool,
    died: Notify,
    mischief: Arc<Mischief>,
    turns: Arc<Turns>,
    /// True where the server decides by itself whose statement comes first.
    is_served: bool,
    /// True where several nodes on a server share the turns.
    shares_turns: bool,
    /// Until when it stands still.
    still: Option<Still>,
    /// It has begun: time passes for it from now on.
    is_open: AtomicBool,
    /// Whose rules are looked at in commits.
    domain: Option<Arc<dyn Domain>>,
    /// Nobody waits for a moment any more.
    hurried: AtomicBool,
    /// Told of each commit. Whoever began to wait first goes on first: a seed says all.
    begins: Notify,
}

#[derive(Debug, Default)]
struct State {
    deaths: Vec<Death>,
    /// What each commit held that was begun.
    commits: Vec<Holding>,
    /// The death that has come.
    came: Option<Death>,
    /// What must hold in each commit and did not, as far as any was looked at.
    breaches: Vec<String>,
}

impl Switch {
    /// The switch of a process that chance may end, and whose commits are held against these rules.
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

    /// The process has opened its engine.
    pub(super) fn open(&self) {
        self.is_open.store(true, Ordering::SeqCst);
    }

    /// True where several nodes on a server share the turns.
    pub(super) fn shares_turns(&self) -> bool {
        self.shares_turns
    }

    /// The turn of a piece of work of a node that shares its turns: one that stands still begins none. What
    /// is begun waits before each statement.
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

    /// In which order its parts go on.
    pub(super) fn turns(&self) -> &Arc<Turns> {
        &self.turns
    }

    /// Notes what must never be.
    pub(super) fn note_breach(&self, breach: String) {
        self.state().breaches.push(breach);
    }

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

    /// How many commits were begun so far.
    pub(super) fn commit_count(&self) -> usize {
        self.count(None)
    }

    fn count(&self, part: Option<Part>) -> usize {
        let state = self.state();
        state.commits.iter().filter(|holding| part.is_none_or(|part| holding.has(part))).count()
    }

    /// When something comes that comes so much later than now.
    pub(super) fn moment(&self, later: Later) -> Moment {
        match later {
            Later::Commits(count) => Moment { part: None, count: self.count(None) + count },
            Later::At(part) => {
                let part = Some(part);
                Moment { part, count: self.count(part) + 1 }
            }
        }
    }

    /// Returns when that moment has come, or nobody is to wait for any more.
    pub(super) async fn comes(&self, moment: Moment) {
        while !self.hurried.load(Ordering::SeqCst) && self.count(moment.part) < moment.count {
            self.begins.notified().await;
        }
    }

    /// Has nobody wait for a moment any more.
    pub(super) fn hurry(&self) {
        self.hurried.store(true, Ordering::SeqCst);
        self.begins.notify_waiters();
    }

    /// True where one of the commits behind the first `seen` held this part.
    pub(super) fn held_since(&self, seen: usize, part: Part) -> bool {
        self.state().commits.iter().skip(seen).any(|holding| holding.has(part))
    }

    /// What did not hold in commits that were looked at.
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

    /// Whether chance ends the process now; if so it has ended.
    pub(super) fn dies(&self, fault: Fault, point: Point) -> bool {
        let dies = self.mischief.comes(fault);
        if dies {
            self.state().came = Some(Death { point, left: 0, down: self.mischief.down(fault) });
            self.trip();
        }
        dies
    }

    /// What chance makes of a commit.
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

    /// Holds what is about to be committed against the rules of the domain.
    async fn look(&self, tx: &mut Tx, domain: &dyn Domain) {
        let broken =
            |problem: &dyn Display| vec![format!("a commit cannot be looked at: {problem}")];
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
        self.note_breach(format!("a row is refused that must not be written twice: {why}"));
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
