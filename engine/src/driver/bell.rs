//! Defines the bells: notifications inside the process that wake the parts of the driver. Each bell also
//! keeps the earliest due time that its part of the driver was notified of.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use tokio::sync::Notify;

use crate::base::Timestamp;
use crate::store::{Due, WorkDue};

/// The notification that wakes one part of the driver. Also holds the earliest due time of which the part
/// was notified, and whether the part sleeps.
#[derive(Debug)]
pub(super) struct Bell {
    rung: AtomicBool,
    told: Notify,
    due: AtomicI64,
    asleep: AtomicBool,
    until: AtomicI64,
}

/// The stored value that means "no due time".
const NEVER: i64 = i64::MAX;

impl Default for Bell {
    fn default() -> Self {
        Self {
            rung: AtomicBool::new(false),
            told: Notify::new(),
            due: AtomicI64::new(NEVER),
            asleep: AtomicBool::new(false),
            until: AtomicI64::new(NEVER),
        }
    }
}

impl Bell {
    /// Wakes the part of the driver, because it has work that is due now.
    pub(super) fn ring(&self) {
        self.rung.store(true, Ordering::SeqCst);
        self.told.notify_one();
    }

    /// Notifies the part of the driver that work falls due at the instant `at`. Rings the bell if `at` is
    /// earlier than every due time of which the part was notified since the last
    /// [`take_due`](Self::take_due).
    pub(super) fn ring_at(&self, at: Timestamp) {
        if self.due.fetch_min(at.micros(), Ordering::SeqCst) > at.micros() {
            self.ring();
        }
    }

    /// Returns the earliest due time of which the part was notified since the last `take_due`, and
    /// forgets that due time. Returns `None` if there was no such notification.
    pub(super) fn take_due(&self) -> Option<Timestamp> {
        instant(self.due.swap(NEVER, Ordering::SeqCst))
    }

    /// Waits until the bell rings. Returns at once if the bell has rung since the last
    /// [`wake`](Self::wake).
    pub(super) async fn wait(&self) {
        while !self.rung.load(Ordering::SeqCst) {
            self.told.notified().await;
        }
    }

    /// Marks the part of the driver as awake: it now checks for due work.
    /// If the bell rings from now on, the part checks for due work again.
    pub(super) fn wake(&self) {
        self.asleep.store(false, Ordering::SeqCst);
        self.rung.store(false, Ordering::SeqCst);
    }

    /// Marks the part of the driver as asleep until the instant `until`, or until its bell rings. If
    /// `until` is `None`, only the bell wakes the part.
    pub(super) fn rest(&self, until: Option<Timestamp>) {
        self.until.store(until.map_or(NEVER, Timestamp::micros), Ordering::SeqCst);
        self.asleep.store(true, Ordering::SeqCst);
    }

    /// Returns the instant until which the part of the driver sleeps. `Some(None)` means
    /// that the part sleeps until its bell rings. `None` means that the part is awake,
    /// or that it must wake up now.
    pub(super) fn asleep(&self, now: Timestamp) -> Option<Option<Timestamp>> {
        let until = instant(self.until.load(Ordering::SeqCst));
        let sleeps = self.asleep.load(Ordering::SeqCst) && !self.rung.load(Ordering::SeqCst);
        (sleeps && until.is_none_or(|until| until > now)).then_some(until)
    }
}

fn instant(micros: i64) -> Option<Timestamp> {
    (micros != NEVER).then(|| Timestamp::from_micros(micros))
}

/// The bells of all parts of the driver.
#[derive(Debug, Default)]
pub struct Bells {
    pub(super) runs: Bell,
    pub(super) inbox: Bell,
    pub(super) outbox: Bell,
    pub(super) answers: Bell,
    pub(super) schedules: Bell,
}

impl Bells {
    /// Wakes the part of the driver that works on runs, because runs may be due.
    pub(crate) fn ring_runs(&self) {
        self.runs.ring();
    }

    /// Wakes the part of the driver that applies inbound messages, because new messages are stored.
    pub(crate) fn ring_inbox(&self) {
        self.inbox.ring();
    }

    /// Wakes the parts of the driver for which a commit made work due.
    pub(crate) fn ring_for_commit(&self, due: WorkDue) {
        if due.runs {
            self.runs.ring();
        }
        if due.outbox {
            self.outbox.ring();
            self.answers.ring();
            self.schedules.ring();
        }
        if due.inbox {
            self.inbox.ring();
        }
        if due.timers {
            self.schedules.ring();
        }
    }

    /// Wakes the parts of the driver for which a poll found due work.
    pub(super) fn ring_for(&self, due: &Due) {
        let bells = [
            (due.has_come(due.run), &self.runs),
            (due.inbox, &self.inbox),
            (due.has_come(due.release), &self.outbox),
            (due.has_come(due.answer), &self.answers),
            (due.has_come(due.schedule), &self.schedules),
        ];
        for (is_due, bell) in bells {
            if is_due {
                bell.ring();
            }
        }
    }

    /// Wakes all parts of the driver, because any kind of work may be due.
    pub(crate) fn ring_all(&self) {
        self.all().iter().for_each(|bell| bell.ring());
    }

    /// Marks all parts of the driver as awake, because none of them has checked for due work yet.
    pub(super) fn wake_all(&self) {
        self.all().iter().for_each(|bell| bell.wake());
    }

    /// Returns the instant until which all parts of the driver sleep. `Some(None)` means that all of them
    /// sleep until a bell rings. `None` means that at least one part is awake, or must wake up now.
    pub(super) fn asleep(&self, now: Timestamp) -> Option<Option<Timestamp>> {
        let sleeps = self.all().map(|bell| bell.asleep(now));
        let all: Option<Vec<_>> = sleeps.into_iter().collect();
        all.map(|untils| untils.into_iter().flatten().min())
    }

    fn all(&self) -> [&Bell; 5] {
        [&self.runs, &self.inbox, &self.outbox, &self.answers, &self.schedules]
    }
}
