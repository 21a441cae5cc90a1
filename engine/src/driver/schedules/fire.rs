//! Fires schedules: sends messages to runs and starts methods at set times.
//!
//! Each transaction handles one time of one schedule. The transaction performs the schedule's action and
//! stores the schedule's next state, provided that the schedule's row has not changed since it was read. If
//! two processes handle the same time, the later process finds the row changed and rolls back. Locks are
//! taken in this sequence: the tenant's ledger stream, the tenant, the rows that starting a run locks, the
//! schedule.

use std::sync::Arc;

use serde_json::json;

use super::super::core::{Core, tenant_stream};
use super::super::start;
use crate::base::{Problem, RunId, StreamId, Timestamp, TypedId as _, Value};
use crate::domain::StartRun;
use crate::ledger::EventKind;
use crate::policy::{FireDecision, Overlap, Recurrence};
use crate::run::{RunStatus, SCHEDULED_SIGNAL, ScheduledStart, StartConsent};
use crate::store::{
    About, RunRow, ScheduleProgress, ScheduleRow, ScheduleTarget, SignalKind, Tx, is_infrastructure,
};
use crate::transaction;

/// Fires every schedule that is due. Returns how many due times were handled.
pub(super) async fn pump(core: &Arc<Core>) -> Result<u64, Problem> {
    let mut done = 0;
    while let Some(due) = first(core).await? {
        if core.is_stopping() {
            break;
        }
        fire(core, due).await?;
        done += 1;
    }
    Ok(done)
}

/// Reads the schedule with the earliest due time. Returns `None` if no schedule is due now.
async fn first(core: &Core) -> Result<Option<ScheduleRow>, Problem> {
    let read = transaction!(|tx| Ok(tx.first_schedule().await?));
    let first = core.store.read(read).await?;
    Ok(first.filter(|row| row.progress.next_at.is_some_and(|at| at <= core.now())))
}

/// Fires a schedule for its current due time. If the method cannot be started, the reason is recorded
/// and the schedule continues. Nothing is recorded while the database is unavailable.
async fn fire(core: &Arc<Core>, due: ScheduleRow) -> Result<(), Problem> {
    let due = Arc::new(due);
    let task = transaction!([core = Arc::clone(core), due = Arc::clone(&due)], |tx| {
        fire_inside(&core, tx, &due).await
    });
    let fell_due = match core.store.write(task).await {
        Ok(fell_due) => fell_due,
        Err(problem) if problem.is_transient() || is_infrastructure(&problem) => {
            return Err(problem);
        }
        Err(problem) => {
            tracing::warn!(schedule = %due.id, code = %problem.code, "{problem}");
            note_failure(core, due, problem).await?
        }
    };
    if fell_due {
        core.count_fired();
    }
    Ok(())
}

/// Performs the action of a schedule. Returns true if the current due time of the schedule is done.
/// Returns false if that due time must wait until the schedule's previous run has ended,
/// or if the transaction is rolled back because another process or a kill switch came first.
async fn fire_inside(core: &Core, tx: &mut Tx, due: &ScheduleRow) -> Result<bool, Problem> {
    match &due.target {
        ScheduleTarget::Signal(run, payload) => signal(tx, due, *run, payload).await,
        ScheduleTarget::Start(method, goal) => start_method(core, tx, due, method, goal).await,
    }
}

/// Sends a run the message that it scheduled for itself. A message to a completed or cancelled run is
/// dropped. A failed run still receives its message, because the run may be retried. Returns false if the
/// transaction is rolled back because another process or a kill switch came first, and true otherwise.
async fn signal(
    tx: &mut Tx,
    due: &ScheduleRow,
    run: RunId,
    payload: &Value,
) -> Result<bool, Problem> {
    let row = tx.run(run).await?;
    let over = |row: &RunRow| matches!(row.status, RunStatus::Completed | RunStatus::Cancelled);
    let takes = row.is_some_and(|row| !over(&row));
    if !takes {
        log(tx, due, EventKind::TimerDropped, json!({ "timer": due.id, "run_id": run })).await?;
    }
    if tx.lock_tenant_shared(&due.tenant).await? {
        return Ok(roll_back(tx));
    }
    if takes {
        let key = due.id.to_string();
        tx.signal(run, SignalKind::Named(SCHEDULED_SIGNAL), Some(&key), payload).await?;
    }
    Ok(tx.end_schedule(due).await? || roll_back(tx))
}

/// Starts the method of a schedule, unless the schedule's rules for catch-up and overlap forbid it.
/// Returns true if the current due time of the schedule is done. Returns false if that due time must wait
/// until the schedule's previous run has ended, or if the transaction is rolled back because another
/// process or a kill switch came first.
async fn start_method(
    core: &Core,
    tx: &mut Tx,
    due: &ScheduleRow,
    method: &str,
    goal: &Value,
) -> Result<bool, Problem> {
    let at = due.progress.next_at.unwrap_or(tx.now());
    let last = last_run(tx, due).await?;
    let is_live = last.as_ref().is_some_and(|run| run.ended_at.is_none());
    let held_up = is_live && due.cron.is_some();
    let waits = match due.overlap {
        Overlap::Queue => true,
        Overlap::Skip => due.catch_up.must_fire(at, tx.now()),
        Overlap::Allow => false,
    };
    if held_up && waits {
        return put_off(tx, due).await;
    }
    let waited = due.overlap == Overlap::Queue
        && last.as_ref().is_some_and(|run| run.ended_at.is_some_and(|end| end > at));
    let falls = if waited { fire_after_wait(due, at)? } else { decide_fire(due, at, tx.now())? };
    if let Some(from) = falls.missed {
        let body = json!({ "schedule_id": due.id, "from": from.to_string(), "fired": falls.fire.map(|at| at.to_string()) });
        log(tx, due, EventKind::ScheduleMissed, body).await?;
    }
    let skipped = falls.fire.filter(|_| held_up && due.overlap == Overlap::Skip);
    if let Some(at) = skipped {
        let body =
            json!({ "schedule_id": due.id, "at": at.to_string(), "run_id": due.progress.last_run });
        log(tx, due, EventKind::ScheduleSkipped, body).await?;
    }
    if tx.lock_tenant_shared(&due.tenant).await? {
        return Ok(roll_back(tx));
    }
    let mut progress =
        ScheduleProgress { next_at: falls.next, last_error: None, ..due.progress.clone() };
    if let Some(at) = falls.fire.filter(|_| skipped.is_none()) {
        let wanted = StartRun {
            method: method.to_owned(),
            goal: goal.clone(),
            key: Some(format!("sched:{}:{at}", due.id)),
            scheduled: Some(ScheduledStart { id: due.id, at }),
            consent: due.consent.map_or(StartConsent::Open, StartConsent::GivenFor),
            ..StartRun::default()
        };
        let started = start::start(core, tx, &due.tenant, &wanted).await?;
        progress = ScheduleProgress { last_at: Some(at), last_run: Some(started.run), ..progress };
    }
    let moved = match due.cron {
        Some(_) => tx.advance_schedule(due, &progress).await?,
        None => tx.end_schedule(due).await?,
    };
    Ok((moved && (skipped.is_none() || is_last_run_live(tx, due).await?)) || roll_back(tx))
}

/// Makes a schedule wait until its previous run has ended. The transaction that ends that run also
/// changes the schedule's row. If the transaction that ends the run commits first, this transaction sees
/// that the run has ended. If the transaction that ends the run commits later, it makes the schedule due
/// again. Always returns false, because the current due time is not done.
async fn put_off(tx: &mut Tx, due: &ScheduleRow) -> Result<bool, Problem> {
    if tx.lock_tenant_shared(&due.tenant).await? {
        return Ok(roll_back(tx));
    }
    let progress = ScheduleProgress { waits: true, ..due.progress.clone() };
    if !(tx.advance_schedule(due, &progress).await? && is_last_run_live(tx, due).await?) {
        roll_back(tx);
    }
    Ok(false) // the schedule falls due again when its previous run has ended
}

/// Whether the schedule's previous run has not ended. The schedule's row is locked, and ending the run
/// changes that row, so the run cannot end before this transaction does.
async fn is_last_run_live(tx: &mut Tx, due: &ScheduleRow) -> Result<bool, Problem> {
    Ok(last_run(tx, due).await?.is_some_and(|run| run.ended_at.is_none()))
}

async fn last_run(tx: &mut Tx, due: &ScheduleRow) -> Result<Option<RunRow>, Problem> {
    match due.progress.last_run {
        Some(run) => Ok(tx.run(run).await?),
        None => Ok(None),
    }
}

/// Determines which due time of the schedule is fired now, and when the schedule falls due next.
fn decide_fire(due: &ScheduleRow, at: Timestamp, now: Timestamp) -> Result<FireDecision, Problem> {
    Ok(match recurrence(due)? {
        Some(recurrence) => recurrence.decide(at, now, due.catch_up),
        None => once(at),
    })
}

/// Returns the decision for a due time that waited until the previous run had ended:
/// it is fired, however late it is.
fn fire_after_wait(due: &ScheduleRow, at: Timestamp) -> Result<FireDecision, Problem> {
    Ok(recurrence(due)?.map_or_else(|| once(at), |recurrence| recurrence.fire_delayed(at)))
}

/// Returns the recurrence of a schedule; `None` if the schedule fires only once.
fn recurrence(due: &ScheduleRow) -> Result<Option<Recurrence>, Problem> {
    due.cron.as_ref().map(|cron| Recurrence::parse(cron, &due.tz)).transpose()
}

/// Returns the decision for a schedule that fires only once: it fires for the due time `at`,
/// and has no next due time.
const fn once(at: Timestamp) -> FireDecision {
    FireDecision { fire: Some(at), missed: None, next: None }
}

/// Records why a schedule could not start its method. A recurring schedule continues with its next time.
/// A schedule that fires only once keeps its row, so that people see the error. Returns false and records
/// nothing if the schedule's row has changed since it was read.
async fn note_failure(
    core: &Arc<Core>,
    due: Arc<ScheduleRow>,
    problem: Problem,
) -> Result<bool, Problem> {
    let task = transaction!([due, problem = Arc::new(problem)], |tx| {
        let at = due.progress.next_at.unwrap_or(tx.now());
        // If the schedule itself cannot be parsed, it has no next time.
        let next = decide_fire(&due, at, tx.now()).ok();
        let at = next.and_then(|falls| falls.fire).unwrap_or(at);
        let why = json!({ "code": problem.code, "message": problem.message, "hint": problem.hint });
        let body = json!({ "schedule_id": due.id, "at": at.to_string(), "error": why });
        log(tx, &due, EventKind::ScheduleFailed, body).await?;
        let progress = ScheduleProgress {
            next_at: next.and_then(|falls| falls.next),
            last_at: Some(at),
            last_error: Some(why),
            ..due.progress.clone()
        };
        Ok(tx.advance_schedule(&due, &progress).await? || roll_back(tx))
    });
    core.store.write(task).await
}

/// Appends an event to the tenant's stream.
async fn log(tx: &mut Tx, due: &ScheduleRow, kind: EventKind, body: Value) -> Result<(), Problem> {
    let stream = tenant_stream(tx, &due.tenant).await?;
    tx.lock_partitions(&due.tenant, &[stream]).await?;
    Ok(tx.log(StreamId::from_uuid(stream), kind, About::default(), body)?)
}

/// Rolls the transaction back, because another process or a kill switch came first. Returns false.
fn roll_back(tx: &mut Tx) -> bool {
    tx.roll_back();
    false
}
