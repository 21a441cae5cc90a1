//! The database's confirmation of a commit is lost.
//! The process keeps running without knowing whether the commit happened.

use std::sync::Arc;

use abide_engine::base::RunId;
use abide_engine::domain::StartRun;
use abide_engine::store::{CommitPoint, FaultAction};
use serde_json::json;

use super::church::{Church, Setup};
use crate::faults::FaultAtCommit;
use crate::postgres::databases;

/// A method that waits for a signal that never comes.
const PATIENT: &str = "method: patient
steps:
  - set: { begun: true }
  - await: { signal: go, timeout: 1h, out: came }
  - set: { ended: true }
";
/// Number of runs that the test starts, one after another. During the n-th run, the confirmation of the
/// run's n-th commit is lost. This number exceeds the number of commits of a run, so the test covers
/// every commit of a run.
const COMMITS: u32 = 12;
/// Maximum number of times that the test tries an action.
const TRIES: usize = 3;
const IN_HAND: &str = "SELECT COUNT(owner) FROM turn";

/// Starts a run. If the request gets no answer, repeats it with the same idempotency key.
async fn ask(church: &Church, key: &str) -> RunId {
    for _ in 0..TRIES {
        let wanted = StartRun {
            method: "patient".to_owned(),
            goal: json!({}),
            key: Some(key.to_owned()),
            ..StartRun::default()
        };
        if let Ok(run) = church.engine().start_run("default", wanted).await {
            return run.id;
        }
    }
    panic!("{key} is not started");
}

/// Lets the process work for a few seconds of virtual time, and checks that its last tick succeeds.
async fn go_on(church: &Church) {
    let mut last = church.engine().tick().await;
    for _ in 0..TRIES {
        church.move_clock("1s");
        last = church.engine().tick().await;
    }
    last.expect("the process continues");
}

#[tokio::test]
async fn whichever_answer_is_lost_the_same_process_continues_the_run() {
    for side in [CommitPoint::Before, CommitPoint::After] {
        for database in databases() {
            let told = format!("{database}, {side:?}");
            let loss = Arc::new(FaultAtCommit::new(FaultAction::Lose));
            let setup = Setup { faults: loss.clone(), ..Setup::default() };
            let church = Church::with(database, setup.method("patient", PATIENT)).await;
            for nth in 1..=COMMITS {
                loss.arm(side, nth);
                let run = ask(&church, &format!("{nth}")).await;
                go_on(&church).await;
                assert_eq!(church.run(run).await.status.as_str(), "waiting", "{told}: {nth}");
                church.move_clock("2h");
                go_on(&church).await;
                assert_eq!(church.run(run).await.status.as_str(), "completed", "{told}: {nth}");
                assert_eq!(church.number(IN_HAND).await, 0, "{told}: {nth}");
            }
            assert!(loss.is_armed(), "{told}: a story has fewer commits");
            church.assert_consistent().await;
        }
    }
}
