//! A node that receives a request to stop while it drives a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use abide_engine::base::{Problem, Value};
use abide_engine::clock::SystemClock;
use abide_engine::facade::EngineConfig;
use abide_engine::library::Sources;
use abide_engine::run::RunStatus;
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, Verb, VerbOutcome, WriteVerb};
use abide_simulator::domains;
use abide_trade::files::FileStore;
use async_trait::async_trait;
use serde_json::json;
use tokio::sync::Notify;

use super::config;
use crate::engines::{self, Serving, open, start, status};
use crate::postgres::TestDb;
use crate::support::wait_until;

const CONTRACT: &str = "
verbs:
  linger:
    version: 1
    summary: Takes its time.
    effect: write
    idempotency: safe_retry
    risk: T1
    timeout: 10s
    args: { type: object }
    result: { type: object }
";
const METHOD: &str = "method: slow\nsteps: [{ call: linger, args: {} }]\n";
const LAST_HEARTBEAT: &str = "SELECT coalesce(max(lease_until), 0) FROM node";

/// A verb whose first call does not return until the test allows it.
#[derive(Default)]
struct Linger {
    calls: AtomicU32,
    begun: Notify,
    enough: Notify,
}

#[async_trait]
impl WriteVerb for Linger {
    async fn run(
        &self,
        _tx: &mut Tx,
        _cx: &CallContext<'_>,
        _args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        if self.calls.fetch_add(1, Ordering::SeqCst) == 0 {
            self.begun.notify_one();
            self.enough.notified().await;
        }
        Ok(VerbOutcome::done(json!({}), Effects::default()))
    }
}

fn slow_config(url: &str, seed: u64, linger: &Arc<Linger>) -> EngineConfig {
    let mut sources = Sources::builtin();
    sources.methods.insert("slow.yaml".to_owned(), METHOD.to_owned());
    sources.contracts.insert("linger.yaml".to_owned(), CONTRACT.to_owned());
    let verb: Arc<dyn WriteVerb> = linger.clone();
    let verbs = domains::verbs(FileStore::in_memory()).with("linger", Verb::Write(verb));
    EngineConfig {
        library: engines::library(&sources),
        verbs,
        ..config(url, Arc::new(SystemClock), seed, &[])
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_stopping_node_keeps_the_run_that_it_drives_until_it_is_done() {
    let database = TestDb::postgres();
    let linger = Arc::new(Linger::default());
    let (leaving, staying) = (
        open(slow_config(database.url(), 1, &linger)).await,
        open(slow_config(database.url(), 2, &linger)).await,
    );
    let left = Serving::begin([&leaving]);
    let run = start(&leaving, "slow").await;
    linger.begun.notified().await;
    let stayed = Serving::begin([&staying]);
    left.ask_to_stop();
    for _ in 0..4 {
        let before = database.number(LAST_HEARTBEAT).await;
        wait_until("a node's heart beats", async || database.number(LAST_HEARTBEAT).await > before)
            .await;
    }
    linger.enough.notify_one();
    left.stop().await;
    wait_until("it is done", async || status(&staying, run).await == RunStatus::Completed).await;
    assert_eq!(linger.calls.load(Ordering::SeqCst), 1, "no other node made the call");
    assert_eq!(database.number("SELECT count(*) FROM node WHERE dead = 1").await, 1, "it has left");
    stayed.stop().await;
}
