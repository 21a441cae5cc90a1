//! A server archives by itself, and gives way to work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use abide_engine::archive::MemoryArchives;
use abide_engine::base::{Problem, Value};
use abide_engine::domain::StartRun;
use abide_engine::driver::DriveMode;
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, Verb, VerbOutcome, WriteVerb};
use abide_simulator::domains;
use abide_trade::files::FileStore;
use async_trait::async_trait;
use serde_json::json;
use tokio::sync::Notify;

use super::{attach, old_campaign};
use crate::campaign::church::{Church, Setup};
use crate::engines::Serving;
use crate::postgres::{TestDb, databases};
use crate::support::wait_until;

const CONTRACT: &str = "
verbs:
  linger:
    version: 1
    summary: Takes its time.
    effect: write
    idempotency: safe_retry
    risk: T1
    timeout: 1h
    args: { type: object }
    result: { type: object }
";
const METHOD: &str = "method: slow\nsteps: [{ call: linger, args: {} }]\n";

/// A verb that does not return until the test allows it.
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

async fn old_church(database: TestDb, linger: &Arc<Linger>) -> Church {
    let verb: Arc<dyn WriteVerb> = linger.clone();
    let verbs = domains::verbs(FileStore::in_memory()).with("linger", Verb::Write(verb));
    let mut setup = Setup { verbs, ..Setup::default() }.method("slow", METHOD);
    setup.sources.contracts.insert("linger.yaml".to_owned(), CONTRACT.to_owned());
    let mut church = Church::with(database, setup).await;
    old_campaign(&mut church).await;
    church.move_clock("401d");
    church.reopen_with(|setup| setup.drive_mode = DriveMode::Tasks(4)).await;
    church
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_archives_what_is_old_once_a_day() {
    for database in databases() {
        let files = MemoryArchives::default();
        let church = old_church(database, &Arc::default()).await;
        attach(church.engine(), &files);
        church.engine().tick().await.expect("settled");
        assert_eq!(files.paths(), [] as [&str; 0], "only a server archives by itself");
        let serving = Serving::begin([church.engine()]);
        let sealed = "SELECT COUNT(*) FROM archive WHERE state = 'sealed'";
        wait_until("it is archived", async || {
            church.move_clock("2s");
            church.number(sealed).await == 1
        })
        .await;
        assert_eq!(church.number("SELECT COUNT(*) FROM run").await, 0);
        assert_eq!(files.paths().len(), 1);
        serving.stop().await;
        church.assert_consistent().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn archiving_waits_while_a_run_is_at_work() {
    let files = MemoryArchives::default();
    let linger = Arc::new(Linger::default());
    // On an embedded database, a call that takes its time holds up every write.
    let church = old_church(TestDb::postgres(), &linger).await;
    let serving = Serving::begin([church.engine()]);
    let start = StartRun { method: "slow".to_owned(), ..StartRun::default() };
    church.engine().start_run("default", start).await.expect("started");
    linger.begun.notified().await;
    attach(church.engine(), &files);
    for _ in 0..20 {
        church.move_clock("2s");
        church.engine().take_up_due_work().await.expect("rung");
        assert_eq!(church.number("SELECT COUNT(*) FROM archive").await, 0);
        tokio::task::yield_now().await;
    }
    linger.enough.notify_one();
    let sealed = "SELECT COUNT(*) FROM archive WHERE state = 'sealed'";
    wait_until("it is archived", async || {
        church.move_clock("2s");
        church.number(sealed).await == 1
    })
    .await;
    serving.stop().await;
    church.assert_consistent().await;
}
