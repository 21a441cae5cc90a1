//! How long applying messages gives way to storing them.

use crate::base::{Span, Timestamp};

/// How many times as long as it has worked the part of the driver that applies messages rests at most. Storing then gets five
/// sixths of the writer's time. What is stored meanwhile is applied in fewer, larger batches, so resting costs little.
const FACTOR: i64 = 5;

/// The longest rest. People do not notice that their answers are applied this much later.
const MAX: Span = Span::from_micros(500_000);

/// How often it looks whether many messages are still delivered.
const LOOK_INTERVAL: Span = Span::from_micros(10_000);

/// How many messages are many between two looks. This is half of what a machine with two processors can store. With fewer, there
/// is time for both.
const MANY: u64 = 50;

/// A rest between two rounds of work.
#[derive(Debug)]
pub(super) struct Rest {
    ends: Timestamp,
    /// Number of messages that had been delivered at the last look.
    received: u64,
}

impl Rest {
    /// Begins a rest at `now`, after work that took as long as `worked`. When the work began, `received` messages had been
    /// delivered.
    pub(super) fn after(worked: Span, now: Timestamp, received: u64) -> Self {
        let rest = Span::from_micros(worked.micros().saturating_mul(FACTOR)).min(MAX);
        Self { ends: now + rest, received }
    }

    /// Returns the time of the next look; `None` if the rest is over. By now, `received` messages have been delivered.
    pub(super) fn next_look(&mut self, now: Timestamp, received: u64) -> Option<Timestamp> {
        let before = std::mem::replace(&mut self.received, received);
        let goes_on = now < self.ends && received - before >= MANY;
        goes_on.then(|| self.ends.min(now + LOOK_INTERVAL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how long the rest lasts after work of `worked_ms` milliseconds, in which `meanwhile` messages were delivered.
    /// Between two looks, as many are delivered as `deliveries` says.
    fn lasts(worked_ms: i64, meanwhile: u64, deliveries: impl Fn(u64) -> u64) -> i64 {
        let began = Timestamp::EPOCH;
        let mut rest = Rest::after(Span::from_micros(worked_ms * 1_000), began, 1_000);
        let (mut now, mut received, mut looks) = (began, 1_000 + meanwhile, 0);
        while let Some(at) = rest.next_look(now, received) {
            (now, received) = (at, received + deliveries(looks));
            looks += 1;
        }
        (now - began).micros() / 1_000
    }

    #[test]
    fn it_rests_while_many_messages_are_delivered() {
        assert_eq!(lasts(20, 1_000, |_| 100), 100, "five times as long as it has worked");
        assert_eq!(lasts(1_000, 1_000, |_| 100), 500, "half a second at most");
        assert_eq!(lasts(20, 10, |_| 100), 0, "few were delivered while it worked");
        assert_eq!(lasts(20, 1_000, |look| if look < 3 { 100 } else { 20 }), 40, "until few are");
    }
}
