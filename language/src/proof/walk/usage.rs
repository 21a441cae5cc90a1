//! What steps use up: messages, segments, waiting, work.

use super::super::amount::Bound;
use super::super::sending::Sending;

/// Messages. Loops round a step are counted where the step is.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub messages: Bound,
    pub one_person: Bound,
    pub segments: Bound,
}

/// Time, in microseconds; none where nothing bounds it.
#[derive(Debug, Clone, Copy)]
pub(in crate::proof) struct Time {
    /// All waits, each to its end.
    pub waiting: Option<u64>,
    /// All attempts of all calls.
    pub work: Option<u64>,
    /// Waits that begin anew where the night holds a text back.
    pub movable: Option<u64>,
}

/// What steps use up at most.
#[derive(Debug, Clone)]
pub(super) struct Usage {
    /// What the steps send themselves: a limit on messages counts it.
    pub sent: Sent,
    /// What follows from it, whether or not the run still goes on.
    pub later: Sent,
    /// What undoing sends, should it come to that.
    pub undone: Sent,
    /// The most that children side by side send before anybody counts it.
    fan: Option<u64>,
    /// Segments of the longest message.
    longest: u64,
    pub time: Time,
    /// A limit on messages is what bounds them.
    pub was_limited: bool,
}

impl Sent {
    fn nothing() -> Self {
        Self { messages: Bound::none(), one_person: Bound::none(), segments: Bound::none() }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        self.with(other, Bound::plus)
    }

    fn with(&self, other: &Self, both: impl Fn(Bound, &Bound) -> Bound) -> Self {
        Self {
            messages: both(self.messages.clone(), &other.messages),
            one_person: both(self.one_person.clone(), &other.one_person),
            segments: both(self.segments.clone(), &other.segments),
        }
    }
}

impl Time {
    const NONE: Self = Self { waiting: Some(0), work: Some(0), movable: Some(0) };

    /// Without a text there is none that the night holds back.
    pub(in crate::proof) fn unmoved(self) -> Self {
        Self { movable: Some(0), ..self }
    }
}

impl Usage {
    pub(super) fn nothing() -> Self {
        Self {
            sent: Sent::nothing(),
            later: Sent::nothing(),
            undone: Sent::nothing(),
            fan: Some(0),
            longest: 0,
            time: Time::NONE,
            was_limited: false,
        }
    }

    /// The attempts of a call; `patient` if they are a wait that its author wrote down.
    pub(super) fn time(micros: u64, patient: bool) -> Self {
        let (waiting, work) = if patient { (micros, 0) } else { (0, micros) };
        let time = Time { waiting: Some(waiting), work: Some(work), ..Time::NONE };
        Self { time, ..Self::nothing() }
    }

    /// A wait; `movable` if it counts from the first permitted send.
    pub(super) fn waiting(micros: Option<u64>, movable: bool) -> Self {
        let movable = Some(u64::from(movable));
        Self { time: Time { waiting: micros, movable, ..Time::NONE }, ..Self::nothing() }
    }

    /// What a method that is called sends.
    pub(super) fn child(messages: Bound, one_person: Bound, segments: Bound) -> Self {
        let fan = messages.at_most;
        let sent = Sent { messages, one_person, segments };
        let longest = crate::base::limits::MESSAGE_SEGMENTS_MAX as u64;
        Self { sent, fan, longest, ..Self::nothing() }
    }

    /// With a step's messages.
    pub(super) fn sending(mut self, sending: &Sending) -> Self {
        let sent = Sent {
            messages: sending.messages.clone(),
            one_person: sending.one_person.clone(),
            segments: sending.all_segments(),
        };
        self.longest = self.longest.max(sending.segments);
        if sending.when.is_some() {
            self.later = self.later.plus(&sent);
        } else {
            self.sent = self.sent.plus(&sent);
        }
        self
    }

    /// One after the other.
    pub(super) fn then(self, next: &Self) -> Self {
        self.with(next, Bound::plus, u64::saturating_add)
    }

    /// Side by side.
    pub(super) fn beside(self, other: &Self) -> Self {
        self.with(other, Bound::plus, u64::max)
    }

    /// One of the two.
    pub(super) fn either(self, other: &Self) -> Self {
        self.with(other, Bound::either, u64::max)
    }

    fn with(
        self,
        other: &Self,
        both: impl Fn(Bound, &Bound) -> Bound,
        time: impl Fn(u64, u64) -> u64,
    ) -> Self {
        Self {
            sent: self.sent.with(&other.sent, &both),
            later: self.later.with(&other.later, &both),
            undone: self.undone.with(&other.undone, &both),
            fan: self.fan.zip(other.fan).map(|(a, b)| a.max(b)),
            longest: self.longest.max(other.longest),
            time: Time {
                waiting: self.time.waiting.zip(other.time.waiting).map(|(a, b)| time(a, b)),
                work: self.time.work.zip(other.time.work).map(|(a, b)| a.saturating_add(b)),
                movable: self.time.movable.zip(other.time.movable).map(|(a, b)| time(a, b)),
            },
            was_limited: self.was_limited || other.was_limited,
        }
    }

    /// Done by children side by side: a limit is looked at when they have ended.
    pub(super) fn apart(self) -> Self {
        Self { fan: self.sent.messages.at_most, ..self }
    }

    /// Done so often, so many at a time.
    pub(super) fn rounds(self, often: Option<u64>, abreast: Option<u32>) -> Self {
        let rows = often.map(|n| n.div_ceil(u64::from(abreast.unwrap_or(1)).max(1)));
        let times = |one: Option<u64>| match (one, rows) {
            (Some(0), _) | (_, Some(0)) => Some(0),
            (one, rows) => one.zip(rows).map(|(a, b)| a.saturating_mul(b)),
        };
        let Time { waiting, work, movable } = self.time;
        let time = Time { waiting: times(waiting), work: times(work), movable: times(movable) };
        Self { time, ..self }
    }

    /// No longer than that.
    pub(super) fn within(self, micros: u64) -> Self {
        let Time { waiting, work, .. } = self.time;
        let waiting = waiting.map_or(micros, |waiting| waiting.min(micros));
        let rest = micros - waiting;
        let work = Some(work.map_or(rest, |work| work.min(rest)));
        Self { time: Time { waiting: Some(waiting), work, movable: Some(0) }, ..self }
    }

    /// No more messages than that. Children count for themselves, so those of one fan may come on
    /// top before the run sees that it has gone too far.
    pub(super) fn limited(mut self, limit: &Bound) -> Self {
        let most = limit.at_most.zip(self.fan).map(|(limit, fan)| limit.saturating_add(fan));
        let Some(most) = most else { return self };
        if self.sent.messages.at_most.is_some_and(|n| n <= most) {
            return self;
        }
        self.was_limited = true;
        let segments = most.saturating_mul(self.longest);
        self.sent = Sent {
            messages: self.sent.messages.capped(most),
            one_person: self.sent.one_person.capped(most),
            segments: self.sent.segments.capped(segments),
        };
        self
    }
}
