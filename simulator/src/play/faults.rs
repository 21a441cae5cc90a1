//! Injects random faults into a simulation: crashes and stalls, failing commits, lost calls and answers,
//! late and repeated messages. All of them are drawn from a seed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use abide_engine::base::{Span, Timestamp};
use abide_engine::clock::{Clock as _, VirtualClock};
use abide_engine::store::Part;
use fastrand::Rng;

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A call to the provider is lost: the provider never receives it, and the caller cannot know.
    CallLost,
    /// The provider receives a call, but its answer is lost.
    AnswerLost,
    /// The provider is busy and takes no message.
    ProviderBusy,
    /// The provider takes longer than the call's deadline.
    ProviderSlow,
    /// The provider refuses a message permanently.
    Refused,
    /// The provider refuses a message for a while.
    RefusedForNow,
    /// The provider never answers, whether it has the message or not.
    Hangs,
    /// The provider has the message and answers late, perhaps after the deadline.
    AnswersLate,
    /// The provider cannot tell at the moment what happened to a message.
    LookUpFails,
    /// The provider will never be able to tell what happened to a message.
    NeverTells,
    /// A question reaches the process in the middle of its work, some commits later.
    InMidWork,
    /// A message is delivered twice in a row.
    DeliveredAgain,
    /// An older message is delivered again together with a new one.
    OlderAgain,
    /// A message is delivered late, perhaps after newer ones.
    DeliveredLate,
    /// The process crashes just before a commit: the work is done and lost.
    DiesBeforeCommit,
    /// The process crashes just after a commit: the work is kept, and no caller is answered.
    DiesAfterCommit,
    /// The process crashes when the provider has a message, before it knows that.
    DiesSending,
    /// The database refuses a commit.
    CommitRefused,
    /// The database loses a commit, and the process does not learn whether it was made.
    CommitForgotten,
    /// The database makes a commit, and the process does not learn whether it was made.
    CommitUnconfirmed,
    /// The process stalls in the middle of its work, like on a machine that was suspended.
    Stalls,
    /// One of several nodes begins no work for a while.
    NodeStands,
}

impl Fault {
    /// All faults.
    pub const ALL: [Self; 22] = [
        Self::CallLost,
        Self::AnswerLost,
        Self::ProviderBusy,
        Self::ProviderSlow,
        Self::Refused,
        Self::RefusedForNow,
        Self::Hangs,
        Self::AnswersLate,
        Self::LookUpFails,
        Self::NeverTells,
        Self::InMidWork,
        Self::DeliveredAgain,
        Self::OlderAgain,
        Self::DeliveredLate,
        Self::DiesBeforeCommit,
        Self::DiesAfterCommit,
        Self::DiesSending,
        Self::CommitRefused,
        Self::CommitForgotten,
        Self::CommitUnconfirmed,
        Self::Stalls,
        Self::NodeStands,
    ];
}

/// The number of occasions that a rate refers to.
const OF: u16 = 1_000;
/// The longest delay of a message, stall of a process, and downtime.
const LATE_MAX: Span = Span::from_secs(3 * 3_600);
const STALL_MAX: Span = Span::from_secs(1_800);
const DOWN_MAX: Span = Span::from_secs(3_600);
/// The longest standstill of a node: long enough for other nodes to take over its runs.
const STANDS_MAX: Span = Span::from_secs(24 * 3_600);
/// The longest time by which a slow call exceeds its deadline.
const SLOW_MAX: Span = Span::from_secs(120);
/// The longest delay of an answer of the provider.
const ANSWER_MAX: Span = Span::from_secs(20);
/// The largest number of commits after which a question reaches a process in the middle of its work.
const COMMITS_MAX: usize = 12;
/// One downtime or standstill in this many is long.
const LONG: u8 = 4;

/// When a question reaches the process, if it does so in the middle of its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Later {
    /// This many commits later.
    Commits(usize),
    /// When the next commit begins that holds this part.
    At(Part),
}

/// How often each fault occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mix {
    /// The seed of all faults.
    pub seed: u64,
    /// Rates by fault, out of a thousand occasions.
    rates: [u16; Fault::ALL.len()],
    /// How many of a thousand commits are inspected for breaches before they are made.
    pub inspected: u16,
    /// How long faults occur, from the start of the simulation; `None` means to its end.
    pub lasts: Option<Span>,
}

impl Mix {
    /// Creates a mix without faults.
    #[must_use]
    pub fn calm(seed: u64) -> Self {
        Self { seed, rates: [0; Fault::ALL.len()], inspected: 0, lasts: None }
    }

    /// Sets the rate of a fault, out of a thousand occasions.
    #[must_use]
    pub fn with(mut self, fault: Fault, rate: u16) -> Self {
        self.rates[fault as usize] = rate.min(OF);
        self
    }

    fn rate(&self, fault: Fault) -> u16 {
        self.rates[fault as usize]
    }
}

/// The faults of one simulation. It outlives the processes.
pub(super) struct Mischief {
    mix: Mix,
    clock: Arc<VirtualClock>,
    /// Whether the setup is done and the faults have not been ended.
    under_way: AtomicBool,
    /// When faults end by the clock.
    ends: Option<Timestamp>,
    /// A generator for each fault, so that a higher rate of one does not change when another occurs, and one
    /// for inspections.
    chance: [Mutex<Rng>; Fault::ALL.len() + 1],
}

impl Default for Mischief {
    /// Creates an injector without faults.
    fn default() -> Self {
        Self::of(&Mix::calm(0), &Arc::new(VirtualClock::starting_at(Timestamp::EPOCH)))
    }
}

/// Index of the generator that chooses the commits to inspect.
const INSPECTIONS: usize = Fault::ALL.len();

impl Mischief {
    /// Creates the faults of a mix, for a simulation that starts at the clock's current time.
    pub(super) fn of(mix: &Mix, clock: &Arc<VirtualClock>) -> Self {
        let mut root = Rng::with_seed(mix.seed);
        let ends = mix.lasts.map(|lasts| clock.now() + lasts);
        let chance = std::array::from_fn(|_| Mutex::new(root.fork()));
        let (clock, under_way) = (Arc::clone(clock), AtomicBool::new(false));
        Self { mix: mix.clone(), clock, under_way, ends, chance }
    }

    /// Lets faults occur from now on. During setup they must not: until a tenant has its phone number, a text
    /// to it cannot be attributed.
    pub(super) fn begin(&self) {
        self.under_way.store(true, Ordering::SeqCst);
    }

    /// Ends all faults, even if a clock step goes back to before their end.
    pub(super) fn end(&self) {
        self.under_way.store(false, Ordering::SeqCst);
    }

    /// Draws whether a fault occurs now.
    pub(super) fn comes(&self, fault: Fault) -> bool {
        let rate = self.mix.rate(fault);
        let over = self.ends.is_some_and(|ends| self.clock.now() >= ends);
        let may = self.under_way.load(Ordering::SeqCst) && !over;
        rate > 0 && may && self.draw(fault as usize, |chance| chance.u16(..OF)) < rate
    }

    /// Draws whether the current commit is inspected.
    pub(super) fn inspects(&self) -> bool {
        let rate = self.mix.inspected;
        rate > 0 && self.draw(INSPECTIONS, |chance| chance.u16(..OF)) < rate
    }

    /// Draws how late a message is delivered.
    pub(super) fn lateness(&self) -> Span {
        self.span(Fault::DeliveredLate, LATE_MAX)
    }

    /// Draws how long the process stays down after a crash by this fault.
    pub(super) fn down(&self, fault: Fault) -> Span {
        match self.draw(fault as usize, |chance| chance.u8(..LONG)) {
            0 => self.span(fault, DOWN_MAX),
            _ => Span::ZERO,
        }
    }

    /// Draws how long a node stands still.
    pub(super) fn stands_still(&self) -> Span {
        match self.draw(Fault::NodeStands as usize, |chance| chance.u8(..LONG)) {
            0 => self.span(Fault::NodeStands, STANDS_MAX),
            _ => self.span(Fault::NodeStands, STALL_MAX),
        }
    }

    /// Draws how late the provider answers.
    pub(super) fn answers_after(&self) -> Span {
        self.span(Fault::AnswersLate, ANSWER_MAX)
    }

    /// Draws whether the provider has a message although it never answers.
    pub(super) fn has_it_all_the_same(&self) -> bool {
        self.draw(Fault::Hangs as usize, |chance| chance.bool())
    }

    /// Draws when a question that may interrupt commits of this part reaches the process; `None` if it does
    /// so at once.
    pub(super) fn later(&self, part: Part) -> Option<Later> {
        let later = || {
            self.draw(Fault::InMidWork as usize, |chance| match chance.bool() {
                true => Later::At(part),
                false => Later::Commits(chance.usize(1..=COMMITS_MAX)),
            })
        };
        self.comes(Fault::InMidWork).then(later)
    }

    /// Lets time pass while the process stalls or waits for the provider.
    pub(super) fn dawdle(&self, fault: Fault) {
        let most = if fault == Fault::ProviderSlow { SLOW_MAX } else { STALL_MAX };
        self.clock.set(self.clock.now() + self.span(fault, most));
    }

    /// Draws which of the earlier messages is delivered again, if any.
    pub(super) fn older(&self, delivered: usize) -> Option<usize> {
        (delivered > 0 && self.comes(Fault::OlderAgain))
            .then(|| self.draw(Fault::OlderAgain as usize, |chance| chance.usize(..delivered)))
    }

    fn span(&self, fault: Fault, most: Span) -> Span {
        Span::from_micros(self.draw(fault as usize, |chance| chance.i64(0..most.micros())))
    }

    fn draw<T>(&self, stream: usize, draw: impl FnOnce(&mut Rng) -> T) -> T {
        draw(&mut self.chance[stream].lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mischief(mix: &Mix) -> Mischief {
        let mischief = Mischief::of(mix, &Arc::new(VirtualClock::starting_at(Timestamp::EPOCH)));
        mischief.begin();
        mischief
    }

    fn drawn(mix: &Mix, fault: Fault) -> Vec<bool> {
        let mischief = mischief(mix);
        (0..100).map(|_| mischief.comes(fault)).collect()
    }

    #[test]
    fn a_seed_decides_and_no_fault_moves_another() {
        let mix = Mix::calm(7).with(Fault::CallLost, 500);
        let alone = drawn(&mix, Fault::CallLost);
        assert!(alone.contains(&true) && alone.contains(&false));
        assert_eq!(drawn(&mix.clone().with(Fault::Stalls, 900), Fault::CallLost), alone);
        assert_ne!(drawn(&Mix { seed: 8, ..mix.clone() }, Fault::CallLost), alone);
        assert_eq!(drawn(&mix, Fault::Stalls), [false; 100]);
    }

    #[test]
    fn nothing_goes_wrong_after_the_end() {
        let lasts = Some(Span::from_secs(60));
        let mix = Mix { lasts, ..Mix::calm(7).with(Fault::Stalls, OF) };
        let mischief = mischief(&mix);
        assert!(mischief.comes(Fault::Stalls));
        mischief.clock.set(Timestamp::EPOCH + Span::from_secs(60));
        assert!(!mischief.comes(Fault::Stalls));
    }

    #[test]
    fn an_older_message_is_one_that_was_delivered() {
        let mischief = mischief(&Mix::calm(7).with(Fault::OlderAgain, OF));
        assert_eq!(mischief.older(0), None);
        assert!((1..50).all(|n| mischief.older(n).is_some_and(|ix| ix < n)));
    }

    #[test]
    fn time_passes_while_the_process_stands_still() {
        let mischief = mischief(&Mix::calm(7));
        mischief.dawdle(Fault::Stalls);
        let passed = mischief.clock.now() - Timestamp::EPOCH;
        assert!(passed > Span::ZERO && passed < STALL_MAX, "{passed}");
    }
}
