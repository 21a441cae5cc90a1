//! When each part of the driver has something to do next.

use super::error::StoreError;
use super::outbox::first_of_tenants;
use super::tx::Tx;
use crate::base::Timestamp;
use crate::params;

/// The first thing of each kind that is due or will be. A kill switch holds what its tenant sends and
/// what its schedules start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// For which instant this was asked.
    pub now: Timestamp,
    /// An inbound message is not applied.
    pub inbox: bool,
    /// The first run that nobody works on.
    pub run: Option<Timestamp>,
    /// The first of those that was not due yet when this was asked: one that is due may be kept from
    /// being taken.
    pub later_run: Option<Timestamp>,
    /// The first message that may leave.
    pub release: Option<Timestamp>,
    /// The first attempt whose answer will be overdue, by the database's clock.
    pub answer: Option<Timestamp>,
    /// The first time of a schedule.
    pub schedule: Option<Timestamp>,
    /// A kill switch has left something to do.
    pub switch: bool,
}

impl Due {
    /// True for a time that had come when this was asked.
    #[must_use]
    pub fn has_come(&self, at: Option<Timestamp>) -> bool {
        at.is_some_and(|at| at <= self.now)
    }

    /// When the outbox has something to do.
    #[must_use]
    pub fn outbox(&self) -> Option<Timestamp> {
        self.release.into_iter().chain(self.answer).min()
    }
}

impl Tx {
    /// What is due at `now` or will be, in one statement: it is asked after everything that is done.
    pub async fn due(&mut self, now: Timestamp) -> Result<Due, StoreError> {
        let row = self
            .row(
                concat!(
                    "SELECT
                    (SELECT CAST(1 AS BIGINT) FROM inbound WHERE applied_at IS NULL LIMIT 1),
                    (SELECT due_at FROM turn WHERE owner IS NULL AND held = 0
                        AND due_at IS NOT NULL ORDER BY due_at, run_id LIMIT 1),
                    (SELECT due_at FROM turn WHERE owner IS NULL AND held = 0
                        AND due_at IS NOT NULL AND due_at > $1 ORDER BY due_at, run_id LIMIT 1),
                    (SELECT MIN(CASE WHEN other IS NULL OR answer < other THEN answer ELSE other END) FROM (",
                    first_of_tenants!(),
                    ") first),
                    (SELECT deadline FROM outbox WHERE state = 'sending'
                        ORDER BY deadline, id LIMIT 1),
                    (SELECT s.next_at FROM schedule s JOIN tenant t ON t.id = s.tenant AND t.paused = 0
                        WHERE s.next_at IS NOT NULL AND s.waits = 0
                        ORDER BY s.next_at, s.id LIMIT 1),
                    (SELECT CAST(1 AS BIGINT) FROM tenant_job LIMIT 1)"
                ),
                &params![now],
            )
            .await?
            .ok_or_else(|| StoreError::Corrupt("no answer".into()))?;
        Ok(Due {
            now,
            inbox: row.opt_int(0)?.is_some(),
            run: row.opt_at(1)?,
            later_run: row.opt_at(2)?,
            release: row.opt_at(3)?,
            answer: row.opt_at(4)?,
            schedule: row.opt_at(5)?,
            switch: row.opt_int(6)?.is_some(),
        })
    }
}
