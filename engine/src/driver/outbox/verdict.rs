//! What today's policy says of each message of a slice.

use jiff::tz::TimeZone;

use crate::base::{MessageId, Timestamp};
use crate::policy::{Month, OPT_OUT_CONFIRMED, Settings};
use crate::store::Candidate;

/// A message with all that its release looks at.
pub(super) struct Weighed<'c> {
    pub(super) candidate: &'c Candidate,
    /// Its recipient has opted out.
    pub(super) suppressed: bool,
    /// What it is sent for still stands.
    pub(super) cause_open: bool,
    /// The first instant, from now, outside the quiet hours of its recipient.
    pub(super) permitted: Timestamp,
}

/// What is done with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It leaves now, if the budget allows.
    Go,
    /// It leaves later.
    Hold(Timestamp),
    /// It never leaves: nobody is reached there who wants to be.
    Suppress,
    /// It never leaves: nothing calls for it any more.
    Withdraw,
    /// It never leaves: it makes no sense any more.
    Expire,
}

/// The cause of what answers a message that somebody wrote: it may go at any hour.
const ANSWER: &str = "inbound";

impl Weighed<'_> {
    /// What is done with it, but for the budget.
    pub(super) fn verdict(&self, now: Timestamp) -> Verdict {
        let answers_someone = self.candidate.cause.0 == ANSWER;
        let confirms = answers_someone && self.candidate.kind == OPT_OUT_CONFIRMED;
        if self.suppressed && !confirms {
            Verdict::Suppress
        } else if !self.cause_open {
            Verdict::Withdraw
        } else if self.candidate.not_after.is_some_and(|until| until < now) {
            Verdict::Expire
        } else if self.permitted > now && !answers_someone {
            Verdict::Hold(self.permitted)
        } else {
            Verdict::Go
        }
    }
}

/// The clock whose quiet hours count: a person's own, or the tenant's.
pub(super) fn zone_of(settings: &Settings, own: Option<&str>) -> TimeZone {
    let named = |name: &str| TimeZone::get(name).ok();
    own.and_then(named).or_else(|| named(&settings.time_zone)).unwrap_or(TimeZone::UTC)
}

/// The budget that a message takes from, and when the next begins; none where there is no limit, and for
/// one that goes again: it was taken when it was first let go.
pub(super) fn budget(
    candidate: &Candidate,
    settings: &Settings,
    now: Timestamp,
) -> Option<(Month, i64)> {
    let budget = settings.messages_per_month.filter(|_| candidate.attempts == 0)?;
    Some((Month::of(now, &zone_of(settings, None)), i64::try_from(budget).unwrap_or(i64::MAX)))
}

/// The messages of a slice by what is done with them.
#[derive(Default)]
pub(super) struct Sorted {
    pub(super) go: Vec<MessageId>,
    pub(super) suppressed: Vec<MessageId>,
    pub(super) withdrawn: Vec<MessageId>,
    pub(super) expired: Vec<MessageId>,
    pub(super) held: Vec<(Candidate, Timestamp)>,
}

impl Sorted {
    pub(super) fn add(&mut self, candidate: &Candidate, verdict: Verdict) {
        match verdict {
            Verdict::Go => self.go.push(candidate.id),
            Verdict::Hold(until) => self.held.push((candidate.clone(), until)),
            Verdict::Suppress => self.suppressed.push(candidate.id),
            Verdict::Withdraw => self.withdrawn.push(candidate.id),
            Verdict::Expire => self.expired.push(candidate.id),
        }
    }

    /// Messages that never leave.
    pub(super) fn ended(&self) -> usize {
        self.suppressed.len() + self.withdrawn.len() + self.expired.len()
    }
}
