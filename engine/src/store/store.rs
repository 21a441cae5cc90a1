//! The store: opens a database, hands out transactions, commits steps in groups.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sqlx::PgPool;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::address::Address;
use super::commit::{Commit, Committed};
use super::conn::Conn;
use super::dialect::Dialect;
use super::durability::{self, DurabilityFact};
use super::error::StoreError;
use super::faults::{Faults, Turn, Work};
use super::migrate::{self, Migration, SchemaStatus};
use super::node;
use super::postgres;
use super::run::{Inserted, NewRun};
use super::sqlite::{self, Durability, Readers};
use super::tx::{Source, Tx};
use super::wal::LogWatch;
use super::writer::OnStir;
use super::writer::{CommitJob, Committer, Health, Job, Member, StartJob, Writer};
use crate::base::id::IdSource;
use crate::base::{Digest, EventId, Problem, RunId, Span, Timestamp, TypedId as _};
use crate::clock::Clock;
use crate::params;

/// The options of a store.
#[derive(Clone)]
pub struct Options {
    /// The address of the database.
    pub address: Address,
    /// All migrations, in order.
    pub migrations: Vec<Migration>,
    /// [`Durability::Full`], except in the simulator.
    pub durability: Durability,
    /// The domain's clock.
    pub clock: Arc<dyn Clock>,
    /// Replaces the database's own clock. `None` uses the server's clock, or the domain's clock for an
    /// embedded file.
    pub database_clock: Option<Arc<dyn Clock>>,
    /// The source of new ids.
    pub ids: Arc<IdSource>,
    /// The faults that a test injects.
    pub faults: Arc<dyn Faults>,
    /// Number of jobs that may wait for a writer before calls from outside are refused.
    pub room: usize,
}

#[derive(Clone)]
enum Pools {
    Sqlite {
        readers: Readers,
        jobs: mpsc::Sender<Job>,
    },
    /// `room` limits the lane B work that runs or waits for a connection.
    Postgres {
        pool: PgPool,
        committers: Vec<mpsc::Sender<Job>>,
        room: Arc<Semaphore>,
    },
}

/// What a call does if there is no room for more work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoRoom {
    /// It waits, because its work cannot be handed back.
    Waits,
    /// It fails at once with [`StoreError::Overloaded`]; the caller may try again.
    IsRefused,
}

/// An open database.
#[derive(Clone)]
pub struct Store {
    /// The number of the newest migration that this program knows.
    known: i64,
    pools: Pools,
    committer: Committer,
    source: Source,
}

/// Marks a closure as work for the store, so that its lifetimes are inferred. The closure gets the
/// transaction, and may be called more than once.
pub fn work<T, W>(work: W) -> W
where
    W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send,
{
    work
}

impl Store {
    /// Reads the schema status of a database without changing it. An embedded file is created if it does
    /// not exist.
    pub async fn schema(options: &Options) -> Result<SchemaStatus, Problem> {
        let mut conn = first_connection(options).await?;
        Ok(migrate::status(&mut conn, &options.migrations).await?)
    }

    /// Reads the settings that decide how safely the database keeps what it confirms.
    pub async fn durability(options: &Options) -> Result<Vec<DurabilityFact>, Problem> {
        let mut conn = first_connection(options).await?;
        Ok(durability::facts(&mut conn).await?)
    }

    /// Reads the server's own clock, and ours at the middle of that call. Returns `None` for an embedded
    /// file, which uses our clock.
    pub async fn clocks(options: &Options) -> Result<Option<(Timestamp, Timestamp)>, Problem> {
        let mut conn = first_connection(options).await?;
        let before = options.clock.now();
        let theirs = match &options.database_clock {
            Some(clock) => Some(clock.now()),
            None => node::server_now(&mut conn).await?,
        };
        let ours = options.clock.now();
        let half = Span::from_micros((ours - before).micros() / 2);
        Ok(theirs.map(|theirs| (theirs, before + half)))
    }

    /// Applies the missing migrations and returns the new status.
    pub async fn migrate(options: &Options) -> Result<SchemaStatus, Problem> {
        let mut conn = first_connection(options).await?;
        migrate::run(&mut conn, &options.migrations).await?;
        Ok(migrate::status(&mut conn, &options.migrations).await?)
    }

    /// Opens a database whose schema is current. An empty embedded database is migrated first.
    ///
    /// `on_stir` is called after each commit that made something due.
    pub async fn open(options: Options, on_stir: OnStir) -> Result<Self, Problem> {
        let Options { address, migrations, durability, clock, database_clock, ids, faults, room } =
            options;
        let known = migrations.iter().map(|m| m.number).max().unwrap_or(0);
        let log = address.file().map(|path| Arc::new(LogWatch::of(path)));
        let health = Arc::new(Health::default());
        let mut committer = Committer { faults, health, on_stir, log };
        let mut source = Source { clock, database_clock, ids, contact_key: Arc::from("") };
        let spawn = |committer: &Committer, (conn, source): (Conn, &Source), (begin, pool)| {
            let (sender, jobs) = mpsc::channel(room);
            let tx = Tx::new(conn, source.clone());
            Writer { tx, jobs, committer: committer.clone(), begin, pool }.spawn();
            sender
        };
        let pools = match &address {
            Address::Sqlite(path) => {
                refuse_foreign(path, &migrations).await?;
                let (writer, readers) = sqlite::open(path, durability).await?;
                let mut conn = Conn::from(writer);
                if migrate::status(&mut conn, &migrations).await?.applied == 0 {
                    migrate::run(&mut conn, &migrations).await?;
                }
                refuse_other_schema(&mut conn, &migrations).await?;
                source.contact_key = contact_key(&mut conn, &source).await?;
                let jobs = spawn(&committer, (conn, &source), ("BEGIN IMMEDIATE", None));
                Pools::Sqlite { readers, jobs }
            }
            Address::Postgres(url) => {
                let pool = postgres::open(url).await?;
                committer.on_stir = and_tell(committer.on_stir, postgres::notifier(pool.clone()));
                let mut committers = Vec::new();
                for _ in 0..postgres::COMMITTERS {
                    let conn = pool.acquire().await.map_err(StoreError::from)?;
                    let mut conn = Conn::from(conn).with_faults(committer.faults());
                    refuse_other_schema(&mut conn, &migrations).await?;
                    source.contact_key = contact_key(&mut conn, &source).await?;
                    let line = (postgres::BEGIN, Some(pool.clone()));
                    committers.push(spawn(&committer, (conn, &source), line));
                }
                let room = Arc::new(Semaphore::new(room));
                Pools::Postgres { pool, committers, room }
            }
        };
        Ok(Self { known, pools, committer, source })
    }

    /// Reads the schema status of the open database: another program may have migrated it.
    pub async fn schema_now(&self) -> Result<SchemaStatus, Problem> {
        let known = self.known;
        let read = work(move |tx| {
            Box::pin(async move {
                let applied = tx.meta("schema").await?;
                let applied = applied.and_then(|text| text.parse().ok()).unwrap_or(known);
                Ok(SchemaStatus { applied, known })
            })
        });
        self.read(read).await
    }

    /// Returns the kind of database.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self.pools {
            Pools::Sqlite { .. } => Dialect::Sqlite,
            Pools::Postgres { .. } => Dialect::Postgres,
        }
    }

    /// Calls `heard` whenever another process announces that something is due. Returns when the connection
    /// is lost; on an embedded file at once, because no other process drives it.
    pub(crate) async fn listen(&self, heard: impl Fn()) -> Result<(), StoreError> {
        let Pools::Postgres { pool, .. } = &self.pools else { return Ok(()) };
        postgres::listen(pool, heard).await
    }

    /// Fails if this process cannot write any more, because of damage or an injected crash.
    pub fn check(&self) -> Result<(), StoreError> {
        self.committer.health.check()
    }

    /// Lane A: commits one step, in a batch with whatever else is waiting.
    ///
    /// After [`StoreError::UnknownCommit`] the caller must discard its copy of the run and load the run
    /// again; it must never send the same commit again.
    pub async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let (reply, answer) = oneshot::channel();
        let lane = self.lane(commit.run);
        let turn = self.committer.turn(Work::Write).await;
        self.send(lane, Job::Commit(Box::new(CommitJob { commit, reply })), NoRoom::Waits).await?;
        let _turn = self.is_queued(turn);
        answer.await.map_err(|_| self.has_stopped())?
    }

    /// Lane A: starts a run that concerns no request, in a batch with whatever else is waiting. `driven`
    /// means that the caller works on the run as soon as it learns that the run is free.
    ///
    /// After [`StoreError::Overloaded`] nothing was begun. After [`StoreError::UnknownCommit`] the run may
    /// or may not exist.
    pub async fn start(&self, new: NewRun, driven: bool) -> Result<Inserted, StoreError> {
        let (reply, answer) = oneshot::channel();
        let lane = self.lane(new.id);
        let job = Job::Start(Box::new(StartJob { new, driven, reply }));
        let turn = self.committer.turn(Work::Write).await;
        self.send(lane, job, NoRoom::IsRefused).await?;
        let _turn = self.is_queued(turn);
        answer.await.map_err(|_| self.has_stopped())?
    }

    /// Keeps the turn of a call whose job is queued on a server; on an embedded file the turn ends here.
    fn is_queued(&self, turn: Option<Turn>) -> Option<Turn> {
        turn.filter(|_| self.dialect() == Dialect::Postgres)
    }

    /// Returns the queue of the writer that does all lane A work of a run.
    fn lane(&self, run: RunId) -> &mpsc::Sender<Job> {
        match &self.pools {
            Pools::Sqlite { jobs, .. } => jobs,
            Pools::Postgres { committers, .. } => {
                &committers[usize::from(run.uuid().as_bytes()[15]) % committers.len()]
            }
        }
    }

    /// Lane B: runs `work` in a transaction, which is committed if `work` succeeds and rolled back if it
    /// fails. `urgent` work (inbound messages) comes first in its batch. Waits if there is no room for more
    /// work.
    pub async fn write<T, W>(&self, urgent: bool, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.lane_b(urgent, work, NoRoom::Waits).await
    }

    /// Like [`Store::write`], but for calls from outside: it fails instead of waiting if there is no room.
    ///
    /// # Errors
    /// `overloaded` if there is no room for more work; otherwise the problem that `work` returns.
    pub async fn try_write<T, W>(&self, urgent: bool, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.lane_b(urgent, work, NoRoom::IsRefused).await
    }

    async fn lane_b<T, W>(&self, urgent: bool, work: W, no_room: NoRoom) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let member = Box::new(Pending { work, value: None, reply });
        let turn = self.committer.turn(Work::Write).await;
        match &self.pools {
            Pools::Sqlite { jobs, .. } => {
                self.send(jobs, Job::Work { urgent, member }, no_room).await?;
            }
            Pools::Postgres { pool, room, .. } => {
                let place = match no_room {
                    NoRoom::Waits => Arc::clone(room).acquire_owned().await.ok(),
                    NoRoom::IsRefused => {
                        let place = Arc::clone(room).try_acquire_owned();
                        Some(place.map_err(|_| StoreError::Overloaded)?)
                    }
                };
                let source = self.source.clone();
                let work = postgres::work(pool.clone(), self.committer.clone(), source, member);
                tokio::spawn(async move {
                    work.await;
                    drop(place);
                });
            }
        }
        let _turn = self.is_queued(turn);
        answer.await.map_err(|_| self.has_stopped())?
    }

    /// Reads from one consistent snapshot. The read runs in a task of its own, so that no statement is cut
    /// off when the caller's future is dropped.
    pub async fn read<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        let store = self.clone();
        self.apart(Box::pin(store.snapshot(work))).await
    }

    /// Reads with one statement, which needs no transaction: on a server this saves two of three round
    /// trips.
    ///
    /// # Errors
    /// If `work` runs more than one statement: they would not see one state.
    pub async fn glance<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        let store = self.clone();
        self.apart(Box::pin(store.one_statement(work))).await
    }

    /// Runs a read in a task of its own. It is boxed because the futures of a run are nested as deep as the
    /// compiler follows.
    async fn apart<T: Send + 'static>(
        &self,
        reading: BoxFuture<'static, Result<T, Problem>>,
    ) -> Result<T, Problem> {
        self.committer.health.check()?;
        let turn = self.committer.turn(Work::Read).await;
        let in_turn = async move {
            let _turn = turn;
            reading.await
        };
        match tokio::spawn(in_turn).await {
            Ok(answer) => answer,
            Err(ended) if ended.is_panic() => Err(panicked(&*ended.into_panic())),
            Err(_) => Err(StoreError::Unavailable("the process is shutting down".into()).into()),
        }
    }

    async fn snapshot<T, W>(self, mut work: W) -> Result<T, Problem>
    where
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send,
    {
        let conn = self.reader().await?;
        let begin = match self.dialect() {
            Dialect::Sqlite => "BEGIN",
            Dialect::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        };
        let mut snapshot = Snapshot { tx: Tx::new(conn, self.source), ended: false };
        snapshot.tx.conn.begin(begin).await?;
        let result = work(&mut snapshot.tx).await;
        snapshot.ended = snapshot.tx.conn.roll_back().await.is_ok();
        result
    }

    async fn one_statement<T, W>(self, mut work: W) -> Result<T, Problem>
    where
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send,
    {
        let mut glance = Snapshot { tx: Tx::new(self.reader().await?, self.source), ended: false };
        let result = work(&mut glance.tx).await;
        glance.ended = true;
        match glance.tx.conn.trips() {
            0 | 1 => result,
            _ => Err(Problem::bug("`glance` ran more than one statement")),
        }
    }

    async fn reader(&self) -> Result<Conn, StoreError> {
        Ok(match &self.pools {
            Pools::Sqlite { readers, .. } => Conn::from(readers.lend().await?),
            Pools::Postgres { pool, .. } => {
                let conn = postgres::connection(pool, &self.committer).await?;
                Conn::from(conn).with_faults(self.committer.faults())
            }
        })
    }

    async fn send(
        &self,
        lane: &mpsc::Sender<Job>,
        job: Job,
        no_room: NoRoom,
    ) -> Result<(), StoreError> {
        self.committer.health.check()?;
        match no_room {
            NoRoom::Waits => lane.send(job).await.map_err(|_| self.has_stopped()),
            NoRoom::IsRefused => lane.try_send(job).map_err(|error| match error {
                TrySendError::Full(_) => StoreError::Overloaded,
                TrySendError::Closed(_) => self.has_stopped(),
            }),
        }
    }

    /// Returns why a writer gives no answer.
    fn has_stopped(&self) -> StoreError {
        let stopped = || StoreError::Unavailable("the writer has stopped".into());
        self.committer.health.check().err().unwrap_or_else(stopped)
    }
}

/// A read in progress. If it does not end properly (its closure panics, or the runtime stops), its
/// connection is closed: the next reader would find the old transaction open on it.
struct Snapshot {
    tx: Tx,
    ended: bool,
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if !self.ended {
            self.tx.conn.forget();
        }
    }
}

/// Returns a callback that rings this process's bells and notifies the other processes.
fn and_tell(here: OnStir, others: Arc<dyn Fn() + Send + Sync>) -> OnStir {
    Arc::new(move |stirred| {
        here(stirred);
        others();
    })
}

async fn first_connection(options: &Options) -> Result<Conn, Problem> {
    Ok(match &options.address {
        Address::Sqlite(path) => {
            refuse_foreign(path, &options.migrations).await?;
            Conn::from(sqlite::open(path, options.durability).await?.0)
        }
        Address::Postgres(url) => {
            let pool = postgres::open(url).await?;
            Conn::from(pool.acquire().await.map_err(StoreError::from)?)
        }
    })
}

/// Refuses a file that is not a complete abide database, before anything changes it.
async fn refuse_foreign(path: &Path, migrations: &[Migration]) -> Result<(), StoreError> {
    let Some(link) = sqlite::peek(path).await else { return Ok(()) };
    let looked = migrate::status(&mut Conn::from(link), migrations).await.map(drop);
    match looked {
        Err(foreign @ StoreError::Foreign(_)) => Err(foreign),
        // Any other error has passed by the time the file is opened, or is reported then.
        _ => Ok(()),
    }
}

/// Returns the key of the contacts' digests, which is created once per database, from the process's source
/// of ids. With another key every phone number would get a new contact, without its opt-out.
async fn contact_key(conn: &mut Conn, source: &Source) -> Result<Arc<str>, StoreError> {
    const KEPT: &str = "SELECT v FROM meta WHERE k = 'contact_key'";
    if let Some(row) = conn.rows(KEPT, &[]).await?.first() {
        return Ok(row.text(0)?.into());
    }
    if !conn.rows("SELECT 1 FROM contact LIMIT 1", &[]).await?.is_empty() {
        let why = "it has contacts, but `meta` has no row `contact_key`";
        return Err(StoreError::Foreign(why.to_owned()));
    }
    let fresh: EventId = source.ids.mint(source.clock.now());
    conn.execute(
        "INSERT INTO meta (k, v) VALUES ('contact_key', $1) ON CONFLICT (k) DO NOTHING",
        &params![Digest::of(fresh.to_string().as_bytes()).to_string()],
    )
    .await?;
    let rows = conn.rows(KEPT, &[]).await?;
    let row = rows.first().ok_or_else(|| StoreError::Corrupt("meta has no contact_key".into()))?;
    Ok(row.text(0)?.into())
}

async fn refuse_other_schema(conn: &mut Conn, migrations: &[Migration]) -> Result<(), Problem> {
    match migrate::status(conn, migrations).await?.refusal() {
        Some(problem) => Err(problem),
        None => Ok(()),
    }
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> Problem {
    Problem::panicked("a database transaction", panic)
}

/// Lane B work, and the channel for its typed answer.
struct Pending<T, W> {
    work: W,
    value: Option<Result<T, Problem>>,
    reply: oneshot::Sender<Result<T, Problem>>,
}

impl<T, W> Member for Pending<T, W>
where
    T: Send,
    W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send,
{
    fn run<'a>(&'a mut self, tx: &'a mut Tx) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            let work = AssertUnwindSafe(async { (self.work)(tx).await });
            let result = work.catch_unwind().await.unwrap_or_else(|panic| Err(panicked(&*panic)));
            let outcome = result.as_ref().map(drop).map_err(Clone::clone);
            self.value = Some(result);
            outcome
        })
    }

    fn settle(self: Box<Self>, committed: Result<(), StoreError>) {
        let answer = match (committed, self.value) {
            (Ok(()), Some(value)) | (Err(_), Some(value @ Err(_))) => value,
            (Err(error), _) => Err(error.into()),
            (Ok(()), None) => Err(Problem::bug("the work was settled before it ran")),
        };
        let _ = self.reply.send(answer);
    }
}
