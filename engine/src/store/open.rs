//! Opens a store, and inspects a database without opening it as a store.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::Semaphore;

use super::address::Address;
use super::conn::Conn;
use super::durability::{self, DurabilitySetting};
use super::error::StoreError;
use super::hooks::FaultHooks;
use super::message_writers::MessageWriters;
use super::migrate::{self, Migration, SchemaStatus};
use super::node;
use super::postgres;
use super::sqlite::{self, Durability};
use super::store::{Pools, Store};
use super::tx::{Source, Tx};
use super::wal::LogWatch;
use super::writer::{Committer, Health, OnWorkDue, Writer};
use crate::base::id::IdSource;
use crate::base::{Digest, EventId, Problem, Span, Timestamp};
use crate::clock::Clock;
use crate::params;

/// The options of a store.
#[derive(Clone)]
pub struct StoreOptions {
    /// The address of the database.
    pub address: Address,
    /// All migrations, in ascending order.
    pub migrations: Vec<Migration>,
    /// How safely commits are stored: [`Durability::Full`], except in the simulator.
    pub durability: Durability,
    /// The clock that gives the times of runs, messages and events.
    pub clock: Arc<dyn Clock>,
    /// A clock that replaces the database's own clock. If this is `None`, the store uses the server's own
    /// clock, or, for an embedded file, the clock in the field `clock`.
    pub database_clock: Option<Arc<dyn Clock>>,
    /// The source of new ids.
    pub ids: Arc<IdSource>,
    /// The faults that a test injects.
    pub faults: Arc<dyn FaultHooks>,
    /// Maximum number of jobs that wait for a writer.
    /// When this number is reached, requests from outside are refused.
    pub queue_max: usize,
}

/// The clocks of the server and of this process, read at the same moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockReadings {
    /// The time by the server's own clock.
    pub server: Timestamp,
    /// The time by the clock of this process, at the middle of the query that read the server's clock.
    pub ours: Timestamp,
}

impl Store {
    /// Reads the schema status of a database without changing the schema.
    /// Creates an embedded file if it does not exist.
    pub async fn schema(options: &StoreOptions) -> Result<SchemaStatus, Problem> {
        let mut conn = first_connection(options).await?;
        Ok(migrate::status(&mut conn, &options.migrations).await?)
    }

    /// Reads the database settings that decide whether confirmed commits are safe.
    pub async fn durability(options: &StoreOptions) -> Result<Vec<DurabilitySetting>, Problem> {
        let mut conn = first_connection(options).await?;
        Ok(durability::settings(&mut conn).await?)
    }

    /// Reads the server's clock, and the clock of this process at the middle of that query.
    /// Returns `None` for an embedded file, which uses the clock of this process.
    pub async fn clocks(options: &StoreOptions) -> Result<Option<ClockReadings>, Problem> {
        let mut conn = first_connection(options).await?;
        let before = options.clock.now();
        let theirs = match &options.database_clock {
            Some(clock) => Some(clock.now()),
            None => node::server_now(&mut conn).await?,
        };
        let ours = options.clock.now();
        let half = Span::from_micros((ours - before).micros() / 2);
        Ok(theirs.map(|server| ClockReadings { server, ours: before + half }))
    }

    /// Applies the missing migrations and returns the new status.
    pub async fn migrate(options: &StoreOptions) -> Result<SchemaStatus, Problem> {
        let mut conn = first_connection(options).await?;
        migrate::run(&mut conn, &options.migrations).await?;
        Ok(migrate::status(&mut conn, &options.migrations).await?)
    }

    /// Opens a database whose schema is current. An empty embedded database is migrated first.
    ///
    /// `on_work_due` is called after each commit that made work due.
    pub async fn open(options: StoreOptions, on_work_due: OnWorkDue) -> Result<Self, Problem> {
        let StoreOptions {
            address,
            migrations,
            durability,
            clock,
            database_clock,
            ids,
            faults,
            queue_max,
        } = options;
        let known = migrations.iter().map(|m| m.number).max().unwrap_or(0);
        let log = address.file().map(|path| Arc::new(LogWatch::of(path)));
        let health = Arc::new(Health::default());
        let mut committer = Committer { faults, health, on_work_due, log };
        let mut source = Source { clock, database_clock, ids, contact_key: Arc::from("") };
        let pools = match &address {
            Address::Sqlite(path) => {
                refuse_foreign(path, &migrations).await?;
                let (writer, readers) = sqlite::open(path, durability).await?;
                let mut conn = Conn::from(writer).with_faults(committer.faults());
                if migrate::status(&mut conn, &migrations).await?.applied == 0 {
                    migrate::run(&mut conn, &migrations).await?;
                }
                refuse_other_schema(&mut conn, &migrations).await?;
                source.contact_key = contact_key(&mut conn, &source).await?;
                let tx = Tx::new(conn, source.clone());
                let jobs = Writer::begin_with(tx, &committer, queue_max, None);
                Pools::Sqlite { readers, jobs }
            }
            Address::Postgres(url) => {
                let pool = postgres::open(url).await?;
                let listener = postgres::ListenerId::default();
                let notifier = postgres::notifier(pool.clone(), listener.clone());
                committer.on_work_due = and_notify(committer.on_work_due, notifier);
                let mut committers = Vec::new();
                for _ in 0..postgres::COMMITTERS {
                    let conn = pool.acquire().await.map_err(StoreError::from)?;
                    let mut conn = Conn::from(conn).with_faults(committer.faults());
                    refuse_other_schema(&mut conn, &migrations).await?;
                    source.contact_key = contact_key(&mut conn, &source).await?;
                    let tx = Tx::new(conn, source.clone());
                    let pool = Some(pool.clone());
                    committers.push(Writer::begin_with(tx, &committer, queue_max, pool));
                }
                let (pools, source) = (pool.clone(), source.clone());
                let messages = MessageWriters::new(pools, committer.clone(), source, queue_max);
                let room = Arc::new(Semaphore::new(queue_max));
                let at_work = Arc::new(Semaphore::new(postgres::TRANSACTIONS_MAX));
                let readers = postgres::open_readers(url)?;
                Pools::Postgres { pool, listener, readers, committers, messages, room, at_work }
            }
        };
        Ok(Self { known, pools, committer, source })
    }
}

/// Returns a callback that wakes the driver of this process and notifies the other processes.
fn and_notify(here: OnWorkDue, others: Arc<dyn Fn() + Send + Sync>) -> OnWorkDue {
    Arc::new(move |due| {
        here(due);
        others();
    })
}

async fn first_connection(options: &StoreOptions) -> Result<Conn, Problem> {
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
    let Some(link) = sqlite::peek(path) else { return Ok(()) };
    let looked = migrate::status(&mut Conn::from(link), migrations).await.map(drop);
    match looked {
        Err(foreign @ StoreError::Foreign(_)) => Err(foreign),
        // If any other error persists, it is reported when the file is opened.
        _ => Ok(()),
    }
}

/// Returns the key with which the digests of contacts are computed.
/// The key is created once per database, from the process's source of ids.
/// With another key, every phone number would get a new contact that lacks the old contact's opt-out.
async fn contact_key(conn: &mut Conn, source: &Source) -> Result<Arc<str>, StoreError> {
    const KEPT: &str = "SELECT v FROM meta WHERE k = 'contact_key'";
    if let Some(row) = conn.rows(KEPT, &[]).await?.first() {
        return Ok(row.text("v")?.into());
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
    Ok(row.text("v")?.into())
}

async fn refuse_other_schema(conn: &mut Conn, migrations: &[Migration]) -> Result<(), Problem> {
    match migrate::status(conn, migrations).await?.refusal() {
        Some(problem) => Err(problem),
        None => Ok(()),
    }
}
