//! Several processes on one PostgreSQL server claim runs.
//! Each run has one owner, and the runs of a crashed owner get a new owner.
//!
//! An embedded file is used by one process and has no claims. Its lock is tested in `migrations`.

use std::collections::BTreeSet;
use std::sync::Arc;

use abide_engine::base::{Digest, NodeId, RunId, Span};
use abide_engine::clock::{Clock, VirtualClock};
use abide_engine::store::{
    ClockReadings, Commit, Committed, Fence, NO_CAPABLE_NODE, NewRun, Store, StoreOptions,
    TurnChange,
};

use super::support::{Opened, START, law, minutes, new_run, open, open_as, options, parked, tx};
use crate::postgres::TestDb;

/// Makes the planner use hash joins, which return rows in an arbitrary sequence.
const NO_LOOKUPS: &str = "DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET enable_nestloop = off', current_database());
    EXECUTE format('ALTER DATABASE %I SET enable_mergejoin = off', current_database()); END $$";

async fn claim(store: &Opened, node: NodeId, limit: i64) -> Vec<(RunId, i64)> {
    let now = store.now();
    let claims = tx!(store.write, |tx| tx.claim_turns(node, now, limit, &BTreeSet::new()).await?)
        .await
        .expect("the store answers");
    claims.into_iter().map(|claim| (claim.run, claim.epoch)).collect()
}

async fn heartbeat(store: &Opened, node: NodeId, lease: Span) -> bool {
    tx!(store.write, |tx| tx.renew_lease(node, "n", "test", lease).await?)
        .await
        .expect("the store answers")
}

#[tokio::test]
async fn two_processes_share_the_due_runs_without_doubles() {
    let database = TestDb::postgres();
    let stores = [open(&database).await, open(&database).await];
    let runs: BTreeSet<RunId> = stores[0].start_all(200).await.into_iter().collect();
    let claimers: Vec<_> = stores
        .iter()
        .cycle()
        .take(8)
        .map(|store| {
            let store = store.clone();
            tokio::spawn(async move {
                let node = store.id();
                let mut mine = Vec::new();
                loop {
                    let claimed = claim(&store, node, 7).await;
                    assert!(claimed.len() <= 7, "more than was asked for");
                    if claimed.is_empty() {
                        return mine;
                    }
                    mine.extend(claimed);
                }
            })
        })
        .collect();
    let mut claimed = Vec::new();
    for claimer in claimers {
        claimed.extend(claimer.await.expect("no panic"));
    }
    assert_eq!(claimed.len(), 200);
    assert!(claimed.iter().all(|(_, epoch)| *epoch == 2), "one claim each");
    assert_eq!(claimed.into_iter().map(|(run, _)| run).collect::<BTreeSet<_>>(), runs);
}

#[tokio::test]
async fn the_runs_due_longest_are_claimed_first_and_in_order() {
    const RUNS: usize = 150;
    let database = TestDb::postgres();
    database.execute(NO_LOOKUPS).await;
    let store = open(&database).await;
    let runs = store.start_all(RUNS).await;
    let mut expected = Vec::new();
    for (nth, run) in runs.into_iter().enumerate() {
        // The runs that were started last have been due for the longest time.
        // The runs are in groups of three, and the runs of a group fall due at the same time.
        let due = store.now() - minutes(i64::try_from(nth / 3).expect("few"));
        store.must_commit(parked(store.commit(run, 0), Some(due), 0)).await;
        expected.push((due, run));
    }
    expected.sort_unstable();
    let node: NodeId = store.id();
    for chunk in expected.chunks(40) {
        let claimed = claim(&store, node, 40).await;
        let claimed: Vec<RunId> = claimed.into_iter().map(|(run, _)| run).collect();
        assert_eq!(claimed, chunk.iter().map(|(_, run)| *run).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn runs_lost_by_a_process_without_a_lease_are_freed() {
    let database = TestDb::postgres();
    let store = open(&database).await;
    let (node, command): (NodeId, NodeId) = (store.id(), store.id());
    store.start_all(2).await;
    assert!(heartbeat(&store, node, minutes(1)).await);
    let [kept, lost] = [claim(&store, node, 1).await, claim(&store, command, 1).await];
    let free = async |before| {
        tx!(store.write, |tx| tx.free_lost_runs(before).await?).await.expect("answered")
    };
    assert_eq!(free(store.now()).await, 0, "its claimer may still be running");
    store.clock.set(store.now() + minutes(1));
    assert_eq!(free(store.now()).await, 1, "the run of the live node is not freed");
    assert_eq!(claim(&store, node, 9).await, [(lost[0].0, lost[0].1 + 2)]);
    assert_ne!(kept[0].0, lost[0].0);
}

#[tokio::test]
async fn a_process_finds_the_runs_that_it_owns() {
    let database = TestDb::postgres();
    let store = open(&database).await;
    let (node, other): (NodeId, NodeId) = (store.id(), store.id());
    store.start_all(3).await;
    let taken = claim(&store, node, 2).await;
    claim(&store, other, 1).await;
    let ours = async || {
        let claims = tx!(store.read, |tx| tx.turns_of(node).await?).await.expect("read");
        claims.into_iter().map(|claim| (claim.run, claim.epoch)).collect::<Vec<_>>()
    };
    let mut expected = taken.clone();
    expected.sort_unstable();
    assert_eq!(ours().await, expected, "the other process's run is not listed");
    let ((run, epoch), now) = (expected[0], store.now());
    tx!(store.write, |tx| tx.release_turn(Fence { run, epoch }, now).await?)
        .await
        .expect("released");
    assert_eq!(ours().await, expected[1..]);
    assert_eq!(claim(&store, node, 9).await, [(run, epoch + 1)], "it can be claimed again");
}

#[tokio::test]
async fn the_skew_of_a_live_node_is_visible_to_all() {
    let database = TestDb::postgres();
    let store = open(&database).await;
    let mut nodes: Vec<NodeId> = (0..2).map(|_| store.id()).collect();
    nodes.sort_unstable();
    for node in &nodes {
        assert!(heartbeat(&store, *node, minutes(1)).await);
    }
    let skew = Span::from_micros(-3_000_001);
    let off = nodes[1];
    tx!(store.write, |tx| tx.note_skew(off, Some(skew)).await?).await.unwrap();
    let live = async || {
        let live = tx!(store.read, |tx| tx.live_nodes().await?).await.expect("read");
        live.into_iter().map(|node| (node.id, node.skew)).collect::<Vec<_>>()
    };
    assert_eq!(live().await, [(nodes[0], None), (nodes[1], Some(skew))]);
    tx!(store.write, |tx| tx.note_skew(off, None).await?).await.unwrap();
    assert_eq!(live().await, [(nodes[0], None), (nodes[1], None)]);
    tx!(store.write, |tx| tx.end_lease(off).await?).await.unwrap();
    assert_eq!(live().await, [(nodes[0], None)], "it has stopped");
    let theirs = tx!(store.read, |tx| { (tx.database_now().await?, tx.database_now().await?) });
    let (first, second) = theirs.await.unwrap();
    assert!(first <= second, "the server's clock advances inside a transaction");
    let ClockReadings { server, ours } =
        Store::clocks(&options(&database)).await.unwrap().expect("a server has one");
    assert!(server >= second && ours == store.now() - minutes(0), "ours is the domain's: {ours}");
}

#[tokio::test]
async fn leases_use_the_database_clock() {
    for database in crate::postgres::databases() {
        let clock = Arc::new(VirtualClock::starting_at(START + minutes(60)));
        let database_clock = Some(clock.clone() as Arc<dyn Clock>);
        let options = StoreOptions { database_clock, ..options(&database) };
        let store = open_as(&database, options.clone()).await;
        let node: NodeId = store.id();
        let at = async || tx!(store.read, |tx| tx.database_now().await?).await.expect("read");
        let live = async || tx!(store.read, |tx| tx.live_nodes().await?).await.expect("read").len();
        let dead = async || tx!(store.write, |tx| tx.declare_dead().await?).await.expect("written");
        assert!(heartbeat(&store, node, minutes(1)).await, "{database}");
        assert_eq!(at().await, START + minutes(60), "{database}");
        let theirs = Store::clocks(&options).await.expect("read");
        assert_eq!(theirs.map(|clocks| clocks.server), Some(START + minutes(60)), "{database}");
        store.clock.set(START + minutes(600));
        assert_eq!(
            (live().await, dead().await),
            (1, vec![]),
            "{database}: the process's own clock does not count"
        );
        clock.set(START + minutes(62));
        assert_eq!((live().await, dead().await), (0, vec![node]), "{database}");
        let next: NodeId = store.id();
        assert!(heartbeat(&store, next, minutes(9)).await && live().await == 1, "{database}");
        tx!(store.write, |tx| tx.end_leases().await?).await.expect("written");
        assert_eq!(live().await, 0, "{database}: no node is live");
        assert!(!heartbeat(&store, next, minutes(9)).await, "{database}");
    }
    let file = TestDb::sqlite();
    let embedded = open(&file).await;
    embedded.clock.set(START + minutes(5));
    let now = tx!(embedded.read, |tx| tx.database_now().await?).await.expect("read");
    assert_eq!(now, START + minutes(5), "an embedded file uses the domain's clock");
}

law!(
    a_run_that_this_program_cannot_continue_is_left_to_others,
    async |database: &TestDb, store: Opened| {
        let old = new_run(store.id());
        let other = NewRun { bundle: Digest::of(b"newer"), ..new_run(store.id()) };
        let runs = vec![old.clone(), other.clone()];
        tx!(store.write, [runs], |tx| tx.insert_runs(&runs).await?).await.unwrap();
        let (unfit, mine, theirs) = (BTreeSet::from([other.bundle]), old.id, other.id);
        let due = async |unfit: &BTreeSet<Digest>| {
            let (unfit, now) = (unfit.clone(), store.now());
            let due = tx!(store.read, [unfit], |tx| tx.due_turns(now, 9, &unfit).await?);
            due.await.expect("read").into_iter().map(|claim| claim.run).collect::<Vec<_>>()
        };
        assert_eq!(due(&unfit).await, [mine, theirs], "{database}: it has not been tried yet");
        tx!(store.write, |tx| tx.release_as_stuck(Fence { run: theirs, epoch: 1 }).await?)
            .await
            .unwrap();
        assert_eq!(due(&unfit).await, [mine], "{database}");
        assert_eq!(
            due(&BTreeSet::new()).await,
            [mine, theirs],
            "{database}: another program can drive it"
        );
        let stuck_on = async || {
            let run = tx!(store.read, |tx| tx.run(theirs).await?).await.unwrap();
            run.expect("a run").stuck_on
        };
        assert_eq!(stuck_on().await.as_deref(), Some(NO_CAPABLE_NODE), "{database}");
        for (unfit, expected) in
            [(BTreeSet::new(), None), (unfit, Some(NO_CAPABLE_NODE.to_owned()))]
        {
            tx!(store.write, [unfit], |tx| tx.mark_stuck(&unfit).await?).await.unwrap();
            assert_eq!(stuck_on().await, expected, "{database}");
        }
    }
);

#[tokio::test]
async fn a_dead_nodes_runs_are_freed_and_its_commits_are_stale() {
    let database = TestDb::postgres();
    let (zombie, heir) = (open(&database).await, open(&database).await);
    let (old, new): (NodeId, NodeId) = (zombie.id(), heir.id());
    let runs = zombie.start_all(3).await;
    assert!(heartbeat(&zombie, old, Span::from_secs(-1)).await, "its lease has ended already");
    assert!(heartbeat(&heir, new, minutes(1)).await);
    let claimed = claim(&zombie, old, 2).await;
    assert_eq!(claimed, [(runs[0], 2), (runs[1], 2)]);

    let dead = tx!(heir.write, |tx| tx.declare_dead().await?).await.unwrap();
    assert_eq!(dead, [old]);
    assert!(tx!(heir.write, |tx| tx.declare_dead().await?).await.unwrap().is_empty());
    assert!(!heartbeat(&zombie, old, minutes(1)).await, "a dead node stays dead");
    heir.take_work_due();
    assert_eq!(tx!(heir.write, |tx| tx.free_dead_runs().await?).await.unwrap(), 2);
    assert!(heir.take_work_due().runs);
    assert_eq!(tx!(heir.write, |tx| tx.free_dead_runs().await?).await.unwrap(), 0);

    let inherited: BTreeSet<_> = claim(&heir, new, 10).await.into_iter().collect();
    assert_eq!(inherited, BTreeSet::from([(runs[0], 4), (runs[1], 4), (runs[2], 2)]));
    let late = Commit { epoch: 2, ..zombie.commit(runs[0], 0) };
    assert_eq!(zombie.store.commit(late).await.unwrap(), Committed::Stale);
    let asleep = Commit { epoch: 2, ..zombie.commit(runs[1], 0) };
    let asleep = parked(asleep, None, 0);
    assert_eq!(zombie.store.commit(asleep).await.unwrap(), Committed::Stale);
    let work = Commit { epoch: 4, ..heir.commit(runs[0], 0) };
    assert_eq!(heir.store.commit(work).await.unwrap(), Committed::Done { wake: 0 });
    let (ledger, owned) = ("SELECT count(*) FROM ledger", "SELECT count(owner) FROM turn");
    assert_eq!((database.number(ledger).await, database.number(owned).await), (1, 3));
}

#[tokio::test]
async fn a_claim_is_released_by_its_owner_only() {
    let database = TestDb::postgres();
    let store = open(&database).await;
    let node: NodeId = store.id();
    let run = store.start().await;
    assert_eq!(claim(&store, node, 1).await, [(run, 2)]);
    let now = store.now();
    let release = async |epoch: i64| {
        tx!(store.write, |tx| tx.release_turn(Fence { run, epoch }, now).await?).await.unwrap();
    };
    release(1).await;
    assert_eq!(claim(&store, node, 1).await, [], "an old epoch releases nothing");
    release(2).await;
    assert_eq!(database.number("SELECT claims FROM turn").await, 0, "the claim crashed no process");
    assert_eq!(claim(&store, node, 1).await, [(run, 3)]);
    assert_eq!(database.number("SELECT claims FROM turn").await, 1);
    let commit = Commit { epoch: 3, ..store.commit(run, 0) };
    store.must_commit(parked(commit, Some(now), 0)).await;
    assert_eq!(database.number("SELECT claims FROM turn").await, 0);
}

#[tokio::test]
async fn a_node_that_stops_leaves_its_runs_to_the_others() {
    let database = TestDb::postgres();
    let store = open(&database).await;
    let node: NodeId = store.id();
    let run = store.start().await;
    assert!(heartbeat(&store, node, minutes(1)).await);
    assert_eq!(claim(&store, node, 1).await, [(run, 2)]);
    assert!(tx!(store.write, |tx| tx.declare_dead().await?).await.unwrap().is_empty());
    tx!(store.write, |tx| tx.end_lease(node).await?).await.unwrap();
    assert_eq!(tx!(store.write, |tx| tx.free_dead_runs().await?).await.unwrap(), 1);
    assert_eq!(claim(&store, store.id(), 1).await, [(run, 4)]);
}

#[tokio::test]
async fn an_owner_fenced_during_its_commit_changes_nothing() {
    let park = TurnChange::Park { due_at: None, seen_wake: 0, expected_by: None };
    for turn in [park, TurnChange::End, TurnChange::Progress] {
        let database = TestDb::postgres();
        let (zombie, heir) = (open(&database).await, open(&database).await);
        let run = zombie.start().await;
        let (gate, opens) = tokio::sync::watch::channel(false);
        let claiming = {
            let (heir, node, now) = (heir.clone(), heir.id(), heir.now());
            let (claimed, mut claims) = tokio::sync::mpsc::unbounded_channel();
            let task = tokio::spawn(async move {
                let claim = tx!(heir.write, [claimed, opens], |tx| {
                    let claims = tx.claim_turns(node, now, 1, &BTreeSet::new()).await?;
                    claimed.send(()).expect("the test listens");
                    let mut opens = opens;
                    opens.wait_for(|open| *open).await.expect("the test is there");
                    claims.len()
                });
                claim.await
            });
            claims.recv().await.expect("it holds the turn");
            task
        };
        let late = Commit { turn, ..zombie.commit(run, 0) };
        let committing = tokio::spawn({
            let store = zombie.store.clone();
            async move { store.commit(late).await }
        });
        let waits = "SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while database.number(waits).await == 0 && !committing.is_finished() {}
        gate.send(true).expect("it waits");
        assert_eq!(claiming.await.expect("no panic").expect("claimed"), 1);
        let answer = committing.await.expect("no panic");
        assert!(!matches!(answer, Ok(Committed::Done { .. })), "{turn:?}: {answer:?}");
        assert_eq!(database.number("SELECT count(owner) FROM turn").await, 1, "{turn:?}");
        assert_eq!(database.number("SELECT seq FROM run").await, 0, "{turn:?}");
        heir.must_commit(Commit { epoch: 2, ..heir.commit(run, 0) }).await;
    }
}

#[tokio::test]
async fn progress_clears_the_failed_claims() {
    let database = TestDb::postgres();
    let store = open(&database).await;
    let run = store.start().await;
    let claims = "SELECT claims FROM turn";
    for killed in 1..=3 {
        let node: NodeId = store.id();
        assert!(heartbeat(&store, node, minutes(1)).await);
        assert_eq!(claim(&store, node, 1).await.len(), 1);
        assert_eq!(database.number(claims).await, killed);
        tx!(store.write, |tx| tx.end_lease(node).await?).await.unwrap();
        assert_eq!(tx!(store.write, |tx| tx.free_dead_runs().await?).await.unwrap(), 1);
    }
    let (_, epoch) = claim(&store, store.id(), 1).await[0];
    let step = |seq, turn| Commit { epoch, turn, ..store.commit(run, seq) };
    store.must_commit(step(0, TurnChange::Keep)).await;
    assert_eq!(database.number(claims).await, 4, "an ordinary step writes no turn");
    store.must_commit(step(1, TurnChange::Progress)).await;
    assert_eq!(database.number(claims).await, 0);
    assert_eq!(database.number("SELECT count(owner) FROM turn").await, 1, "the run is still owned");
}
