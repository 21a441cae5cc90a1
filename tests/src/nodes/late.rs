//! A server commits a claim long after its answer was lost, and the process keeps running.

use std::sync::Arc;

use abide_engine::clock::SystemClock;
use abide_engine::domain::StartRun;
use abide_engine::run::RunStatus;
use abide_engine::store::RunRef;
use serde_json::json;
use tokio::sync::watch;

use super::{config, open, until};
use crate::postgres::TestDb;

const PATIENT: &str =
    "method: patient\nsteps:\n  - await: { signal: go, timeout: 1h, out: came }\n";
/// Does what a claim of the running process would have done.
const TAKES: &str = "UPDATE turn SET owner = (SELECT id FROM node WHERE dead = 0), epoch = epoch + 1, claims = claims + 1";
const IN_HAND: &str = "SELECT count(owner) FROM turn";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_committed_long_after_its_answer_was_lost_is_recovered() {
    let database = TestDb::postgres();
    let clock = (Arc::new(SystemClock) as _, 1);
    let engine = open(config(database.url(), clock, &[("patient", PATIENT)])).await;
    let (stop, stopped) = watch::channel(false);
    let serving = tokio::spawn({
        let engine = engine.clone();
        async move { engine.serve(stopped).await }
    });
    let wanted = StartRun { method: "patient".to_owned(), goal: json!({}), ..StartRun::default() };
    let run = engine.start("default", wanted).await.expect("started").run;
    let status = async || engine.run("default", run).await.expect("a run").status;
    until("it waits", async || status().await == RunStatus::Waiting).await;
    until("no process owns it", async || database.number(IN_HAND).await == 0).await;

    database.execute(TAKES).await;
    let ours = RunRef { tenant: "default", run };
    assert!(engine.signal(ours, "go", &json!(true), None).await.expect("sent"));
    until("it is completed", async || status().await == RunStatus::Completed).await;
    stop.send_replace(true);
    serving.await.expect("it ends");
}
