//! The database commits a node's claim long after the node has stopped waiting for the confirmation.

use std::sync::Arc;

use abide_engine::clock::SystemClock;
use abide_engine::run::RunStatus;
use abide_engine::store::RunRef;
use serde_json::json;

use super::config;
use crate::engines::{Serving, open, start, status};
use crate::postgres::TestDb;
use crate::support::wait_until;

const PATIENT: &str =
    "method: patient\nsteps:\n  - await: { signal: go, timeout: 1h, out: came }\n";
/// SQL statement that claims all turns for the running node, without the node's knowledge.
const CLAIM: &str = "UPDATE turn SET owner = (SELECT id FROM node WHERE dead = 0), epoch = epoch + 1, claims = claims + 1";
const OWNED_TURNS: &str = "SELECT count(owner) FROM turn";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_committed_long_after_its_answer_was_lost_is_recovered() {
    let database = TestDb::postgres();
    let clock = Arc::new(SystemClock);
    let engine = open(config(database.url(), clock, 1, &[("patient", PATIENT)])).await;
    let serving = Serving::begin([&engine]);
    let run = start(&engine, "patient").await;
    wait_until("it waits", async || status(&engine, run).await == RunStatus::Waiting).await;
    wait_until("no process owns it", async || database.number(OWNED_TURNS).await == 0).await;

    database.execute(CLAIM).await;
    let ours = RunRef { tenant: "default", run };
    assert!(engine.signal(ours, "go", &json!(true), None).await.expect("sent").is_new);
    wait_until("it is completed", async || status(&engine, run).await == RunStatus::Completed)
        .await;
    serving.stop().await;
}
