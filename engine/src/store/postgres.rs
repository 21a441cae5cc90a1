//! Opens the pools of connections to PostgreSQL, and runs each write of lane B in a transaction of its own.
//! Two connections commit the batches of lane A.

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{PgPool, Postgres};

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use super::conn::Conn;
use super::error::{StoreError, of_problem};
use super::faults::WorkKind;
use super::member::Member;
use super::message_writers::MESSAGE_WRITERS;
use super::tx::{MemberEnd, Source, Tx};
use super::writer::Committer;
use crate::base::{Problem, limits};

/// Maximum number of writes of lane B that have a transaction of their own at the same time.
pub(super) const TRANSACTIONS_MAX: usize = 10;
/// Maximum number of connections of one process that write: those of the committers, of the writers of messages, of the
/// writes of lane B and of the listener, and two for the heartbeat and for a connection that replaces a lost one, so that neither waits for other writes.
const WRITERS_MAX: u32 = (COMMITTERS + MESSAGE_WRITERS + TRANSACTIONS_MAX) as u32 + 1 + 2;
/// Maximum number of connections of one process that read.
const READERS_MAX: u32 = 6;
/// How long one statement of a read may take. A read that takes longer reads more than a page; it fails, so that the others get
/// their connections.
const READ_MAX: (&str, &str) = ("statement_timeout", "30s");
/// Number of connections that commit for lane A. All commits of one run use the same connection. While one
/// connection waits until its commit is flushed, the server works on the batch of the other connection.
pub(super) const COMMITTERS: usize = 2;
/// Maximum number of statements that a connection keeps prepared. The program sends fewer than a thousand, and each connection
/// those of a few kinds of work.
const STATEMENTS_KEPT: usize = 500;
/// How long a caller waits for a connection before the database counts as unreachable.
const ACQUIRE: std::time::Duration = std::time::Duration::from_secs(5);
/// Keeps the server to the plans for which the statements and the indexes are written, whatever its statistics say. A
/// table that has just grown still counts as small, and the server would read it whole for each statement, or build
/// a hash of it. Statements that must read a whole table still do. Without `jit = off`, the server would compile these.
/// No statement is shared among processes of the server: to start them takes ten times longer than to read the first page of a list.
/// Each connection plans a statement once, and not for the values of each of its first five uses. It keeps the plan until
/// the server has new statistics. So that a plan made for a small table still holds when the table has grown, reading a row
/// costs as much as reading a page: the plan that reads the fewest rows wins, and to read all rows of a table is never cheaper
/// than to look up a few.
pub const PLANNER: [(&str, &str); 10] = [
    ("plan_cache_mode", "force_generic_plan"),
    ("enable_seqscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("enable_material", "off"),
    ("random_page_cost", "1"),
    ("cpu_tuple_cost", "1"),
    ("cpu_index_tuple_cost", "1"),
    ("jit", "off"),
    ("max_parallel_workers_per_gather", "0"),
];
/// Begins a transaction with limits on the time for which it waits for locks and keeps its own locks.
/// The limits hold even if this process is suspended inside the transaction.
pub(super) const BEGIN: &str = "BEGIN; SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = '5s'; \
     SET LOCAL idle_in_transaction_session_timeout = '5s'";

/// Opens the pool of the connections that write.
pub(super) async fn open(url: &str) -> Result<PgPool, Problem> {
    let pool = PgPoolOptions::new().max_connections(WRITERS_MAX).acquire_timeout(ACQUIRE);
    pool.connect_with(options(url)?).await.map_err(|e| unreachable(&e))
}

/// Opens the pool of the connections that only read. No connection is made before it is needed.
pub(super) fn open_readers(url: &str) -> Result<PgPool, Problem> {
    let pool = PgPoolOptions::new().max_connections(READERS_MAX).acquire_timeout(ACQUIRE);
    Ok(pool.connect_lazy_with(options(url)?.options([READ_MAX])))
}

fn options(url: &str) -> Result<PgConnectOptions, Problem> {
    let options: PgConnectOptions = url.parse().map_err(|e: sqlx::Error| {
        Problem::operator("database_unreachable", "the database URL is not valid")
            .with_detail(e.to_string())
            .with_hint("write it as `postgres://user:password@host:port/name`")
    })?;
    let options = options.application_name("abide").statement_cache_capacity(STATEMENTS_KEPT);
    Ok(options.options(PLANNER))
}

fn unreachable(error: &sqlx::Error) -> Problem {
    Problem::operator("database_unreachable", "cannot connect to the database")
        .with_detail(error.to_string())
        .with_hint("check the URL, the server and its `pg_hba.conf`")
}

/// Runs one write of lane B in a transaction of its own.
/// Repeats the transaction after an error that permits this.
pub(super) async fn run_member(
    pool: PgPool,
    committer: Committer,
    source: Source,
    mut member: Member,
) {
    let mut attempt = 1;
    loop {
        let result = match connection(&pool, &committer).await {
            Err(e) => Err(e.into()),
            Ok(conn) => {
                let mut tx =
                    Tx::new(Conn::from(conn).with_faults(committer.faults()), source.clone());
                once(&mut tx, &committer, &mut member).await
            }
        };
        match result {
            Err(error) if error.may_repeat() && attempt < limits::TX_ATTEMPTS_MAX => attempt += 1,
            other => {
                if let Err(error) = &other {
                    committer.health.note_error(error);
                }
                return member.settle(other);
            }
        }
    }
}

/// Takes a connection from the pool.
/// If a test decides the sequence of database work, first waits for a permit.
pub(super) async fn connection(
    pool: &PgPool,
    committer: &Committer,
) -> Result<PoolConnection<Postgres>, sqlx::Error> {
    let _permit = committer.permit(WorkKind::Statement).await;
    pool.acquire().await
}

async fn once(tx: &mut Tx, committer: &Committer, member: &mut Member) -> Result<(), StoreError> {
    committer.health.check()?;
    tx.conn.batch(BEGIN).await?;
    let written = match member.run(tx).await {
        Ok(()) => tx.finish().await,
        Err(problem) => Err(of_problem(&problem)),
    };
    let end = tx.next_member();
    if written.is_err() || end == MemberEnd::RollBack {
        if tx.conn.batch("ROLLBACK").await.is_err() {
            tx.conn.close_on_drop();
        }
        return written;
    }
    let committed = committer.commit(tx).await;
    if committed.is_err() {
        tx.conn.close_on_drop();
    }
    committed
}

/// The PostgreSQL channel on which processes notify each other that work is due.
const CHANNEL: &str = "abide";

/// Who listens in this process: the number of the server's process that serves its listener; 0 if nobody listens.
/// This process sends the number with its notifications, so that it can leave out its own: its driver knows of its own
/// commits, and would look for work again after each of them.
#[derive(Clone, Default)]
pub(super) struct ListenerId(Arc<AtomicI32>);

/// Calls `heard` for each notification from another process, until the connection is lost.
pub(super) async fn listen(
    pool: &PgPool,
    own: &ListenerId,
    heard: impl Fn(),
) -> Result<(), StoreError> {
    let mut listener = sqlx::postgres::PgListener::connect_with(pool).await?;
    let id: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut listener).await?;
    own.0.store(id, Ordering::SeqCst);
    listener.listen(CHANNEL).await?;
    let own = id.to_string();
    while let Some(notification) = listener.try_recv().await? {
        if notification.payload() != own {
            heard();
        }
    }
    Ok(())
}

/// Returns a function that notifies the other processes. Call it after the commit, because a notification
/// inside a transaction makes all commits wait for each other. Several calls while a notification is being
/// sent cause only one more notification.
/// The task that sends the notifications ends when the store is dropped.
pub(super) fn notifier(pool: PgPool, own: ListenerId) -> Arc<dyn Fn() + Send + Sync> {
    let (ring, mut rung) = tokio::sync::mpsc::channel::<()>(1);
    tokio::spawn(async move {
        while rung.recv().await.is_some() {
            let own = own.0.load(Ordering::SeqCst).to_string();
            let told = sqlx::query("SELECT pg_notify('abide', $1)").bind(own).execute(&pool).await;
            if let Err(error) = told {
                tracing::debug!("cannot notify the other processes: {error}");
            }
        }
    });
    Arc::new(move || {
        let _ = ring.try_send(());
    })
}
