//! Asks a database how it would execute a statement, and says what is wrong with a plan.

use std::collections::BTreeMap;
use std::fmt;

use abide_engine::store::PLANNER;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Executor as _, Row as _};

use crate::postgres::TestDb;

/// Tables of which a deployment has few rows, or of which nobody has more than some hundred: they may be read whole.
const SMALL: [&str; 12] = [
    "tenant",
    "node",
    "meta",
    "church",
    "tenant_job",
    "method_version",
    "definition",
    "token",
    "service",
    "capacity",
    "plant_ball",
    "thread",
];
/// Maximum number of rows that a plan may sort. It is far more than a page of a list has, because a server without
/// statistics estimates the number of rows badly.
const PAGE: f64 = 1_000.0;

/// How the stage of a plan begins that stands for a statement which the database refuses.
const REFUSED: &str = "refused: ";

/// A connection to the database whose plans are read.
pub(crate) enum Connection {
    Sqlite(Box<SqliteConnection>),
    Postgres(Box<PgConnection>),
}

/// The first column of each index, by the name of the index.
pub(crate) type FirstColumns = BTreeMap<String, String>;

/// The stages of a plan, one on a line.
pub(crate) struct Plan(pub(crate) Vec<String>);

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|line| writeln!(f, "    {line}"))
    }
}

impl Connection {
    /// Opens a connection that plans statements as the engine's connections do, and checks no row.
    pub(crate) async fn open(database: &TestDb) -> Self {
        if database.to_string() == "sqlite" {
            let options = SqliteConnectOptions::new().filename(database.url());
            let mut file = options.connect().await.expect("opened");
            file.execute(
                "PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF;
                PRAGMA ignore_check_constraints = ON",
            )
            .await
            .expect("set");
            return Self::Sqlite(Box::new(file));
        }
        let options: PgConnectOptions = database.url().parse().expect("a URL");
        let mut server = options.options(PLANNER).connect().await.expect("connected");
        let quick = "SET synchronous_commit = off; SET session_replication_role = replica";
        server.execute(sqlx::raw_sql(quick)).await.expect("set");
        // The rows are not sensible: they only have to be many.
        let unchecked = "DO $$ DECLARE c record; BEGIN
            FOR c IN SELECT conrelid::regclass AS of, conname FROM pg_constraint WHERE contype = 'c'
                AND connamespace = current_schema()::regnamespace
            LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.of, c.conname); END LOOP; END $$";
        server.execute(sqlx::raw_sql(unchecked)).await.expect("unchecked");
        // The server must learn of the tables only what the test tells it.
        let unwatched = "DO $$ DECLARE t record; BEGIN
            FOR t IN SELECT oid::regclass AS name FROM pg_class WHERE relkind = 'r'
                AND relnamespace = current_schema()::regnamespace
            LOOP EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', t.name); END LOOP; END $$";
        server.execute(sqlx::raw_sql(unwatched)).await.expect("unwatched");
        Self::Postgres(Box::new(server))
    }

    /// Executes statements without parameters.
    pub(crate) async fn run(&mut self, sql: &str) {
        let text = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
        let done = match self {
            Self::Sqlite(file) => file.execute(text).await.map(|_| ()),
            Self::Postgres(server) => server.execute(text).await.map(|_| ()),
        };
        done.unwrap_or_else(|e| panic!("{sql}: {e}"));
    }

    /// Takes new statistics, as a server does by itself. An embedded database takes none unless somebody asks it to.
    pub(crate) async fn watch(&mut self) {
        if matches!(self, Self::Postgres(_)) {
            self.run("ANALYZE").await;
        }
    }

    /// Queries texts, one per row.
    pub(crate) async fn texts(&mut self, sql: &str) -> Vec<String> {
        let text = AssertSqlSafe(sql.to_owned());
        let found = match self {
            Self::Sqlite(file) => sqlx::query_scalar(text).fetch_all(&mut **file).await,
            Self::Postgres(server) => sqlx::query_scalar(text).fetch_all(&mut **server).await,
        };
        found.unwrap_or_else(|e| panic!("{sql}: {e}"))
    }

    /// Returns the columns whose texts a server does not compare by their bytes, as it compares the texts of all other
    /// tables. The columns of `tool_key`, which a view reads, are compared with parameters only.
    pub(crate) async fn uncollated(&mut self) -> Vec<String> {
        if matches!(self, Self::Sqlite(_)) {
            return Vec::new();
        }
        self.texts(
            "SELECT table_name || '.' || column_name FROM information_schema.columns
             JOIN information_schema.tables USING (table_schema, table_name)
             WHERE table_schema = current_schema() AND data_type = 'text' AND table_type = 'BASE TABLE'
                AND collation_name IS DISTINCT FROM 'C' AND table_name <> 'tool_key' ORDER BY 1",
        )
        .await
    }

    /// Returns the first column of each index of a server, by the name of the index.
    pub(crate) async fn first_columns(&mut self) -> FirstColumns {
        if matches!(self, Self::Sqlite(_)) {
            return FirstColumns::new();
        }
        let indexes = self
            .texts(
                "SELECT c.relname || ' ' || pg_get_indexdef(c.oid, 1, true) FROM pg_class c
                 WHERE c.relkind = 'i' AND c.relnamespace = current_schema()::regnamespace",
            )
            .await;
        let first = indexes.iter().filter_map(|index| {
            let (name, column) = index.split_once(' ')?;
            Some((name.to_owned(), columns(column).into_iter().next()?.to_owned()))
        });
        first.collect()
    }

    /// Returns the plan of a statement whose parameters are not known.
    pub(crate) async fn plan(&mut self, sql: &str) -> Plan {
        let stages = match self {
            Self::Sqlite(file) => {
                let text = format!("EXPLAIN QUERY PLAN {sql}");
                let rows = sqlx::raw_sql(AssertSqlSafe(text)).fetch_all(&mut **file).await;
                rows.map(|rows| rows.iter().map(|row| row.get("detail")).collect())
            }
            Self::Postgres(server) => explain(server, sql).await,
        };
        Plan(stages.unwrap_or_else(|error| vec![format!("{REFUSED}{error}")]))
    }
}

/// Returns the plan of a statement on a server. The engine tells the server the types of all parameters. Here they are
/// not known, so each is tried that the server cannot tell.
async fn explain(server: &mut PgConnection, sql: &str) -> Result<Vec<String>, sqlx::Error> {
    let last = (1..60).rev().find(|n| sql.contains(&format!("${n}"))).unwrap_or(0);
    let (mut types, mut tried) = (vec!["unknown"; last], None);
    loop {
        let parameters = if last == 0 { String::new() } else { format!("({})", types.join(", ")) };
        let prepare = format!("PREPARE it{parameters} AS {sql}");
        let Err(error) = server.execute(sqlx::raw_sql(AssertSqlSafe(prepare))).await else { break };
        let told = error.to_string();
        let unclear = told.split_once("parameter $").and_then(|(_, rest)| {
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()
        });
        tried = unclear.or(tried.filter(|_| told.contains("operator does not exist")));
        let Some(kind) = tried.and_then(|n| types.get_mut(n - 1)) else { return Err(error) };
        *kind = match *kind {
            "unknown" => "text",
            "text" => "bigint",
            "bigint" => "uuid",
            "uuid" => "bytea",
            _ => return Err(error),
        };
    }
    let nulls = vec!["NULL"; last].join(", ");
    let arguments = if last == 0 { String::new() } else { format!("({nulls})") };
    let text = format!("EXPLAIN EXECUTE it{arguments}");
    let rows = sqlx::raw_sql(AssertSqlSafe(text)).fetch_all(&mut *server).await;
    server.execute("DEALLOCATE it").await?;
    Ok(rows?.iter().map(|row| row.get(0)).collect())
}

/// Says what is wrong with the plan of a statement; empty if nothing is.
pub(crate) fn faults(sql: &str, plan: &Plan, first_columns: &FirstColumns) -> Vec<String> {
    let names = names(sql);
    let is_large = |alias: &str| {
        let found = names.iter().find(|name| name.alias == alias);
        found.is_some_and(|name| !SMALL.contains(&name.table.as_str()))
    };
    let stages = Stage::of_plan(plan);
    let mut found = Vec::new();
    for stage in &stages {
        let words: Vec<&str> = stage.text.split_whitespace().collect();
        let walks = match words.as_slice() {
            ["SCAN", alias, ..] => is_large(alias) && !stage.text.contains("VIRTUAL TABLE"),
            // Starting other processes takes longer than to look up a page of rows.
            ["Gather", ..] => true,
            // From a row to the end of the table.
            ["SEARCH", alias, .., "KEY", "(rowid>?)"] => is_large(alias),
            ["Seq", "Scan", "on", table, ..] => !SMALL.contains(table) && is_table(&names, table),
            ["Index", "Scan" | "Only", ..] if stage.text.contains(" using ") => {
                !is_small_index(stage.text)
                    && (!stage.finds_its_place(first_columns) || stage.discards(&stages))
            }
            ["Bitmap", "Index", "Scan", ..] => {
                !stage.heap(&stages).is_some_and(|heap| is_small_index(heap.text))
                    && (!stage.finds_its_place(first_columns) || stage.discards(&stages))
            }
            _ => stage.text.contains("AUTOMATIC") || stage.text.starts_with(REFUSED),
        };
        let sorts =
            stage.text.starts_with("Sort ") && rows(stage.text).is_some_and(|rows| rows > PAGE);
        if walks || sorts {
            found.push(stage.text.to_owned());
        }
    }
    found
}

/// A stage of a plan, with what the server tells about it.
struct Stage<'a> {
    text: &'a str,
    /// The number of the stage that reads what this one returns.
    parent: Option<usize>,
    told: Vec<&'a str>,
}

impl<'a> Stage<'a> {
    /// Returns the stages of a plan in the order of its lines. PostgreSQL writes an arrow before each but the first, and
    /// indents what it tells about a stage. SQLite writes a stage on each line.
    fn of_plan(plan: &'a Plan) -> Vec<Self> {
        let mut stages: Vec<Self> = Vec::new();
        let mut depths: Vec<usize> = Vec::new();
        let is_served = plan.0.first().is_some_and(|line| line.contains("(cost="));
        for line in &plan.0 {
            let text = line.trim_start();
            let depth = line.len() - text.len();
            let told = is_served && !stages.is_empty() && !text.starts_with("->");
            if told {
                let of = (0..stages.len()).rev().find(|nth| depths[*nth] < depth);
                if let Some(stage) = of.and_then(|nth| stages.get_mut(nth)) {
                    stage.told.push(text);
                }
                continue;
            }
            let parent =
                (0..stages.len()).rev().find(|nth| depths[*nth] < depth).filter(|_| is_served);
            let text = text.trim_start_matches("->").trim_start();
            stages.push(Self { text, parent, told: Vec::new() });
            depths.push(depth);
        }
        stages
    }

    /// Returns the condition by which the stage finds its place in the index.
    fn condition(&self) -> &'a str {
        let found = self.told.iter().find_map(|line| line.strip_prefix("Index Cond: "));
        found.unwrap_or_default()
    }

    /// Whether the stage begins at a place in its index, because its condition compares the first column of the index.
    fn finds_its_place(&self, first_columns: &FirstColumns) -> bool {
        let compared = columns(self.condition());
        let mut words = self.text.split_whitespace();
        let first = words.find_map(|word| first_columns.get(word));
        first.map_or(!compared.is_empty(), |first| compared.contains(&first.as_str()))
    }

    /// Returns the stage that reads the rows which this stage found in an index.
    fn heap<'b>(&self, stages: &'b [Self]) -> Option<&'b Self> {
        let mut above = self.parent.and_then(|nth| stages.get(nth))?;
        while above.text.starts_with("Bitmap") && !above.text.starts_with("Bitmap Heap") {
            above = above.parent.and_then(|nth| stages.get(nth))?;
        }
        Some(above)
    }

    /// Whether the stage reads a range of the rows of a tenant for a join, which uses only those that the other table
    /// determines.
    fn is_joined_by_range(&self, stages: &[Self]) -> bool {
        let join = self.parent.and_then(|nth| stages.get(nth));
        join.filter(|stage| stage.text.starts_with("Nested Loop ")).is_some_and(|join| {
            join.told.iter().any(|line| line.starts_with("Join Filter: ") && is_narrow(line))
        }) && reads_a_tenant(self.condition())
    }

    /// Whether the stage reads all rows of a tenant, and only those are used which a value determines. The statement should
    /// find these rows in an index instead.
    fn discards(&self, stages: &[Self]) -> bool {
        if self.is_joined_by_range(stages) {
            return true;
        }
        if columns(self.condition()) != ["tenant"] {
            return false;
        }
        let mut above = self.parent;
        let mut told: Vec<&str> = self.told.clone();
        while let Some(stage) = above.and_then(|nth| stages.get(nth)) {
            let is_heap = stage.text.starts_with("Bitmap");
            told.extend(&stage.told);
            above = stage.parent.filter(|_| is_heap);
        }
        told.iter().any(|line| is_narrow(line))
    }
}

/// Whether the condition of an index determines the tenant and nothing else: any other column has a range of values.
fn reads_a_tenant(condition: &str) -> bool {
    let parts = || condition.split(" AND ").map(|part| part.trim_start_matches(['(', ' ']));
    let is_of_tenant = |part: &str| columns(part) == ["tenant"];
    parts().any(is_of_tenant) && parts().all(|part| is_of_tenant(part) || !part.contains(" = "))
}

/// Whether a filter compares a column with a parameter, a list or the column of another table.
fn is_narrow(told: &str) -> bool {
    let Some((_, filter)) = told.split_once("Filter: ") else { return false };
    filter.split(" = ").skip(1).any(|right| {
        let right = right.trim_start_matches('(');
        right.starts_with('$')
            || right.starts_with("ANY")
            || right.starts_with(|c: char| c.is_ascii_lowercase())
    })
}

/// Returns the columns that the condition of an index compares, each once.
fn columns(condition: &str) -> Vec<&str> {
    let mut columns: Vec<&str> = condition
        .split(" AND ")
        .filter_map(|part| {
            let left = part.trim_start_matches(['(', ' ']);
            let left = left.trim_start_matches("COALESCE(").trim_start_matches("ROW(");
            let left = left.split([' ', ',', ')', ':']).next()?;
            Some(left.rsplit('.').next().unwrap_or(left))
        })
        .collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// The number of rows that PostgreSQL expects from a stage.
fn rows(stage: &str) -> Option<f64> {
    let (_, rest) = stage.split_once("rows=")?;
    rest.split(' ').next()?.parse().ok()
}

/// A table of a statement, and the name by which the statement and its plan call it.
struct Name {
    table: String,
    alias: String,
}

/// Returns the tables that a statement names.
fn names(sql: &str) -> Vec<Name> {
    let spaced = sql.replace(',', " , ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut names = Vec::new();
    for (nth, word) in words.iter().enumerate() {
        if !["FROM", "JOIN", "UPDATE", "INTO", ","].contains(word) {
            continue;
        }
        let Some(table) = words.get(nth + 1).filter(|word| is_name(word)) else { continue };
        let mut alias = words.get(nth + 2).copied().unwrap_or("");
        if alias == "AS" {
            alias = words.get(nth + 3).copied().unwrap_or("");
        }
        let alias = if is_name(alias) { alias } else { table };
        names.push(Name { table: (*table).to_owned(), alias: alias.to_owned() });
        names.push(Name { table: (*table).to_owned(), alias: (*table).to_owned() });
    }
    // A name before `AS (` or before `(columns) AS (` is that of a query.
    let mut defined = vec!["jsonb_each", "unnest"];
    for (nth, word) in words.iter().enumerate() {
        let rest = &words[nth + 1..];
        let columns = if rest.first() == Some(&"(") {
            rest.iter().position(|word| *word == ")")
        } else {
            None
        };
        let after = columns.map_or(rest, |at| &rest[at + 1..]);
        if matches!(after, ["AS", "(", ..] | ["AS", "MATERIALIZED", ..]) {
            defined.push(word);
        }
    }
    names.retain(|name| !defined.contains(&name.table.as_str()));
    names
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

fn is_table(names: &[Name], table: &str) -> bool {
    names.iter().any(|name| name.table == table)
}

fn is_small_index(stage: &str) -> bool {
    SMALL.iter().any(|table| stage.contains(&format!(" on {table} ")))
}
