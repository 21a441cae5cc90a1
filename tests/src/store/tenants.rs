//! Changing a tenant's settings changes the tenant's version number. Turning a kill switch creates a job.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use abide_engine::base::Timestamp;
use abide_engine::store::{
    Commit, Committed, HeldRuns, Inserted, KeyRange, NewRun, RunFilter, SwitchPhase, TenantJob,
    TurnChange,
};
use serde_json::json;
use tokio::sync::Notify;

use super::support::{Opened, START, TENANT, law, minutes, new_run, tx};
use crate::postgres::TestDb;

async fn version(store: &Opened) -> i64 {
    tx!(store.read, |tx| tx.tenant_version(TENANT).await?).await.expect("read")
}

async fn make(store: &Opened) {
    tx!(store.write, |tx| tx.ensure_tenant(TENANT).await?).await.expect("made");
}

law!(a_tenants_version_grows_with_each_change, async |database: &TestDb, store: Opened| {
    assert_eq!(version(&store).await, 0, "{database}: there is no such tenant");
    make(&store).await;
    let first = version(&store).await;
    assert!(first > 0, "{database}");
    let policy = json!({"messages_per_month": 500});
    tx!(store.write, [policy], |tx| tx.set_policy(TENANT, &policy).await?).await.unwrap();
    let set = version(&store).await;
    assert!(set > first, "{database}");
    tx!(store.write, |tx| tx.set_tenant_paused(TENANT, true).await?).await.unwrap();
    let paused = version(&store).await;
    assert!(paused > set, "{database}");
    tx!(store.write, |tx| tx.set_tenant_paused(TENANT, true).await?).await.unwrap();
    assert_eq!(version(&store).await, paused, "{database}: it is already on");
    tx!(store.write, |tx| tx.bump_tenant_version(TENANT).await?).await.unwrap();
    assert_eq!(version(&store).await, paused + 1, "{database}");
    tx!(store.write, |tx| tx.mark_unpaused(TENANT).await?).await.unwrap();
    let row = tx!(store.read, |tx| tx.tenant(TENANT).await?).await.unwrap().expect("a tenant");
    assert_eq!((row.paused, row.version), (false, paused + 1), "{database}");
});

law!(a_commit_with_outdated_settings_is_stale, async |database: &TestDb, store: Opened| {
    make(&store).await;
    let (version, run) = (version(&store).await, store.start().await);
    let step = |seq, version, turn| Commit {
        settings_version: Some(version),
        turn,
        ..store.commit(run, seq)
    };
    let park = TurnChange::Park { due_at: None, seen_wake: 0, expected_by: None };
    for (seq, turn) in [(0, TurnChange::Keep), (1, park)] {
        let old = step(seq, version - 1, turn);
        assert_eq!(store.store.commit(old).await.unwrap(), Committed::Stale, "{database}");
        store.must_commit(step(seq, version, turn)).await;
    }
    store.must_commit(store.commit(run, 2)).await; // a commit that used no settings names no version
    let orphan = new_run(store.id());
    let orphan = NewRun { tenant: "hope".to_owned(), ..orphan };
    let id = orphan.id;
    tx!(store.write, [orphan], |tx| tx.insert_runs(&[orphan]).await?).await.unwrap();
    store.must_commit(Commit { settings_version: Some(0), ..store.commit(id, 0) }).await;
});

law!(a_start_with_outdated_settings_is_left_out, async |database: &TestDb, store: Opened| {
    make(&store).await;
    let version = version(&store).await;
    let start = async |version: i64| {
        let new = NewRun { settings_version: Some(version), ..new_run(store.id()) };
        store.store.start(new, abide_engine::store::DrivenBy::AnyClaimer).await.expect("answered")
    };
    assert_eq!(start(version - 1).await, Inserted::LeftOut, "{database}");
    assert_eq!(start(version).await, Inserted::Free, "{database}");
});

law!(tenants_are_listed_by_name, async |database: &TestDb, store: Opened| {
    let made = tx!(store.write, |tx| {
        for name in ["c", "a", "b"] {
            tx.ensure_tenant(name).await?;
        }
    });
    made.await.unwrap();
    let names = async |after: &'static str| {
        let page = tx!(store.read, |tx| tx.tenant_rows(after, 2).await?).await.unwrap();
        page.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(
        (names("").await, names("b").await),
        (vec!["a".into(), "b".into()], vec!["c".into()]),
        "{database}"
    );
});

fn job(since: Timestamp) -> TenantJob {
    let (tenant, phase) = (TENANT.to_owned(), SwitchPhase::Holding);
    TenantJob { tenant, phase, reached: None, version: 2, sends: 0, runs: 0, since }
}

law!(
    a_job_continues_only_from_the_state_that_was_read,
    async |database: &TestDb, store: Opened| {
        let (first, run) = (job(START), store.id());
        tx!(store.write, [first], |tx| tx.put_tenant_job(&first).await?).await.unwrap();
        assert!(store.take_work_due().timers, "{database}: the driver is woken");
        let due = tx!(store.read_one, |tx| tx.due(START).await?).await.unwrap();
        assert!(due.switch, "{database}");
        let found = tx!(store.read, |tx| tx.tenant_job(TENANT).await?).await.unwrap();
        assert_eq!(found.as_ref(), Some(&first), "{database}");
        let on =
            TenantJob { phase: SwitchPhase::Freeing, reached: Some(run), runs: 7, ..first.clone() };
        let older = TenantJob { tenant: "hope".to_owned(), ..job(START - minutes(1)) };
        let went_on = tx!(store.write, [first, on, older], |tx| {
            let ours = tx.lock_tenant_job(&first).await?;
            tx.put_tenant_job(&on).await?;
            tx.put_tenant_job(&older).await?;
            (ours, tx.lock_tenant_job(&first).await?, tx.lock_tenant_job(&on).await?)
        });
        assert_eq!(went_on.await.unwrap(), (true, false, true), "{database}");
        let all = tx!(store.read_one, |tx| tx.tenant_jobs(9).await?).await.unwrap();
        assert_eq!(all, [older, on], "{database}: oldest first");
        let ended = tx!(store.write, |tx| {
            tx.end_tenant_job(TENANT).await?;
            tx.end_tenant_job("hope").await?;
            tx.due(START).await?.switch
        });
        assert!(!ended.await.unwrap(), "{database}");
    }
);

law!(
    a_held_run_is_a_breach_unless_a_switch_is_on_or_a_job_frees_it,
    async |database: &TestDb, store: Opened| {
        make(&store).await;
        let runs = store.start_all(3).await;
        let held = tx!(store.write, |tx| {
            tx.hold_turns(TENANT, None, 2).await?;
            tx.held_runs(TENANT, 9).await?
        });
        assert_eq!(held.await.unwrap(), 2, "{database}");
        let check = async |case: &str, is_fault: bool| {
            let seen = tx!(store.read, |tx| {
                let filter = RunFilter { stuck: true, ..RunFilter::default() };
                let stuck = tx.runs(TENANT, &filter, 9).await?;
                let breaches = tx.broken_heads(KeyRange::ALL).await?;
                let overview = tx.overview(TENANT, None).await?;
                (tx.held_without_pause(TENANT).await?, stuck, breaches, overview)
            });
            let (fault, stuck, breaches, overview) = seen.await.unwrap();
            let stuck: Vec<_> =
                stuck.into_iter().filter(|run| run.held).map(|run| run.id).collect();
            let breaches =
                breaches.into_iter().filter(|(rule, _)| *rule == "held_without_pause").count();
            let expected = if is_fault { vec![runs[1], runs[0]] } else { Vec::new() };
            assert_eq!((fault, stuck), (is_fault, expected.clone()), "{database}: {case}");
            assert_eq!(breaches, expected.len(), "{database}: {case}");
            let counts = if is_fault { (2, 0) } else { (0, 2) };
            assert_eq!((overview.stuck, overview.held), counts, "{database}: {case}");
        };
        check("off", true).await;
        tx!(store.write, |tx| tx.set_tenant_paused(TENANT, true).await?).await.unwrap();
        check("on", false).await;
        let freeing = job(START);
        let resumed = tx!(store.write, [freeing], |tx| {
            tx.mark_unpaused(TENANT).await?;
            tx.put_tenant_job(&freeing).await?;
        });
        resumed.await.unwrap();
        check("a job is freeing it", false).await;
        tx!(store.write, |tx| tx.end_tenant_job(TENANT).await?).await.unwrap();
        check("the job has ended", true).await;
    }
);

law!(runs_and_messages_held_by_a_switch_are_counted, async |database: &TestDb, store: Opened| {
    make(&store).await;
    let runs = store.start_all(2).await;
    store.must_commit(store.commit(runs[0], 0)).await;
    let counted = tx!(store.write, |tx| {
        tx.hold_turns(TENANT, None, 9).await?;
        (
            tx.held_runs_by_method(TENANT, START).await?,
            tx.held_by_method(TENANT, START).await?,
            tx.held_by_person(TENANT, START, 9).await?,
            tx.schedules_due(TENANT, START).await?,
        )
    });
    let (held, sends, people, schedules) = counted.await.unwrap();
    let all = HeldRuns { method: "fill_roles".to_owned(), count: 2, due: 2, pending: 1 };
    assert_eq!(held, [all], "{database}");
    assert_eq!((sends, people, schedules), (Vec::new(), Vec::new(), Vec::new()), "{database}");
});

/// Counts the statements in this database that wait for a lock.
const WAITING: &str = "SELECT COUNT(*) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'";

/// A transaction that starts a run sees that the kill switch is on. Before this transaction commits,
/// another transaction resumes the tenant, which frees every held run.
/// Only PostgreSQL can execute both transactions concurrently.
#[tokio::test]
async fn no_start_stays_held_after_a_concurrent_resume() {
    let database = Arc::new(TestDb::postgres());
    let store = super::support::open(&database).await;
    make(&store).await;
    tx!(store.write, |tx| tx.set_tenant_paused(TENANT, true).await?).await.unwrap();
    let (freed, started) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
    let resuming = tx!(store.write, [database, freed, started], |tx| {
        tx.mark_unpaused(TENANT).await?;
        tx.free_turns(TENANT, None, 9).await?;
        freed.notify_one();
        blocked_or(&database, &started).await;
    });
    let starting = async {
        freed.notified().await;
        let (new, id) = (new_run(store.id()), store.id());
        let new = NewRun { id, ..new };
        let inserted = tx!(store.write, [new], |tx| tx.insert_runs(&[new]).await?).await;
        started.store(true, Ordering::SeqCst);
        inserted.map(|_| id)
    };
    let (resumed, run) = tokio::join!(resuming, starting);
    resumed.expect("resumed");
    assert_eq!(database.number("SELECT COUNT(*) FROM turn WHERE held = 1").await, 0);
    assert_eq!(store.due(store.now()).await, [run.expect("started")]);
}

/// Waits until a transaction in this database waits for a lock, or until `done` is true.
async fn blocked_or(database: &TestDb, done: &AtomicBool) {
    let mut looks = tokio::time::interval(Duration::from_millis(5));
    while !done.load(Ordering::SeqCst) && database.number(WAITING).await == 0 {
        looks.tick().await;
    }
}
