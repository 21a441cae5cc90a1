//! Bells wake the parts of the driver. Each bell also keeps the earliest due time
//! that its part was notified of.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use tokio::sync::Notify;

use crate::base::Timestamp;
use crate::store::{Due, WorkDue};

/// The bell of one part of the driver, and whether that part sleeps.
#[derive(Debug)]
pub(super) struct Bell {
    rung: AtomicBool,
    told: Notify,
    due: AtomicI64,
    asleep: AtomicBool,
    until: AtomicI64,
}

/// Stands for "no due time".
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
    /// Notifies the part that work is due now.
    pub(super) fn ring(&self) {
        self.rung.store(true, Ordering::SeqCst);
        self.told.notify_one();
    }

    /// Notifies the part that work falls due at `at`. Rings the bell if `at` is earlier than every due time
    /// since the last [`take_due`](Self::take_due).
    pub(super) fn ring_at(&self, at: Timestamp) {
        if self.due.fetch_min(at.micros(), Ordering::SeqCst) > at.micros() {
            self.ring();
        }
    }

    /// Takes the earliest due time that the part was notified of since the last call.
    pub(super) fn take_due(&self) -> Option<Timestamp> {
        instant(self.due.swap(NEVER, Ordering::SeqCst))
    }

    /// Waits until the bell rings. Returns at once if it has rung since the last [`wake`](Self::wake).
    pub(super) async fn wait(&self) {
        while !self.rung.load(Ordering::SeqCst) {
            self.told.notified().await;
        }
    }

    /// Marks the part as awake: it now checks for due work. A ring after this call makes it check again.
    pub(super) fn wake(&self) {
        self.asleep.store(false, Ordering::SeqCst);
        self.rung.store(false, Ordering::SeqCst);
    }

    /// Marks the part as asleep until `until`, or until its bell rings.
    pub(super) fn rest(&self, until: Option<Timestamp>) {
        self.until.store(until.map_or(NEVER, Timestamp::micros), Ordering::SeqCst);
        self.asleep.store(true, Ordering::SeqCst);
    }

    /// Returns the instant until which the part sleeps. `Some(None)` means that only its bell wakes it;
    /// `None` means that it is awake, or that its bell has rung or its time has come.
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
    /// Tells the part `runs` that runs may be due.
    pub(crate) fn ring_runs(&self) {
        self.runs.ring();
    }

    /// Tells the part `inbox` that inbound messages are stored.
    pub(crate) fn ring_inbox(&self) {
        self.inbox.ring();
    }

    /// Rings the bells of the parts for which a commit made work due.
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

    /// Rings the bells of the parts for which a poll found due work.
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

    /// Rings all bells, because another process may have made any kind of work due.
    pub(crate) fn ring_all(&self) {
        self.all().iter().for_each(|bell| bell.ring());
    }

    /// Marks all parts as awake, because none of them has checked for due work yet.
    pub(super) fn wake_all(&self) {
        self.all().iter().for_each(|bell| bell.wake());
    }

    /// Returns the instant until which all parts sleep. `Some(None)` means that only a bell wakes them;
    /// `None` means that at least one part is awake or must check for due work now.
    pub(super) fn asleep(&self, now: Timestamp) -> Option<Option<Timestamp>> {
        let sleeps = self.all().map(|bell| bell.asleep(now));
        let all: Option<Vec<_>> = sleeps.into_iter().collect();
        all.map(|untils| untils.into_iter().flatten().min())
    }

    fn all(&self) -> [&Bell; 5] {
        [&self.runs, &self.inbox, &self.outbox, &self.answers, &self.schedules]
    }
}
