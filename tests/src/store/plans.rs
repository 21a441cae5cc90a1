//! The query plans that the databases choose for large tables.

use abide_engine::base::{RunId, TypedId as _};
use abide_engine::store::{APPROVAL_QUERIES, BRANCH_QUERIES, CONVERSATION_QUERIES};
use sqlx::types::Uuid;

use super::support::{Opened, law};
use crate::postgres::TestDb;

/// Inserts a hundred thousand waiting runs. Every tenth run is a branch of the run before it.
const FILL_SQLITE: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000),
        r(i, id, parent) AS (SELECT i, unhex(printf('%032x', i)),
            CASE WHEN i % 10 = 0 THEN unhex(printf('%032x', i - 1)) END FROM n)
     INSERT INTO run (id, tenant, bundle, method, method_version, campaign, shadow, parent, parent_call,
        ordinal, branch, status, seq, state_v, state, last_hash, last_at, created_at)
     SELECT id, 'grace', x'00', 'm', 1, 1, 0, parent, parent, 0, i % 10 = 0, 'waiting', 1, 1, '{}', x'00', 1, 1
     FROM r RETURNING ''";
const FILL_POSTGRES: &str = "INSERT INTO run (id, tenant, bundle, method, method_version, campaign, shadow, parent, parent_call,
        ordinal, branch, status, seq, state_v, state, last_hash, last_at, created_at)
     SELECT lpad(to_hex(i), 32, '0')::uuid, 'grace', '', 'm', 1, 1, 0, p.id, p.id, 0,
        (i % 10 = 0)::int, 'waiting', 1, 1, '{}', '', 1, 1
     FROM generate_series(1, 100000) i LEFT JOIN LATERAL
        (SELECT lpad(to_hex(i - 1), 32, '0')::uuid AS id WHERE i % 10 = 0) p ON true RETURNING ''";
const TURNS: &str = "INSERT INTO turn (run_id, tenant, held, epoch, wake, claims)
    SELECT id, tenant, 0, 1, 0, 0 FROM run";

/// Returns the query plan of a statement, one line per stage.
async fn plan(database: &TestDb, sql: &str, run: RunId) -> Vec<String> {
    let id = run.uuid().simple();
    let sqlite = sql.replace("$1", &format!("x'{id}'")).replace("$2", "5");
    let postgres = sql.replace("$1", &format!("'{id}'::uuid")).replace("$2", "5");
    let sqlite = format!("EXPLAIN QUERY PLAN {sqlite}");
    database.plan(&sqlite, &format!("EXPLAIN {postgres}")).await
}

law!(a_walk_to_the_branches_of_a_run_reads_no_other_run, async |database: &TestDb, _: Opened| {
    database.texts(FILL_SQLITE, FILL_POSTGRES).await;
    database.execute(TURNS).await;
    database.execute("ANALYZE").await;
    let run = RunId::from_uuid(Uuid::from_u128(99_999));
    for sql in BRANCH_QUERIES {
        let plan = plan(database, sql, run).await;
        let walks = |line: &&String| {
            line.contains("SCAN r") || line.contains("SCAN t") || line.contains("Seq Scan on")
        };
        assert_eq!(plan.iter().find(walks), None, "{database}: {sql}\n{plan:#?}");
    }
});

/// Inserts a hundred thousand approvals of one tenant, most of which have ended.
const APPROVALS_SQLITE: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
     INSERT INTO approval (id, tenant, run_id, call_id, step_id, tool, risk, input, reason, shows, state, asked_at, expires_at)
     SELECT unhex(printf('%032x', i)), 'grace', unhex(printf('%032x', i)), unhex(printf('%032x', i)), 's', 't', 'T3', x'00',
        '', '{}', CASE WHEN i % 20 = 0 THEN 'pending' ELSE 'approved' END, i, i FROM n RETURNING ''";
const APPROVALS_POSTGRES: &str = "INSERT INTO approval (id, tenant, run_id, call_id, step_id, tool, risk, input, reason, shows,
        state, asked_at, expires_at)
     SELECT lpad(to_hex(i), 32, '0')::uuid, 'grace', lpad(to_hex(i), 32, '0')::uuid, lpad(to_hex(i), 32, '0')::uuid, 's', 't',
        'T3', '', '', '{}', CASE WHEN i % 20 = 0 THEN 'pending' ELSE 'approved' END, i, i
     FROM generate_series(1, 100000) i RETURNING ''";

law!(a_list_of_approvals_reads_one_page, async |database: &TestDb, _: Opened| {
    database.texts(APPROVALS_SQLITE, APPROVALS_POSTGRES).await;
    database.execute("ANALYZE").await;
    let last = format!("'{}'", "f".repeat(32));
    for sql in APPROVAL_QUERIES {
        let filled = |id: &str| match sql.contains("$4") {
            true => sql
                .replace("$1", "'grace'")
                .replace("$2", "'pending'")
                .replace("$3", id)
                .replace("$4", "51"),
            false => sql.replace("$1", "'grace'").replace("$2", id).replace("$3", "51"),
        };
        let sqlite = format!("EXPLAIN QUERY PLAN {}", filled(&format!("x{last}")));
        let postgres = format!("EXPLAIN {}", filled(&format!("{last}::uuid")));
        let plan = database.plan(&sqlite, &postgres).await;
        let walks = |line: &&String| {
            ["SCAN approval", "Seq Scan on", "TEMP B-TREE", "Sort"]
                .iter()
                .any(|walk| line.contains(walk))
        };
        assert_eq!(plan.iter().find(walks), None, "{database}: {sql}\n{plan:#?}");
    }
});

/// Inserts a hundred thousand texts from a thousand numbers, and as many to them.
const TEXTS_SQLITE: [&str; 2] = [
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
     INSERT INTO inbound (id, tenant, gateway, provider_id, sender, recipient, body, received_at, stored_at, applied_at)
     SELECT unhex(printf('%032x', i)), 'grace', 'g', 'p' || i, unhex(printf('%064x', i % 1000)), '+1', x'00', i, i, i
     FROM n RETURNING ''",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
     INSERT INTO outbox (id, tenant, key, kind, contact, body, segments, cause_kind, not_before, state, attempt, created_at)
     SELECT unhex(printf('%032x', i)), 'grace', 'k' || i, 'invite', unhex(printf('%064x', i % 1000)), x'00', 1, 'notice', i,
        'sent', 1, i FROM n RETURNING ''",
];
const TEXTS_POSTGRES: [&str; 2] = [
    "INSERT INTO inbound (id, tenant, gateway, provider_id, sender, recipient, body, received_at, stored_at, applied_at)
     SELECT lpad(to_hex(i), 32, '0')::uuid, 'grace', 'g', 'p' || i, decode(lpad(to_hex(i % 1000), 64, '0'), 'hex'), '+1',
        lpad('0', 32, '0')::uuid, i, i, i FROM generate_series(1, 100000) i RETURNING ''",
    "INSERT INTO outbox (id, tenant, key, kind, contact, body, segments, cause_kind, not_before, state, attempt, created_at)
     SELECT lpad(to_hex(i), 32, '0')::uuid, 'grace', 'k' || i, 'invite', decode(lpad(to_hex(i % 1000), 64, '0'), 'hex'),
        lpad('0', 32, '0')::uuid, 1, 'notice', i, 'sent', 1, i FROM generate_series(1, 100000) i RETURNING ''",
];

law!(the_last_texts_of_a_number_read_no_others, async |database: &TestDb, _: Opened| {
    for (sqlite, postgres) in TEXTS_SQLITE.into_iter().zip(TEXTS_POSTGRES) {
        database.texts(sqlite, postgres).await;
    }
    database.execute("ANALYZE").await;
    let (contact, last) = (format!("{:064x}", 7), "f".repeat(32));
    for sql in CONVERSATION_QUERIES {
        let filled = |contact: &str, id: &str| {
            let sql = sql.replace("$1", "'grace'").replace("$2", contact);
            sql.replace("$3", id).replace("$4", "6")
        };
        let sqlite = filled(&format!("x'{contact}'"), &format!("x'{last}'"));
        let postgres = filled(&format!("'\\x{contact}'"), &format!("'{last}'::uuid"));
        let sqlite = format!("EXPLAIN QUERY PLAN {sqlite}");
        let plan = database.plan(&sqlite, &format!("EXPLAIN {postgres}")).await;
        let walks = |line: &&String| {
            ["SCAN i", "SCAN o", "Seq Scan on inbound", "Seq Scan on outbox", "TEMP B-TREE"]
                .iter()
                .any(|walk| line.contains(walk))
        };
        assert_eq!(plan.iter().find(walks), None, "{database}: {sql}\n{plan:#?}");
    }
});
