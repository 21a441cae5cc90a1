//! Computes upper bounds on the messages, segments and time that steps use.

use super::amount::Bound;
use super::sending::Sending;

/// Upper bounds on messages and segments, including the repetitions by enclosing loops.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub messages: Bound,
    pub one_person: Bound,
    pub segments: Bound,
}

/// Upper bounds on time; `None` if there is no bound.
#[derive(Debug, Clone, Copy)]
pub(super) struct Time {
    /// Total duration of all waits in microseconds, if each lasts until its timeout.
    pub waiting: Option<u64>,
    /// Total duration of all attempts of all calls, in microseconds.
    pub work: Option<u64>,
    /// Number of waits that begin later if quiet hours delay a message.
    pub movable: Option<u64>,
}

/// Upper bounds on the messages, segments and time of some steps.
#[derive(Debug, Clone)]
pub(super) struct Usage {
    /// Messages that the steps send themselves. They count towards `max_messages`.
    pub sent: Sent,
    /// Messages that later events trigger, even after the run has ended. They do not count towards
    /// `max_messages`.
    pub later: Sent,
    /// Messages that are sent when calls are undone.
    pub undone: Sent,
    /// Maximum number of messages that concurrent children send before the parent counts them.
    fan: Option<u64>,
    /// Number of segments of the longest message.
    longest: u64,
    pub time: Time,
    /// Approvals of calls that the steps ask for.
    pub asks: Bound,
    /// Whether `max_messages` reduced the number of messages.
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

    /// Removes the delays by quiet hours, for a method that sends no message.
    pub(super) fn unmoved(self) -> Self {
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
            asks: Bound::none(),
            was_limited: false,
        }
    }

    /// Creates the usage of a call whose attempts take `micros` microseconds together.
    /// The time counts as waiting if `patient` is true, that is, if the author wrote a retry rule;
    /// otherwise it counts as work.
    pub(super) fn time(micros: u64, patient: bool) -> Self {
        let (waiting, work) = if patient { (micros, 0) } else { (0, micros) };
        let time = Time { waiting: Some(waiting), work: Some(work), ..Time::NONE };
        Self { time, ..Self::nothing() }
    }

    /// Creates the usage of a wait.
    /// A wait is `movable` if it begins only when quiet hours permit its message.
    pub(super) fn waiting(micros: Option<u64>, movable: bool) -> Self {
        let movable = Some(u64::from(movable));
        Self { time: Time { waiting: micros, movable, ..Time::NONE }, ..Self::nothing() }
    }

    /// Creates the usage of calls that ask for this many approvals.
    pub(super) fn asking(asks: Bound) -> Self {
        Self { asks, ..Self::nothing() }
    }

    /// Creates the usage of a called method: bounds on its messages and segments, without its time.
    pub(super) fn child(sent: Sent) -> Self {
        let fan = sent.messages.at_most;
        let longest = crate::base::limits::MESSAGE_SEGMENTS_MAX as u64;
        Self { sent, fan, longest, ..Self::nothing() }
    }

    /// Adds the messages of a step.
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

    /// Returns the usage of two lists of steps: first the steps of `self`, and then the steps of `next`.
    pub(super) fn then(self, next: &Self) -> Self {
        self.with(next, Bound::plus, u64::saturating_add)
    }

    /// Returns the usage of two lists of steps, `self` and `other`, that run at the same time.
    pub(super) fn beside(self, other: &Self) -> Self {
        self.with(other, Bound::plus, u64::max)
    }

    /// Returns the usage of two lists of steps, `self` and `other`, of
    /// which only one runs. The result holds for both, so it is the worst case.
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
            asks: both(self.asks, &other.asks),
            was_limited: self.was_limited || other.was_limited,
        }
    }

    /// Treats the messages as messages of concurrent children.
    /// The parent compares the number of messages with its limit only after the children have ended.
    pub(super) fn apart(self) -> Self {
        Self { fan: self.sent.messages.at_most, ..self }
    }

    /// Multiplies the time of one round, so that the time covers all rounds of a loop.
    /// The messages are counted for all rounds already.
    ///
    /// The parameter `often` is the number of rounds; `None` if it is unbounded. The parameter `abreast`
    /// is the number of concurrent rounds; `None` if the rounds follow each other.
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

    /// Limits the time to `micros` microseconds.
    pub(super) fn within(self, micros: u64) -> Self {
        let Time { waiting, work, .. } = self.time;
        let waiting = waiting.map_or(micros, |waiting| waiting.min(micros));
        let rest = micros - waiting;
        let work = Some(work.map_or(rest, |work| work.min(rest)));
        Self { time: Time { waiting: Some(waiting), work, movable: Some(0) }, ..self }
    }

    /// Limits the number of messages to `limit`, plus the number of messages that concurrent children
    /// can send before the parent counts them.
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
