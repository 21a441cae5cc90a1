//! Schedules start methods, once or repeatedly. They also send the messages that runs scheduled for
//! themselves. They fire after outages, with several processes, and if the process crashes before or after
//! the commit that fires a schedule.

mod faults;
mod recurring;
mod refused;
mod timers;

use abide_engine::base::{Problem, Timestamp, Value};
use abide_engine::facade::{EventFilter, ScheduleFilter, ScheduleView};
use abide_engine::store::{RunFilter, tx_closure};
use serde_json::json;

use crate::campaign::church::Church;

/// A method that ends as soon as it has started.
const QUICK: &str = "method: quick\nsteps: [ { call: echo, args: { value: 1 } } ]\n";
/// A method that takes an hour and a half.
const SLOW: &str = "method: slow\nsteps: [ { await: { timeout: 90m } } ]\n";

/// Adds a schedule that starts a method with an empty goal. Then lets the engine do everything that is due.
async fn add(church: &Church, method: &str, how: Value) -> Result<ScheduleView, Problem> {
    let added = insert(church, method, how).await?;
    church.engine().tick().await?;
    Ok(added)
}

/// Adds a schedule that starts a method with an empty goal.
pub(crate) async fn insert(
    church: &Church,
    method: &str,
    how: Value,
) -> Result<ScheduleView, Problem> {
    let mut new = json!({ "method": method, "goal": {} });
    new.as_object_mut().expect("an object").extend(how.as_object().expect("an object").clone());
    let new = serde_json::from_value(new).expect("a schedule");
    let planned = church.engine().plan_schedule("default", new).await?;
    let task = tx_closure(move |tx| {
        let planned = planned.clone();
        Box::pin(async move { planned.add(tx).await })
    });
    church.engine().write(task).await
}

/// Returns all schedules that start a method.
async fn schedules(church: &Church) -> Vec<ScheduleView> {
    let all = church.engine().schedules("default", ScheduleFilter::default()).await;
    all.expect("a list").items
}

/// Returns the scheduled times of a method's runs, earliest first, in Chicago's time zone.
async fn times(church: &Church, method: &str) -> Vec<String> {
    let filter = RunFilter { method: Some(method.to_owned()), limit: 200, ..RunFilter::default() };
    let runs = church.engine().runs("default", &filter).await.expect("runs").items;
    let zone = abide_engine::policy::zone("America/Chicago").expect("a zone");
    let mut times = Vec::new();
    for run in runs.iter().rev() {
        let vars = church.run(run.id).await.vars.expect("variables");
        let at = vars["ctx"]["scheduled_at"].as_str().expect("a time");
        let at: Timestamp = at.parse().expect("an instant");
        times.push(at.in_zone(&zone));
    }
    times
}

/// Returns the bodies of the events of this kind.
async fn event_bodies(church: &Church, kind: &str) -> Vec<Value> {
    church.wait_until_log_is_readable().await;
    let filter = EventFilter { limit: 500, ..EventFilter::default() };
    let events = church.engine().event_log("default", filter).await.expect("events").items;
    events.into_iter().filter(|event| event.kind.as_str() == kind).map(|event| event.body).collect()
}
