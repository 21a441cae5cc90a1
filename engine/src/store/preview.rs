//! Counts the messages and runs that a kill switch stops,
//! for the person who is about to turn the switch off.

use super::error::StoreError;
use super::tx::Tx;
use crate::base::{PersonId, Timestamp};
use crate::params;

/// The messages of one method and template that a kill switch keeps from being sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldMessages {
    /// The method of the run that decided to send the messages; `None` for answers to people who wrote.
    pub method: Option<String>,
    /// The name of the template.
    pub template: String,
    /// Number of messages.
    pub count: i64,
}

/// The held runs of one method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldRuns {
    /// The name of the method.
    pub method: String,
    /// Number of runs.
    pub count: i64,
    /// Number of these runs that are due.
    pub due: i64,
    /// Number of these runs that have not begun.
    pub pending: i64,
}

impl Tx {
    /// Counts the queued messages of a tenant that were planned before `until`, by method and template.
    /// Leaves out messages to contacts that have opted out, because these messages will not be sent.
    pub async fn held_by_method(
        &mut self,
        tenant: &str,
        until: Timestamp,
    ) -> Result<Vec<HeldMessages>, StoreError> {
        let rows = self
            .rows(
                "SELECT r.method, o.kind, COUNT(*) AS count FROM outbox o
                    JOIN contact c ON c.id = o.contact AND c.suppressed = 0
                    LEFT JOIN run r ON r.id = o.run_id
                 WHERE o.tenant = $1 AND o.state = 'queued' AND o.not_before < $2
                 GROUP BY r.method, o.kind ORDER BY COUNT(*) DESC, o.kind",
                &params![tenant, until],
            )
            .await?;
        rows.iter()
            .map(|row| {
                let (method, template) = (row.opt_text("method")?, row.text("kind")?);
                Ok(HeldMessages { method, template, count: row.int("count")? })
            })
            .collect()
    }

    /// Counts the queued messages of a tenant that were planned before `until`, by person.
    /// Returns at most `limit` people, those with the most messages first.
    /// Leaves out messages to contacts that have opted out.
    pub async fn held_by_person(
        &mut self,
        tenant: &str,
        until: Timestamp,
        limit: i64,
    ) -> Result<Vec<(PersonId, i64)>, StoreError> {
        let rows = self
            .rows(
                "SELECT o.person, COUNT(*) AS count FROM outbox o
                    JOIN contact c ON c.id = o.contact AND c.suppressed = 0
                 WHERE o.tenant = $1 AND o.state = 'queued' AND o.not_before < $2 AND o.person IS NOT NULL
                 GROUP BY o.person ORDER BY COUNT(*) DESC, o.person LIMIT $3",
                &params![tenant, until, limit],
            )
            .await?;
        rows.iter().map(|row| Ok((row.id("person")?, row.int("count")?))).collect()
    }

    /// Counts the held runs of a tenant by method.
    /// Leaves out branches, because a branch is a part of another run.
    pub async fn held_runs_by_method(
        &mut self,
        tenant: &str,
        now: Timestamp,
    ) -> Result<Vec<HeldRuns>, StoreError> {
        let rows = self
            .rows(
                "SELECT r.method, COUNT(*) AS count, COUNT(CASE WHEN t.due_at <= $2 THEN 1 END) AS due,
                    COUNT(CASE WHEN r.status = 'pending' THEN 1 END) AS pending
                 FROM turn t JOIN run r ON r.id = t.run_id
                 WHERE t.tenant = $1 AND t.held = 1 AND r.branch + 0 = 0
                 GROUP BY r.method ORDER BY COUNT(*) DESC, r.method",
                &params![tenant, now],
            )
            .await?;
        rows.iter()
            .map(|row| {
                let (method, count) = (row.text("method")?, row.int("count")?);
                Ok(HeldRuns { method, count, due: row.int("due")?, pending: row.int("pending")? })
            })
            .collect()
    }

    /// Counts the due schedules of a tenant by the method that they start.
    pub async fn schedules_due(
        &mut self,
        tenant: &str,
        now: Timestamp,
    ) -> Result<Vec<(String, i64)>, StoreError> {
        let rows = self
            .rows(
                "SELECT method, COUNT(*) AS count FROM schedule
                 WHERE tenant = $1 AND method IS NOT NULL AND waits = 0 AND next_at IS NOT NULL AND next_at <= $2
                 GROUP BY method ORDER BY COUNT(*) DESC, method",
                &params![tenant, now],
            )
            .await?;
        rows.iter().map(|row| Ok((row.text("method")?, row.int("count")?))).collect()
    }
}
