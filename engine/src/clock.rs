//! Defines clocks, which give the current time and let a task wait until an instant.
//! Only this module may read the machine's clock or wait for it.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_util::future::BoxFuture;

use crate::base::{Span, Timestamp};

/// A clock. Production uses the system clock; the simulator and `--clock virtual` use virtual clocks.
pub trait Clock: Send + Sync {
    /// Returns the current instant.
    fn now(&self) -> Timestamp;

    /// Waits until the instant `at`.
    fn until(&self, at: Timestamp) -> BoxFuture<'_, ()>;

    /// Returns the time that has passed since a fixed instant. On Linux, the result of [`SystemClock`] is
    /// not affected when the wall clock is set, and keeps growing while the process is stopped or the
    /// machine sleeps. By default, the result depends on [`Clock::now`]. Use this function for time
    /// limits that must hold even if the wall clock is set.
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

    #[expect(clippy::disallowed_methods, reason = "this is the one place that waits for the clock")]
    fn until(&self, at: Timestamp) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep((at - self.now()).to_std()))
    }

    #[cfg(target_os = "linux")]
    fn elapsed(&self) -> Span {
        let since_boot = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        Span::from_micros(since_boot.tv_sec * 1_000_000 + since_boot.tv_nsec / 1_000)
    }
}

/// A clock that stands still until it is set.
/// Setting the clock wakes every task that waits for the new time or an earlier time.
#[derive(Debug)]
pub struct VirtualClock {
    now: AtomicI64,
    waiting: Mutex<Waiting>,
}

/// The waiting tasks, sorted by the instant that each task waits for.
/// Tasks that wait for the same instant are sorted by the time at which they began to wait.
#[derive(Debug, Default)]
struct Waiting {
    wakers: BTreeMap<(Timestamp, u64), Waker>,
    /// Counter that distinguishes the keys of tasks that wait for the same instant.
    begun: u64,
}

impl VirtualClock {
    /// Creates a clock that shows `now`.
    #[must_use]
    pub fn starting_at(now: Timestamp) -> Self {
        Self { now: AtomicI64::new(now.micros()), waiting: Mutex::default() }
    }

    /// Sets the clock to the instant `now`, which may be later or (as a simulated fault) earlier than the
    /// current time of the clock.
    pub fn set(&self, now: Timestamp) {
        self.set_quietly(now);
        self.wake_due();
    }

    /// Sets the clock but wakes nobody. The caller must call [`Self::wake_due`] soon.
    pub fn set_quietly(&self, now: Timestamp) {
        self.now.store(now.micros(), Ordering::SeqCst);
    }

    /// Wakes every task whose instant has come.
    pub fn wake_due(&self) {
        let now = self.now();
        let mut waiting = self.waiting();
        let later = waiting.wakers.split_off(&(now, u64::MAX));
        let due = std::mem::replace(&mut waiting.wakers, later);
        drop(waiting);
        due.into_values().for_each(Waker::wake);
    }

    /// Returns the earliest instant that a task waits for; `None` if no task waits.
    #[must_use]
    pub fn next_awaited(&self) -> Option<Timestamp> {
        self.waiting().wakers.first_key_value().map(|((at, _), _)| *at)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.now.load(Ordering::SeqCst))
    }

    fn until(&self, at: Timestamp) -> BoxFuture<'_, ()> {
        Box::pin(Until { clock: self, at, key: None })
    }
}

/// The future of [`VirtualClock::until`].
struct Until<'a> {
    clock: &'a VirtualClock,
    at: Timestamp,
    /// Key of this future in `Waiting::wakers`; `None` until the future is polled.
    key: Option<(Timestamp, u64)>,
}

impl Future for Until<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut waiting = self.clock.waiting();
        // The time is stored before `wake_due` takes this lock. So either this poll sees the new time,
        // or `wake_due` wakes the waker of this poll.
        if self.clock.now() >= self.at {
            return Poll::Ready(());
        }
        waiting.begun += 1;
        let key = self.key.unwrap_or((self.at, waiting.begun));
        waiting.wakers.insert(key, cx.waker().clone());
        drop(waiting);
        self.key = Some(key);
        Poll::Pending
    }
}

impl Drop for Until<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.clock.waiting().wakers.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const fn second(s: i64) -> Timestamp {
        Timestamp::from_micros(s * 1_000_000)
    }

    #[test]
    fn setting_the_clock_wakes_the_tasks_whose_instant_has_come() {
        let clock = VirtualClock::starting_at(second(10));
        assert_eq!(clock.until(second(10)).now_or_never(), Some(()));
        let mut waits = [clock.until(second(30)), clock.until(second(20))];
        for wait in &mut waits {
            assert_eq!(wait.now_or_never(), None);
        }
        assert_eq!(clock.next_awaited(), Some(second(20)));
        clock.set(second(20));
        let done = waits.each_mut().map(|wait| wait.now_or_never());
        assert_eq!(done, [None, Some(())]);
        assert_eq!(clock.next_awaited(), Some(second(30)));
        clock.set_quietly(second(40));
        assert_eq!(clock.next_awaited(), Some(second(30)), "no task is woken yet");
        clock.wake_due();
        assert_eq!(clock.next_awaited(), None);
        let mut wait = clock.until(second(50));
        assert_eq!((&mut wait).now_or_never(), None);
        drop(wait);
        assert_eq!(clock.next_awaited(), None, "no task waits any more");
    }
}
