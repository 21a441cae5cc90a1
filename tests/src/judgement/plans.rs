//! Every statement of the judgement is planned as a look into an index, whatever is stored: the plans are those that
//! the databases choose for a hundred thousand rows of each table.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use abide_engine::store::{CommitParts, CommitPoint, FaultAction, FaultHooks, StatementHooks};
use serde_json::json;

use super::{get, post};
use crate::campaign::church::{Church, Setup};
use crate::postgres::{TestDb, databases};
use crate::trade::australia;

/// The tables that grow with each message, with a value for each column: `{i}` is the number of the row, `{id}` an id
/// made of it.
const TABLES: [(&str, &str); 10] = [
    (
        "classification",
        "{id}, 'default', 'k' || {i}, 's' || {i} % 1000, NULL, NULL, NULL, 'm', '{}', 'execute', 0, '{}', 'execute',
         'system', 'T0', 'done', CASE WHEN {i} % 1000 = 0 THEN {i} END, {i}",
    ),
    ("run_plan", "{id}, 'default', {id}, 'ready', 'system', 'T0', '{}', '{}', NULL, NULL, {i}"),
    ("conversation_session", "'default', 'u' || {i}, 's' || {i} % 1000, 1, NULL, {i}, {i}"),
    (
        "conversation_goals",
        "'default', 'u' || {i}, 's' || {i} % 1000, 1, 'general', NULL,
         CASE WHEN {i} % 10 = 0 THEN 'active' ELSE 'completed' END, 1, 'd', 'n', '{}', 0, {i}, {i}",
    ),
    (
        "conversation_goal_journal",
        "{id}, 'default', 'u' || {i}, 's' || {i} % 1000, NULL, 'snapshot', '{}', {i}",
    ),
    ("agenda_turn", "{id}, 'default', 'u' || {i}, 's' || {i} % 1000, '{}', {i}"),
    ("entity", "{id}, 'default', 'person', 'p' || {i}, '{}', {i}"),
    ("modifier", "{id}, 'default', 'entity', {id}, 'city', 'Austin', NULL"),
    ("source", "{id}, 'default', 'receipt', 'call/' || {i}, '{}', {i}"),
    (
        "asked",
        "{id}, 'default', 'q' || {i}, 'u' || {i}, 's' || {i} % 1000, 't', '[]', 'a', 0, NULL, {i}",
    ),
];
const TABLES_OF_ROWS: [(&str, &str); 4] = [
    ("relation", "{id}, 'default', {id}, 'knows', {id}, '{}'"),
    (
        "assertion",
        "{id}, 'default', {id}, 'name', 'o', 1.0, {i}, CASE WHEN {i} % 2 = 0 THEN {i} END, {id}",
    ),
    (
        "obligation",
        "{id}, 'default', 'REPORT', '{}', CASE WHEN {i} % 100 = 0 THEN 'active' ELSE 'resolved' END, {i}, {i}, {id}",
    ),
    (
        "standing_obligation",
        "{id}, 'default', 'u' || {i} % 1000, 'MAINTAIN', 'ball', 'ball.in_place', 'd' || {i}, 'm', '{}', {i}, {i},
         CASE WHEN {i} % 1000 = 0 THEN {i} END, {id}, CASE WHEN {i} % 100 = 0 THEN NULL ELSE {i} END",
    ),
];

/// Statements that read a table from its beginning, each with the reason why that is right.
const WALKS: [&str; 1] = [
    "FROM tenant t WHERE t.paused = 0", // each tenant is asked what it has to do; there are few of them
];

/// Collects the statements that are sent.
#[derive(Default)]
struct Sent(Mutex<BTreeSet<String>>);

impl StatementHooks for Sent {
    fn statement(&self, sql: &str) {
        self.0.lock().expect("not poisoned").insert(sql.to_owned());
    }
}

impl FaultHooks for Sent {
    fn at_commit(&self, _: CommitPoint, _: CommitParts) -> FaultAction {
        FaultAction::Go
    }
}

/// Talks with the operator, the agenda and those who answer, so that each of their statements is sent.
async fn talk(church: &mut Church) {
    let operator = |message: &str, key: &str| json!({ "message": message, "mode": "execute", "session": "s1", "context": { "key": key } });
    for (message, key) in [
        ("new lead: Sarah 0400123456", "a"),
        ("Clayton", "b"),
        ("create a task to call John", "c"),
        ("create a task to call John", "c"),
        ("finalise quote quo_00000000000000000000000000000001", "d"),
    ] {
        let body = operator(message, key);
        let answer = post(church, "/v1/operator", Some(key), &body).await.body;
        let plan = answer["plan"]["plan_id"].as_str().expect("a plan").to_owned();
        get(church, &format!("/v1/operator/{plan}")).await;
        post(church, &format!("/v1/operator/{plan}/rollback"), None, &json!({})).await;
    }
    for (text, key) in [
        ("what's 2+2?", "e"),
        ("what's 2+2?", "e"),
        ("my name is Ada", "f"),
        ("what's my name?", "g"),
        ("my name is Grace", "h"),
        ("is that right?", "i"),
        ("list my friends in Seattle", "j"),
        ("compare the price of biryani near me please", "k"),
        ("what's on my calendar tomorrow?", "l"),
        ("forget my name", "m"),
    ] {
        let body = json!({ "text": text, "session": "s1", "user": "u1" });
        post(church, "/v1/ask", Some(key), &body).await;
    }
    get(church, "/v1/goals?session=s1").await;
    get(church, "/v1/goals/journal?session=s1").await;
    church.text(&Church::phone('P'), "create a task to call John").await;
    church.text(&Church::phone('A'), "compare the price of ramen").await;
    church.engine().tick().await.expect("settled");
}

/// Fills a table with a hundred thousand rows.
async fn fill(database: &TestDb, table: &str, values: &str) {
    let numbered = values.replace("{i}", "n.i");
    let sqlite = numbered.replace("{id}", "unhex(printf('%032x', n.i))");
    let postgres = numbered.replace("{id}", "lpad(to_hex(n.i), 32, '0')::uuid");
    let sqlite = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
         INSERT INTO {table} SELECT {sqlite} FROM n RETURNING ''"
    );
    let postgres = format!(
        "INSERT INTO {table} SELECT {postgres} FROM generate_series(1, 100000) n(i) RETURNING ''"
    );
    database.texts(&sqlite, &postgres).await;
}

/// Returns the plan of a statement whose parameters are not known.
async fn plan(database: &TestDb, sql: &str) -> Vec<String> {
    let last = (1..40).rev().find(|n| sql.contains(&format!("${n}"))).unwrap_or(0);
    let nulls = vec!["NULL"; last].join(", ");
    let arguments = if last == 0 { String::new() } else { format!("({nulls})") };
    let postgres = format!(
        "SET plan_cache_mode = force_generic_plan; PREPARE it AS {sql}; EXPLAIN EXECUTE it{arguments}"
    );
    database.plan(&format!("EXPLAIN QUERY PLAN {sql}"), &postgres).await
}

#[tokio::test]
async fn every_statement_of_the_judgement_looks_into_an_index() {
    for database in databases() {
        let sent = Arc::new(Sent::default());
        let setup = Setup { faults: Arc::<Sent>::clone(&sent), ..australia() };
        let mut church = Church::with(database, setup).await;
        talk(&mut church).await;
        let filled = church.database();
        let statements = std::mem::take(&mut *sent.0.lock().expect("not poisoned"));
        let all: Vec<(&str, &str)> = TABLES.into_iter().chain(TABLES_OF_ROWS).collect();
        for (table, _) in all.iter().rev() {
            let delete = format!("DELETE FROM {table} RETURNING ''");
            filled.texts(&delete, &delete).await;
        }
        for (table, values) in &all {
            fill(filled, table, values).await;
        }
        filled.execute("ANALYZE").await;
        let names = |sql: &str, table: &str| {
            let words: Vec<&str> = sql.split_whitespace().collect();
            let of_table = |pair: &[&str]| {
                ["FROM", "JOIN", "INTO", "UPDATE"].contains(&pair[0]) && pair[1] == table
            };
            words.windows(2).any(of_table)
        };
        let mut seen = 0;
        for sql in &statements {
            if !all.iter().any(|(table, _)| names(sql, table)) {
                continue;
            }
            seen += 1;
            let plan = plan(filled, sql).await;
            let walks = |(nth, line): &(usize, &String)| {
                // PostgreSQL reads a whole index, in its order.
                let next = plan.get(nth + 1).map_or("", String::as_str);
                let whole = line.contains("Scan using") && !next.contains("Index Cond");
                let scans = line.trim_start().starts_with("SCAN ");
                let scan = scans && !line.contains("json_each") && !line.contains("CONSTANT ROW");
                whole || scan || line.contains("Seq Scan on") || line.contains("AUTOMATIC")
            };
            let walk = plan.iter().enumerate().find(walks);
            let is_known = WALKS.iter().any(|known| sql.contains(known));
            assert!(walk.is_none() || is_known, "{filled}: {sql}\n{plan:#?}");
        }
        assert!(seen > 30, "{seen} statements");
    }
}
