//! Where "now" comes from. The only module that may read the machine's clock.

use std::sync::atomic::{AtomicI64, Ordering};

use super::time::{Span, Timestamp};

/// The domain's clock. Production reads the system, the simulator and `--clock virtual` their own.
pub trait Clock: Send + Sync {
    /// The present instant.
    fn now(&self) -> Timestamp;

    /// Time gone by since some fixed instant, whatever becomes of the wall clock: also while the
    /// process was stopped or the machine asleep. For bounds that must hold in earnest.
    fn elapsed(&self) -> Span {
        self.now() - Timestamp::EPOCH
    }
}

/// The machine's wall clock.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    fn now(&self) -> Timestamp {
        let since_epoch =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since_epoch.as_micros()).unwrap_or(i64::MAX))
    }

    #[cfg(target_os = "linux")]
    fn elapsed(&self) -> Span {
        let since_boot = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        Span::from_micros(since_boot.tv_sec * 1_000_000 + since_boot.tv_nsec / 1_000)
    }
}

/// A clock that stands still until it is set.
#[derive(Debug)]
pub struct VirtualClock(AtomicI64);

impl VirtualClock {
    /// A clock that stands at `now`.
    #[must_use]
    pub fn starting_at(now: Timestamp) -> Self {
        Self(AtomicI64::new(now.micros()))
    }

    /// Moves the clock, forwards or (a simulated fault) backwards.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.micros(), Ordering::SeqCst);
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }
}
