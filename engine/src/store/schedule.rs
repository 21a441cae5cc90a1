//! What falls due by itself: messages to runs, and starts of methods, once or again and again.

use super::error::StoreError;
use super::faults::Part;
use super::param::Param;
use super::row::Row;
use super::tx::Tx;
use crate::base::{RunId, TimerId, Timestamp, Value};
use crate::params;
use crate::policy::{CatchUp, Overlap};

/// A schedule as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleRow {
    /// Its id.
    pub id: TimerId,
    /// The tenant.
    pub tenant: String,
    /// What happens when it falls due.
    pub target: Target,
    /// The cron expression of one that comes round.
    pub cron: Option<String>,
    /// The zone whose clock it goes by.
    pub tz: String,
    /// What becomes of times that were missed.
    pub catch_up: CatchUp,
    /// What becomes of a time at which its last run is still at work.
    pub overlap: Overlap,
    /// What it has come to.
    pub stand: Stand,
}

/// What happens when a schedule falls due.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A run is brought this payload, as the message `scheduled`.
    Signal(RunId, Value),
    /// A method is started with this goal.
    Start(String, Value),
}

/// What changes of a schedule each time that it falls due.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stand {
    /// When it falls due next; none if it never does any more.
    pub next_at: Option<Timestamp>,
    /// What fell due then waits for the end of the last run.
    pub waits: bool,
    /// The last time that was fired.
    pub last_at: Option<Timestamp>,
    /// The last run that it started.
    pub last_run: Option<RunId>,
    /// Why the last time could not be fired: `{code, message, hint}`.
    pub last_error: Option<Value>,
}

/// The columns in the order of [`read`].
macro_rules! select_schedule {
    ($rest:literal) => {
        concat!(
            "SELECT s.id, s.tenant, s.run_id, s.method, s.body, s.cron, s.tz, s.catch_up, s.overlap, \
             s.next_at, s.waits, s.last_at, s.last_run, s.last_error FROM schedule s ",
            $rest
        )
    };
}

fn read(row: &Row) -> Result<ScheduleRow, StoreError> {
    let body = row.json(4)?;
    let target = match (row.opt_id(2)?, row.opt_text(3)?) {
        (Some(run), _) => Target::Signal(run, body),
        (None, Some(method)) => Target::Start(method, body),
        (None, None) => return Err(StoreError::Corrupt("a schedule without a target".into())),
    };
    Ok(ScheduleRow {
        id: row.id(0)?,
        tenant: row.text(1)?,
        target,
        cron: row.opt_text(5)?,
        tz: row.text(6)?,
        catch_up: word(&row.text(7)?)?,
        overlap: word(&row.text(8)?)?,
        stand: Stand {
            next_at: row.opt_at(9)?,
            waits: row.flag(10)?,
            last_at: row.opt_at(11)?,
            last_run: row.opt_id(12)?,
            last_error: Some(row.json(13)?).filter(|error| !error.is_null()),
        },
    })
}

/// A policy by its word.
fn word<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_value(Value::from(text)).map_err(|e| StoreError::Corrupt(e.to_string()))
}

/// The word of a policy.
fn said(policy: impl serde::Serialize) -> Param {
    let word = serde_json::to_value(policy).unwrap_or(Value::Null);
    Param::from(word.as_str())
}

impl Tx {
    /// Adds a schedule.
    pub async fn insert_schedule(&mut self, new: &ScheduleRow) -> Result<(), StoreError> {
        self.holds(Part::Timer);
        let (run, method, body) = match &new.target {
            Target::Signal(run, payload) => (Some(*run), None, payload),
            Target::Start(method, goal) => (None, Some(method.as_str()), goal),
        };
        let columns = [
            new.id.into(),
            Param::from(&new.tenant),
            run.into(),
            method.into(),
            body.to_string().into(),
            new.cron.as_deref().into(),
            Param::from(&new.tz),
            said(new.catch_up),
            said(new.overlap),
            new.stand.next_at.into(),
        ];
        self.execute(
            "INSERT INTO schedule (id, tenant, run_id, method, body, cron, tz, catch_up, overlap, next_at, waits)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0)",
            &columns,
        )
        .await?;
        self.note_timer();
        Ok(())
    }

    /// How many schedules of a tenant there are, or how many messages to a run are to come; counted
    /// up to `most`.
    pub async fn count_schedules(
        &mut self,
        tenant: &str,
        run: Option<RunId>,
        most: usize,
    ) -> Result<usize, StoreError> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let row = match run {
            Some(run) => {
                let sql =
                    "SELECT COUNT(*) FROM (SELECT id FROM schedule WHERE run_id = $1 LIMIT $2) s";
                self.row(sql, &params![run, most]).await?
            }
            None => {
                let sql = "SELECT COUNT(*) FROM (SELECT id FROM schedule
                    WHERE tenant = $1 AND run_id IS NULL LIMIT $2) s";
                self.row(sql, &params![tenant, most]).await?
            }
        };
        let count = row.map_or(Ok(0), |row| row.int(0))?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// One of a tenant.
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

    /// The starts of a tenant or, of a run, the messages that are to come; oldest first.
    pub async fn schedules(
        &mut self,
        tenant: &str,
        (run, after): (Option<RunId>, Option<TimerId>),
        limit: i64,
    ) -> Result<Vec<ScheduleRow>, StoreError> {
        let rows = match run {
            Some(run) => {
                self.rows(
                    select_schedule!(
                        "WHERE s.tenant = $1 AND s.run_id = $2 AND ($3 IS NULL OR s.id > $3)
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

    /// What falls due first; those of a tenant whose kill switch is on never do.
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

    /// Moves a schedule on from where it was seen; false if somebody else has moved or removed it.
    pub async fn move_schedule(
        &mut self,
        seen: &ScheduleRow,
        stand: &Stand,
    ) -> Result<bool, StoreError> {
        self.holds(Part::Timer);
        let moved = self
            .execute(
                "UPDATE schedule SET next_at = $3, waits = $4, last_at = $5, last_run = $6, last_error = $7
                 WHERE id = $1 AND next_at = $2 AND waits = 0",
                &params![
                    seen.id,
                    seen.stand.next_at,
                    stand.next_at,
                    stand.waits,
                    stand.last_at,
                    stand.last_run,
                    stand.last_error.as_ref().map(Value::to_string)
                ],
            )
            .await?;
        Ok(moved == 1)
    }

    /// Takes a schedule away for good, from where it was seen; false if somebody else was faster.
    pub async fn end_schedule(&mut self, seen: &ScheduleRow) -> Result<bool, StoreError> {
        self.holds(Part::Timer);
        let gone = self
            .execute(
                "DELETE FROM schedule WHERE id = $1 AND next_at = $2 AND waits = 0",
                &params![seen.id, seen.stand.next_at],
            )
            .await?;
        Ok(gone == 1)
    }

    /// Takes a tenant's schedule away wherever it stands; false if there is none.
    pub async fn remove_schedule(&mut self, tenant: &str, id: TimerId) -> Result<bool, StoreError> {
        let sql = "DELETE FROM schedule WHERE tenant = $1 AND id = $2";
        Ok(self.execute(sql, &params![tenant, id]).await? == 1)
    }

    /// A run of a schedule has ended: what waited for that is due. The row is locked whether or not
    /// it waits, so that whoever makes it wait sees the end, or is seen by it.
    pub async fn free_schedule(&mut self, id: TimerId) -> Result<(), StoreError> {
        self.execute("UPDATE schedule SET waits = 0 WHERE id = $1", &params![id]).await?;
        self.note_timer();
        Ok(())
    }

    /// Takes away the messages that were to come for a run; which they were.
    pub async fn drop_timers(&mut self, run: RunId) -> Result<Vec<TimerId>, StoreError> {
        let rows =
            self.rows("DELETE FROM schedule WHERE run_id = $1 RETURNING id", &params![run]).await?;
        rows.iter().map(|row| row.id(0)).collect()
    }

    /// When the next message that was scheduled for a run comes.
    pub async fn next_timer(&mut self, run: RunId) -> Result<Option<Timestamp>, StoreError> {
        let row = self
            .row(
                "SELECT next_at FROM schedule WHERE run_id = $1 AND next_at IS NOT NULL
                 ORDER BY next_at LIMIT 1",
                &params![run],
            )
            .await?;
        row.map(|row| row.at(0)).transpose()
    }

    /// Messages to come for runs that are over for good, and what waits for a run that has ended.
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
            for row in self.rows(sql, &params![super::audit::LISTED]).await? {
                found.push((rule, row.id(0)?));
            }
        }
        Ok(found)
    }
}
