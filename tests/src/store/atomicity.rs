//! Atomicity: however a transaction ends, either all of its rows are written or none of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use abide_engine::base::{Digest, Problem, RequestId, RunId};
use abide_engine::ledger::KindName;
use abide_engine::store::{
    About, Commit, CommitParts, CommitPoint, FaultAction, FaultHooks, ScheduleRow, ScheduleTarget,
    SignalKind, StatementHooks, Tally, Tx, VarRow, tx_closure,
};
use serde_json::json;

use super::support::{Opened, START, TENANT, inbound, new_run, open, open_with, schedule, wait};
use crate::postgres::{TestDb, databases};

/// How a transaction ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Well,
    ByItsOwnProblem,
    ByAStatementThatFails,
    ByAPanic,
    ByACrash(CommitPoint),
}

impl End {
    /// Whether the rows of a transaction that ends in this way must be kept.
    fn stays(self) -> bool {
        matches!(self, Self::Well | Self::ByACrash(CommitPoint::After))
    }
}

const ENDS: [End; 6] = [
    End::ByItsOwnProblem,
    End::ByAStatementThatFails,
    End::ByAPanic,
    End::ByACrash(CommitPoint::Before),
    End::ByACrash(CommitPoint::After),
    End::Well,
];

/// A fault that crashes the process at the next commit after the fault was armed.
struct Armed {
    point: Option<CommitPoint>,
    armed: AtomicBool,
}

impl StatementHooks for Armed {}

impl FaultHooks for Armed {
    fn at_commit(&self, point: CommitPoint, _: CommitParts) -> FaultAction {
        let strikes = Some(point) == self.point && self.armed.load(Ordering::SeqCst);
        if strikes { FaultAction::Crash } else { FaultAction::Go }
    }
}

/// The total number of rows in all tables that `Work` writes, plus the counters that `Work` increments.
const ROWS: &str = "SELECT (SELECT COUNT(*) FROM run) + (SELECT COUNT(*) FROM turn)
    + (SELECT COUNT(*) FROM var) + (SELECT COUNT(*) FROM blob) + (SELECT COUNT(*) FROM ledger)
    + (SELECT COUNT(*) FROM signal) + (SELECT COUNT(*) FROM inbound) + (SELECT COUNT(*) FROM pii)
    + (SELECT COUNT(*) FROM contact) + (SELECT COUNT(*) FROM wait) + (SELECT COUNT(*) FROM tally)
    + (SELECT COUNT(*) FROM schedule) + (SELECT COUNT(*) FROM undo) + (SELECT COUNT(*) FROM budget)
    + (SELECT COUNT(*) FROM partition_head) + (SELECT COUNT(*) FROM definition)
    + (SELECT CAST(COALESCE(SUM(seq), 0) AS BIGINT) FROM run)
    + (SELECT CAST(COALESCE(SUM(wake), 0) AS BIGINT) FROM turn)
    + (SELECT CAST(COALESCE(SUM(next_ord), 0) AS BIGINT) FROM partition_head)
    + (SELECT COUNT(consumed_seq) FROM signal)";

/// The tested transaction. It writes everything that a reply and the following step may write.
#[derive(Clone)]
struct Work {
    provider_id: String,
    request: RequestId,
    run: RunId,
    commit: Commit,
    timer: ScheduleRow,
    started: abide_engine::store::NewRun,
}

impl Work {
    fn of(store: &Opened, run: RunId) -> Self {
        let provider_id = run.to_string();
        let long = json!(provider_id.repeat(99)).to_string();
        let digest = Digest::of(long.as_bytes());
        let request = store.id();
        let var = VarRow { name: "list".to_owned(), value: None, blob: Some(digest) };
        let commit = Commit {
            vars: vec![var],
            blobs: vec![(digest, long)],
            armed: Some(wait(request, 2)),
            ..store.commit(run, 0)
        };
        let timer = schedule(store.id(), ScheduleTarget::Signal(run, json!(1)), START);
        Self { provider_id, request, run, commit, timer, started: new_run(store.id()) }
    }

    async fn write(&self, tx: &mut Tx) -> Result<(), Problem> {
        let inbound = inbound(&self.provider_id, "+15550100", START);
        let (request, run) = (self.request, self.run);
        tx.store_inbound(TENANT, &inbound).await?;
        tx.lock_request(TENANT, request).await?;
        tx.next_ord(abide_engine::base::TypedId::uuid(request))?;
        tx.tally(request, "nursery", Tally { open: 0, yes: 1, no: 0, gone: 0 }).await?;
        tx.log(request, KindName::of("said"), About::run(Some(run)), json!({"text": "yes"}))?;
        tx.spend(TENANT, START, 1, 9).await?;
        tx.insert_runs(std::slice::from_ref(&self.started)).await?;
        tx.signal(run, SignalKind::Named("go"), Some("k"), &json!(1)).await?;
        let open = tx.open_signals(run).await?.named;
        let consumed = open.into_iter().map(|signal| signal.id).collect();
        tx.insert_schedule(&self.timer).await?;
        tx.push_undo(run, abide_engine::store::UndoRow { pos: 1, node: 1, args: Digest::ZERO })
            .await?;
        tx.store_pii("a text").await?;
        tx.commit_step(Commit { consumed, ..self.commit.clone() }).await?;
        Ok(())
    }
}

/// Executes the work of a run in one transaction, which ends as `end` says.
/// Returns whether the store reported success.
async fn done(store: &Opened, run: RunId, end: End) -> bool {
    let work_of = Work::of(store, run);
    let task = tx_closure(move |tx| {
        let work_of = work_of.clone();
        Box::pin(async move {
            work_of.write(tx).await?;
            match end {
                End::Well | End::ByACrash(_) => {}
                End::ByItsOwnProblem => return Err(Problem::caller("no", "it ends badly")),
                End::ByAStatementThatFails => {
                    let failed = tx.execute("SELECT nothing FROM nowhere", &[]).await;
                    assert!(failed.is_err());
                }
                End::ByAPanic => panic!("as asked"),
            }
            Ok(())
        })
    });
    store.store.write(task).await.is_ok()
}

#[tokio::test]
async fn all_rows_of_a_transaction_are_written_or_none_however_it_ends() {
    for database in databases() {
        for end in ENDS {
            let what = format!("{database}, {end:?}");
            let point = match end {
                End::ByACrash(point) => Some(point),
                _ => None,
            };
            let faults = Arc::new(Armed { point, armed: AtomicBool::new(false) });
            let store = open_with(&database, faults.clone()).await;
            let run = store.start().await;
            let before = database.number(ROWS).await;
            faults.armed.store(true, Ordering::SeqCst);
            assert_eq!(done(&store, run, end).await, end == End::Well, "{what}");
            drop(store);
            check_after(&database, Before { run, rows: before }, end, &what).await;
        }
    }
}

/// What the test knows before the work is executed: the run of the work, and the number of rows.
struct Before {
    run: RunId,
    /// Result of the query `ROWS`.
    rows: i64,
}

/// Checks that the next process finds all rows of the work or none of them.
/// If the process finds none, the work is repeated.
async fn check_after(database: &TestDb, before: Before, end: End, what: &str) {
    let next = open(database).await;
    let (rows, found) = (before.rows, database.number(ROWS).await);
    assert_eq!(found != rows, end.stays(), "{what}: {rows} and then {found}");
    if !end.stays() {
        assert!(done(&next, before.run, End::Well).await, "{what}: a second try succeeds");
        assert_ne!(database.number(ROWS).await, rows, "{what}");
    }
}
