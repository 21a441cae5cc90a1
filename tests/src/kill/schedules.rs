//! Timers of runs and a recurring schedule. The program is killed while its virtual clock moves.

use std::collections::BTreeSet;
use std::time::Duration;

use abide_engine::base::{Span, Timestamp};
use serde_json::{Value, json};

use super::{KillTest, on_both_databases_with_kills, rounds_wanted};
use crate::deployment::Deployment;
use crate::postgres::TestDb;

/// Time at which the virtual clock starts.
const BEGIN: &str = "2031-01-06T10:00:00-06:00";
const VIRTUAL: [&str; 4] = ["--clock", "virtual", "--now", BEGIN];
/// Number of runs that set timers, per round.
const ALARMS: usize = 2;
/// Number of times that the clock moves per round. The program is killed during each move.
const MOVES: usize = 4;

/// Maximum number of polls: far more than are needed until a lease has ended and all timers have fired.
const POLLS_MAX: usize = 150;

/// A method that sends one message. A schedule starts it every ten minutes.
const TICK: &str = "method: tick
steps:
  - call: notify
    args: { targets: [staff], template: filled_n_of_m, vars: { n: 1, m: 1 } }
";

const ONCE: &str = "method: once\nsteps: [ { set: { done: true } } ]\n";

/// A method that sets two timers: one starts a method, and the other sends a message to the run itself.
/// The run succeeds if that message arrives exactly once.
const ALARM: &str = "method: alarm
steps:
  - call: schedule
    args: { at: '{{now + 15m}}', payload: { method: once, goal: { kind: Once, n: '{{goal.n}}' } } }
  - call: schedule
    args: { at: '{{now + 25m}}', payload: { about: '{{goal.n}}' } }
  - await: { signal: scheduled, timeout: 10h, out: came }
  - await: { signal: scheduled, timeout: 20m, out: again }
success_when: came.about == goal.n and not exists(again)
";

const fn minutes(n: i64) -> Span {
    Span::from_secs(n * 60)
}

fn at(text: &Value) -> Timestamp {
    text.as_str().expect("a text").parse().expect("an instant")
}

/// Moves the clock, and kills the program while the program does the work that falls due.
async fn advance_and_kill(test: &mut KillTest, to: Timestamp) {
    let answers_before_kill = test.random.usize(0..12);
    let body = json!({"to": to.to_string()});
    {
        let server = test.server();
        tokio::select! {
            _ = server.try_post("/v1/clock/advance", &body) => {}
            () = KillTest::answer_other_requests(server, answers_before_kill) => {}
        }
    }
    test.kill();
}

/// Moves the clock to a given time, and waits for the response. Work that a killed process had claimed
/// may not be done by then: another process does the work only after the lease of the killed process has
/// ended.
async fn advance(test: &KillTest, to: Timestamp) {
    let moved = test.server().post("/v1/clock/advance", &json!({"to": to.to_string()})).await;
    assert_eq!(moved.status, 200, "{moved:?}");
}

/// Moves the clock in steps of five minutes until a run has ended. Returns the clock's time at that
/// moment. The lease of a killed process ends in real time, however far the virtual clock moves. Only
/// after the end of the lease can other processes claim the runs.
async fn advance_until_ended(test: &KillTest, run: &str, mut now: Timestamp) -> Timestamp {
    let mut polls = tokio::time::interval(Duration::from_millis(200));
    for _ in 0..POLLS_MAX {
        let view = test.server().get(&format!("/v1/runs/{run}")).await.body;
        if view["status"] == "completed" {
            return now;
        }
        polls.tick().await;
        now = now + minutes(5);
        advance(test, now).await;
    }
    panic!("{run} does not end");
}

/// Returns the runs of a method.
async fn runs(test: &KillTest, method: &str) -> Vec<Value> {
    let page = test.server().get(&format!("/v1/runs?method={method}&limit=200")).await.body;
    page["items"].as_array().expect("runs").clone()
}

/// Returns the times for which the schedule has started runs, earliest first.
async fn scheduled_times(test: &KillTest) -> Vec<Timestamp> {
    let mut times = Vec::new();
    for run in runs(test, "tick").await {
        let path = format!("/v1/runs/{}", run["id"].as_str().expect("an id"));
        times.push(at(&test.server().get(&path).await.body["vars"]["ctx"]["scheduled_at"]));
    }
    times.sort();
    times
}

async fn story(db: TestDb) {
    let deployment = Deployment::seeded(db).with_method("tick", TICK).with_method("once", ONCE);
    let mut test = KillTest::with_options(deployment.with_method("alarm", ALARM), &VIRTUAL);
    let begin: Timestamp = BEGIN.parse().expect("an instant");
    let every = json!({"method": "tick", "goal": {"kind": "Tick"}, "cron": "*/10 * * * *",
        "catch_up": "all", "overlap": "allow"});
    let added = test.server().post("/v1/schedules", &every).await;
    assert_eq!(added.status, 201, "{added:?}");

    let (mut now, mut alarms) = (begin, Vec::new());
    for round in 0..rounds_wanted() {
        for n in round * ALARMS..(round + 1) * ALARMS {
            alarms.push(test.start_once("alarm", json!({"kind": "Alarm", "n": n})).await);
        }
        for _ in 0..MOVES {
            now = now + minutes(15);
            advance_and_kill(&mut test, now).await;
        }
    }
    for alarm in &alarms {
        now = advance_until_ended(&test, alarm, now).await;
    }
    now = now + minutes(10);
    advance(&test, now).await;

    let fell_due = (now - begin).micros() / minutes(10).micros();
    let expected: Vec<Timestamp> = (1..=fell_due).map(|n| begin + minutes(10 * n)).collect();
    assert_eq!(scheduled_times(&test).await, expected, "every time once");
    let once = runs(&test, "once").await;
    let of: BTreeSet<i64> = once.iter().filter_map(|run| run["goal"]["n"].as_i64()).collect();
    assert_eq!((once.len(), of.len()), (alarms.len(), alarms.len()), "each timer once: {once:#?}");
    let mut all = alarms;
    let ticks = runs(&test, "tick").await;
    all.extend(ticks.iter().filter_map(|run| run["id"].as_str()).map(ToOwned::to_owned));
    let messages = test.end(&all).await;
    assert_eq!(messages.iter().filter(|m| m["state"] == "sent").count(), ticks.len());
}

on_both_databases_with_kills!(story);
