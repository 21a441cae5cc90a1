//! How the parts of the driver are told that something may be due: a bell each, and the earliest
//! instant they were told of.

use std::sync::atomic::{AtomicI64, Ordering};

use tokio::sync::Notify;

use crate::base::Timestamp;
use crate::store::{Due, Stirred};

/// One part's bell.
#[derive(Debug)]
pub(super) struct Bell {
    rung: Notify,
    due: AtomicI64,
}

/// No instant was told.
const NEVER: i64 = i64::MAX;

impl Default for Bell {
    fn default() -> Self {
        Self { rung: Notify::new(), due: AtomicI64::new(NEVER) }
    }
}

impl Bell {
    /// Something is due now.
    pub(super) fn ring(&self) {
        self.rung.notify_one();
    }

    /// Something falls due at `at`. Rings if that is earlier than all that was known.
    pub(super) fn ring_at(&self, at: Timestamp) {
        if self.due.fetch_min(at.micros(), Ordering::SeqCst) > at.micros() {
            self.rung.notify_one();
        }
    }

    /// The earliest instant told since the last call.
    pub(super) fn take_due(&self) -> Option<Timestamp> {
        let due = self.due.swap(NEVER, Ordering::SeqCst);
        (due != NEVER).then(|| Timestamp::from_micros(due))
    }

    /// Until it is rung.
    pub(super) async fn wait(&self) {
        self.rung.notified().await;
    }
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
        for bell in [&self.runs, &self.inbox, &self.outbox, &self.answers, &self.chores] {
            bell.ring();
        }
    }
}
