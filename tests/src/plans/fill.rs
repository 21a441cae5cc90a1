//! Fills every table with a hundred thousand rows, with one statement for each table.

use super::plan::Connection;

/// Number of rows in each table.
pub(crate) const ROWS: usize = 100_000;
/// Number of rows in each table of a new deployment, when its server first reads them for its statistics.
pub(crate) const FEW_ROWS: usize = 60;
/// Tables that only a few rows may have.
const FEW: [&str; 2] = ["meta", "node"];

/// The values of a column that decides which rows a partial index contains, or how many rows are alike. `{i}` is the
/// number of the row.
const VALUES: &[(&str, &str)] = &[
    ("tenant", "CASE WHEN {i} % 10 = 0 THEN 't' || {i} % 1000 ELSE 'default' END"),
    ("tenant.id", "'t' || {i}"),
    ("state", "CASE WHEN {i} % 100 = 0 THEN 'pending' ELSE 'accepted' END"),
    ("outbox.state", "CASE {i} % 100 WHEN 0 THEN 'queued' WHEN 1 THEN 'sending' ELSE 'sent' END"),
    ("ask.state", "CASE WHEN {i} % 100 = 0 THEN 'open' ELSE 'answered' END"),
    ("inbox.state", "CASE WHEN {i} % 100 = 0 THEN 'open' ELSE 'answered' END"),
    ("request.status", "CASE WHEN {i} % 100 = 0 THEN 'open' ELSE 'filled' END"),
    ("run.status", "CASE {i} % 10 WHEN 0 THEN 'waiting' WHEN 1 THEN 'failed' ELSE 'completed' END"),
    ("run.ended_at", "CASE WHEN {i} % 10 = 0 THEN NULL ELSE {i} END"),
    ("run.parent", "CASE WHEN {i} % 10 = 1 THEN {id-1} END"),
    ("run.branch", "CASE WHEN {i} % 10 = 1 THEN 1 ELSE 0 END"),
    ("run.method", "'m' || {i} % 10"),
    ("turn.held", "CASE WHEN {i} % 100 = 0 THEN 1 ELSE 0 END"),
    ("turn.owner", "CASE WHEN {i} % 1000 = 0 THEN {id} END"),
    ("turn.stuck_on", "CASE WHEN {i} % 1000 = 0 THEN 'no capable node' END"),
    ("ledger.kind", "CASE WHEN {i} % 2 = 0 THEN 'receipt' ELSE 'run.waiting' END"),
    (
        "ledger.status",
        "CASE WHEN {i} % 2 = 0 THEN CASE WHEN {i} % 100 = 0 THEN 'failed' ELSE 'succeeded' END END",
    ),
    ("ledger.tool", "CASE WHEN {i} % 2 = 0 THEN 'church.tool_' || {i} % 50 END"),
    ("applied_at", "CASE WHEN {i} % 1000 = 0 THEN NULL ELSE {i} END"),
    ("consumed_seq", "CASE WHEN {i} % 100 = 0 THEN NULL ELSE {i} END"),
    ("signal.name", "'n' || {i} % 10"),
    ("handled_as", "'h' || {i} % 10"),
    ("notice", "CASE WHEN {i} % 1000 = 0 THEN 1 ELSE 0 END"),
    ("unasked", "{i} % 2"),
    ("bulk", "{i} % 2"),
    ("active", "CASE WHEN {i} % 10 = 0 THEN 1 ELSE 0 END"),
    ("paused", "CASE WHEN {i} % 1000 = 0 THEN 1 ELSE 0 END"),
    ("method_version.name", "'m' || {i}"),
    ("sender", "{digest-1000}"),
    ("contact", "{digest-1000}"),
    ("person", "{id-1000}"),
];

/// What makes the tables quiet: nothing is open, nothing is on its way, and no run is at work.
const QUIET: &[&str] = &[
    "UPDATE signal SET consumed_seq = 1 WHERE consumed_seq IS NULL",
    "UPDATE inbound SET applied_at = 1 WHERE applied_at IS NULL",
    "UPDATE outbox SET state = 'sent' WHERE state <> 'sent'",
    "UPDATE offer SET state = 'accepted', notice = 0 WHERE state = 'pending' OR notice = 1",
    "UPDATE ask SET state = 'answered' WHERE state = 'open'",
    "UPDATE inbox SET state = 'answered' WHERE state = 'open'",
    "UPDATE approval SET state = 'approved' WHERE state = 'pending'",
    "UPDATE request SET status = 'completed' WHERE status = 'open'",
    "UPDATE run SET status = 'completed', ended_at = 1 WHERE ended_at IS NULL",
    "UPDATE turn SET owner = NULL, held = 0, stuck_on = NULL WHERE owner IS NOT NULL OR held = 1 OR stuck_on IS NOT NULL",
];

/// Ends what is open in the filled tables.
pub(crate) async fn quieten(connection: &mut Connection) {
    for update in QUIET {
        connection.run(update).await;
    }
}

/// The tables whose rows come and go, so that none is left when nothing is open.
const EMPTIED: [&str; 10] = [
    "agenda_turn",
    "barred",
    "http_key",
    "inbox_notice",
    "live_fill",
    "question",
    "rebalance",
    "tenant_job",
    "turn",
    "wait",
];

/// Deletes the rows of the tables whose rows come and go. A server cleans up after that.
pub(crate) async fn empty(connection: &mut Connection) {
    for table in EMPTIED {
        connection.run(&format!("DELETE FROM {table}")).await;
        if matches!(connection, Connection::Postgres(_)) {
            connection.run(&format!("VACUUM {table}")).await;
        }
    }
}

struct Column {
    name: String,
    kind: String,
}

/// Fills all tables up to this number of rows.
pub(crate) async fn all(connection: &mut Connection, rows: usize) {
    let is_sqlite = matches!(connection, Connection::Sqlite(_));
    let tables = connection
        .texts(if is_sqlite {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%STRICT%' ORDER BY name"
        } else {
            "SELECT CAST(table_name AS TEXT) FROM information_schema.tables
             WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1"
        })
        .await;
    for table in tables {
        let columns = columns(connection, &table).await;
        let rows = if FEW.contains(&table.as_str()) { 10 } else { rows };
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let values: Vec<String> =
            columns.iter().map(|column| value(&table, column, is_sqlite)).collect();
        let (names, values) = (names.join(", "), values.join(", "));
        let series = if is_sqlite {
            format!(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})"
            )
        } else {
            format!("WITH n(i) AS (SELECT * FROM generate_series(1, {rows}))")
        };
        let insert = format!(
            "{series} INSERT INTO {table} ({names}) SELECT {values} FROM n WHERE true ON CONFLICT DO NOTHING"
        );
        connection.run(&insert).await;
    }
}

async fn columns(connection: &mut Connection, table: &str) -> Vec<Column> {
    let sql = match connection {
        Connection::Sqlite(_) => {
            format!("SELECT name || ' ' || lower(type) FROM pragma_table_info('{table}') ORDER BY cid")
        }
        Connection::Postgres(_) => format!(
            "SELECT column_name || ' ' || data_type FROM information_schema.columns
             WHERE table_schema = current_schema() AND table_name = '{table}' AND is_generated = 'NEVER'
             ORDER BY ordinal_position"
        ),
    };
    let described = connection.texts(&sql).await;
    let column = |text: &String| {
        let (name, kind) = text.split_once(' ').expect("a name and a type");
        Column { name: name.to_owned(), kind: kind.to_owned() }
    };
    described.iter().map(column).collect()
}

/// Returns the expression for the value of a column.
fn value(table: &str, column: &Column, is_sqlite: bool) -> String {
    let Column { name, kind } = column;
    let own = format!("{table}.{name}");
    let special = VALUES.iter().find(|(of, _)| *of == own);
    let special = special.or_else(|| VALUES.iter().find(|(of, _)| of == name));
    let plain = match kind.as_str() {
        "uuid" => "{id}",
        "blob" | "bytea" => "{id}",
        "text" => "'v' || {i}",
        "real" | "double precision" => "1.0",
        _ => "{i}",
    };
    let is_binary = |value: &str| value.starts_with("{id") || value.starts_with("{digest");
    let special = special.filter(|(_, value)| kind != "text" || !is_binary(value));
    let text = special.map_or(plain, |(_, value)| value);
    let hex = |width: usize, number: &str| match (is_sqlite, kind.as_str()) {
        (true, _) => format!("unhex(printf('%0{width}x', {number}))"),
        (false, "uuid") => format!("CAST(lpad(to_hex({number}), 32, '0') AS uuid)"),
        (false, _) => format!("decode(lpad(to_hex({number}), {width}, '0'), 'hex')"),
    };
    text.replace("{id-1000}", &hex(32, "n.i % 1000"))
        .replace("{digest-1000}", &hex(64, "n.i % 1000"))
        .replace("{id-1}", &hex(32, "n.i - 1"))
        .replace("{id}", &hex(32, "n.i"))
        .replace("{i}", "n.i")
}
