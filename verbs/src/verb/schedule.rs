//! The verb `schedule`: adds a schedule that sends a signal to the run once,
//! or that starts a method once or repeatedly.

use abide_engine::base::{Digest, Problem, TimerId, Timestamp, Value, extent, limits};
use abide_engine::policy::{CatchUp, Overlap, Recurrence};
use abide_engine::store::{MethodRef, ScheduleProgress, ScheduleRow, ScheduleTarget, Tx};
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::args;
use crate::operations::time_zone;

pub(super) struct Schedule;

/// A schedule to be added. `first` is the time at which the schedule first falls due.
struct Plan {
    target: ScheduleTarget,
    cron: Option<String>,
    tz: String,
    first: Timestamp,
    /// The version of the method that the schedule starts now.
    version: Option<Digest>,
}

#[async_trait]
impl WriteVerb for Schedule {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let plan = match (args.get("at").is_some(), args.get("cron").is_some()) {
            (true, false) => once(tx, cx, args).await?,
            (false, true) => repeating(tx, cx, args).await?,
            _ => return Err(args::invalid("either `at` or `cron` is needed")),
        };
        check_room(tx, cx, &plan.target).await?;
        let id: TimerId = tx.mint();
        let row = ScheduleRow {
            id,
            tenant: cx.tenant.to_owned(),
            target: plan.target,
            cron: plan.cron,
            tz: plan.tz,
            catch_up: policy::<CatchUp>(args, "catch_up")?,
            overlap: policy::<Overlap>(args, "overlap")?,
            consent: plan.version.filter(|_| cx.consented),
            progress: ScheduleProgress { next_at: Some(plan.first), ..ScheduleProgress::default() },
        };
        tx.insert_schedule(&row).await?;
        let mut effects = Effects::default();
        effects.wrote("schedule", "insert", id);
        Ok(VerbOutcome::done(json!({ "timer_id": id, "at": plan.first.to_string() }), effects))
    }
}

/// Plans a schedule that falls due once, and then sends a signal to the run or starts a method.
async fn once(tx: &mut Tx, cx: &CallContext<'_>, args: &Value) -> Result<Plan, Problem> {
    let payload = args.get("payload").unwrap_or(&Value::Null);
    let mut version = None;
    let target = match start(payload) {
        Some((method, goal)) => {
            let method_ref = MethodRef { tenant: cx.tenant, method };
            version = Some(cx.start_checker.check(tx, method_ref, goal).await?);
            ScheduleTarget::Start(method.to_owned(), goal.clone())
        }
        None => {
            if let Some(why) = extent::excess(payload, limits::SIGNAL_BYTES_MAX) {
                return Err(args::invalid(format!("`payload` {why}")));
            }
            ScheduleTarget::Signal(cx.answer_to.run, payload.clone())
        }
    };
    let (tz, first) = (zone(cx, args)?, args::instant(args, "at")?);
    Ok(Plan { target, cron: None, tz, first, version })
}

/// Plans a schedule that starts a method at each time that a cron expression matches.
async fn repeating(tx: &mut Tx, cx: &CallContext<'_>, args: &Value) -> Result<Plan, Problem> {
    let (method, cron) = (args::text(args, "method")?, args::text(args, "cron")?);
    let goal = args.get("goal").unwrap_or(&Value::Null);
    let tz = zone(cx, args)?;
    let first = Recurrence::parse(cron, &tz)?.after(cx.now);
    let Some(first) = first else {
        return Err(args::invalid(format!("`{cron}` matches no date")));
    };
    let method_ref = MethodRef { tenant: cx.tenant, method };
    let version = Some(cx.start_checker.check(tx, method_ref, goal).await?);
    let target = ScheduleTarget::Start(method.to_owned(), goal.clone());
    Ok(Plan { target, cron: Some(cron.to_owned()), tz, first, version })
}

/// Returns the members `method` and `goal` of the payload; `None` if the payload has other members
/// or lacks one of these two.
fn start(payload: &Value) -> Option<(&str, &Value)> {
    let members = payload.as_object().filter(|members| members.len() == 2)?;
    Some((members.get("method")?.as_str()?, members.get("goal")?))
}

/// Returns the time zone in the argument `tz`; without that argument, the church's time zone.
fn zone(cx: &CallContext<'_>, args: &Value) -> Result<String, Problem> {
    if let Some(named) = args.get("tz").and_then(Value::as_str) {
        abide_engine::policy::zone(named)?;
        return Ok(named.to_owned());
    }
    Ok(time_zone::name(cx.settings).to_owned())
}

/// Reads an argument that names a rule, such as `catch_up`. Returns the default rule
/// if the argument is absent.
fn policy<T: DeserializeOwned + Default>(args: &Value, name: &str) -> Result<T, Problem> {
    let word = args.get(name).filter(|word| !word.is_null());
    word.map_or(Ok(T::default()), |word| {
        serde_json::from_value(word.clone()).map_err(|e| args::invalid(format!("`{name}`: {e}")))
    })
}

async fn check_room(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    target: &ScheduleTarget,
) -> Result<(), Problem> {
    let (run, most) = match target {
        ScheduleTarget::Signal(run, _) => (Some(*run), limits::RUN_TIMERS_MAX),
        ScheduleTarget::Start(..) => (None, limits::SCHEDULES_MAX),
    };
    if tx.count_schedules(cx.tenant, run, most).await? < most {
        return Ok(());
    }
    let whose = if run.is_some() { "the run" } else { "the tenant" };
    Err(Problem::author("too_many_schedules", format!("{whose} has {most} schedules already"))
        .with_hint("replace many one-time schedules with one that repeats"))
}
