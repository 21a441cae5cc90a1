//! Stores schedules. A schedule sends a message to a run
//! or starts a method at set times, once or repeatedly.

use super::error::StoreError;
use super::faults::CommitPart;
use super::param::Param;
use super::row::Row;
use super::tx::Tx;
use crate::base::{Digest, RunId, Span, TimerId, Timestamp, Value};
use crate::params;
use crate::policy::{CatchUp, Overlap};

/// A stored schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleRow {
    /// The id of the schedule.
    pub id: TimerId,
    /// The id of the tenant that owns the schedule.
    pub tenant: String,
    /// The action to take when the schedule falls due.
    pub target: ScheduleTarget,
    /// The cron expression, if the schedule repeats.
    pub cron: Option<String>,
    /// The time zone in which the schedule's times are computed.
    pub tz: String,
    /// The rule for times that were missed.
    pub catch_up: CatchUp,
    /// The rule for a time at which the previous run has not ended.
    pub overlap: Overlap,
    /// Digest of the version of the method to whose calls of risk T2 the person who added the schedule
    /// consented; `None` if the runs have to ask.
    pub consent: Option<Digest>,
    /// The progress of the schedule.
    pub progress: ScheduleProgress,
}

/// The action to take when a schedule falls due.
#[derive(Debug, Clone, PartialEq)]
pub enum ScheduleTarget {
    /// Send the value to a run, with the signal `scheduled`.
    Signal(RunId, Value),
    /// Start a method with this goal.
    Start(String, Value),
}

/// The fields of a schedule that change each time the schedule falls due.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScheduleProgress {
    /// When the schedule falls due next; `None` if it never falls due again.
    pub next_at: Option<Timestamp>,
    /// Whether the schedule waits: the time `next_at` has come, but the previous run has not ended.
    pub waits: bool,
    /// The latest time for which the schedule started a run or failed to start one.
    pub last_at: Option<Timestamp>,
    /// The last run that the schedule started.
    pub last_run: Option<RunId>,
    /// The reason why the schedule failed at its latest time: `{code, message, hint}`.
    pub last_error: Option<Value>,
}

/// Builds a query of schedules. The query selects the columns that [`read`] reads.
macro_rules! select_schedule {
    ($rest:literal) => {
        concat!(
            "SELECT s.id, s.tenant, s.run_id, s.method, s.body, s.cron, s.tz, s.catch_up, s.overlap, s.consent, \
             s.next_at, s.waits, s.last_at, s.last_run, s.last_error FROM schedule s ",
            $rest
        )
    };
}

fn read(row: &Row) -> Result<ScheduleRow, StoreError> {
    let body = row.json("body")?;
    let target = match (row.opt_id("run_id")?, row.opt_text("method")?) {
        (Some(run), _) => ScheduleTarget::Signal(run, body),
        (None, Some(method)) => ScheduleTarget::Start(method, body),
        (None, None) => return Err(StoreError::Corrupt("a schedule without a target".into())),
    };
    Ok(ScheduleRow {
        id: row.id("id")?,
        tenant: row.text("tenant")?,
        target,
        cron: row.opt_text("cron")?,
        tz: row.text("tz")?,
        catch_up: row.word("catch_up")?,
        overlap: row.word("overlap")?,
        consent: row.opt_digest("consent")?,
        progress: ScheduleProgress {
            next_at: row.opt_at("next_at")?,
            waits: row.flag("waits")?,
            last_at: row.opt_at("last_at")?,
            last_run: row.opt_id("last_run")?,
            last_error: Some(row.json("last_error")?).filter(|error| !error.is_null()),
        },
    })
}

/// Returns the word that is stored for a catch-up rule or an overlap rule.
fn policy_text(policy: impl serde::Serialize) -> Param {
    let word = serde_json::to_value(policy).unwrap_or(Value::Null);
    Param::from(word.as_str())
}

impl Tx {
    /// Inserts a schedule.
    pub async fn insert_schedule(&mut self, new: &ScheduleRow) -> Result<(), StoreError> {
        self.record_part(CommitPart::Timer);
        let (run, method, body) = match &new.target {
            ScheduleTarget::Signal(run, payload) => (Some(*run), None, payload),
            ScheduleTarget::Start(method, goal) => (None, Some(method.as_str()), goal),
        };
        let columns = [
            new.id.into(),
            Param::from(&new.tenant),
            run.into(),
            method.into(),
            body.to_string().into(),
            new.cron.as_deref().into(),
            Param::from(&new.tz),
            policy_text(new.catch_up),
            policy_text(new.overlap),
            new.consent.into(),
            new.progress.next_at.into(),
        ];
        self.execute(
            "INSERT INTO schedule (id, tenant, run_id, method, body, cron, tz, catch_up, overlap, consent,
                next_at, waits)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0)",
            &columns,
        )
        .await?;
        self.note_timer();
        Ok(())
    }

    /// Counts the schedules of a tenant that start methods. If `run` is given, counts the messages
    /// that are scheduled for that run instead. Stops counting at `most`.
    pub async fn count_schedules(
        &mut self,
        tenant: &str,
        run: Option<RunId>,
        most: usize,
    ) -> Result<usize, StoreError> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let row = match run {
            Some(run) => {
                let sql = "SELECT COUNT(*) AS count FROM (SELECT id FROM schedule WHERE run_id = $1 LIMIT $2) s";
                self.row(sql, &params![run, most]).await?
            }
            None => {
                let sql = "SELECT COUNT(*) AS count FROM (SELECT id FROM schedule
                    WHERE tenant = $1 AND run_id IS NULL LIMIT $2) s";
                self.row(sql, &params![tenant, most]).await?
            }
        };
        let count = row.map_or(Ok(0), |row| row.int("count"))?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// Reads a schedule of a tenant.
    pub async fn schedule(
        &mut self,
        tenant: &str,
        id: TimerId,
    ) -> Result<Option<ScheduleRow>, StoreError> {
        let row = self
            .row(select_schedule!("WHERE s.tenant = $1 AND s.id = $2"), &params![tenant, id])
            .await?;
        row.as_ref().map(read).transpose()
    }

    /// Returns the schedules of a tenant that start methods. If `run` is given, returns the messages
    /// that are scheduled for that run instead. Returns at most `limit` schedules
    /// that are newer than `after`, the oldest first.
    pub async fn schedules(
        &mut self,
        tenant: &str,
        run: Option<RunId>,
        after: Option<TimerId>,
        limit: i64,
    ) -> Result<Vec<ScheduleRow>, StoreError> {
        let rows = match run {
            Some(run) => {
                self.rows(
                    select_schedule!(
                        "WHERE s.tenant || '' = $1 AND s.run_id = $2 AND ($3 IS NULL OR s.id > $3)
                         ORDER BY s.id LIMIT $4"
                    ),
                    &params![tenant, run, after, limit],
                )
                .await?
            }
            None => {
                self.rows(
                    select_schedule!(
                        "WHERE s.tenant = $1 AND s.run_id IS NULL AND ($2 IS NULL OR s.id > $2)
                         ORDER BY s.id LIMIT $3"
                    ),
                    &params![tenant, after, limit],
                )
                .await?
            }
        };
        rows.iter().map(read).collect()
    }

    /// Returns the schedule that falls due first. Leaves out schedules of tenants whose kill switch is
    /// on, and schedules that wait for the end of their previous run.
    pub async fn first_schedule(&mut self) -> Result<Option<ScheduleRow>, StoreError> {
        let row = self
            .row(
                select_schedule!(
                    "JOIN tenant t ON t.id = s.tenant AND t.paused = 0
                     WHERE s.next_at IS NOT NULL AND s.waits = 0 ORDER BY s.next_at, s.id LIMIT 1"
                ),
                &[],
            )
            .await?;
        row.as_ref().map(read).transpose()
    }

    /// Updates the progress of a schedule that was read as `seen`.
    /// Returns `false` if another process has changed or removed the schedule in the meantime.
    pub async fn advance_schedule(
        &mut self,
        seen: &ScheduleRow,
        progress: &ScheduleProgress,
    ) -> Result<bool, StoreError> {
        self.record_part(CommitPart::Timer);
        let moved = self
            .execute(
                "UPDATE schedule SET next_at = $3, waits = $4, last_at = $5, last_run = $6, last_error = $7
                 WHERE id = $1 AND next_at = $2 AND waits = 0",
                &params![
                    seen.id,
                    seen.progress.next_at,
                    progress.next_at,
                    progress.waits,
                    progress.last_at,
                    progress.last_run,
                    progress.last_error.as_ref().map(Value::to_string)
                ],
            )
            .await?;
        Ok(moved == 1)
    }

    /// Deletes a schedule that was read as `seen`.
    /// Returns `false` if another process has changed or removed the schedule in the meantime.
    pub async fn end_schedule(&mut self, seen: &ScheduleRow) -> Result<bool, StoreError> {
        self.record_part(CommitPart::Timer);
        let gone = self
            .execute(
                "DELETE FROM schedule WHERE id = $1 AND next_at = $2 AND waits = 0",
                &params![seen.id, seen.progress.next_at],
            )
            .await?;
        Ok(gone == 1)
    }

    /// Deletes a schedule of a tenant, regardless of its progress.
    /// Returns `false` if there is no such schedule.
    pub async fn remove_schedule(&mut self, tenant: &str, id: TimerId) -> Result<bool, StoreError> {
        let sql = "DELETE FROM schedule WHERE tenant = $1 AND id = $2";
        Ok(self.execute(sql, &params![tenant, id]).await? == 1)
    }

    /// Ends the wait of a schedule for its previous run, which has ended.
    /// Locks the row even if the schedule does not wait, so that this transaction
    /// and a transaction that makes the schedule wait run one after the other.
    pub async fn release_waiting_schedule(&mut self, id: TimerId) -> Result<(), StoreError> {
        self.execute("UPDATE schedule SET waits = 0 WHERE id = $1", &params![id]).await?;
        self.note_timer();
        Ok(())
    }

    /// Deletes the messages scheduled for a run and returns their ids.
    pub async fn drop_timers(&mut self, run: RunId) -> Result<Vec<TimerId>, StoreError> {
        let rows =
            self.rows("DELETE FROM schedule WHERE run_id = $1 RETURNING id", &params![run]).await?;
        rows.iter().map(|row| row.id("id")).collect()
    }

    /// Moves the messages scheduled for a run, and returns how many they are.
    pub async fn move_timers(&mut self, run: RunId, by: Span) -> Result<u64, StoreError> {
        self.note_timer();
        self.execute(
            "UPDATE schedule SET next_at = next_at + $2 WHERE run_id = $1 AND next_at IS NOT NULL",
            &params![run, by.micros()],
        )
        .await
    }

    /// Returns when the next message scheduled for a run falls due.
    pub async fn next_timer(&mut self, run: RunId) -> Result<Option<Timestamp>, StoreError> {
        let row = self
            .row(
                "SELECT next_at FROM schedule WHERE run_id = $1 AND next_at IS NOT NULL
                 ORDER BY next_at LIMIT 1",
                &params![run],
            )
            .await?;
        row.map(|row| row.at("next_at")).transpose()
    }

    /// Finds messages that are scheduled for runs which can no longer receive
    /// them, and schedules that wait for a run that has ended. Returns, for
    /// each of these rows, the name of the broken rule and the id of the row.
    pub async fn broken_schedules(&mut self) -> Result<Vec<(&'static str, TimerId)>, StoreError> {
        let rules: [(&'static str, &'static str); 2] = [
            (
                "orphan_timer",
                "SELECT s.id FROM schedule s LEFT JOIN run r ON r.id = s.run_id
                 WHERE s.run_id IS NOT NULL AND (r.id IS NULL OR r.status IN ('completed', 'cancelled'))
                 ORDER BY s.id LIMIT $1",
            ),
            (
                "nothing_frees_schedule",
                "SELECT s.id FROM schedule s LEFT JOIN run r ON r.id = s.last_run AND r.ended_at IS NULL
                 WHERE s.waits = 1 AND r.id IS NULL ORDER BY s.id LIMIT $1",
            ),
        ];
        let mut found = Vec::new();
        for (rule, sql) in rules {
            for row in self.rows(sql, &params![super::audit::FINDINGS_MAX]).await? {
                found.push((rule, row.id("id")?));
            }
        }
        Ok(found)
    }
}
