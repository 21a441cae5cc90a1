//! How the parts of the driver are told that something may be due: a bell each, and the earliest
//! instant they were told of.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use tokio::sync::Notify;

use crate::base::Timestamp;
use crate::store::{Due, Stirred};

/// One part's bell, and whether the part sleeps.
#[derive(Debug)]
pub(super) struct Bell {
    rung: AtomicBool,
    told: Notify,
    due: AtomicI64,
    asleep: AtomicBool,
    until: AtomicI64,
}

/// No instant was told.
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
    /// Something is due now.
    pub(super) fn ring(&self) {
        self.rung.store(true, Ordering::SeqCst);
        self.told.notify_one();
    }

    /// Something falls due at `at`. Rings if that is earlier than all that was known.
    pub(super) fn ring_at(&self, at: Timestamp) {
        if self.due.fetch_min(at.micros(), Ordering::SeqCst) > at.micros() {
            self.ring();
        }
    }

    /// The earliest instant told since the last call.
    pub(super) fn take_due(&self) -> Option<Timestamp> {
        instant(self.due.swap(NEVER, Ordering::SeqCst))
    }

    /// Until it is rung, or has been since its part was last awake.
    pub(super) async fn wait(&self) {
        while !self.rung.load(Ordering::SeqCst) {
            self.told.notified().await;
        }
    }

    /// The part is about to look at what is due: whatever is told from here on calls for another look.
    pub(super) fn wake(&self) {
        self.asleep.store(false, Ordering::SeqCst);
        self.rung.store(false, Ordering::SeqCst);
    }

    /// The part has nothing to do before this instant, unless it is told.
    pub(super) fn rest(&self, until: Option<Timestamp>) {
        self.until.store(until.map_or(NEVER, Timestamp::micros), Ordering::SeqCst);
        self.asleep.store(true, Ordering::SeqCst);
    }

    /// Until when the part sleeps; none where it has something to look at now.
    pub(super) fn asleep(&self, now: Timestamp) -> Option<Option<Timestamp>> {
        let until = instant(self.until.load(Ordering::SeqCst));
        let sleeps = self.asleep.load(Ordering::SeqCst) && !self.rung.load(Ordering::SeqCst);
        (sleeps && until.is_none_or(|until| until > now)).then_some(until)
    }
}

fn instant(micros: i64) -> Option<Timestamp> {
    (micros != NEVER).then(|| Timestamp::from_micros(micros))
}

/// The bells of all parts.
#[derive(Debug, Default)]
pub struct Bells {
    pub(super) runs: Bell,
    pub(super) inbox: Bell,
    pub(super) outbox: Bell,
    pub(super) answers: Bell,
    pub(super) chores: Bell,
}

impl Bells {
    /// Runs may be due.
    pub(crate) fn ring_runs(&self) {
        self.runs.ring();
    }

    /// Inbound messages are stored.
    pub(crate) fn ring_inbox(&self) {
        self.inbox.ring();
    }

    /// Rings for what a commit made due.
    pub(crate) fn stir(&self, stirred: Stirred) {
        if stirred.runs {
            self.runs.ring();
        }
        if stirred.outbox {
            self.outbox.ring();
            self.answers.ring();
            self.chores.ring();
        }
        if stirred.inbox {
            self.inbox.ring();
        }
        if stirred.timers {
            self.chores.ring();
        }
    }

    /// Rings for what a poll found.
    pub(super) fn ring_for(&self, due: &Due) {
        let bells = [
            (due.has_come(due.run), &self.runs),
            (due.inbox, &self.inbox),
            (due.has_come(due.release), &self.outbox),
            (due.has_come(due.answer), &self.answers),
            (due.has_come(due.schedule), &self.chores),
        ];
        for (is_due, bell) in bells {
            if is_due {
                bell.ring();
            }
        }
    }

    /// Rings for everything: another process may have changed anything.
    pub(crate) fn ring_all(&self) {
        self.all().iter().for_each(|bell| bell.ring());
    }

    /// No part has looked at anything yet.
    pub(super) fn wake_all(&self) {
        self.all().iter().for_each(|bell| bell.wake());
    }

    /// Until when all parts sleep; none where one of them has something to look at now.
    pub(super) fn asleep(&self, now: Timestamp) -> Option<Option<Timestamp>> {
        let sleeps = self.all().map(|bell| bell.asleep(now));
        let all: Option<Vec<_>> = sleeps.into_iter().collect();
        all.map(|untils| untils.into_iter().flatten().min())
    }

    fn all(&self) -> [&Bell; 5] {
        [&self.runs, &self.inbox, &self.outbox, &self.answers, &self.chores]
    }
}
