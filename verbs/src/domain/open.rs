//! Prepares the start of a run: finds the request that the run works on, or creates it.

use abide_engine::base::{Problem, RequestId, RunId, Timestamp, Value};
use abide_engine::domain::{ConflictingRun, DomainContext, OnConflict, PreparedStart, StartRun};
use abide_engine::store::Tx;
use serde_json::json;

use crate::data;
use crate::event::ChurchEventKind;
use crate::operations::{OperationContext, places, requests, time_zone};
use crate::request::targets::{TARGET_MAX, checked_role};
use crate::request::{Request, RequestCause, RequestStatus, Targets};

/// The `kind` of a goal to fill a role. A missing request is created only for a goal of this kind.
pub(super) const FILL_ROLE: &str = "FillRole";

/// Returns the role that a run with this goal fills; `None` if the goal is of another kind.
pub(crate) fn filled_role(goal: &Value) -> Option<&str> {
    let fills = goal.get("kind").and_then(Value::as_str) == Some(FILL_ROLE);
    goal.get("role").and_then(Value::as_str).filter(|_| fills)
}

/// The role to fill and the number of people, from a `FillRole` goal.
struct Fill {
    role: String,
    count: i64,
}

pub(super) async fn open(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    start: &StartRun,
) -> Result<PreparedStart, Problem> {
    let zone = time_zone::of(cx.settings);
    let fill = fill(&start.goal)?;
    let named = start.request.map_or_else(|| named_request(&start.goal), |id| Ok(Some(id)))?;
    let found = match (named, &fill) {
        (Some(id), _) => Some(joined(tx, cx, id).await?),
        (None, Some(_)) => Some(find_or_make(tx, cx, &start.goal).await?),
        (None, None) => existing(tx, cx, &start.goal).await?,
    };
    let mut goal = start.goal.clone();
    let mut campus = Value::Null;
    let mut rival = None;
    if let Some(mut request) = found.clone() {
        goal["time"] = request.service_time.in_zone(&zone).into();
        if !request.campus.is_empty() {
            campus = Value::from(request.campus.as_str());
        }
        if let Some(fill) = &fill {
            goal["role"] = Value::from(fill.role.as_str());
            rival = rival_of(tx, start, &request, fill).await?;
            if !matches!(rival, Some(ConflictingRun::Joined(_))) {
                aim(tx, cx, &mut request, fill).await?;
            }
        }
    }
    Ok(PreparedStart {
        conflict: rival,
        request: found.map(|request| request.id),
        goal,
        ctx: variable_ctx(cx, campus),
    })
}

/// Prepares the start of a run that works on no request. Returns `None` if the run may work on one, or if its goal is
/// wrong.
pub(super) fn without_request(cx: &DomainContext<'_>, start: &StartRun) -> Option<PreparedStart> {
    let goal = &start.goal;
    let names_nothing = matches!(fill(goal), Ok(None))
        && matches!(named_request(goal), Ok(None))
        && matches!(time(goal), Ok(None));
    let ctx = || variable_ctx(cx, Value::Null);
    (start.request.is_none() && names_nothing).then(|| PreparedStart {
        conflict: None,
        request: None,
        goal: goal.clone(),
        ctx: ctx(),
    })
}

/// Returns the variable `ctx` of a run.
fn variable_ctx(cx: &DomainContext<'_>, campus: Value) -> Value {
    json!({
        "tenant": cx.tenant,
        "campus": campus,
        "time_zone": time_zone::name(cx.settings),
        "region": cx.settings.region,
    })
}

/// Records that a run fills a role, so that the start of another run for the role finds this run.
pub(super) async fn note_run(
    tx: &mut Tx,
    run: RunId,
    prepared: &PreparedStart,
) -> Result<(), Problem> {
    let (Some(request), Some(fill)) = (prepared.request, fill(&prepared.goal)?) else {
        return Ok(());
    };
    let Some(row) = tx.run(run).await? else { return Ok(()) };
    data::live_fill::insert(tx, request, run, &row.method, &fill.role).await?;
    Ok(())
}

fn fill(goal: &Value) -> Result<Option<Fill>, Problem> {
    if goal.get("kind").and_then(Value::as_str) != Some(FILL_ROLE) {
        return Ok(None);
    }
    let role = checked_role(goal.get("role").and_then(Value::as_str).unwrap_or_default())?;
    let count = goal.get("count").and_then(Value::as_i64).filter(|n| (1..=TARGET_MAX).contains(n));
    let Some(count) = count else {
        return Err(Problem::caller(
            "invalid_goal",
            format!("`count` is not a whole number from 1 to {TARGET_MAX}"),
        ));
    };
    Ok(Some(Fill { role, count }))
}

fn time(goal: &Value) -> Result<Option<Timestamp>, Problem> {
    match goal.get("time") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_str().unwrap_or_default().parse().map(Some).map_err(
            |e: abide_engine::base::time::BadTime| {
                Problem::caller("invalid_goal", format!("`time`: {e}"))
            },
        ),
    }
}

/// Returns the id in the `request_id` of a goal, such as `{kind: CancelRequest, request_id: …}`;
/// `None` if the goal has no `request_id`.
fn named_request(goal: &Value) -> Result<Option<RequestId>, Problem> {
    match goal.get("request_id").and_then(Value::as_str) {
        None => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|_| {
            Problem::caller("invalid_goal", "`request_id` is not the id of a request")
                .with_hint("list the requests to find its id")
        }),
    }
}

fn campus(goal: &Value) -> &str {
    goal.get("campus").and_then(Value::as_str).unwrap_or_default()
}

async fn joined(tx: &mut Tx, cx: &DomainContext<'_>, id: RequestId) -> Result<Request, Problem> {
    let request = requests::lock(tx, cx.tenant, id).await?;
    if request.status.is_final() {
        return Err(Problem::caller("wrong_state", format!("the request is `{}`", request.status))
            .with_hint("make a new request: a closed or cancelled one cannot be reopened"));
    }
    Ok(request)
}

/// Locks and returns the request for the goal's campus and time. Creates the request if there is none.
async fn find_or_make(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    goal: &Value,
) -> Result<Request, Problem> {
    let Some(time) = time(goal)? else {
        return Err(Problem::caller("invalid_goal", "`time` is missing")
            .with_hint("give the time of the service, such as `2025-10-05T09:00:00-05:00`"));
    };
    if let Some(known) = data::request::live_at(tx, cx.tenant, campus(goal), time).await? {
        return joined(tx, cx, known.id).await;
    }
    make(tx, &OperationContext::of_domain(cx), campus(goal), time, Targets::default()).await
}

/// Creates an open request and locks it.
///
/// # Errors
/// `service_passed` if the time is not in the future; a transient `serialization_failure` if another
/// transaction has just created a request for the same service. A retry finds that request.
pub(crate) async fn make(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    campus: &str,
    time: Timestamp,
    targets: Targets,
) -> Result<Request, Problem> {
    if time <= context.now {
        return Err(Problem::caller("service_passed", format!("the service of {time} has begun"))
            .with_hint("give a time in the future"));
    }
    let request = Request {
        id: tx.mint(),
        tenant: context.tenant.to_owned(),
        campus: campus.to_owned(),
        service_time: time,
        ends_at: requests::service_period(tx, context, time).await?.ends,
        moved_from: None,
        targets,
        status: RequestStatus::Draft.after(RequestCause::Open)?,
        version: 1,
        created_at: context.now,
        updated_at: context.now,
    };
    if data::request::insert(tx, &request, RequestCause::Open).await? {
        tx.lock_new_request(context.tenant, request.id).await?;
        let body = json!({"version": 1, "became": request.status.as_str(), "targets": request.targets.to_value()});
        tx.log(request.id, ChurchEventKind::Request, context.about, body)?;
        return Ok(request);
    }
    // After this error, the store runs the whole transaction again, which then finds the other request.
    Err(Problem::transient("serialization_failure", "another transaction made the same request")
        .with_hint("try again to join that request"))
}

/// Locks and returns the request for the goal's campus and time; `None` if the goal has no time.
///
/// # Errors
/// `request_unknown` if there is no such request.
async fn existing(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    goal: &Value,
) -> Result<Option<Request>, Problem> {
    let Some(time) = time(goal)? else { return Ok(None) };
    match data::request::live_at(tx, cx.tenant, campus(goal), time).await? {
        Some(known) => joined(tx, cx, known.id).await.map(Some),
        None => Err(Problem::caller("request_unknown", format!("there is no request for {time}"))
            .with_hint("make the request first, or name a request with `request_id`")),
    }
}

/// Returns the live run of the same method that already fills the role in the request;
/// `None` if there is no such run.
/// Depending on `on_conflict`, the caller gets that run, or the new run replaces it.
///
/// # Errors
/// `already_running` if there is such a run and `on_conflict` rejects the new run, which is the default.
async fn rival_of(
    tx: &mut Tx,
    start: &StartRun,
    request: &Request,
    fill: &Fill,
) -> Result<Option<ConflictingRun>, Problem> {
    let found = data::live_fill::find(tx, request.id, &start.method, &fill.role).await?;
    let Some(run) = found else { return Ok(None) };
    match start.on_conflict {
        OnConflict::Join => Ok(Some(ConflictingRun::Joined(run))),
        OnConflict::Replace => {
            data::live_fill::remove(tx, run).await?;
            Ok(Some(ConflictingRun::Replaced(run)))
        }
        OnConflict::Reject => Err(Problem::caller(
            "already_running",
            format!("`{run}` already fills `{}` for that service", fill.role),
        )
        .with_detail(run.to_string())
        .with_hint(format!("see that run with `abide run show {run}`"))),
    }
}

/// Sets the role's target to the count of a `FillRole` goal, or to the number of places taken
/// if that is greater. Opens the request if it is a draft.
async fn aim(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    request: &mut Request,
    fill: &Fill,
) -> Result<(), Problem> {
    let context = OperationContext::of_domain(cx);
    if request.status == RequestStatus::Draft {
        requests::change(tx, &context, request, RequestCause::Open).await?;
    }
    let accepted = requests::accepted(tx, request.id).await?;
    let taken = accepted.get(&fill.role).copied().unwrap_or(0);
    let wanted = fill.count.max(taken);
    if request.targets.of(&fill.role) != wanted {
        request.targets.set(&fill.role, wanted)?;
        let cause = RequestCause::from(request.targets.fill(&accepted));
        requests::change(tx, &context, request, cause).await?;
        places::promote(tx, &context, request, &fill.role, None).await?;
        for run in data::live_fill::runs_of(tx, request.id).await? {
            tx.wake(run);
        }
    }
    Ok(())
}
