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

/// What a store is opened with.
#[derive(Clone)]
pub struct Options {
    /// Which database.
    pub address: Address,
    /// All migrations, in order.
    pub migrations: Vec<Migration>,
    /// Full, except inside the simulator.
    pub durability: Durability,
    /// The domain's clock.
    pub clock: Arc<dyn Clock>,
    /// Stands for the database's own clock; without it that is the server's, or the domain's where the
    /// database is an embedded file.
    pub database_clock: Option<Arc<dyn Clock>>,
    /// Where ids come from.
    pub ids: Arc<IdSource>,
    /// Crashes that a test asks for.
    pub faults: Arc<dyn Faults>,
    /// Jobs that may wait for a writer before callers from outside are refused.
    pub room: usize,
}

#[derive(Clone)]
enum Pools {
    Sqlite {
        readers: Readers,
        jobs: mpsc::Sender<Job>,
    },
    /// `room` bounds the work of lane B, under way or waiting for a connection.
    Postgres {
        pool: PgPool,
        committers: Vec<mpsc::Sender<Job>>,
        room: Arc<Semaphore>,
    },
}

/// What a caller does where there is no room for more work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoRoom {
    /// It waits: what it has in hand can be given back to nobody.
    Waits,
    /// It is told so at once, and may come again.
    IsRefused,
}

/// An open database.
#[derive(Clone)]
pub struct Store {
    /// The newest schema that this program knows.
    known: i64,
    pools: Pools,
    committer: Committer,
    source: Source,
}

/// Names a closure as work for the store, so that its lifetimes are inferred: it gets the
/// transaction and may be run again.
pub fn work<T, W>(work: W) -> W
where
    W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send,
{
    work
}

impl Store {
    /// Where the schema of a database stands, without changing it (an embedded file is made).
    pub async fn schema(options: &Options) -> Result<SchemaStatus, Problem> {
        let mut conn = first_connection(options).await?;
        Ok(migrate::status(&mut conn, &options.migrations).await?)
    }

    /// How surely the database keeps what it confirms, as it says itself.
    pub async fn durability(options: &Options) -> Result<Vec<DurabilityFact>, Problem> {
        let mut conn = first_connection(options).await?;
        Ok(durability::facts(&mut conn).await?)
    }

    /// The instant of a server's own clock, and ours in the middle of asking; none for an embedded
    /// file, which goes by ours.
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

    /// Applies the migrations that are missing.
    pub async fn migrate(options: &Options) -> Result<SchemaStatus, Problem> {
        let mut conn = first_connection(options).await?;
        migrate::run(&mut conn, &options.migrations).await?;
        Ok(migrate::status(&mut conn, &options.migrations).await?)
    }

    /// Opens a database whose schema is current; an empty embedded one is made ready by itself.
    ///
    /// `on_stir` is told after each commit that made something due.
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

    /// Where the schema stands by now: another program may have brought it further.
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

    /// Which database this is.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self.pools {
            Pools::Sqlite { .. } => Dialect::Sqlite,
            Pools::Postgres { .. } => Dialect::Postgres,
        }
    }

    /// Calls `heard` whenever another process says that something is due; returns when the
    /// connection is lost. On an embedded file there is nobody to hear from.
    pub(crate) async fn listen(&self, heard: impl Fn()) -> Result<(), StoreError> {
        let Pools::Postgres { pool, .. } = &self.pools else { return Ok(()) };
        postgres::listen(pool, heard).await
    }

    /// An error if writes cannot succeed any more (damage, an injected crash).
    pub fn check(&self) -> Result<(), StoreError> {
        self.committer.health.check()
    }

    /// Lane A: commits one step, in a batch with whatever else is waiting.
    ///
    /// After [`StoreError::UnknownCommit`] the caller must forget the run and load it again; it
    /// must never send the same commit again.
    pub async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let (reply, answer) = oneshot::channel();
        let lane = self.lane(commit.run);
        let turn = self.committer.turn(Work::Write).await;
        self.send(lane, Job::Commit(Box::new(CommitJob { commit, reply })), NoRoom::Waits).await?;
        let _turn = self.is_queued(turn);
        answer.await.map_err(|_| self.has_stopped())?
    }

    /// Lane A: starts a run that concerns no request, in a batch with whatever else is waiting.
    /// `driven`: the caller works on it as soon as it is told that it is free.
    ///
    /// After [`StoreError::Overloaded`] nothing was begun. After [`StoreError::UnknownCommit`] the run may be there or not.
    pub async fn start(&self, new: NewRun, driven: bool) -> Result<Inserted, StoreError> {
        let (reply, answer) = oneshot::channel();
        let lane = self.lane(new.id);
        let job = Job::Start(Box::new(StartJob { new, driven, reply }));
        let turn = self.committer.turn(Work::Write).await;
        self.send(lane, job, NoRoom::IsRefused).await?;
        let _turn = self.is_queued(turn);
        answer.await.map_err(|_| self.has_stopped())?
    }

    /// The turn of a call that the writer has in its queue: on an embedded file it is over.
    fn is_queued(&self, turn: Option<Turn>) -> Option<Turn> {
        turn.filter(|_| self.dialect() == Dialect::Postgres)
    }

    /// The writer that all lane A work of a run goes to.
    fn lane(&self, run: RunId) -> &mpsc::Sender<Job> {
        match &self.pools {
            Pools::Sqlite { jobs, .. } => jobs,
            Pools::Postgres { committers, .. } => {
                &committers[usize::from(run.uuid().as_bytes()[15]) % committers.len()]
            }
        }
    }

    /// Lane B: runs `work` in a transaction that ends with it. `urgent` work (inbound) goes first.
    pub async fn write<T, W>(&self, urgent: bool, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.lane_b(urgent, work, NoRoom::Waits).await
    }

    /// The same for callers from outside, who can come again.
    ///
    /// # Errors
    /// `overloaded` where too much waits already; else what `work` says.
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

    /// Reads from one consistent snapshot. The reading lives in a task of its own: a caller that goes
    /// away cuts no statement off in the middle.
    pub async fn read<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        let store = self.clone();
        self.apart(Box::pin(store.snapshot(work))).await
    }

    /// Reads by one statement, which needs no transaction: on a server that saves two round trips of
    /// three.
    ///
    /// # Errors
    /// Where `work` makes more than one: they would not see one state.
    pub async fn glance<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        let store = self.clone();
        self.apart(Box::pin(store.one_statement(work))).await
    }

    /// In a task of its own. Boxed: the futures of a run are nested as deep as the compiler follows.
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
            Err(_) => Err(StoreError::Unavailable("the process ends".into()).into()),
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
            _ => Err(Problem::bug("a glance is one statement")),
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

    /// Why a writer gives no answer.
    fn has_stopped(&self) -> StoreError {
        let stopped = || StoreError::Unavailable("the writer has stopped".into());
        self.committer.health.check().err().unwrap_or_else(stopped)
    }
}

/// A read under way. If it is not ended in order (its closure panicked, the runtime stops), its
/// connection is closed: the next reader would find the old transaction on it.
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

/// Rings this process's bells and tells the others.
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

/// Refuses a file that is no whole abide database while it is as it was found.
async fn refuse_foreign(path: &Path, migrations: &[Migration]) -> Result<(), StoreError> {
    let Some(link) = sqlite::peek(path).await else { return Ok(()) };
    let looked = migrate::status(&mut Conn::from(link), migrations).await.map(drop);
    match looked {
        Err(foreign @ StoreError::Foreign(_)) => Err(foreign),
        // Whoever opens it in earnest meets it again, or it has passed.
        _ => Ok(()),
    }
}

/// The key of the contacts' digests: made once a database, from the process's source of ids. Another
/// one would give every phone a new contact, without its STOP.
async fn contact_key(conn: &mut Conn, source: &Source) -> Result<Arc<str>, StoreError> {
    const KEPT: &str = "SELECT v FROM meta WHERE k = 'contact_key'";
    if let Some(row) = conn.rows(KEPT, &[]).await?.first() {
        return Ok(row.text(0)?.into());
    }
    if !conn.rows("SELECT 1 FROM contact LIMIT 1", &[]).await?.is_empty() {
        let why = "it knows contacts, but `meta` has no row `contact_key`";
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
    Problem::panicked("work for the database", panic)
}

/// Lane B work with its typed answer.
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
