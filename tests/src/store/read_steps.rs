//! Steps that only read share a commit with others. They write only their commits, and one that must write more is refused.

use abide_engine::base::{Digest, Problem, RequestId, RunId, TypedId as _};
use abide_engine::store::{
    Commit, Committed, ReadStep, SignalKind, Tally, Tx, Unwoken, VarRow, tx_closure,
};
use serde_json::json;

use super::support::{Opened, law, tx};
use crate::postgres::TestDb;

/// What a step does besides its commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extra {
    Nothing,
    Writes,
    Logs,
    Wakes,
    Fails,
    Panics,
    Gives,
}

async fn act(tx: &mut Tx, extra: Extra, other: RunId) -> Result<bool, Problem> {
    match extra {
        Extra::Nothing => {}
        Extra::Writes => tx.set_meta("read_step", "written").await?,
        Extra::Logs => drop(tx.next_ord(other.uuid())?),
        Extra::Wakes => tx.wake(other),
        Extra::Fails => return Err(Problem::caller("refused", "the step fails")),
        Extra::Panics => panic!("the step panics"),
        Extra::Gives => return Ok(false),
    }
    Ok(true)
}

/// Takes a step that reads the tallies of a request and commits `commit`, with its number of places taken.
async fn take(
    store: &Opened,
    request: RequestId,
    commit: Commit,
    extra: Extra,
) -> Result<ReadStep<i64>, Problem> {
    let (run, other) = (commit.run, store.id());
    let step = tx_closure(move |tx: &mut Tx| {
        let commit = commit.clone();
        Box::pin(async move {
            let tallies = tx.request_tallies(request).await?;
            let goes_on = act(tx, extra, other).await?;
            let yes = tallies.get("ushers").map_or(0, |tally| tally.yes);
            Ok(goes_on.then_some((commit, yes)))
        })
    });
    store.store.commit_read_step(run, step).await
}

law!(
    a_step_that_only_reads_is_committed_with_others_and_one_that_does_more_is_not,
    async |database: &TestDb, store: Opened| {
        let request: RequestId = store.id();
        store.tally(request, "ushers", Tally { yes: 3, ..Tally::default() }).await;
        let runs = store.start_all(28).await;
        let extras = [
            Extra::Nothing,
            Extra::Writes,
            Extra::Logs,
            Extra::Wakes,
            Extra::Fails,
            Extra::Panics,
            Extra::Gives,
        ];
        let mut steps = Vec::new();
        for (ix, run) in runs.iter().enumerate() {
            let (store, commit) = (store.clone(), store.commit(*run, 0));
            let extra = extras[ix % extras.len()];
            steps.push((
                extra,
                tokio::spawn(async move { take(&store, request, commit, extra).await }),
            ));
        }
        for (extra, step) in steps {
            let taken = step.await.expect("no panic");
            let expected = match (extra, &taken) {
                (Extra::Nothing, Ok(ReadStep::Taken(3, Committed::Done { wake: 0 }))) => true,
                (
                    Extra::Writes | Extra::Logs | Extra::Wakes | Extra::Gives,
                    Ok(ReadStep::Writes),
                ) => true,
                (Extra::Fails, Err(problem)) => problem.code == "refused",
                (Extra::Panics, Err(problem)) => problem.code == "internal",
                _ => false,
            };
            assert!(expected, "{database}: {extra:?}: {taken:?}");
        }
        let moved = database.number("SELECT count(*) FROM run WHERE seq = 1").await;
        assert_eq!(moved, 4, "{database}");
        assert_eq!(database.number("SELECT count(*) FROM ledger").await, 4, "{database}");
        assert_eq!(database.number("SELECT count(*) FROM turn WHERE wake > 0").await, 0);
        let meta = tx!(store.read, |tx| tx.meta("read_step").await?).await.unwrap();
        assert_eq!(meta, None, "{database}");
    }
);

law!(
    a_step_that_only_reads_is_stale_if_its_run_was_woken_or_lost,
    async |database: &TestDb, store: Opened| {
        let (run, request) = (store.start().await, store.id());
        let unless = Some(Unwoken { seen_wake: 0, deadline: None });
        let step = |seq, epoch| Commit { unless, epoch, ..store.commit(run, seq) };
        let taken = async |commit| match take(&store, request, commit, Extra::Nothing).await {
            Ok(ReadStep::Taken(_, committed)) => committed,
            other => panic!("{database}: {other:?}"),
        };
        assert_eq!(taken(step(0, 1)).await, Committed::Done { wake: 0 }, "{database}");
        assert_eq!(taken(step(0, 1)).await, Committed::Stale, "{database}: the head has moved");
        assert_eq!(taken(step(1, 2)).await, Committed::Stale, "{database}: another owner");
        let signalled = tx!(store.write, |tx| {
            tx.signal(run, SignalKind::Named("go"), None, &json!({})).await?
        });
        assert!(signalled.await.unwrap(), "{database}");
        assert_eq!(taken(step(1, 1)).await, Committed::Stale, "{database}: woken since");
        let seen = Commit { unless: Some(Unwoken { seen_wake: 1, deadline: None }), ..step(1, 1) };
        assert_eq!(taken(seen).await, Committed::Done { wake: 1 }, "{database}: it has seen why");
    }
);

law!(the_values_of_many_runs_are_read_together, async |database: &TestDb, store: Opened| {
    let runs = store.start_all(3).await;
    let long = json!("y".repeat(5_000));
    let digest = Digest::of_value(&long);
    let var = VarRow { name: "goal".into(), value: None, blob: Some(digest) };
    let commit = Commit {
        vars: vec![var],
        blobs: vec![(digest, long.to_string())],
        ..store.commit(runs[1], 0)
    };
    store.must_commit(commit).await;
    let unknown: RunId = store.id();
    let wanted = [runs[0], runs[1], unknown];
    let goals = tx!(store.read, |tx| tx.var_of_runs("goal", &wanted).await?).await.unwrap();
    assert_eq!(goals.len(), 2, "{database}");
    assert_eq!(goals[&runs[0]], r#"{"count":2}"#, "{database}");
    assert_eq!(goals[&runs[1]], long.to_string(), "{database}");
    let never = Digest::of(b"never stored");
    let stored = tx!(store.read, |tx| tx.blobs(&[never, digest, digest]).await?).await.unwrap();
    assert_eq!(stored.len(), 1, "{database}");
    assert_eq!(stored[&digest], long.to_string(), "{database}");
});
