//! Decides where a process crashes: counts commits and sends, and ends the process at the chosen point.

use std::fmt::Display;
use std::future::ready;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abide_engine::base::Timestamp;
use abide_engine::clock::{Clock as _, VirtualClock};
use abide_engine::domain::Domain;
use abide_engine::store::{
    CommitPart, CommitParts, CommitPoint, FaultAction, FaultHooks, KeyRange, StatementHooks, Tx,
    WorkKind, WorkPermit,
};
use futures_util::future::BoxFuture;
use tokio::sync::Notify;

use super::crash::{CrashSite, ScheduledCrash};
use super::faults::{CommandDelay, FaultInjector, FaultKind};
use super::turns::{TurnOrder, TurnQueue};

/// The moment at which `count` commits have begun.
/// If `part` is set, only commits that write this kind of rows count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CommitMoment {
    part: Option<CommitPart>,
    count: usize,
    /// How often [`CrashSwitch::release_waiters`] had been called when the moment was chosen.
    releases: u64,
}

/// Where the tasks of a process get the permits that they need to work on the database.
pub(super) enum TurnSource {
    /// The process has a [`TurnQueue`] of its own, which gives permits in this order.
    Alone(TurnOrder),
    /// The process has a [`TurnQueue`] of its own,
    /// but its database is a server, which itself decides the order of statements.
    Served(TurnOrder),
    /// The process is a node that shares a [`TurnQueue`] with other nodes on a database server.
    /// The clock of the simulation measures how long the node stands still.
    Shared(Arc<TurnQueue>, Arc<VirtualClock>),
}

/// Makes a node stand still at random times: the node begins no new work for a while.
struct Standstill {
    clock: Arc<VirtualClock>,
    until: Mutex<Timestamp>,
}

impl Standstill {
    /// Returns the instant until which the node begins no work.
    /// Draws a new standstill if none is in effect.
    fn until(&self, faults: &FaultInjector) -> Timestamp {
        let mut until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        if *until <= self.clock.now() && faults.occurs(FaultKind::NodeStalls) {
            *until = self.clock.now() + faults.standstill();
        }
        *until
    }
}

/// Part of a permit: when the permit ends, wakes the tasks whose instant came while the process stalled.
struct WakesDue(Arc<FaultInjector>);

impl Drop for WakesDue {
    fn drop(&mut self) {
        self.0.wake_due();
    }
}

/// The crash switch of one process.
/// Once the switch has tripped, the process can commit and send nothing more.
#[derive(Default)]
pub(super) struct CrashSwitch {
    state: Mutex<SwitchState>,
    dead: AtomicBool,
    /// Notified when the process ends.
    ended: Notify,
    faults: Arc<FaultInjector>,
    turns: Arc<TurnQueue>,
    /// Whether the database is a server, which itself decides the order of statements.
    is_served: bool,
    /// Whether the process shares its [`TurnQueue`] with other nodes.
    shares_turns: bool,
    /// The standstills of a node that shares its [`TurnQueue`]; `None` for any other process.
    standstill: Option<Standstill>,
    /// Whether the process has opened its engine.
    /// A node never stands still before it has opened its engine.
    is_open: AtomicBool,
    /// The domain whose invariants are checked in inspected commits.
    domain: Option<Arc<dyn Domain>>,
    /// How often all tasks that wait for a [`CommitMoment`] have been released.
    releases: AtomicU64,
    /// Notified of each commit that begins. Tasks that wait for a commit continue
    /// in the order in which they began to wait, so that the seed alone determines the order.
    commit_begun: Notify,
}

#[derive(Debug, Default)]
struct SwitchState {
    scheduled: Vec<ScheduledCrash>,
    /// The kinds of rows in each commit that has begun, in the order in which the commits began.
    commits: Vec<CommitParts>,
    /// The crash that has happened, if any.
    occurred: Option<ScheduledCrash>,
    /// Broken invariants in inspected commits, and other events that must never happen.
    breaches: Vec<String>,
}

impl CrashSwitch {
    /// Creates the crash switch of a process with random faults.
    /// Inspected commits are checked against the invariants of `domain`.
    pub(super) fn of(
        faults: Arc<FaultInjector>,
        domain: Arc<dyn Domain>,
        turn_source: TurnSource,
    ) -> Self {
        let domain = Some(domain);
        match turn_source {
            TurnSource::Alone(order) => {
                let turns = Arc::new(TurnQueue::of(order));
                Self { faults, domain, turns, ..Self::default() }
            }
            TurnSource::Served(order) => {
                let turns = Arc::new(TurnQueue::of(order));
                Self { faults, domain, turns, is_served: true, ..Self::default() }
            }
            TurnSource::Shared(turns, clock) => {
                let standstill = Some(Standstill { clock, until: Mutex::new(Timestamp::EPOCH) });
                Self { faults, domain, turns, shares_turns: true, standstill, ..Self::default() }
            }
        }
    }

    /// Records that the process has opened its engine.
    pub(super) fn mark_open(&self) {
        self.is_open.store(true, Ordering::SeqCst);
    }

    /// Whether the process shares its [`TurnQueue`] with other nodes.
    pub(super) fn shares_turns(&self) -> bool {
        self.shares_turns
    }

    /// Waits for a permit, in a node that shares its [`TurnQueue`]. A statement only waits for the
    /// permit. Any other work also waits until the node no longer stands still. Such work gives
    /// its permit back at once, because each of its statements waits for a permit of its own.
    fn shared_turn(&self, work: WorkKind) -> BoxFuture<'static, WorkPermit> {
        let turn = self.turns.turn();
        let Some(standstill) = self.standstill.as_ref().filter(|_| work != WorkKind::Statement)
        else {
            return turn;
        };
        let is_open = self.is_open.load(Ordering::SeqCst);
        let until = if is_open { standstill.until(&self.faults) } else { Timestamp::EPOCH };
        let clock = Arc::clone(&standstill.clock);
        Box::pin(async move {
            clock.until(until).await;
            drop(turn.await);
            WorkPermit::new(())
        })
    }

    /// Returns the queue in which the tasks of the process wait for permits to work.
    pub(super) fn turns(&self) -> &Arc<TurnQueue> {
        &self.turns
    }

    /// Records an event that must never happen.
    pub(super) fn note_breach(&self, breach: String) {
        self.state().breaches.push(breach);
    }

    pub(super) fn arm(&self, crash: ScheduledCrash) {
        self.state().scheduled.push(crash);
    }

    /// Removes and returns the scheduled crashes that have not happened yet, for the next process.
    pub(super) fn disarm(&self) -> Vec<ScheduledCrash> {
        std::mem::take(&mut self.state().scheduled)
    }

    /// Returns the crash that has happened, if any: a scheduled or a random crash.
    pub(super) fn occurred(&self) -> Option<ScheduledCrash> {
        self.state().occurred
    }

    /// Returns the kinds of rows in each commit that has begun, in the order in which the commits began.
    pub(super) fn commits(&self) -> Vec<CommitParts> {
        self.state().commits.clone()
    }

    /// Returns the number of commits that have begun so far.
    pub(super) fn commit_count(&self) -> usize {
        self.count(None)
    }

    fn count(&self, part: Option<CommitPart>) -> usize {
        let state = self.state();
        state.commits.iter().filter(|parts| part.is_none_or(|part| parts.has(part))).count()
    }

    /// Returns the moment at which `delay`, counted from now, will be over.
    pub(super) fn moment_after(&self, delay: CommandDelay) -> CommitMoment {
        let (part, further) = match delay {
            CommandDelay::Commits(count) => (None, count),
            CommandDelay::UntilCommitOf(part) => (Some(part), 1),
        };
        let releases = self.releases.load(Ordering::SeqCst);
        CommitMoment { part, count: self.count(part) + further, releases }
    }

    /// Waits until `moment` comes, or until [`Self::release_waiters`] is called. Then waits for a permit, except on a
    /// database server: a database thread that answers during this wait must not decide what the caller sees first.
    pub(super) async fn wait_for(&self, moment: CommitMoment) {
        let is_released = || self.releases.load(Ordering::SeqCst) > moment.releases;
        while !is_released() && self.count(moment.part) < moment.count {
            self.commit_begun.notified().await;
        }
        if !self.is_served {
            drop(self.turns.turn().await);
        }
    }

    /// Releases all tasks that wait for a [`CommitMoment`] now.
    pub(super) fn release_waiters(&self) {
        self.releases.fetch_add(1, Ordering::SeqCst);
        self.commit_begun.notify_waiters();
    }

    /// Whether any commit after the first `seen` commits wrote this kind of rows.
    pub(super) fn held_since(&self, seen: usize, part: CommitPart) -> bool {
        self.state().commits.iter().skip(seen).any(|parts| parts.has(part))
    }

    /// Returns the broken invariants and other forbidden events that were recorded so far.
    pub(super) fn breaches(&self) -> Vec<String> {
        self.state().breaches.clone()
    }

    pub(super) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::SeqCst)
    }

    /// Ends the process.
    pub(super) fn trip(&self) {
        self.dead.store(true, Ordering::SeqCst);
        self.ended.notify_one();
    }

    /// Waits until the process has ended.
    pub(super) async fn until_dead(&self) {
        while !self.is_dead() {
            self.ended.notified().await;
        }
    }

    /// Records that the process reached a point at which it may crash.
    /// Returns whether the process has ended, at this point or earlier.
    pub(super) fn reached(&self, site: CrashSite) -> bool {
        let mut state = self.state();
        for crash in state.scheduled.iter_mut().filter(|crash| crash.site.counts_at(site)) {
            crash.left = crash.left.saturating_sub(1);
        }
        let due = |crash: &ScheduledCrash| crash.left == 0 && crash.site.happens_at(site);
        if let Some(ix) = state.scheduled.iter().position(due) {
            state.occurred = Some(state.scheduled.remove(ix));
            drop(state);
            self.trip();
        }
        self.is_dead()
    }

    /// Draws whether the fault `fault` occurs at this point. If the fault occurs, ends the process.
    /// Returns whether the process ended.
    pub(super) fn crashes_by(&self, fault: FaultKind, site: CrashSite) -> bool {
        let crashes = self.faults.occurs(fault);
        if crashes {
            self.state().occurred =
                Some(ScheduledCrash { site, left: 0, down: self.faults.down(fault) });
            self.trip();
        }
        crashes
    }

    /// Draws the fault that happens at a commit; [`FaultAction::Go`] if none happens.
    fn draw_verdict(&self, point: CommitPoint) -> FaultAction {
        let faults = &self.faults;
        if faults.occurs(FaultKind::ProcessStalls) {
            faults.stall();
        }
        let (crash, loss) = match point {
            CommitPoint::Before => (FaultKind::CrashBeforeCommit, FaultKind::CommitLost),
            CommitPoint::After => (FaultKind::CrashAfterCommit, FaultKind::CommitUnconfirmed),
        };
        if self.crashes_by(crash, CrashSite::Commit(point)) {
            FaultAction::Crash
        } else if faults.occurs(loss) {
            FaultAction::Lose
        } else if point == CommitPoint::Before && faults.occurs(FaultKind::CommitRefused) {
            FaultAction::Refuse
        } else {
            FaultAction::Go
        }
    }

    /// Inspects a transaction that is about to be committed:
    /// runs the domain's audit and checks the heads of the runs. Records each broken invariant.
    async fn inspect_commit(&self, tx: &mut Tx, domain: &dyn Domain) {
        let broken =
            |problem: &dyn Display| vec![format!("a commit cannot be inspected: {problem}")];
        let mut found = Vec::new();
        for audited in [domain.audit(tx, KeyRange::ALL).await, domain.audit_rest(tx).await] {
            found.extend(match audited {
                Ok(breaches) => {
                    breaches.into_iter().map(|b| format!("{}: {}", b.rule, b.detail)).collect()
                }
                Err(problem) => broken(&problem),
            });
        }
        found.extend(match tx.broken_heads(KeyRange::ALL).await {
            Ok(heads) => heads.into_iter().map(|(rule, run)| format!("{rule}: {run}")).collect(),
            Err(problem) => broken(&problem),
        });
        let mut state = self.state();
        let nth = state.commits.len() + 1;
        let placed = found.into_iter().map(|breach: String| format!("commit {nth}: {breach}"));
        state.breaches.extend(placed);
    }

    fn state(&self) -> MutexGuard<'_, SwitchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StatementHooks for CrashSwitch {
    fn permit(&self, work: WorkKind) -> Option<BoxFuture<'static, WorkPermit>> {
        let permit: BoxFuture<'static, WorkPermit> = match (self.shares_turns, work) {
            (true, work) => self.shared_turn(work),
            (false, WorkKind::Statement) => return None,
            (false, _) if self.is_served => Box::pin(ready(self.turns.begun())),
            (false, _) => self.turns.turn(),
        };
        let wakes_due = WakesDue(Arc::clone(&self.faults));
        Some(Box::pin(async move { WorkPermit::new((wakes_due, permit.await)) }))
    }

    fn row_refused(&self, why: &str) {
        self.note_breach(format!("the database refused a duplicate row: {why}"));
    }
}

impl FaultHooks for CrashSwitch {
    fn at_commit(&self, point: CommitPoint, parts: CommitParts) -> FaultAction {
        if point == CommitPoint::Before {
            self.state().commits.push(parts);
            self.commit_begun.notify_waiters();
        }
        if self.reached(CrashSite::Commit(point)) {
            FaultAction::Crash
        } else {
            self.draw_verdict(point)
        }
    }

    fn inspect<'a>(&'a self, tx: &'a mut Tx) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let inspects = self.faults.inspects() && !self.is_dead();
            if let Some(domain) = self.domain.as_ref().filter(|_| inspects) {
                self.inspect_commit(tx, &**domain).await;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use abide_engine::base::Span;

    use super::*;

    fn crash(site: CrashSite, left: u64) -> ScheduledCrash {
        ScheduledCrash { site, left, down: Span::from_secs(60) }
    }

    #[test]
    fn the_process_dies_at_the_very_point_and_stays_dead() {
        let switch = CrashSwitch::default();
        switch.arm(crash(CrashSite::Commit(CommitPoint::After), 2));
        let verdicts: Vec<FaultAction> = [CommitPoint::Before, CommitPoint::After]
            .into_iter()
            .cycle()
            .take(5)
            .map(|point| switch.at_commit(point, CommitParts::default()))
            .collect();
        assert_eq!(
            verdicts,
            [
                FaultAction::Go,
                FaultAction::Go,
                FaultAction::Go,
                FaultAction::Crash,
                FaultAction::Crash
            ]
        );
        assert_eq!(switch.commits().len(), 3);
        assert_eq!(switch.occurred().map(|crash| crash.down), Some(Span::from_secs(60)));
        assert!(switch.disarm().is_empty());
    }

    #[test]
    fn a_commit_that_a_death_cuts_off_counts_as_begun() {
        let (before, after) = (CommitPoint::Before, CommitPoint::After);
        let switch = CrashSwitch::default();
        switch.arm(crash(CrashSite::Commit(before), 1));
        switch.arm(crash(CrashSite::Begun(after), 2));
        assert_eq!(switch.at_commit(before, CommitParts::default()), FaultAction::Crash);
        let next = CrashSwitch::default();
        switch.disarm().into_iter().for_each(|crash| next.arm(crash));
        assert_eq!(next.at_commit(before, CommitParts::default()), FaultAction::Go);
        assert_eq!(next.at_commit(after, CommitParts::default()), FaultAction::Crash);
    }

    #[test]
    fn commits_do_not_count_as_sends_and_the_next_process_goes_on_counting() {
        let switch = CrashSwitch::default();
        switch.arm(crash(CrashSite::Send, 1));
        switch.arm(crash(CrashSite::Commit(CommitPoint::Before), 3));
        assert_eq!(switch.at_commit(CommitPoint::Before, CommitParts::default()), FaultAction::Go);
        assert!(switch.reached(CrashSite::Send));
        assert_eq!(switch.disarm(), [crash(CrashSite::Commit(CommitPoint::Before), 2)]);
    }
}
