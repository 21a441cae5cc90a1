//! Which texts were answered, and that the histories of people are read by indexes, however many texts there are.

use abide_engine::base::Span;
use abide_engine::store::{ContactId, RESPONSE_QUERIES};
use abide_trade::data::{PARTY_QUERIES, QUOTE_QUERIES};
use abide_verbs::data::response::OFFER_HISTORY_QUERIES;

use super::support::{Opened, START, TENANT, law, minutes, tx};
use crate::postgres::TestDb;

fn hex(contact: ContactId) -> String {
    contact.digest().as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Inserts a text to a contact, the `n`-th of all messages, that was sent after so many minutes.
async fn text(database: &TestDb, n: u32, contact: ContactId, sent: i64) {
    let (sent, contact) = ((START + minutes(sent)).micros(), hex(contact));
    let columns = "INSERT INTO outbox (id, tenant, key, kind, contact, body, segments, cause_kind, not_before, state,
        attempt, created_at, sent_at, call_id) SELECT";
    let sqlite = format!(
        "{columns} unhex('{n:032x}'), '{TENANT}', 'k{n}', 'text', x'{contact}', x'00', 1, 'notice', 1, 'sent', 1,
         {sent}, {sent}, unhex('{n:032x}') RETURNING ''"
    );
    let postgres = format!(
        "{columns} '{n:032x}'::uuid, '{TENANT}', 'k{n}', 'text', '\\x{contact}', '{n:032x}'::uuid, 1, 'notice', 1,
         'sent', 1, {sent}, {sent}, '{n:032x}'::uuid RETURNING ''"
    );
    database.texts(&sqlite, &postgres).await;
}

/// Inserts a text from a contact. `word` is what the carrier made of it, such as `'optout'`, or `NULL`.
async fn answer(database: &TestDb, n: u32, contact: ContactId, at: i64, word: &str) {
    let (at, contact) = ((START + minutes(at)).micros(), hex(contact));
    let columns = "INSERT INTO inbound (id, tenant, gateway, provider_id, sender, recipient, body, carrier_word,
        received_at, stored_at) SELECT";
    let sqlite = format!(
        "{columns} unhex('{n:032x}'), '{TENANT}', 'g', 'p{n}', x'{contact}', '+1', x'00', {word}, {at}, {at} RETURNING ''"
    );
    let postgres = format!(
        "{columns} '{n:032x}'::uuid, '{TENANT}', 'g', 'p{n}', '\\x{contact}', '+1', '{n:032x}'::uuid, {word}, {at}, {at}
         RETURNING ''"
    );
    database.texts(&sqlite, &postgres).await;
}

law!(the_answers_to_texts_are_counted, async |database: &TestDb, store: Opened| {
    const WEEK: i64 = 7 * 24 * 60;
    let read = tx!(store.read, |tx| {
        ["+15550100", "+15550101", "+15550102"].map(|phone| tx.contact_id(TENANT, phone))
    });
    let [ana, ben, carla] = read.await.expect("read");
    text(database, 1, ana, 0).await;
    answer(database, 2, ana, 10, "NULL").await;
    text(database, 3, ana, 2 * WEEK).await;
    answer(database, 4, ana, 2 * WEEK + 30, "NULL").await;
    text(database, 5, ben, 0).await;
    answer(database, 6, ben, 5, "'stop'").await;
    for n in 0..30 {
        text(database, 10 + n, carla, i64::from(n) * WEEK).await;
    }
    let now = START + minutes(30 * WEEK);
    let read = tx!(store.read, |tx| {
        let own = tx.text_responses(TENANT, &[ana, ben, carla], now).await?;
        (own, tx.all_text_responses(TENANT, now).await?, tx.all_text_responses("other", now).await?)
    });
    let (own, all, other) = read.await.expect("read");
    let counted = |contact| (own[&contact].asked(), own[&contact].answered());
    assert_eq!(counted(ana), (2, 2), "{database}");
    assert_eq!(own[&ana].p90(), Some(Span::from_secs(30 * 60)), "{database}");
    assert_eq!(counted(ben), (1, 0), "{database}: STOP is no answer");
    assert_eq!(counted(carla), (20, 0), "{database}: the latest count");
    assert_eq!((all.asked(), all.answered(), other.asked()), (33, 2, 0), "{database}");
});

/// Inserts a thousand contacts with a hundred texts, answers, offers and quotes each.
const FILL_SQLITE: [&str; 5] = [
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
     INSERT INTO outbox (id, tenant, key, kind, contact, body, segments, cause_kind, not_before, state, attempt,
        created_at, sent_at, call_id)
     SELECT unhex(printf('%032x', i)), 'grace', 'k' || i, 'text', unhex(printf('%064x', i % 1000)), x'00', 1, 'notice',
        i, 'sent', 1, i, i, unhex(printf('%032x', i)) FROM n RETURNING ''",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
     INSERT INTO inbound (id, tenant, gateway, provider_id, sender, recipient, body, received_at, stored_at)
     SELECT unhex(printf('%032x', i)), 'grace', 'g', 'p' || i, unhex(printf('%064x', i % 1000)), '+1', x'00', i, i
     FROM n RETURNING ''",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
     INSERT INTO offer (id, tenant, request, person, role, wave, ordinal, state, notice, planned_at, expires_at, created_at)
     SELECT unhex(printf('%032x', i)), 'grace', unhex(printf('%032x', i)), unhex(printf('%032x', i % 1000)), 'r', 1, 1,
        'expired', 0, i, i, i FROM n RETURNING ''",
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
     INSERT INTO customers (tenant, id, name, created_at, updated_at)
     SELECT 'grace', printf('cus_%04d', i), 'C', i, i FROM n RETURNING ''",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
     INSERT INTO quotes (tenant, id, title, customer_id, status, sent_at, created_at, updated_at)
     SELECT 'grace', printf('quo_%06d', i), 'Q', printf('cus_%04d', i % 1000), 'sent', i, i, i FROM n RETURNING ''",
];
const FILL_POSTGRES: [&str; 5] = [
    "INSERT INTO outbox (id, tenant, key, kind, contact, body, segments, cause_kind, not_before, state, attempt,
        created_at, sent_at, call_id)
     SELECT lpad(to_hex(i), 32, '0')::uuid, 'grace', 'k' || i, 'text', decode(lpad(to_hex(i % 1000), 64, '0'), 'hex'),
        lpad('0', 32, '0')::uuid, 1, 'notice', i, 'sent', 1, i, i, lpad(to_hex(i), 32, '0')::uuid
     FROM generate_series(1, 100000) i RETURNING ''",
    "INSERT INTO inbound (id, tenant, gateway, provider_id, sender, recipient, body, received_at, stored_at)
     SELECT lpad(to_hex(i), 32, '0')::uuid, 'grace', 'g', 'p' || i, decode(lpad(to_hex(i % 1000), 64, '0'), 'hex'), '+1',
        lpad('0', 32, '0')::uuid, i, i
     FROM generate_series(1, 100000) i RETURNING ''",
    "INSERT INTO offer (id, tenant, request, person, role, wave, ordinal, state, notice, planned_at, expires_at, created_at)
     SELECT lpad(to_hex(i), 32, '0')::uuid, 'grace', lpad(to_hex(i), 32, '0')::uuid,
        lpad(to_hex(i % 1000), 32, '0')::uuid, 'r', 1, 1, 'expired', 0, i, i, i
     FROM generate_series(1, 100000) i RETURNING ''",
    "INSERT INTO customers (tenant, id, name, created_at, updated_at)
     SELECT 'grace', 'cus_' || lpad(i::text, 4, '0'), 'C', i, i FROM generate_series(0, 999) i RETURNING ''",
    "INSERT INTO quotes (tenant, id, title, customer_id, status, sent_at, created_at, updated_at)
     SELECT 'grace', 'quo_' || lpad(i::text, 6, '0'), 'Q', 'cus_' || lpad((i % 1000)::text, 4, '0'), 'sent', i, i, i
     FROM generate_series(1, 100000) i RETURNING ''",
];

/// A statement with its parameters after `$1`, for SQLite and for PostgreSQL.
struct Case {
    sql: &'static str,
    /// The table `v` that stands for the rows.
    rows: [String; 2],
    /// The last parameter.
    last: [String; 2],
}

/// Returns the statements about people and contacts, each for one of a thousand.
fn cases() -> Vec<Case> {
    let (id, contact) = (format!("{:032x}", 7), format!("{:064x}", 7));
    let nil = || [format!("x'{:032x}'", 0), format!("'{:032x}'::uuid", 0)];
    let of = |sql, value: [String; 2], name: &str, last| Case {
        sql,
        rows: value.map(|value| format!("(SELECT {value} AS {name}) v")),
        last,
    };
    let uuid = || [format!("x'{id}'"), format!("'{id}'::uuid")];
    let bytes = || [format!("x'{contact}'"), format!("'\\x{contact}'::bytea")];
    let text = || ["'cus_0007'".to_owned(), "'cus_0007'::text".to_owned()];
    vec![
        of(RESPONSE_QUERIES[0], bytes(), "contact", nil()),
        of(RESPONSE_QUERIES[1], bytes(), "contact", nil()),
        of(OFFER_HISTORY_QUERIES[0], uuid(), "id", nil()),
        of(OFFER_HISTORY_QUERIES[1], uuid(), "id", nil()),
        of(QUOTE_QUERIES[0], text(), "id", nil()),
        of(QUOTE_QUERIES[1], text(), "id", nil()),
        of(PARTY_QUERIES[0], text(), "id", nil()),
    ]
}

/// Replaces `{each table t} … {end each}` by what it becomes on a database.
fn looked_up(sql: &str, kind: usize) -> String {
    ["outbox o", "quotes q"].into_iter().fold(sql.to_owned(), |sql, named| {
        let Some((before, rest)) = sql.split_once(&format!("{{each {named}}}")) else { return sql };
        let (condition, after) = rest.split_once("{end each}").expect("its end");
        let name = named.split(' ').next_back().expect("a name");
        match kind {
            0 => format!("{before}CROSS JOIN {named} ON {condition}{after}"),
            _ => format!("{before}CROSS JOIN LATERAL (SELECT * FROM {named} WHERE {condition} OFFSET 0) AS {name}{after}"),
        }
    })
}

law!(a_history_reads_no_others, async |database: &TestDb, _: Opened| {
    for (sqlite, postgres) in FILL_SQLITE.into_iter().zip(FILL_POSTGRES) {
        database.texts(sqlite, postgres).await;
    }
    database.execute("ANALYZE").await;
    for Case { sql, rows, last } in cases() {
        // The parameter after the tenant is an id where a list of parties begins, and otherwise a time.
        let second = if PARTY_QUERIES.contains(&sql) { "'cus_0500'" } else { "5" };
        let filled = |kind: usize| {
            let named = ["i.id", "o.id", "p.id", "x.id", "x.tenant"]
                .into_iter()
                .fold(sql.to_owned(), |sql, key| {
                    sql.replace(&format!("{{{key}}}"), &format!("COALESCE({key}, {key})"))
                });
            let sql = looked_up(&named, kind);
            let sql =
                sql.replace("{rows}", &rows[kind]).replace("$1", "'grace'").replace("$2", second);
            sql.replace("$3", "19").replace("$4", &last[kind])
        };
        let sqlite = format!("EXPLAIN QUERY PLAN {}", filled(0));
        let plan = database.plan(&sqlite, &format!("EXPLAIN {}", filled(1))).await;
        let walks = |line: &&String| {
            ["SCAN x", "SCAN i", "SCAN q", "SCAN customers", "AUTOMATIC", "Seq Scan on"]
                .iter()
                .any(|walk| line.contains(walk))
                // The latest rows of the tenant, which a query has cut out before, are all read.
                || (line.contains("SCAN o") && sql.contains("{rows}"))
        };
        assert_eq!(plan.iter().find(walks), None, "{database}: {sql}\n{plan:#?}");
    }
});
