//! What chance does to a play besides killing it: calls that are lost on their way, answers that are
//! lost on their way back, messages that are delivered again. All of it comes of a seed.

use std::sync::{Mutex, MutexGuard, PoisonError};

use fastrand::Rng;

/// Out of so many calls one is lost, one loses its answer, and of one the provider cannot tell at first.
const CALLS: u8 = 6;
/// Out of so many messages one is delivered again at once, and one before the next comes.
const DELIVERIES: u8 = 3;

/// What becomes of a call to the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    /// It is answered.
    Whole,
    /// The provider never sees it, and nobody knows.
    Lost,
    /// The provider has it, and nobody knows.
    Unanswered,
}

/// The chance of one play; it outlives the play's processes.
pub(super) struct Mischief(Mutex<Rng>);

impl Mischief {
    pub(super) fn of(seed: u64) -> Self {
        Self(Mutex::new(Rng::with_seed(seed)))
    }

    pub(super) fn call(&self) -> Call {
        match self.random().u8(..CALLS) {
            0 => Call::Lost,
            1 => Call::Unanswered,
            _ => Call::Whole,
        }
    }

    /// Whether the provider cannot tell what became of a message.
    pub(super) fn cannot_tell(&self) -> bool {
        self.random().u8(..CALLS) == 0
    }

    /// Which of so many messages that were delivered are delivered again.
    pub(super) fn again(&self, delivered: usize) -> Option<usize> {
        let mut random = self.random();
        match random.u8(..DELIVERIES) {
            0 => delivered.checked_sub(1),
            1 if delivered > 0 => Some(random.usize(..delivered)),
            _ => None,
        }
    }

    fn random(&self) -> MutexGuard<'_, Rng> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_over_everything_and_everything_comes() {
        let drawn = |seed| {
            let mischief = Mischief::of(seed);
            let calls: Vec<Call> = (0..100).map(|_| mischief.call()).collect();
            let again: Vec<Option<usize>> = (0..100).map(|n| mischief.again(n)).collect();
            (calls, again)
        };
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(7), drawn(8));
        let (calls, again) = drawn(7);
        for call in [Call::Whole, Call::Lost, Call::Unanswered] {
            assert!(calls.contains(&call), "{call:?}");
        }
        assert_eq!(again[0], None, "nothing was delivered yet");
        assert!(again.iter().enumerate().all(|(n, again)| again.is_none_or(|ix| ix < n)));
    }
}
