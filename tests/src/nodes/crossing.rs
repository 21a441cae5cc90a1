//! Branches end on two nodes while their parent runs get orders. Transactions that need the turns of
//! several runs never deadlock. The test's database is checked for deadlocks when it is dropped.

use std::sync::Arc;

use abide_engine::clock::SystemClock;
use abide_engine::facade::Engine;
use abide_engine::run::Control;
use abide_engine::store::RunRef;
use serde_json::json;
use tokio::task::JoinSet;

use super::config;
use crate::engines::{Serving, open, start};
use crate::postgres::TestDb;
use crate::support::wait_until;

const SIX: &str = "method: six
steps:
  - parallel:
      - - await: { signal: a, timeout: 1h }
      - - await: { signal: b, timeout: 1h }
      - - await: { signal: c, timeout: 1h }
      - - await: { signal: d, timeout: 1h }
      - - await: { signal: e, timeout: 1h }
      - - await: { signal: f, timeout: 1h }
    join: all
success_when: true
";
const RUNS: usize = 8;
const WAITING: &str = "SELECT count(*) FROM run WHERE branch = 1 AND status = 'waiting'";
const LIVE: &str = "SELECT count(*) FROM run WHERE ended_at IS NULL";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn runs_that_end_and_are_given_orders_at_once_do_not_deadlock() {
    let database = TestDb::postgres();
    let mut engines: Vec<Engine> = Vec::new();
    for seed in [1, 2] {
        let clock = Arc::new(SystemClock);
        engines.push(open(config(database.url(), clock, seed, &[("six", SIX)])).await);
    }
    let serving = Serving::begin(&engines);
    let mut runs = Vec::new();
    for n in 0..RUNS {
        runs.push(start(&engines[n % 2], "six").await);
    }
    let all = i64::try_from(6 * RUNS).expect("few");
    wait_until("all branches wait", async || database.number(WAITING).await == all).await;

    let mut orders = JoinSet::new();
    for (n, run) in runs.into_iter().enumerate() {
        let target = RunRef { tenant: "default", run };
        for (at, name) in ["a", "b", "c", "d", "e", "f"].into_iter().enumerate() {
            let engine = engines[(n + at) % 2].clone();
            orders.spawn(async move { drop(engine.signal(target, name, &json!(1), None).await) });
        }
        let engine = engines[n % 2].clone();
        orders.spawn(async move {
            for order in [Control::Pause, Control::Resume, Control::Cancel] {
                let _ = engine.control("default", run, order).await; // the run may have ended by then
            }
        });
    }
    while orders.join_next().await.is_some() {}
    wait_until("all have ended", async || database.number(LIVE).await == 0).await;
    serving.stop().await;
}
