//! Schedules as people add, list and remove them.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Engine;
use super::runs::{Page, page_length};
use crate::base::{
    Problem, RunId, StreamId, TimerId, Timestamp, TypedId as _, Value, limits, text,
};
use crate::domain::StartRun;
use crate::driver::tenant_stream;
use crate::policy::{CatchUp, Overlap, Recurrence, zone};
use crate::store::{ScheduleRow, Stand, Target, Tx, work};

/// A schedule that somebody wants: `cron`, or `at`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewSchedule {
    /// The method that is started.
    pub method: String,
    /// With this goal.
    pub goal: Value,
    /// When, again and again.
    pub cron: Option<String>,
    /// When, once.
    pub at: Option<String>,
    /// The zone whose clock counts; the tenant's if none is named.
    pub tz: Option<String>,
    /// What becomes of times that were missed.
    pub catch_up: Option<CatchUp>,
    /// What becomes of a time at which the last run is still at work.
    pub overlap: Option<Overlap>,
}

/// A schedule that can be had: held against the library and the calendar.
#[derive(Debug, Clone)]
pub struct PlannedSchedule(ScheduleRow);

/// Which schedules to list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScheduleFilter {
    /// The messages that are to come for this run, instead of what starts runs.
    pub run: Option<RunId>,
    /// Only those added after this one.
    pub after: Option<TimerId>,
    /// At most so many; 0 means the default page.
    pub limit: usize,
}

/// A schedule as it is shown. Absent members are left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScheduleView {
    /// Its id.
    pub id: TimerId,
    /// The method that it starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// With this goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<Value>,
    /// The run that it brings a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
    /// The expression of one that comes round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// The zone whose clock it goes by.
    pub tz: String,
    /// What becomes of times that were missed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catch_up: Option<CatchUp>,
    /// What becomes of a time at which its last run is still at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<Overlap>,
    /// When it falls due next, on the clock of its zone; absent where it never does any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_at: Option<String>,
    /// What fell due then waits for the end of the last run.
    #[serde(skip_serializing_if = "is_false")]
    pub waits: bool,
    /// The last time that fell due and was not left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_at: Option<String>,
    /// The last run that it started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run_id: Option<RunId>,
    /// Why nothing was started the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl From<ScheduleRow> for ScheduleView {
    fn from(row: ScheduleRow) -> Self {
        let ScheduleRow { id, target, cron, tz, catch_up, overlap, stand, .. } = row;
        let local = zone(&tz).ok();
        let shown =
            |at: Timestamp| local.as_ref().map_or_else(|| at.to_string(), |z| at.in_zone(z));
        let (method, goal, run_id, payload) = match target {
            Target::Start(method, goal) => (Some(method), Some(goal), None, None),
            Target::Signal(run, payload) => (None, None, Some(run), Some(payload)),
        };
        let comes_round = cron.is_some();
        Self {
            id,
            method,
            goal,
            run_id,
            payload,
            catch_up: comes_round.then_some(catch_up),
            overlap: comes_round.then_some(overlap),
            cron,
            next_at: stand.next_at.map(shown),
            waits: stand.waits,
            last_at: stand.last_at.map(shown),
            last_run_id: stand.last_run,
            last_error: stand.last_error,
            tz,
        }
    }
}

impl Engine {
    /// Holds a wanted schedule against the library and the calendar.
    ///
    /// # Errors
    /// `cron_invalid`, `schedule_invalid`, and what a start with this goal would be refused with.
    pub async fn plan_schedule(
        &self,
        tenant: &str,
        new: NewSchedule,
    ) -> Result<PlannedSchedule, Problem> {
        let NewSchedule { method, mut goal, cron, at, tz, catch_up, overlap } = new;
        text::replace_nul(&mut goal);
        let wanted = StartRun { method, goal, ..StartRun::default() };
        self.judge_start(tenant, &wanted).await?;
        let tz = match tz {
            Some(tz) => tz,
            None => self.settings(tenant).await?.time_zone.clone(),
        };
        zone(&tz)?;
        let comes_round = cron.is_some();
        if !comes_round && (catch_up.is_some() || overlap.is_some()) {
            return Err(invalid("`catch_up` and `overlap` are for schedules that come round"));
        }
        let first = match (&cron, at) {
            (Some(cron), None) => first_of(cron, &tz, self.now())?,
            (None, Some(at)) => {
                at.parse().map_err(|e: crate::base::time::BadTime| invalid(format!("`at`: {e}")))?
            }
            _ => return Err(invalid("either `cron` or `at` is needed")),
        };
        Ok(PlannedSchedule(ScheduleRow {
            id: self.core.ids.mint(self.now()),
            tenant: tenant.to_owned(),
            target: Target::Start(wanted.method, wanted.goal),
            cron,
            tz,
            catch_up: catch_up.unwrap_or_default(),
            overlap: overlap.unwrap_or_default(),
            stand: Stand { next_at: Some(first), ..Stand::default() },
        }))
    }

    /// A tenant's schedules, oldest first.
    pub async fn schedules(
        &self,
        tenant: &str,
        filter: ScheduleFilter,
    ) -> Result<Page<ScheduleView>, Problem> {
        let (tenant, limit) = (tenant.to_owned(), page_length(filter.limit));
        let task = work(move |tx| {
            let tenant = tenant.clone();
            Box::pin(async move {
                let most = i64::try_from(limit + 1).unwrap_or(1);
                let rows = tx.schedules(&tenant, (filter.run, filter.after), most).await?;
                Ok(rows.into_iter().map(ScheduleView::from).collect())
            })
        });
        let views = self.core.store.read(task).await?;
        Ok(Page::cut(views, limit, |view: &ScheduleView| view.id.to_string()))
    }
}

impl PlannedSchedule {
    /// Adds it.
    ///
    /// # Errors
    /// `too_many_schedules`.
    pub async fn add(&self, tx: &mut Tx) -> Result<ScheduleView, Problem> {
        let row = &self.0;
        tx.ensure_tenant(&row.tenant).await?;
        let view = ScheduleView::from(row.clone());
        let body = json!({
            "schedule_id": row.id, "method": view.method, "cron": view.cron, "next_at": view.next_at,
        });
        log(tx, &row.tenant, ("schedule.added", body)).await?;
        let most = limits::SCHEDULES_MAX;
        if tx.count_schedules(&row.tenant, None, most).await? >= most {
            let message = format!("the tenant has {most} schedules already");
            return Err(Problem::caller("too_many_schedules", message)
                .with_hint("remove those that are not needed any more"));
        }
        tx.insert_schedule(row).await?;
        Ok(view)
    }
}

/// Takes a schedule away; what it started goes on.
///
/// # Errors
/// `schedule_unknown`.
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
    log(tx, tenant, ("schedule.removed", json!({ "schedule_id": id }))).await?;
    if !tx.remove_schedule(tenant, id).await? {
        return Err(unknown());
    }
    Ok(row.into())
}

async fn log(tx: &mut Tx, tenant: &str, (kind, body): (&str, Value)) -> Result<(), Problem> {
    let stream = tenant_stream(tx, tenant).await?;
    tx.lock_partitions(tenant, &[stream]).await?;
    Ok(tx.log(StreamId::from_uuid(stream), kind, (None, None), body)?)
}

fn first_of(cron: &str, tz: &str, now: Timestamp) -> Result<Timestamp, Problem> {
    Recurrence::parse(cron, tz)?.after(now).ok_or_else(|| {
        invalid(format!("`{cron}` never comes"))
            .with_hint("there is no such date in the calendar, such as a 30th of February")
    })
}

fn invalid(message: impl Into<String>) -> Problem {
    Problem::caller("schedule_invalid", message).with_hint("see `abide schedule add --help`")
}
