//! A run whose step crashes the process that drives the run.
//! The processes are real: this test program starts itself as a helper process.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use abide_engine::base::{Problem, RunId, Value};
use abide_engine::clock::SystemClock;
use abide_engine::facade::{Engine, EngineConfig, RunView};
use abide_engine::library::Sources;
use abide_engine::run::{Control, RunStatus};
use abide_engine::store::RunFilter;
use abide_engine::verb::{CallContext, PureVerb, Verb, VerbOutcome};
use abide_simulator::domains;
use abide_trade::files::FileStore;
use tokio::sync::watch;

use super::config;
use crate::engines::{self, open, start, status};
use crate::postgres::TestDb;
use crate::support::WITHIN;

/// Environment variable with the address of the helper process's database.
/// If the variable is not set, the test `a_process_that_drives` does nothing.
const DATABASE: &str = "ABIDE_POISON_DB";
const HELPER: &str = "nodes::poison::a_process_that_drives";
/// Number of processes that must crash while they own a run, before the run is quarantined.
const DEATHS: usize = 5;
const SET_ASIDE: &str = "SELECT count(*) FROM ledger WHERE kind = 'run.paused'";

const CONTRACTS: &str = "
verbs:
  die:
    version: 1
    summary: Ends the process.
    effect: pure
    idempotency: safe_retry
    risk: T0
    timeout: 10s
    args: { type: object }
    result: { type: object }
";
const BOMB: &str = "method: bomb\nsteps: [ { call: die, args: {} } ]\n";
const WELL: &str = "method: well\nsteps: [ { await: { timeout: 1s } }, { set: { done: true } } ]\n";

struct Die;

impl PureVerb for Die {
    fn run(&self, _cx: &CallContext<'_>, _args: &Value) -> Result<VerbOutcome, Problem> {
        std::process::abort()
    }
}

async fn open_engine(url: &str) -> Engine {
    let mut sources = Sources::builtin();
    sources.contracts.insert("die.yaml".to_owned(), CONTRACTS.to_owned());
    for (name, text) in [("bomb", BOMB), ("well", WELL)] {
        sources.methods.insert(format!("{name}.yaml"), text.to_owned());
    }
    let seed = u64::from(std::process::id());
    open(EngineConfig {
        library: engines::library(&sources),
        verbs: domains::verbs(FileStore::in_memory()).with("die", Verb::Pure(Arc::new(Die))),
        ..config(url, Arc::new(SystemClock), seed, &[])
    })
    .await
}

/// This is not a test but the main function of the helper process. It drives runs until the process is
/// killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::disallowed_methods, reason = "how a process of a test is told what to do")]
async fn a_process_that_drives() {
    let Ok(url) = std::env::var(DATABASE) else { return };
    let (_never, shutdown) = watch::channel(false);
    open_engine(&url).await.serve(shutdown).await;
}

/// The helper process, which is killed when this value is dropped.
struct Helper(Child);

impl Helper {
    fn start(url: &str) -> Self {
        let program = std::env::current_exe().expect("the path of this test");
        let mut command = Command::new(program);
        command.args(["--exact", HELPER, "--nocapture"]).env(DATABASE, url);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().expect("this test program starts"))
    }

    fn has_died(&mut self) -> bool {
        self.0.try_wait().expect("its state").is_some()
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

async fn view(engine: &Engine, run: RunId) -> RunView {
    engine.run("default", run).await.expect("a run")
}

/// Runs a helper process until the function `done` returns true. Whenever a helper process crashes,
/// starts another one. Returns the number of crashes.
async fn drive(url: &str, mut done: impl AsyncFnMut() -> bool) -> usize {
    let driving = async {
        let mut polls = tokio::time::interval(Duration::from_millis(50));
        let mut deaths = 0;
        let mut helper = Helper::start(url);
        while !done().await {
            polls.tick().await;
            if helper.has_died() {
                deaths += 1;
                helper = Helper::start(url);
            }
        }
        deaths
    };
    tokio::time::timeout(WITHIN, driving).await.expect("done in time")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_repeatedly_crashes_its_process_is_quarantined_and_harms_no_other() {
    let database = TestDb::postgres();
    let engine = open_engine(database.url()).await; // this engine only reads and drives no run
    let bomb = start(&engine, "bomb").await;
    let mut others = Vec::new();
    for _ in 0..3 {
        others.push(start(&engine, "well").await);
    }
    let deaths = drive(database.url(), async || database.number(SET_ASIDE).await == 1).await;
    assert!((1..=DEATHS).contains(&deaths), "{deaths}: a claim may end before the verb is called");

    let set_aside = view(&engine, bomb).await;
    let waits = set_aside.waiting_on.as_ref().expect("it waits");
    assert_eq!(waits.kind.as_str(), "quarantine");
    assert!(set_aside.stuck.is_some_and(|stuck| stuck.must_act.contains("abide run resume")));
    let stuck = RunFilter { stuck: true, ..RunFilter::default() };
    let listed = engine.runs("default", &stuck).await.expect("runs");
    // The other runs may also be listed as stuck.
    // They are late, because the processes that should wake them crashed.
    assert!(listed.items.iter().any(|run| run.id == bomb), "the run is listed as stuck");
    let told = engine.explain("default", bomb).await.expect("explained").text;
    assert!(told.contains("it crashed the process that worked on it"), "{told}");

    for other in others {
        let completed = async || status(&engine, other).await == RunStatus::Completed;
        assert_eq!(drive(database.url(), completed).await, 0, "the other runs crash nothing");
    }

    engine.control("default", bomb, Control::Resume).await.expect("resumed");
    let deaths = drive(database.url(), async || database.number(SET_ASIDE).await == 2).await;
    assert!((1..=DEATHS).contains(&deaths), "{deaths}: the resumed run is tried again");
    assert_eq!(engine.audit().await.expect("audited").breaches, []);
}
