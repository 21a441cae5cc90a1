//! Adds, lists and removes schedules.

use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::engine::Engine;
use super::runs::{Page, page_length};
use crate::base::{
    Problem, RunId, StreamId, TimerId, Timestamp, TypedId as _, Value, limits, text,
};
use crate::boxed;
use crate::domain::StartRun;
use crate::driver::tenant_stream;
use crate::ledger::EventKind;
use crate::policy::{CatchUp, Overlap, Recurrence, zone};
use crate::store::{About, ScheduleProgress, ScheduleRow, ScheduleTarget, Tx};
use crate::transaction;

/// A schedule to be added. It needs either `cron` or `at`.
#[derive(Debug, Clone, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSchedule {
    /// Name of the method to start.
    pub method: String,
    /// Goal of the runs that the schedule starts.
    #[schema(value_type = Object)]
    pub goal: Value,
    /// Cron expression of a schedule that repeats.
    pub cron: Option<String>,
    /// Time of a schedule that falls due once (RFC 3339).
    #[schema(format = DateTime)]
    pub at: Option<String>,
    /// Time zone in which times are computed; defaults to the tenant's time zone.
    pub tz: Option<String>,
    /// What to do about times that were missed. Only for `cron`.
    pub catch_up: Option<CatchUp>,
    /// What to do about a time at which the previous run has not ended. Only for `cron`.
    pub overlap: Option<Overlap>,
}

/// A validated schedule that is not stored yet: its method accepts the goal,
/// and the schedule falls due at least once.
#[derive(Debug, Clone)]
pub struct PlannedSchedule(ScheduleRow);

/// A filter for a list of schedules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScheduleFilter {
    /// Selects the messages scheduled for this run; `None` selects the schedules that start runs.
    pub run: Option<RunId>,
    /// Only schedules whose id is greater than this one; ids increase with the time of adding.
    pub after: Option<TimerId>,
    /// Maximum number of schedules; 0 means the default page size.
    pub limit: usize,
}

/// A schedule: it starts a method, or sends a message to a run. Members without a value are left out.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ScheduleView {
    /// Id of the schedule.
    pub id: TimerId,
    /// Name of the method that the schedule starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Goal of the runs that the schedule starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub goal: Option<Value>,
    /// Id of the run to which the schedule sends a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// Data of the message to the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
    /// Cron expression, if the schedule repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Time zone in which the schedule's times are computed.
    pub tz: String,
    /// What happens to times that were missed, if the schedule repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catch_up: Option<CatchUp>,
    /// What happens at a time at which the previous run has not ended, if the schedule repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<Overlap>,
    /// Time at which the schedule falls due next, in its time zone (RFC 3339).
    /// Absent if the schedule will not fall due again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub next_at: Option<String>,
    /// Whether the time `next_at` has come and the schedule waits for the previous run to end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub waits: bool,
    /// Latest time for which the schedule fired, in its time zone (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub last_at: Option<String>,
    /// Id of the latest run that the schedule started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run_id: Option<RunId>,
    /// Reason why the schedule could not fire at its latest time: `{code, message, hint}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ScheduleError>)]
    pub last_error: Option<Value>,
}

/// Why a schedule started no run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ScheduleError {
    /// Stable error code.
    pub code: String,
    /// Error message, in one sentence.
    pub message: String,
    /// The remedy.
    #[schema(required = true)]
    pub hint: Option<String>,
}

impl From<ScheduleRow> for ScheduleView {
    fn from(row: ScheduleRow) -> Self {
        let ScheduleRow { id, target, cron, tz, catch_up, overlap, progress, .. } = row;
        let local = zone(&tz).ok();
        let shown =
            |at: Timestamp| local.as_ref().map_or_else(|| at.to_string(), |z| at.in_zone(z));
        let (method, goal, run_id, payload) = match target {
            ScheduleTarget::Start(method, goal) => (Some(method), Some(goal), None, None),
            ScheduleTarget::Signal(run, payload) => (None, None, Some(run), Some(payload)),
        };
        let repeats = cron.is_some();
        Self {
            id,
            method,
            goal,
            run_id,
            payload,
            catch_up: repeats.then_some(catch_up),
            overlap: repeats.then_some(overlap),
            cron,
            next_at: progress.next_at.map(shown),
            waits: progress.waits,
            last_at: progress.last_at.map(shown),
            last_run_id: progress.last_run,
            last_error: progress.last_error,
            tz,
        }
    }
}

impl Engine {
    /// Validates a schedule: its method must accept the goal, and the schedule must fall due
    /// at least once. Whoever may add a schedule consents to the calls of risk T2 of this version of the method.
    ///
    /// # Errors
    /// `cron_invalid`, `schedule_invalid`, and the errors of [`Engine::start_run`] with this goal.
    #[boxed]
    pub async fn plan_schedule(
        &self,
        tenant: &str,
        new: NewSchedule,
    ) -> Result<PlannedSchedule, Problem> {
        let NewSchedule { method, mut goal, cron, at, tz, catch_up, overlap } = new;
        text::replace_nul(&mut goal);
        let wanted = StartRun { method, goal, ..StartRun::default() };
        let version = self.check_start(tenant, &wanted).await?;
        let tz = match tz {
            Some(tz) => tz,
            None => self.settings(tenant).await?.time_zone.clone(),
        };
        zone(&tz)?;
        let repeats = cron.is_some();
        if !repeats && (catch_up.is_some() || overlap.is_some()) {
            return Err(invalid("`catch_up` and `overlap` are only for schedules that repeat"));
        }
        let first = match (&cron, at) {
            (Some(cron), None) => first_time(cron, &tz, self.now())?,
            (None, Some(at)) => {
                at.parse().map_err(|e: crate::base::time::BadTime| invalid(format!("`at`: {e}")))?
            }
            _ => return Err(invalid("either `cron` or `at` is needed")),
        };
        Ok(PlannedSchedule(ScheduleRow {
            id: self.core.ids.mint(self.now()),
            tenant: tenant.to_owned(),
            target: ScheduleTarget::Start(wanted.method, wanted.goal),
            cron,
            tz,
            catch_up: catch_up.unwrap_or_default(),
            overlap: overlap.unwrap_or_default(),
            consent: Some(version),
            progress: ScheduleProgress { next_at: Some(first), ..ScheduleProgress::default() },
        }))
    }

    /// Lists a tenant's schedules, oldest first.
    #[boxed]
    pub async fn schedules(
        &self,
        tenant: &str,
        filter: ScheduleFilter,
    ) -> Result<Page<ScheduleView>, Problem> {
        let limit = page_length(filter.limit);
        let task = transaction!([tenant = tenant.to_owned()], |tx| {
            let most = i64::try_from(limit + 1).unwrap_or(1);
            let rows = tx.schedules(&tenant, filter.run, filter.after, most).await?;
            Ok(rows.into_iter().map(ScheduleView::from).collect())
        });
        let views = self.core.store.read(task).await?;
        Ok(Page::cut(views, limit, |view: &ScheduleView| view.id.to_string()))
    }
}

impl PlannedSchedule {
    /// Adds the schedule to the database, and returns it as the API shows it.
    ///
    /// # Errors
    /// `too_many_schedules` if the tenant has the maximum number of schedules already.
    #[boxed]
    pub async fn add(&self, tx: &mut Tx) -> Result<ScheduleView, Problem> {
        let row = &self.0;
        tx.ensure_tenant(&row.tenant).await?;
        let view = ScheduleView::from(row.clone());
        let body = json!({
            "schedule_id": row.id, "method": view.method, "cron": view.cron, "next_at": view.next_at,
        });
        log(tx, &row.tenant, EventKind::ScheduleAdded, body).await?;
        let most = limits::SCHEDULES_MAX;
        if tx.count_schedules(&row.tenant, None, most).await? >= most {
            let message = format!("the tenant has {most} schedules already");
            return Err(Problem::caller("too_many_schedules", message)
                .with_hint("remove schedules that are no longer needed"));
        }
        tx.insert_schedule(row).await?;
        Ok(view)
    }
}

/// Removes a schedule, and returns it. Does not stop the runs that the schedule has started.
///
/// # Errors
/// `schedule_unknown` if the tenant has no schedule with this id.
#[boxed]
pub async fn remove_schedule(
    tx: &mut Tx,
    tenant: &str,
    id: TimerId,
) -> Result<ScheduleView, Problem> {
    let unknown = || {
        Problem::caller("schedule_unknown", format!("there is no schedule `{id}`"))
            .with_hint("see `abide schedule list`")
    };
    let row = tx.schedule(tenant, id).await?.ok_or_else(unknown)?;
    log(tx, tenant, EventKind::ScheduleRemoved, json!({ "schedule_id": id })).await?;
    if !tx.remove_schedule(tenant, id).await? {
        return Err(unknown());
    }
    Ok(row.into())
}

/// Locks the tenant's own stream and writes an event to it.
async fn log(tx: &mut Tx, tenant: &str, kind: EventKind, body: Value) -> Result<(), Problem> {
    let stream = tenant_stream(tx, tenant).await?;
    tx.lock_partitions(tenant, &[stream]).await?;
    Ok(tx.log(StreamId::from_uuid(stream), kind, About::default(), body)?)
}

/// Returns the first time after `now` that a cron expression matches.
fn first_time(cron: &str, tz: &str, now: Timestamp) -> Result<Timestamp, Problem> {
    Recurrence::parse(cron, tz)?.after(now).ok_or_else(|| {
        invalid(format!("`{cron}` never occurs"))
            .with_hint("choose a date that exists; February has no 30th, for example")
    })
}

fn invalid(message: impl Into<String>) -> Problem {
    Problem::caller("schedule_invalid", message).with_hint("see `abide schedule add --help`")
}
