//! What chance does to a play: processes that die or stand still, commits that fail, calls and answers
//! that are lost, messages that come late or again. All of it comes of a seed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use abide_engine::base::{Span, Timestamp};
use abide_engine::clock::{Clock as _, VirtualClock};
use abide_engine::store::Part;
use fastrand::Rng;

/// Something that goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A call to the provider is lost on its way: it never sees it, and nobody knows.
    CallLost,
    /// The provider has the call, and its answer is lost.
    AnswerLost,
    /// The provider takes nothing for now.
    ProviderBusy,
    /// The provider takes longer than it was given.
    ProviderSlow,
    /// The provider refuses a message for good.
    Refused,
    /// The provider refuses a message for a while.
    RefusedForNow,
    /// The provider never answers, whether it has the message or not.
    Hangs,
    /// The provider has the message and answers late, perhaps when nobody waits for it any more.
    AnswersLate,
    /// The provider cannot tell now what became of a message.
    LookUpFails,
    /// The provider will never be able to tell what became of a message.
    NeverTells,
    /// What is asked of the process reaches it in the middle of its work, some commits later.
    InMidWork,
    /// A message is delivered twice at once.
    DeliveredAgain,
    /// With a message an older one is delivered again.
    OlderAgain,
    /// A message is delivered later than it was written, perhaps behind others.
    DeliveredLate,
    /// The process dies with its work done and nothing of it kept.
    DiesBeforeCommit,
    /// The process dies with its work kept and nobody told.
    DiesAfterCommit,
    /// The process dies when the provider has a message, before it knows that it has.
    DiesSending,
    /// The database refuses a commit.
    CommitRefused,
    /// The database does not keep a commit, and does not say so.
    CommitForgotten,
    /// The database keeps a commit, and does not say so.
    CommitUnconfirmed,
    /// The process stands still in mid-work, as a machine that sleeps does.
    Stalls,
    /// A node among others begins no work for a while.
    NodeStands,
}

impl Fault {
    /// All of them.
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

/// Out of so many occasions a rate counts.
const OF: u16 = 1_000;
/// The longest that something comes late, stands still, or stays down.
const LATE_MAX: Span = Span::from_secs(3 * 3_600);
const STALL_MAX: Span = Span::from_secs(1_800);
const DOWN_MAX: Span = Span::from_secs(3_600);
/// The longest that a node stands still: long enough for others to take its runs.
const STANDS_MAX: Span = Span::from_secs(24 * 3_600);
/// A call that takes longer than its deadline takes this much longer at most.
const SLOW_MAX: Span = Span::from_secs(120);
/// The latest that the provider answers.
const ANSWER_MAX: Span = Span::from_secs(20);
/// The most commits after which something reaches a process in mid-work.
const COMMITS_MAX: usize = 12;
/// One in so many of these lasts long; the others are over at once.
const LONG: u8 = 4;

/// How much later than it is asked something reaches a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Later {
    /// So many commits later.
    Commits(usize),
    /// As the next commit begins that holds this part.
    At(Part),
}

/// How often each fault comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mix {
    /// Where all the chance comes from.
    pub seed: u64,
    /// Out of a thousand occasions, by fault.
    rates: [u16; Fault::ALL.len()],
    /// Out of a thousand commits so many are looked at, before they are made, for what must hold in each.
    pub inspected: u16,
    /// How long anything goes wrong, from the story's beginning; to its end without it.
    pub lasts: Option<Span>,
}

impl Mix {
    /// Nothing goes wrong.
    #[must_use]
    pub fn calm(seed: u64) -> Self {
        Self { seed, rates: [0; Fault::ALL.len()], inspected: 0, lasts: None }
    }

    /// The same with a fault out of a thousand times this often.
    #[must_use]
    pub fn with(mut self, fault: Fault, rate: u16) -> Self {
        self.rates[fault as usize] = rate.min(OF);
        self
    }

    fn rate(&self, fault: Fault) -> u16 {
        self.rates[fault as usize]
    }
}

/// The chance of one play; it outlives the play's processes.
pub(super) struct Mischief {
    mix: Mix,
    clock: Arc<VirtualClock>,
    /// Everything that the story needs is in place, and nothing is healed yet.
    under_way: AtomicBool,
    /// When nothing goes wrong any more.
    ends: Option<Timestamp>,
    /// Each fault has chance of its own: that one of them comes more often moves no other.
    chance: [Mutex<Rng>; Fault::ALL.len() + 1],
}

impl Default for Mischief {
    /// None.
    fn default() -> Self {
        Self::of(&Mix::calm(0), &Arc::new(VirtualClock::starting_at(Timestamp::EPOCH)))
    }
}

/// The chance by which commits are chosen to be looked at.
const INSPECTIONS: usize = Fault::ALL.len();

impl Mischief {
    /// Of this mix, for a story that begins when the clock says.
    pub(super) fn of(mix: &Mix, clock: &Arc<VirtualClock>) -> Self {
        let mut root = Rng::with_seed(mix.seed);
        let ends = mix.lasts.map(|lasts| clock.now() + lasts);
        let chance = std::array::from_fn(|_| Mutex::new(root.fork()));
        let (clock, under_way) = (Arc::clone(clock), AtomicBool::new(false));
        Self { mix: mix.clone(), clock, under_way, ends, chance }
    }

    /// From now on anything may go wrong: until a tenant has its number nobody can tell what is written to it.
    pub(super) fn begin(&self) {
        self.under_way.store(true, Ordering::SeqCst);
    }

    /// From now on nothing goes wrong, also where the clock has stepped back behind the end of it.
    pub(super) fn end(&self) {
        self.under_way.store(false, Ordering::SeqCst);
    }

    /// Whether it comes now.
    pub(super) fn comes(&self, fault: Fault) -> bool {
        let rate = self.mix.rate(fault);
        let over = self.ends.is_some_and(|ends| self.clock.now() >= ends);
        let may = self.under_way.load(Ordering::SeqCst) && !over;
        rate > 0 && may && self.draw(fault as usize, |chance| chance.u16(..OF)) < rate
    }

    /// Whether this commit is looked at.
    pub(super) fn inspects(&self) -> bool {
        let rate = self.mix.inspected;
        rate > 0 && self.draw(INSPECTIONS, |chance| chance.u16(..OF)) < rate
    }

    /// How late a message comes.
    pub(super) fn lateness(&self) -> Span {
        self.span(Fault::DeliveredLate, LATE_MAX)
    }

    /// How long the process stays down that this fault ended.
    pub(super) fn down(&self, fault: Fault) -> Span {
        match self.draw(fault as usize, |chance| chance.u8(..LONG)) {
            0 => self.span(fault, DOWN_MAX),
            _ => Span::ZERO,
        }
    }

    /// How long a node stands still.
    pub(super) fn stands_still(&self) -> Span {
        match self.draw(Fault::NodeStands as usize, |chance| chance.u8(..LONG)) {
            0 => self.span(Fault::NodeStands, STANDS_MAX),
            _ => self.span(Fault::NodeStands, STALL_MAX),
        }
    }

    /// How late the provider answers.
    pub(super) fn answers_after(&self) -> Span {
        self.span(Fault::AnswersLate, ANSWER_MAX)
    }

    /// Whether the provider has a message to which it never answers.
    pub(super) fn has_it_all_the_same(&self) -> bool {
        self.draw(Fault::Hangs as usize, |chance| chance.bool())
    }

    /// How much later something reaches the process that is to meet this part, where that is in mid-work.
    pub(super) fn later(&self, part: Part) -> Option<Later> {
        let later = || {
            self.draw(Fault::InMidWork as usize, |chance| match chance.bool() {
                true => Later::At(part),
                false => Later::Commits(chance.usize(1..=COMMITS_MAX)),
            })
        };
        self.comes(Fault::InMidWork).then(later)
    }

    /// Lets time pass while the process stands still, or waits for the provider.
    pub(super) fn dawdle(&self, fault: Fault) {
        let most = if fault == Fault::ProviderSlow { SLOW_MAX } else { STALL_MAX };
        self.clock.set(self.clock.now() + self.span(fault, most));
    }

    /// Which of so many messages that were delivered before the newest is delivered with it.
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
