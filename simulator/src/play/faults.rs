//! Injects random faults into a simulation: crashes and stalls,
//! failing commits, lost requests and answers, late and repeated messages. A seed determines all faults.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use abide_engine::base::{Span, Timestamp};
use abide_engine::clock::{Clock as _, VirtualClock};
use abide_engine::store::CommitPart;
use abide_engine::words;
use fastrand::Rng;

words! {
    /// A kind of fault.
    pub enum FaultKind {
        /// A request to the provider is lost:
        /// the provider never receives it, and the sender does not learn that.
        CallLost = "call_lost",
        /// The provider receives a request, but the provider's answer is lost.
        AnswerLost = "answer_lost",
        /// The provider is busy and accepts no message.
        ProviderBusy = "provider_busy",
        /// The provider takes longer to answer than the deadline of the request allows.
        ProviderSlow = "provider_slow",
        /// The provider refuses a message permanently.
        Refused = "refused",
        /// The provider refuses a message for a while.
        RefusedForNow = "refused_for_now",
        /// The provider never answers, whether it has accepted the message or not.
        ProviderHangs = "provider_hangs",
        /// The provider has accepted the message but answers late, perhaps after the deadline.
        AnswerLate = "answer_late",
        /// The provider cannot tell at the moment what happened to a message.
        LookUpFails = "look_up_fails",
        /// The provider will never be able to tell what happened to a message.
        LookUpImpossible = "look_up_impossible",
        /// A command reaches the process late, while the process commits other work.
        CommandMidWork = "command_mid_work",
        /// A message is delivered twice in a row.
        DeliveredAgain = "delivered_again",
        /// An older message is delivered again together with a new one.
        OlderDeliveredAgain = "older_delivered_again",
        /// A message is delivered late, perhaps after newer messages.
        DeliveredLate = "delivered_late",
        /// The process crashes just before a commit, so its work is lost.
        CrashBeforeCommit = "crash_before_commit",
        /// The process crashes just after a commit, so its work is kept but no caller gets an answer.
        CrashAfterCommit = "crash_after_commit",
        /// The process crashes after the provider has accepted a message, before the process learns that.
        CrashWhileSending = "crash_while_sending",
        /// The database refuses a commit.
        CommitRefused = "commit_refused",
        /// The database loses a commit, and the process does not learn whether the commit was made.
        CommitLost = "commit_lost",
        /// The database makes a commit, and the process does not learn whether the commit was made.
        CommitUnconfirmed = "commit_unconfirmed",
        /// The process stalls in the middle of its work, as on a machine that was suspended.
        ProcessStalls = "process_stalls",
        /// One of several nodes begins no work for a while.
        NodeStalls = "node_stalls",
    }
}

/// The denominator of all fault rates: with a rate of 5, a fault occurs in 5 of 1,000 cases in which it
/// could occur.
const OF: u16 = 1_000;
/// Maximum delay of a message (`LATE_MAX`),
/// maximum duration of a stall (`STALL_MAX`), and maximum downtime of a process (`DOWN_MAX`).
const LATE_MAX: Span = Span::from_secs(3 * 3_600);
const STALL_MAX: Span = Span::from_secs(1_800);
const DOWN_MAX: Span = Span::from_secs(3_600);
/// Maximum duration of a node's standstill: long enough for other nodes to take over the runs of this node.
const STANDSTILL_MAX: Span = Span::from_secs(24 * 3_600);
/// Maximum time by which a slow provider exceeds the deadline of a request.
const SLOW_MAX: Span = Span::from_secs(120);
/// Maximum delay of an answer from the provider.
const ANSWER_MAX: Span = Span::from_secs(20);
/// Maximum number of commits by which a command is delayed.
const COMMITS_MAX: usize = 12;
/// On average, one in [`LONG`] downtimes may last up to `DOWN_MAX`, and all other downtimes are zero.
/// One in [`LONG`] standstills may last up to `STANDSTILL_MAX`,
/// and all other standstills may last up to `STALL_MAX`.
const LONG: u8 = 4;

/// The point in the process's work at which a delayed command reaches the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandDelay {
    /// As soon as this number of further commits has begun.
    Commits(usize),
    /// At the beginning of the next commit that writes rows of this kind.
    UntilCommitOf(CommitPart),
}

/// How often each kind of fault occurs in a simulation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultMix {
    /// The seed from which all faults are drawn.
    pub seed: u64,
    /// The rate of each kind of fault: in how many of 1,000 possible cases the fault occurs.
    rates: [u16; FaultKind::ALL.len()],
    /// Number of commits per thousand that are inspected:
    /// their rows are checked for broken invariants before the commit.
    pub inspected: u16,
    /// The time from the start of the simulation during which faults occur;
    /// `None` means the whole simulation.
    pub lasts: Option<Span>,
}

impl FaultMix {
    /// Creates a mix without faults.
    #[must_use]
    pub fn without_faults(seed: u64) -> Self {
        Self { seed, rates: [0; FaultKind::ALL.len()], inspected: 0, lasts: None }
    }

    /// Sets the rate of a kind of fault: the fault occurs in `rate` of 1,000 possible cases.
    #[must_use]
    pub fn with(mut self, fault: FaultKind, rate: u16) -> Self {
        self.rates[fault as usize] = rate.min(OF);
        self
    }

    fn rate(&self, fault: FaultKind) -> u16 {
        self.rates[fault as usize]
    }
}

/// Decides which faults occur in one simulation. The injector outlives the processes.
pub(super) struct FaultInjector {
    mix: FaultMix,
    clock: Arc<VirtualClock>,
    /// Whether faults may occur. Set by `enable` after the setup, and cleared by `disable`.
    enabled: AtomicBool,
    /// The instant from which no fault occurs; `None` if faults occur until the simulation ends.
    ends: Option<Timestamp>,
    /// A random generator for each kind of fault, and one for inspections. With separate generators,
    /// a higher rate of one kind of fault does not change when faults of another kind occur.
    generators: [Mutex<Rng>; FaultKind::ALL.len() + 1],
}

impl Default for FaultInjector {
    /// Creates an injector without faults.
    fn default() -> Self {
        Self::of(
            &FaultMix::without_faults(0),
            &Arc::new(VirtualClock::starting_at(Timestamp::EPOCH)),
        )
    }
}

/// Index of the generator that chooses the commits to inspect.
const INSPECTIONS: usize = FaultKind::ALL.len();

impl FaultInjector {
    /// Creates an injector for a fault mix, in a simulation that starts at the clock's current time.
    pub(super) fn of(mix: &FaultMix, clock: &Arc<VirtualClock>) -> Self {
        let mut root = Rng::with_seed(mix.seed);
        let ends = mix.lasts.map(|lasts| clock.now() + lasts);
        let generators = std::array::from_fn(|_| Mutex::new(root.fork()));
        let (clock, enabled) = (Arc::clone(clock), AtomicBool::new(false));
        Self { mix: mix.clone(), clock, enabled, ends, generators }
    }

    /// Lets faults occur from now on. No fault may occur while the simulation is set up, because the
    /// setup gives each tenant its phone number, by which the engine recognizes messages to the tenant.
    pub(super) fn enable(&self) {
        self.enabled.store(true, Ordering::SeqCst);
    }

    /// Ends all faults.
    /// After this call, no fault occurs even if a `clock` step sets the clock back to an earlier instant.
    pub(super) fn disable(&self) {
        self.enabled.store(false, Ordering::SeqCst);
    }

    /// Draws whether a fault occurs now.
    pub(super) fn occurs(&self, fault: FaultKind) -> bool {
        let rate = self.mix.rate(fault);
        let over = self.ends.is_some_and(|ends| self.clock.now() >= ends);
        let may = self.enabled.load(Ordering::SeqCst) && !over;
        rate > 0 && may && self.draw(fault as usize, |rng| rng.u16(..OF)) < rate
    }

    /// Draws whether the current commit is inspected.
    pub(super) fn inspects(&self) -> bool {
        let rate = self.mix.inspected;
        rate > 0 && self.draw(INSPECTIONS, |rng| rng.u16(..OF)) < rate
    }

    /// Draws the delay with which a message is delivered.
    pub(super) fn lateness(&self) -> Span {
        self.span(FaultKind::DeliveredLate, LATE_MAX)
    }

    /// Draws the downtime of the process after a crash that this fault causes.
    pub(super) fn down(&self, fault: FaultKind) -> Span {
        match self.draw(fault as usize, |rng| rng.u8(..LONG)) {
            0 => self.span(fault, DOWN_MAX),
            _ => Span::ZERO,
        }
    }

    /// Draws the duration of a node's standstill.
    pub(super) fn standstill(&self) -> Span {
        match self.draw(FaultKind::NodeStalls as usize, |rng| rng.u8(..LONG)) {
            0 => self.span(FaultKind::NodeStalls, STANDSTILL_MAX),
            _ => self.span(FaultKind::NodeStalls, STALL_MAX),
        }
    }

    /// Draws the delay of the provider's answer.
    pub(super) fn answers_after(&self) -> Span {
        self.span(FaultKind::AnswerLate, ANSWER_MAX)
    }

    /// Draws whether the provider accepts a message although it never answers.
    pub(super) fn accepts_silently(&self) -> bool {
        self.draw(FaultKind::ProviderHangs as usize, |rng| rng.bool())
    }

    /// Draws how long to delay a command that may arrive while the process
    /// commits rows of one of the kinds `parts`; `None` means no delay.
    pub(super) fn mid_work_delay(&self, parts: &[CommitPart]) -> Option<CommandDelay> {
        let later = || {
            self.draw(FaultKind::CommandMidWork as usize, |rng| match rng.bool() {
                true => CommandDelay::UntilCommitOf(parts[rng.usize(..parts.len())]),
                false => CommandDelay::Commits(rng.usize(1..=COMMITS_MAX)),
            })
        };
        (!parts.is_empty() && self.occurs(FaultKind::CommandMidWork)).then(later)
    }

    /// Advances the clock by a random time, as if the process stalled.
    /// The tasks whose instant has come are woken only by [`Self::wake_due`]: they would run while the database
    /// works on a statement, and the speed of the machine would decide which of them comes first.
    pub(super) fn stall(&self) {
        let stalled = self.span(FaultKind::ProcessStalls, STALL_MAX);
        self.clock.set_quietly(self.clock.now() + stalled);
    }

    /// Wakes the tasks whose instant came while the process stalled.
    pub(super) fn wake_due(&self) {
        self.clock.wake_due();
    }

    /// Advances the clock by a random time, while the process waits for a slow provider.
    pub(super) fn wait_for_slow_provider(&self) {
        self.clock.set(self.clock.now() + self.span(FaultKind::ProviderSlow, SLOW_MAX));
    }

    /// Draws the index of an earlier message to deliver again;
    /// `None` means that no message is delivered again.
    /// `delivered` is the number of messages that were delivered so far.
    pub(super) fn older(&self, delivered: usize) -> Option<usize> {
        (delivered > 0 && self.occurs(FaultKind::OlderDeliveredAgain)).then(|| {
            self.draw(FaultKind::OlderDeliveredAgain as usize, |rng| rng.usize(..delivered))
        })
    }

    fn span(&self, fault: FaultKind, most: Span) -> Span {
        Span::from_micros(self.draw(fault as usize, |rng| rng.i64(0..most.micros())))
    }

    fn draw<T>(&self, stream: usize, draw: impl FnOnce(&mut Rng) -> T) -> T {
        draw(&mut self.generators[stream].lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(mix: &FaultMix) -> FaultInjector {
        let faults = FaultInjector::of(mix, &Arc::new(VirtualClock::starting_at(Timestamp::EPOCH)));
        faults.enable();
        faults
    }

    fn drawn(mix: &FaultMix, fault: FaultKind) -> Vec<bool> {
        let faults = faults(mix);
        (0..100).map(|_| faults.occurs(fault)).collect()
    }

    #[test]
    fn a_seed_decides_and_no_fault_moves_another() {
        let mix = FaultMix::without_faults(7).with(FaultKind::CallLost, 500);
        let alone = drawn(&mix, FaultKind::CallLost);
        assert!(alone.contains(&true) && alone.contains(&false));
        assert_eq!(
            drawn(&mix.clone().with(FaultKind::ProcessStalls, 900), FaultKind::CallLost),
            alone
        );
        assert_ne!(drawn(&FaultMix { seed: 8, ..mix.clone() }, FaultKind::CallLost), alone);
        assert_eq!(drawn(&mix, FaultKind::ProcessStalls), [false; 100]);
    }

    #[test]
    fn nothing_goes_wrong_after_the_end() {
        let lasts = Some(Span::from_secs(60));
        let mix =
            FaultMix { lasts, ..FaultMix::without_faults(7).with(FaultKind::ProcessStalls, OF) };
        let faults = faults(&mix);
        assert!(faults.occurs(FaultKind::ProcessStalls));
        faults.clock.set(Timestamp::EPOCH + Span::from_secs(60));
        assert!(!faults.occurs(FaultKind::ProcessStalls));
    }

    #[test]
    fn an_older_message_is_one_that_was_delivered() {
        let faults = faults(&FaultMix::without_faults(7).with(FaultKind::OlderDeliveredAgain, OF));
        assert_eq!(faults.older(0), None);
        assert!((1..50).all(|n| faults.older(n).is_some_and(|ix| ix < n)));
    }

    #[test]
    fn time_passes_while_the_process_stands_still() {
        let faults = faults(&FaultMix::without_faults(7));
        faults.stall();
        let passed = faults.clock.now() - Timestamp::EPOCH;
        assert!(passed > Span::ZERO && passed < STALL_MAX, "{passed}");
    }
}
