//! A request to start a run that conflicts with a live run.
//! The request is rejected, joins the live run, or replaces it.

use std::collections::BTreeSet;
use std::sync::Arc;

use abide_engine::base::{Problem, RunId};
use abide_engine::domain::{OnConflict, StartRun};
use abide_engine::facade::{Engine, RunView};
use abide_engine::run::RunOutcome;
use abide_engine::store::{CommitPoint, Dialect, FaultAction, RunFilter};
use tokio::task::JoinSet;

use super::church::{Church, Setup, goal, on_both};
use super::race::{engines, parallel_setup};
use crate::faults::FaultAtCommit;
use crate::postgres::databases;

fn wanted(count: u32, on_conflict: OnConflict) -> StartRun {
    StartRun {
        method: "fill_roles".to_owned(),
        goal: goal(count),
        on_conflict,
        ..StartRun::default()
    }
}

async fn start(church: &Church, count: u32, on_conflict: OnConflict) -> Result<RunView, Problem> {
    church.engine().start_run("default", wanted(count, on_conflict)).await
}

async fn status(church: &Church, run: RunId) -> String {
    church.run(run).await.status.as_str().to_owned()
}

const LIVE: &str = "SELECT COUNT(*) FROM run WHERE ended_at IS NULL";

on_both!(a_conflicting_start_is_refused_or_joins_the_live_run, async |church: Church| {
    let first = church.fill(5).await.id;
    let refused = start(&church, 3, OnConflict::Reject).await.expect_err("is refused");
    assert_eq!(
        (refused.code.as_ref(), refused.detail),
        ("already_running", Some(first.to_string()))
    );
    let joined = start(&church, 3, OnConflict::Join).await.expect("joins");
    assert_eq!(joined.id, first);
    let target = "SELECT COUNT(*) FROM request WHERE targets LIKE '%\"nursery\":5%'";
    assert_eq!(church.number(target).await, 1, "joining changes nothing");
    assert_eq!(church.sent(&Church::phone('B'), "invite").await, 1);
    church.assert_consistent().await;
});

on_both!(a_replacing_run_begins_when_the_replaced_one_has_ended, async |mut church: Church| {
    let first = church.fill(5).await.id;
    church.advance("1min").await;
    church.say("A", "yes").await;
    let second = start(&church, 3, OnConflict::Replace).await.expect("replaces");
    assert_eq!(second.replaces, Some(first));
    church.crash().await;
    assert_eq!(status(&church, first).await, "cancelled");
    assert_eq!(status(&church, second.id).await, "waiting");
    assert_eq!(
        church.number("SELECT COUNT(*) FROM assignment WHERE state = 'accepted'").await,
        1,
        "Ana keeps her place"
    );
    assert_eq!(church.messages(&Church::phone('A')).await.len(), 2, "asked and thanked once");
    church.say("BC", "yes").await;
    assert_eq!(church.run(second.id).await.outcome, Some(RunOutcome::Succeeded));
    assert_eq!(church.number(LIVE).await, 0);
    church.assert_consistent().await;
});

#[tokio::test]
async fn a_crash_at_any_commit_of_a_replacement_leaves_one_live_run() {
    for database in databases() {
        let death = Arc::new(FaultAtCommit::new(FaultAction::Crash));
        let setup = Setup { faults: death.clone(), ..Setup::default() };
        let mut church = Church::with(database, setup).await;
        let mut last = church.fill(5).await.id;
        // On PostgreSQL, a crash at a later commit leaves a claim, which is freed only when the lease
        // ends. The clock does not move that far in this test. So on PostgreSQL, the process crashes only
        // at the earlier commits.
        let deaths = if church.engine().dialect() == Dialect::Postgres { 3 } else { 6 };
        for nth in 1_u32..=deaths {
            let side = if nth % 2 == 0 { CommitPoint::After } else { CommitPoint::Before };
            death.arm(side, nth.div_ceil(2));
            let answered = start(&church, 5, OnConflict::Replace).await;
            assert!(answered.is_err(), "death {nth}");
            assert_ne!(church.number(LIVE).await, 0, "death {nth}");
            church.crash().await;
            assert_eq!(church.number(LIVE).await, 1, "death {nth}");
            let all = church.engine().runs("default", &RunFilter::default()).await.expect("runs");
            let live = all.items.into_iter().find(RunView::is_live);
            let live = live.expect("a live run");
            assert_eq!(
                live.id == last,
                nth == 1,
                "only a death before the start keeps the old one"
            );
            assert_eq!(live.status.as_str(), "waiting");
            last = live.id;
            church.assert_consistent().await;
        }
    }
}

/// Starts the same run on all engines concurrently,
/// and returns the ids of the runs that the engines report.
async fn all_start(engines: &[Engine], on_conflict: OnConflict) -> BTreeSet<RunId> {
    let mut starting = JoinSet::new();
    for n in 0..6 {
        let engine = engines[n % engines.len()].clone();
        starting.spawn(async move { engine.start("default", wanted(5, on_conflict)).await });
    }
    let mut started = BTreeSet::new();
    while let Some(result) = starting.join_next().await {
        started.insert(result.expect("no panic").expect("starts").run);
    }
    started
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn simultaneous_starts_join_one_run_or_replace_each_other() {
    for database in databases() {
        let mut church = Church::with(database, parallel_setup()).await;
        let engines = engines(&mut church).await;
        assert_eq!(all_start(&engines, OnConflict::Join).await.len(), 1);
        church.engine().tick().await.expect("settled");
        assert_eq!(church.provider.sent().len(), 12, "one campaign");
        assert_eq!(all_start(&engines, OnConflict::Replace).await.len(), 6);
        drop(engines);
        church.crash().await;
        church.engine().tick().await.expect("settled");
        assert_eq!(church.number(LIVE).await, 1);
        assert_eq!(church.number("SELECT COUNT(*) FROM live_fill").await, 1);
        assert_eq!(church.number("SELECT COUNT(*) FROM offer WHERE state = 'pending'").await, 12);
        church.assert_consistent().await;
    }
}
