//! Reads when each part of the driver next has work to do.

use super::error::StoreError;
use super::outbox::first_of_tenants;
use super::tx::Tx;
use crate::base::Timestamp;
use crate::params;

/// Says, for each kind of work, when the earliest work of this kind is due. That time may have come
/// already. Leaves out the messages and the schedules of tenants whose kill switch is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// The time at which the other fields were read.
    pub now: Timestamp,
    /// Whether any inbound message is not applied yet.
    pub inbox: bool,
    /// The due time of the earliest run that is neither claimed nor held.
    pub run: Option<Timestamp>,
    /// The due time of the earliest run that is neither claimed nor held and is not due yet. A run that
    /// is due already does not count here, because it may be a run that this process cannot claim.
    pub later_run: Option<Timestamp>,
    /// When the first outbound message may be sent.
    pub release: Option<Timestamp>,
    /// When the first outstanding answer of the gateway becomes overdue, by the database's clock.
    pub answer: Option<Timestamp>,
    /// When the first schedule falls due.
    pub schedule: Option<Timestamp>,
    /// Whether a kill switch was turned and the job that carries out the change is not finished.
    pub switch: bool,
}

impl Due {
    /// Whether the time `at` had come when these fields were read; `false` if `at` is `None`.
    #[must_use]
    pub fn has_come(&self, at: Option<Timestamp>) -> bool {
        at.is_some_and(|at| at <= self.now)
    }

    /// Returns when the outbox next has a message to release or an overdue answer; `None` for neither.
    #[must_use]
    pub fn outbox(&self) -> Option<Timestamp> {
        self.release.into_iter().chain(self.answer).min()
    }
}

impl Tx {
    /// Reads when work of each kind is due.
    /// Uses only one statement, because the driver calls this function after every unit of work.
    pub async fn due(&mut self, now: Timestamp) -> Result<Due, StoreError> {
        let row = self
            .row(
                concat!(
                    "SELECT
                    (SELECT CAST(1 AS BIGINT) FROM inbound WHERE applied_at IS NULL LIMIT 1) AS unapplied,
                    (SELECT due_at FROM turn WHERE owner IS NULL AND held = 0
                        AND due_at IS NOT NULL ORDER BY due_at, run_id LIMIT 1) AS run_due,
                    (SELECT due_at FROM turn WHERE owner IS NULL AND held = 0
                        AND due_at IS NOT NULL AND due_at > $1 ORDER BY due_at, run_id LIMIT 1) AS later_run_due,
                    (SELECT MIN(CASE WHEN other IS NULL OR answer < other THEN answer ELSE other END) FROM (",
                    first_of_tenants!(),
                    ") first) AS message_due,
                    (SELECT deadline FROM outbox WHERE state = 'sending'
                        ORDER BY deadline, id LIMIT 1) AS answer_due,
                    (SELECT s.next_at FROM schedule s JOIN tenant t ON t.id = s.tenant AND t.paused = 0
                        WHERE s.next_at IS NOT NULL AND s.waits = 0
                        ORDER BY s.next_at, s.id LIMIT 1) AS schedule_due,
                    (SELECT CAST(1 AS BIGINT) FROM tenant_job LIMIT 1) AS switching"
                ),
                &params![now],
            )
            .await?
            .ok_or_else(|| StoreError::Corrupt("the query returned no row".into()))?;
        Ok(Due {
            now,
            inbox: row.opt_int("unapplied")?.is_some(),
            run: row.opt_at("run_due")?,
            later_run: row.opt_at("later_run_due")?,
            release: row.opt_at("message_due")?,
            answer: row.opt_at("answer_due")?,
            schedule: row.opt_at("schedule_due")?,
            switch: row.opt_int("switching")?.is_some(),
        })
    }
}
