//! A schedule fires once, even if the process crashes before or after the commit that fires the schedule,
//! or if several processes compete to fire it.

use std::sync::Arc;

use abide_engine::driver::DriveMode;
use abide_engine::run::RunOutcome;
use abide_engine::store::{CommitPoint, FaultAction};
use serde_json::json;

use super::{QUICK, add, insert, times};
use crate::campaign::church::{Church, Setup};
use crate::campaign::probe::probed;
use crate::engines::Serving;
use crate::faults::FaultAtCommit;
use crate::postgres::{TestDb, databases};

/// A method that schedules a message to its own run and waits for it.
const ALARM: &str = r#"
method: alarm
steps:
  - call: schedule
    args: { at: "{{now + 20m}}", payload: ring }
  - await: { signal: scheduled, timeout: 5h, out: came }
  - await: { signal: scheduled, timeout: 1h, out: again }
success_when: again == null
"#;

#[tokio::test]
async fn a_crash_around_the_firing_commit_neither_doubles_nor_loses() {
    for database in databases() {
        let death = Arc::new(FaultAtCommit::new(FaultAction::Crash));
        let setup =
            Setup { faults: death.clone(), ..probed(&[("quick", QUICK), ("alarm", ALARM)]) };
        let mut church = Church::with(database, setup).await;
        add(&church, "quick", json!({ "cron": "0 * * * *", "overlap": "allow" }))
            .await
            .expect("is added");
        let mut hours = Vec::new();
        for hour in 11..15 {
            let side = if hour % 2 == 0 { CommitPoint::After } else { CommitPoint::Before };
            church.move_clock("1h");
            // Two crashes are at the commit that starts the run,
            // and two at the commit of the run's first steps.
            death.arm(side, 1 + u32::from(hour > 12));
            let died = church.engine().tick().await;
            assert_eq!(died.expect_err("it died").code, "crashed", "{hour}");
            church.crash().await;
            hours.push(format!("2025-09-30T{hour}:00:00-05:00"));
            assert_eq!(times(&church, "quick").await, hours);
            church.assert_consistent().await;
        }
        for side in [CommitPoint::Before, CommitPoint::After] {
            let run = church.start("alarm", json!({})).await.expect("starts").id;
            church.advance("10min").await;
            church.move_clock("10min");
            death.arm(side, 1);
            assert!(church.engine().tick().await.is_err());
            church.crash().await;
            assert_eq!(church.var(run, "came").await, "ring");
            church.advance("1h").await;
            assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded), "it rang once");
            church.assert_consistent().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn only_one_of_several_processes_fires() {
    let setup = probed(&[("quick", QUICK), ("alarm", ALARM)]);
    let mut church = Church::with(TestDb::postgres(), setup).await;
    for minute in 0..20 {
        let cron = format!("{minute} * * * *");
        add(&church, "quick", json!({ "cron": cron, "overlap": "allow" })).await.expect("is added");
        let at = format!("2025-09-30T10:{minute:02}:00-05:00");
        add(&church, "quick", json!({ "at": at })).await.expect("is added");
    }
    let before = times(&church, "quick").await.len();
    let mut alarms = Vec::new();
    for _ in 0..5 {
        alarms.push(church.start("alarm", json!({})).await.expect("starts").id);
    }
    let others = [church.open_another().await, church.open_another().await];
    church.move_clock("1h 20min");
    let (one, two, three) =
        tokio::join!(church.engine().tick(), others[0].tick(), others[1].tick());
    for tick in [one, two, three] {
        tick.expect("ticks");
    }
    drop(others);
    church.crash().await;
    // Of the 20 schedules with `at`, the first had already started its run. The other 19 start one now.
    // Each of the 20 recurring schedules starts one run, for the latest time that it missed.
    assert_eq!(times(&church, "quick").await.len(), before + 19 + 20);
    for run in alarms {
        assert_eq!(church.var(run, "came").await, "ring");
        assert_eq!(church.run(run).await.status.as_str(), "waiting");
    }
    church.assert_consistent().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_serving_process_fires_at_once_what_is_added() {
    for database in databases() {
        let setup = Setup { drive_mode: DriveMode::Tasks(4), ..probed(&[("quick", QUICK)]) };
        let church = Church::with(database, setup).await;
        let serving = Serving::begin([church.engine()]);
        let past = json!({ "at": "2025-09-30T09:00:00-05:00" });
        insert(&church, "quick", past).await.expect("is added");
        while times(&church, "quick").await.is_empty() {
            tokio::task::yield_now().await;
        }
        serving.stop().await;
        church.assert_consistent().await;
    }
}
