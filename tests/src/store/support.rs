//! Opening a store on a test's database, and building the rows that tests write.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use abide_engine::base::id::IdSource;
use abide_engine::base::{
    CallId, Digest, EventId, NodeId, Problem, RequestId, RunId, Span, StreamId, TimerId, Timestamp,
    TypedId, Value,
};
use abide_engine::clock::{Clock, VirtualClock};
use abide_engine::ledger::{EventKind, KindName};
use abide_engine::policy::{CatchUp, Overlap};
use abide_engine::store::{
    Commit, Committed, FaultHooks, Head, Inserted, LedgerRow, NewInbound, NewRun, ScheduleProgress,
    ScheduleRow, ScheduleTarget, Store, StoreError, StoreOptions, Tally, TurnChange, WaitRow,
    WorkDue,
};
use serde_json::json;

use crate::engines::store_options;
use crate::postgres::TestDb;
use crate::statements::no_faults;

/// The only tenant of most tests.
pub(super) const TENANT: &str = "grace";
/// Start time of the tests.
pub(super) const START: Timestamp = Timestamp::from_micros(1_790_000_000_000_000);

/// Runs a closure in a transaction of lane B, or in a read: `tx!(store.write, [a], |tx| …)`.
/// The variables in square brackets are cloned for each execution.
macro_rules! tx {
    ($store:ident.write, $([$($kept:ident),*],)? |$tx:ident| $body:expr) => {
        tx!(@ $store, write, $([$($kept),*],)? |$tx| $body)
    };
    ($store:ident.read, $([$($kept:ident),*],)? |$tx:ident| $body:expr) => {
        tx!(@ $store, read, $([$($kept),*],)? |$tx| $body)
    };
    ($store:ident.read_one, $([$($kept:ident),*],)? |$tx:ident| $body:expr) => {
        tx!(@ $store, read_one, $([$($kept),*],)? |$tx| $body)
    };
    (@ $store:ident, $way:ident, $([$($kept:ident),*],)? |$tx:ident| $body:expr) => {{
        $($(let $kept = $kept.clone();)*)?
        $store.store.$way(abide_engine::store::tx_closure(move |$tx| {
            $($(let $kept = $kept.clone();)*)?
            Box::pin(async move { Ok::<_, abide_engine::base::Problem>($body) })
        }))
    }};
}
pub(super) use tx;

/// Declares a test that is named after a law. The test runs on an open store of each kind of database.
macro_rules! law {
    ($name:ident, $holds:expr) => {
        #[tokio::test]
        async fn $name() {
            for database in crate::postgres::databases() {
                let store = super::support::open(&database).await;
                ($holds)(&database, store).await;
            }
        }
    };
}
pub(super) use law;

/// An open store with its clock and its source of ids.
#[derive(Clone)]
pub(super) struct Opened {
    pub(super) store: Store,
    pub(super) clock: Arc<VirtualClock>,
    pub(super) ids: Arc<IdSource>,
    work_due: Arc<Mutex<Vec<WorkDue>>>,
}

/// Builds the options of a test's store.
pub(super) fn options(database: &TestDb) -> StoreOptions {
    static SEED: AtomicU64 = AtomicU64::new(1);
    let clock = Arc::new(VirtualClock::starting_at(START));
    store_options(database.url(), clock, SEED.fetch_add(1, Ordering::Relaxed))
}

/// Migrates a database and opens its store.
pub(super) async fn open(database: &TestDb) -> Opened {
    open_with(database, no_faults()).await
}

/// Migrates a database and opens its store with these faults.
pub(super) async fn open_with(database: &TestDb, faults: Arc<dyn FaultHooks>) -> Opened {
    open_as(database, StoreOptions { faults, ..options(database) }).await
}

/// Migrates a database and opens its store, with the store's clock as the clock of the database.
pub(super) async fn open_by_its_clock(database: &TestDb) -> Opened {
    let clock = Arc::new(VirtualClock::starting_at(START));
    let database_clock = Some(clock.clone() as Arc<dyn Clock>);
    open_at(database, clock, StoreOptions { database_clock, ..options(database) }).await
}

/// Migrates a database and opens its store with these options.
pub(super) async fn open_as(database: &TestDb, options: StoreOptions) -> Opened {
    open_at(database, Arc::new(VirtualClock::starting_at(START)), options).await
}

async fn open_at(database: &TestDb, clock: Arc<VirtualClock>, options: StoreOptions) -> Opened {
    let options = StoreOptions { clock: clock.clone(), ..options };
    let schema = Store::migrate(&options).await.expect("migrated");
    assert!(schema.is_current(), "{database}: {schema:?}");
    let (ids, work_due) = (options.ids.clone(), Arc::new(Mutex::new(Vec::new())));
    let heard = work_due.clone();
    let on_work_due = Arc::new(move |due| heard.lock().expect("no panic").push(due));
    let store = Store::open(options, on_work_due).await.expect("opened");
    Opened { store, clock, ids, work_due }
}

impl Opened {
    pub(super) fn id<T: TypedId>(&self) -> T {
        self.ids.mint(self.clock.now())
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns the kinds of work that commits have made due since this function was last called.
    pub(super) fn take_work_due(&self) -> WorkDue {
        self.work_due.lock().expect("no panic").drain(..).fold(WorkDue::default(), |all, one| {
            WorkDue {
                runs: all.runs | one.runs,
                outbox: all.outbox | one.outbox,
                inbox: all.inbox | one.inbox,
                timers: all.timers | one.timers,
            }
        })
    }

    /// Starts a run that has no owner and is due now.
    pub(super) async fn start(&self) -> RunId {
        self.start_all(1).await[0]
    }

    pub(super) async fn start_all(&self, count: usize) -> Vec<RunId> {
        let runs: Vec<NewRun> = (0..count).map(|_| new_run(self.id())).collect();
        let inserted = tx!(self.write, [runs], |tx| tx.insert_runs(&runs).await?).await;
        assert!(!inserted.expect("started").contains(&Inserted::LeftOut));
        runs.iter().map(|run| run.id).collect()
    }

    /// Builds the next commit of a run. After the commit, the run keeps its turn.
    pub(super) fn commit(&self, run: RunId, seq: i64) -> Commit {
        commit(run, seq, self.id())
    }

    pub(super) async fn must_commit(&self, commit: Commit) -> i64 {
        match self.store.commit(commit).await.expect("committed") {
            Committed::Done { wake } => wake,
            Committed::Stale => panic!("stale"),
        }
    }

    /// Returns the runs that are due at the time `now`.
    pub(super) async fn due(&self, now: Timestamp) -> Vec<RunId> {
        let due =
            tx!(self.read, |tx| tx.due_turns(now, 100, &std::collections::BTreeSet::new()).await?)
                .await
                .expect("read");
        due.into_iter().map(|claim| claim.run).collect()
    }

    pub(super) async fn wake(&self, run: RunId) {
        tx!(self.write, |tx| tx.wake(run)).await.expect("woken");
    }

    /// Adds `delta` to a cell of a request's tally, as a reply does.
    pub(super) async fn tally(&self, request: RequestId, cell: &'static str, delta: Tally) {
        let counted = tx!(self.write, |tx| {
            tx.lock_request(TENANT, request).await?;
            tx.tally(request, cell, delta).await?;
        });
        counted.await.expect("counted");
    }
}

pub(super) fn new_run(id: RunId) -> NewRun {
    NewRun {
        id,
        tenant: TENANT.to_owned(),
        request: None,
        bundle: Digest::of(b"bundle"),
        method: "fill_roles".to_owned(),
        version: 1,
        campaign: 0,
        shadow: false,
        parent_link: None,
        start_key: None,
        state_v: 1,
        state: r#"{"at":0}"#.to_owned(),
        vars: vec![("goal".to_owned(), r#"{"count":2}"#.to_owned())],
        owner: None,
        expected_active_version: None,
        settings_version: None,
        correlation: None,
    }
}

pub(super) fn owned(id: RunId, owner: NodeId) -> NewRun {
    NewRun { owner: Some(owner), ..new_run(id) }
}

/// Builds a commit of a run's first owner, with one receipt.
pub(super) fn commit(run: RunId, seq: i64, call: CallId) -> Commit {
    let mut event = event(run.into(), seq + 1, json!({"step": seq}));
    event.kind = EventKind::Receipt.into();
    event.call = Some(call);
    let head = Head {
        status: "running",
        outcome: None,
        state: json!({"at": seq + 1}).to_string(),
        last_hash: event.link(Digest::ZERO),
        last_at: START,
        ended_at: None,
    };
    Commit {
        run,
        epoch: 1,
        seq,
        settings_version: None,
        unless: None,
        head,
        keeps_status: false,
        events: vec![event],
        vars: Vec::new(),
        blobs: Vec::new(),
        consumed: Vec::new(),
        armed: None,
        disarmed: None,
        repinned: None,
        turn: TurnChange::Keep,
    }
}

/// Changes a commit so that the run is parked: it gives up its turn until `due_at` or until it is woken.
pub(super) fn parked(commit: Commit, due_at: Option<Timestamp>, seen_wake: i64) -> Commit {
    Commit { turn: TurnChange::Park { due_at, seen_wake, expected_by: due_at }, ..commit }
}

pub(super) fn event(stream: StreamId, seq: i64, body: Value) -> LedgerRow {
    static SEED: AtomicU64 = AtomicU64::new(1);
    let fresh = IdSource::seeded(SEED.fetch_add(1, Ordering::Relaxed) << 32);
    LedgerRow {
        id: fresh.mint::<EventId>(START),
        stream,
        seq,
        tenant: TENANT.to_owned(),
        kind: KindName::of("note"),
        at: START,
        run: None,
        call: None,
        tool: Some("make_offers".to_owned()),
        status: Some("ok".to_owned()),
        body,
        hash: Digest::ZERO,
        correlation: None,
    }
}

/// Builds an inbound message with the body `yes`, as the gateway `loopback` delivers it.
pub(super) fn inbound(provider_id: &str, from: &str, received_at: Timestamp) -> NewInbound {
    NewInbound {
        gateway: "loopback".to_owned(),
        provider_id: provider_id.to_owned(),
        from: from.to_owned(),
        to: "+15550000".to_owned(),
        body: "yes".to_owned(),
        carrier_word: None,
        received_at,
    }
}

/// Builds a schedule that is due only once, at `next_at`.
pub(super) fn schedule(id: TimerId, target: ScheduleTarget, next_at: Timestamp) -> ScheduleRow {
    ScheduleRow {
        id,
        tenant: TENANT.to_owned(),
        target,
        cron: None,
        tz: "UTC".to_owned(),
        catch_up: CatchUp::One,
        overlap: Overlap::Skip,
        consent: None,
        progress: ScheduleProgress { next_at: Some(next_at), ..ScheduleProgress::default() },
    }
}

/// Builds a wait for `need` acceptances of wave 1.
pub(super) fn wait(request: RequestId, need: i64) -> WaitRow {
    WaitRow {
        frame: "steps/1".to_owned(),
        partition: request.uuid(),
        yes_cell: "nursery".to_owned(),
        open_cells: vec!["nursery#1".to_owned()],
        need,
    }
}

pub(super) fn minutes(count: i64) -> Span {
    Span::from_secs(60 * count)
}

/// Returns the error code of a failed commit.
pub(super) fn code(result: Result<Committed, StoreError>) -> String {
    Problem::from(result.expect_err("refused")).code.into_owned()
}
