//! Databases for tests: every test runs on a new SQLite file and on a new PostgreSQL database.
//!
//! Creating all tables takes PostgreSQL several times as long as copying a database, so a new database is a copy of
//! one whose schema is current. Tests that migrate one themselves ask for an empty one.
//!
//! `ABIDE_TEST_POSTGRES` names the PostgreSQL server (`./check` sets it).
//! If the variable is not set, each test process starts a server with `tests/throwaway-postgres`.
//! The server runs as long as the test process keeps the server's stdin open.
//! So the server ends with the test process, however the test process ends.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use abide_engine::base::{Digest, IdSource};
use abide_engine::clock::SystemClock;
use abide_engine::store::{Address, Durability, NoFaults, Store, StoreOptions};
use abide_simulator::domains;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgRow};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Row as _};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use crate::support::block_on;

/// Interval at which a state of the server is polled, and the maximum time of the polling.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
const POLL_TIMEOUT: Duration = Duration::from_secs(30);

/// A database of one test without any rows, which is deleted when the test drops it.
pub(crate) struct TestDb {
    url: String,
    kind: DatabaseKind,
}

enum DatabaseKind {
    Sqlite { _folder: TempDir },
    Postgres { name: String, link: Link, may_deadlock: bool },
}

/// Returns one database of each kind: a file that the code under test creates, and a copy of the database that
/// holds the current schema.
pub(crate) fn databases() -> Vec<TestDb> {
    vec![TestDb::sqlite(), TestDb::postgres()]
}

/// Returns one database of each kind, without any tables.
pub(crate) fn empty_databases() -> Vec<TestDb> {
    vec![TestDb::sqlite(), TestDb::empty_postgres()]
}

impl TestDb {
    /// Returns a database that is a file in a fresh folder. The code under test creates the file.
    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::Builder::new().prefix("abide-it.").tempdir().expect("a folder");
        let url = folder.path().join("abide.db").display().to_string();
        Self { url, kind: DatabaseKind::Sqlite { _folder: folder } }
    }

    /// Creates a database with the current schema on the server that all tests share.
    pub(crate) fn postgres() -> Self {
        Self::copy_of(&CURRENT)
    }

    /// Creates a database without any tables on the server that all tests share.
    pub(crate) fn empty_postgres() -> Self {
        Self::copy_of("template1")
    }

    fn copy_of(template: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("t_{}_{count}", std::process::id());
        on_server(&format!("CREATE DATABASE {name} TEMPLATE {template}"));
        let link = Link::to(url_of(&name));
        Self {
            url: link.url.clone(),
            kind: DatabaseKind::Postgres { name, link, may_deadlock: false },
        }
    }

    /// Creates a database on which the test provokes deadlocks.
    /// On any other database, a deadlock fails the test.
    pub(crate) fn postgres_with_expected_deadlocks() -> Self {
        let mut database = Self::postgres();
        if let DatabaseKind::Postgres { may_deadlock, .. } = &mut database.kind {
            *may_deadlock = true;
        }
        database
    }

    /// Returns the address of the database, as the option `--db` expects it.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Queries one whole number, such as a count of rows, on a connection of the test.
    pub(crate) async fn number(&self, sql: &'static str) -> i64 {
        match &self.kind {
            DatabaseKind::Sqlite { .. } => {
                let answer = sqlx::query_scalar(sql).fetch_one(&mut self.open_file().await).await;
                answer.unwrap_or_else(|e| panic!("{self}: `{sql}`: {e}"))
            }
            DatabaseKind::Postgres { link, .. } => {
                let rows = link.rows(sql).await;
                rows.unwrap_or_else(|e| panic!("{self}: `{sql}`: {e}"))[0].get(0)
            }
        }
    }

    /// Queries strings, one per row, on a connection of the test. The SQL depends on the kind of database.
    pub(crate) async fn texts(&self, sqlite: &str, postgres: &str) -> Vec<String> {
        match &self.kind {
            DatabaseKind::Sqlite { .. } => {
                let sql = sqlx::query_scalar(AssertSqlSafe(sqlite.to_owned()));
                let texts = sql.fetch_all(&mut self.open_file().await).await;
                texts.unwrap_or_else(|e| panic!("{self}: {e}"))
            }
            DatabaseKind::Postgres { link, .. } => link.texts(postgres).await,
        }
    }

    /// Returns the query plan of a statement, one line per stage.
    /// `sqlite` and `postgres` are the `EXPLAIN …` statements for the two kinds of database.
    pub(crate) async fn plan(&self, sqlite: &str, postgres: &str) -> Vec<String> {
        match &self.kind {
            DatabaseKind::Sqlite { .. } => {
                let sql = sqlx::raw_sql(AssertSqlSafe(sqlite.to_owned()));
                let rows = sql.fetch_all(&mut self.open_file().await).await;
                let rows = rows.unwrap_or_else(|e| panic!("{self}: {e}"));
                rows.iter().map(|row| row.get("detail")).collect()
            }
            DatabaseKind::Postgres { link, .. } => link.texts(postgres).await,
        }
    }

    /// Returns the columns of all tables as `table.column kind`. The kind is the name of a [`ColumnType`].
    ///
    /// [`ColumnType`]: abide_engine::store::ColumnType
    pub(crate) async fn columns(&self) -> Vec<String> {
        // SQLite stores ids and bytes in columns of the same type, so the kind is `Id or Bytes` there.
        let sqlite =
            "SELECT m.name || '.' || c.name || ' ' || CASE c.type WHEN 'INTEGER' THEN 'Int'
                WHEN 'TEXT' THEN 'Text' ELSE 'Id or Bytes' END
            FROM sqlite_master m JOIN pragma_table_info(m.name) c
            WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1";
        let postgres = "SELECT table_name || '.' || column_name || ' ' || CASE data_type
                WHEN 'bigint' THEN 'Int' WHEN 'text' THEN 'Text' WHEN 'uuid' THEN 'Id' ELSE 'Bytes' END
            FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
            WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1";
        self.texts(sqlite, postgres).await
    }

    /// Returns every row of every table as text, in a deterministic sequence.
    pub(crate) async fn rows(&self) -> Vec<String> {
        let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for column in self.columns().await {
            let name = column.split(' ').next().unwrap_or_default();
            let (table, column) = name.split_once('.').expect("a table and a column");
            tables.entry(table.to_owned()).or_default().push(format!("quote(\"{column}\")"));
        }
        let mut all = Vec::new();
        for (table, columns) in tables {
            let sqlite = format!(
                "SELECT '{table} ' || {} FROM \"{table}\" ORDER BY 1",
                columns.join(" || ', ' || ")
            );
            let postgres = format!("SELECT '{table} ' || t::text FROM \"{table}\" t ORDER BY 1");
            all.extend(self.texts(&sqlite, &postgres).await);
        }
        all
    }

    /// Executes SQL on a connection of the test, without the engine.
    pub(crate) async fn execute(&self, sql: &'static str) {
        let done = match &self.kind {
            DatabaseKind::Sqlite { .. } => {
                sqlx::raw_sql(sql).execute(&mut self.open_file().await).await.map(|_| ())
            }
            DatabaseKind::Postgres { link, .. } => link.rows(sql).await.map(drop),
        };
        done.unwrap_or_else(|e| panic!("{self}: `{sql}`: {e}"));
    }

    /// Waits until the whole event log of this database can be read. An event can be read only after all
    /// older transactions on the server have ended. All tests share a server, so the last event may have to
    /// wait for a transaction of another test.
    pub(crate) async fn wait_until_log_is_readable(&self) {
        let DatabaseKind::Postgres { .. } = &self.kind else { return };
        let postponed_messages = "SELECT COUNT(*) FROM ledger
            WHERE pos >= CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT)";
        let mut polls = tokio::time::interval(POLL_INTERVAL);
        let reads = async {
            while self.number(postponed_messages).await > 0 {
                polls.tick().await;
            }
        };
        let message = "a transaction has been open for too long on the test server";
        tokio::time::timeout(POLL_TIMEOUT, reads).await.expect(message);
    }

    /// Opens a transaction on a new connection. The transaction stays open until the test ends it.
    pub(crate) async fn transaction(&self) -> PgConnection {
        let mut connection = connect(&self.url).await;
        sqlx::raw_sql("BEGIN").execute(&mut connection).await.expect("begun");
        connection
    }

    /// Ends every connection to the database and rejects new connections, as if the server were down.
    pub(crate) fn disconnect(&self) {
        let name = self.name();
        on_server(&format!("ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false"));
        on_server(&format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        ));
        if let DatabaseKind::Postgres { link, .. } = &self.kind {
            link.close();
        }
    }

    /// Allows new connections to the database again.
    pub(crate) fn allow_connections(&self) {
        on_server(&format!("ALTER DATABASE {} WITH ALLOW_CONNECTIONS true", self.name()));
    }

    fn name(&self) -> &str {
        match &self.kind {
            DatabaseKind::Postgres { name, .. } => name,
            DatabaseKind::Sqlite { .. } => panic!("a file cannot be disconnected"),
        }
    }

    async fn open_file(&self) -> SqliteConnection {
        let options = SqliteConnectOptions::new().filename(&self.url).create_if_missing(true);
        options.connect().await.unwrap_or_else(|e| panic!("{self}: {e}"))
    }
}

/// Shows the kind of the database, for assertion messages.
impl fmt::Display for TestDb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            DatabaseKind::Sqlite { .. } => "sqlite",
            DatabaseKind::Postgres { .. } => "postgres",
        })
    }
}

impl Drop for TestDb {
    fn drop(&mut self) {
        let DatabaseKind::Postgres { name, may_deadlock, .. } = &self.kind else { return };
        let deadlocks = deadlocks(name);
        on_server(&format!("DROP DATABASE {name} WITH (FORCE)"));
        if deadlocks > 0 && !may_deadlock {
            let message = format!("{deadlocks} deadlocks in {name}: locks were taken out of order");
            // A second panic in a test that is already failing would abort the whole program.
            assert!(std::thread::panicking(), "{message}");
        }
    }
}

/// Returns the number of deadlocks that the server has resolved in a database. A connection is certain to
/// have reported its deadlocks only after it has ended, so all connections are ended first. A pool may open
/// another one meanwhile, so they are ended until none is left. (`pg_terminate_backend` could wait itself,
/// but it takes 100 ms for each connection.)
fn deadlocks(name: &str) -> i64 {
    block_on_new_thread(async {
        let run = async |sql: &str| SERVER.link.rows(sql).await.expect("rows about the database");
        let end = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        );
        let mut polls = tokio::time::interval(POLL_INTERVAL);
        let ended = async {
            while !run(&end).await.is_empty() {
                polls.tick().await;
            }
        };
        let message = "a connection does not end on the test server";
        tokio::time::timeout(POLL_TIMEOUT, ended).await.expect(message);
        let count = format!("SELECT deadlocks FROM pg_stat_database WHERE datname = '{name}'");
        run(&count).await[0].get(0)
    })
}

async fn connect(url: &str) -> PgConnection {
    let options = PgConnectOptions::from_str(url).expect("the URL of a PostgreSQL server");
    options.connect().await.unwrap_or_else(|e| panic!("cannot reach the test server: {e}"))
}

/// Runs a statement, such as `CREATE DATABASE`, on the database that the server's URL names.
fn on_server(sql: &str) {
    let done = block_on_new_thread(SERVER.link.rows(sql));
    done.unwrap_or_else(|e| panic!("`{sql}`: {e}"));
}

/// A connection that stays open between the statements of a test, because a new one takes the server as long as
/// many statements. It works in a runtime of its own, so a test may use it from any runtime.
struct Link {
    url: String,
    idle: Arc<Mutex<Option<PgConnection>>>,
}

impl Link {
    fn to(url: String) -> Self {
        Self { url, idle: Arc::default() }
    }

    /// Closes the connection. The next statement opens a new one.
    fn close(&self) {
        self.idle.lock().expect("no panic").take();
    }

    /// Returns the rows of a statement. While the connection is busy, which may be until this statement has ended, the
    /// statement gets a connection of its own. A connection that fails is not used again.
    async fn rows(&self, sql: &str) -> Result<Vec<PgRow>, sqlx::Error> {
        static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
            Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
        });
        let (url, idle, sql) = (self.url.clone(), Arc::clone(&self.idle), sql.to_owned());
        let work = RUNTIME.spawn(async move {
            let open = idle.lock().expect("no panic").take();
            let mut conn = match open {
                Some(conn) => conn,
                None => connect(&url).await,
            };
            let rows = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_all(&mut conn).await?;
            idle.lock().expect("no panic").replace(conn);
            Ok(rows)
        });
        work.await.expect("no panic")
    }

    /// Returns the first column of a statement's rows.
    async fn texts(&self, sql: &str) -> Vec<String> {
        let rows = self.rows(sql).await.unwrap_or_else(|e| panic!("`{sql}`: {e}"));
        rows.iter().map(|row| row.get(0)).collect()
    }
}

/// Runs a future to completion in a new thread. The thread of the caller may belong to an async runtime,
/// which does not allow blocking.
fn block_on_new_thread<T: Send>(work: impl Future<Output = T> + Send) -> T {
    std::thread::scope(|scope| scope.spawn(|| block_on(work)).join()).expect("no panic")
}

/// Creates all tables of a database.
pub(crate) async fn migrate(url: &str) {
    let options = StoreOptions {
        address: Address::parse(url),
        migrations: domains::migrations(),
        durability: Durability::Full,
        clock: Arc::new(SystemClock),
        database_clock: None,
        ids: Arc::new(IdSource::seeded(1)),
        faults: Arc::new(NoFaults),
        queue_max: 1,
    };
    Store::migrate(&options).await.expect("migrated");
}

/// Returns the URL of a database on the server that all tests share.
fn url_of(name: &str) -> String {
    let mut url = SERVER.link.url.clone();
    let path = url.rfind('/').expect("the URL of a server names a database");
    let parameters = url[path..].find('?').map_or(String::new(), |at| url[path + at..].into());
    url.replace_range(path + 1.., &format!("{name}{parameters}"));
    url
}

/// The name of the database that holds the current schema. The processes that test on the same server share it,
/// so its name contains a digest of the schema. It gets this name when its schema is complete.
static CURRENT: LazyLock<String> = LazyLock::new(|| {
    let schema: String = domains::migrations().iter().map(|migration| migration.postgres).collect();
    let name = format!("t_schema_{}", &Digest::of(schema.as_bytes()).to_string()[..16]);
    block_on_new_thread(async {
        let server = Link::to(SERVER.link.url.clone());
        let run =
            async |sql: String| server.rows(&sql).await.unwrap_or_else(|e| panic!("`{sql}`: {e}"));
        run("SELECT pg_advisory_lock(1)".to_owned()).await;
        if run(format!("SELECT 1 FROM pg_database WHERE datname = '{name}'")).await.is_empty() {
            let draft = format!("t_draft_{}", std::process::id());
            run(format!("CREATE DATABASE {draft}")).await;
            migrate(&url_of(&draft)).await;
            run(format!("ALTER DATABASE {draft} RENAME TO {name}")).await;
        }
    });
    name
});

static SERVER: LazyLock<Server> = LazyLock::new(Server::find);

struct Server {
    link: Link,
    /// The server's process, if this test process started it.
    /// Its stdin stays open as long as the test process runs.
    /// The server ends when its stdin is closed.
    _process: Option<Child>,
}

impl Server {
    #[expect(clippy::disallowed_methods, reason = "only here does the test read its environment")]
    fn find() -> Self {
        match std::env::var("ABIDE_TEST_POSTGRES") {
            Ok(url) if !url.is_empty() => Self { link: Link::to(url), _process: None },
            _ => Self::start(),
        }
    }

    fn start() -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/throwaway-postgres");
        let mut child = Command::new(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|e| panic!("`tests/throwaway-postgres`: {e}"));
        let mut url = String::new();
        let output = child.stdout.take().expect("its output is piped");
        BufReader::new(output).read_line(&mut url).expect("its output is text");
        let url = url.trim().to_owned();
        assert!(!url.is_empty(), "no PostgreSQL to test on: see the error above, or run `./check`");
        Self { link: Link::to(url), _process: Some(child) }
    }
}

#[tokio::test]
async fn every_test_has_databases_of_its_own() {
    let (one, other) = (databases(), databases());
    for (mine, yours) in one.iter().zip(&other) {
        mine.execute("CREATE TABLE story (n BIGINT); INSERT INTO story VALUES (7)").await;
        yours.execute("CREATE TABLE story (n BIGINT)").await;
        assert_eq!(mine.number("SELECT n FROM story").await, 7, "{mine}");
        assert_eq!(yours.number("SELECT count(*) FROM story").await, 0, "{yours}");
    }
}

#[tokio::test]
async fn a_database_is_deleted_with_its_test() {
    let database = TestDb::postgres();
    let name = database.url().rsplit('/').next().unwrap_or_default().to_owned();
    let listed = async || {
        let sql = "SELECT count(*) FROM pg_database WHERE datname = $1";
        let mut server = connect(&SERVER.link.url).await;
        sqlx::query_scalar::<_, i64>(sql).bind(&name).fetch_one(&mut server).await.expect("a count")
    };
    assert_eq!(listed().await, 1);
    drop(database);
    assert_eq!(listed().await, 0);
}

#[test]
fn a_deadlock_fails_its_test() {
    let database = TestDb::postgres();
    block_on(async {
        database.execute("CREATE TABLE story (n BIGINT); INSERT INTO story VALUES (1), (2)").await;
        let (mut one, mut other) = (connect(&database.url).await, connect(&database.url).await);
        let take = async |conn: &mut PgConnection, n: i64| {
            let sql = "UPDATE story SET n = n WHERE n = $1";
            sqlx::query(sql).bind(n).execute(conn).await.map(|_| ())
        };
        for conn in [&mut one, &mut other] {
            sqlx::raw_sql("BEGIN; SET LOCAL deadlock_timeout = '10ms'")
                .execute(conn)
                .await
                .expect("begun");
        }
        take(&mut one, 1).await.expect("free");
        take(&mut other, 2).await.expect("free");
        let (first, second) = tokio::join!(take(&mut one, 2), take(&mut other, 1));
        assert!(first.is_err() != second.is_err(), "one of them is the victim");
    });
    let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(database)));
    let message = *dropped.expect_err("the drop panics").downcast::<String>().expect("a text");
    assert!(message.starts_with("1 deadlocks in t_"), "{message}");
}
