//! Decides for each message of a slice whether it may leave now, later or never.

use jiff::tz::TimeZone;

use crate::base::{MessageId, Timestamp};
use crate::policy::{self, Month, OPT_OUT_CONFIRMED, Settings};
use crate::store::Candidate;

/// A queued message, and the circumstances that decide whether it may be released.
pub(super) struct ReleaseCheck<'c> {
    pub(super) candidate: &'c Candidate,
    /// Whether the recipient of the message has opted out.
    pub(super) suppressed: bool,
    /// Whether the reason for sending the message still holds.
    pub(super) cause_open: bool,
    /// The earliest instant, not before now, at which the quiet hours of the recipient
    /// and the weekly limit allow the message to leave.
    pub(super) permitted: Timestamp,
    /// Whether the tenant is in shadow mode.
    pub(super) shadow: bool,
}

/// The decision about a message that is checked for release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The message leaves now, if the tenant's monthly budget allows it.
    Go,
    /// The message may not leave before this instant.
    Hold(Timestamp),
    /// The message never leaves, because its recipient has opted out.
    Suppress,
    /// The message never leaves, because the reason for it no longer holds.
    Withdraw,
    /// The message never leaves, because it has expired.
    Expire,
    /// The message is only recorded, because its tenant is in shadow mode.
    Shadow,
}

/// The stored cause of a message that answers an inbound message. Such an answer may leave at any hour.
const ANSWER: &str = "inbound";

impl ReleaseCheck<'_> {
    /// Decides whether the message may leave. Does not check the budget.
    pub(super) fn verdict(&self, now: Timestamp) -> Verdict {
        let answers_someone = self.candidate.cause.kind == ANSWER;
        let confirms = answers_someone && self.candidate.kind == OPT_OUT_CONFIRMED;
        if self.suppressed && !confirms {
            Verdict::Suppress
        } else if !self.cause_open {
            Verdict::Withdraw
        } else if self.candidate.not_after.is_some_and(|until| until < now) {
            Verdict::Expire
        } else if self.shadow && !confirms {
            Verdict::Shadow
        } else if self.permitted > now && !answers_someone {
            Verdict::Hold(self.permitted)
        } else {
            Verdict::Go
        }
    }
}

/// Returns the time zone of the quiet hours: the person's time zone `own`, or the tenant's time zone if
/// `own` is missing or unknown. If the tenant's time zone is unknown too, returns UTC.
pub(super) fn zone_of(settings: &Settings, own: Option<&str>) -> TimeZone {
    own.and_then(|name| TimeZone::get(name).ok()).unwrap_or_else(|| settings.zone())
}

/// Returns the month whose budget a message counts against, and the budget. Returns `None` if there is
/// no budget. Also returns `None` for a message that is sent again, because its first release was counted, and
/// for a message whose kind does not count.
pub(super) fn budget(
    candidate: &Candidate,
    settings: &Settings,
    now: Timestamp,
) -> Option<(Month, i64)> {
    let counts = candidate.attempts == 0 && policy::budget::counts(&candidate.kind);
    let budget = settings.messages_per_month.filter(|_| counts)?;
    Some((Month::of(now, &zone_of(settings, None)), i64::try_from(budget).unwrap_or(i64::MAX)))
}

/// The messages of a slice, grouped by the verdict on each message.
#[derive(Default)]
pub(super) struct SortedSlice {
    pub(super) go: Vec<MessageId>,
    pub(super) suppressed: Vec<MessageId>,
    pub(super) withdrawn: Vec<MessageId>,
    pub(super) expired: Vec<MessageId>,
    pub(super) shadowed: Vec<MessageId>,
    pub(super) held: Vec<(Candidate, Timestamp)>,
}

impl SortedSlice {
    pub(super) fn add(&mut self, candidate: &Candidate, verdict: Verdict) {
        match verdict {
            Verdict::Go => self.go.push(candidate.id),
            Verdict::Hold(until) => self.held.push((candidate.clone(), until)),
            Verdict::Suppress => self.suppressed.push(candidate.id),
            Verdict::Withdraw => self.withdrawn.push(candidate.id),
            Verdict::Expire => self.expired.push(candidate.id),
            Verdict::Shadow => self.shadowed.push(candidate.id),
        }
    }

    /// Returns the number of messages that never leave.
    pub(super) fn ended(&self) -> usize {
        let ended = [&self.suppressed, &self.withdrawn, &self.expired, &self.shadowed];
        ended.into_iter().map(Vec::len).sum()
    }
}
