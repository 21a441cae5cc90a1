//! Arbitrary strings are read back as they were written, with the same result on both databases.

use abide_engine::base::{RequestId, RunId, Timestamp};
use abide_engine::ledger::KindName;
use abide_engine::params;
use abide_engine::store::{About, ColumnType, NewInbound, Param, Rows, SignalKind};
use serde_json::json;

use super::support::{Opened, START, TENANT, inbound, law, open, tx};
use crate::postgres::{TestDb, databases};

/// Returns hostile strings.
/// Each pair consists of the string to write and the string that must be read back.
pub(crate) fn hostile() -> Vec<(String, String)> {
    let same = [
        "",
        " ",
        "O'Brien; DROP TABLE run; --",
        "\"quoted\" \\back\\slash\\ \\u0041 \\x41 \\0",
        "100 % of {rows} and $1, ?1, :name, @name",
        "line\none\r\ntwo\ttab\u{8}\u{c}\u{1b}[31m\u{7f}",
        "\u{1}\u{2}\u{1f}",
        "😀👨‍👩‍👧‍👦 𝕬𝖇𝖎𝖉𝖊 \u{10FFFF}",
        "مرحبا \u{202E}reversed\u{202C} שלום",
        "e\u{301} é ﬁ İ ß \u{feff}\u{200b}\u{2028}\u{2029}",
        "null",
        "123",
        "-0.0e10",
        "{\"a\": [1, null]}",
        "[\"x\"]",
        "\\x00ff",
        "\u{FFFD}\u{FFFF}\u{E000}",
    ];
    let mut all: Vec<(String, String)> =
        same.iter().map(|text| ((*text).to_owned(), (*text).to_owned())).collect();
    all.push(("a\0b\0".to_owned(), "a\u{FFFD}b\u{FFFD}".to_owned()));
    all.push(("\0".to_owned(), "\u{FFFD}".to_owned()));
    let long = "long 'ünd' \"wide\" 😀\n".repeat(50_000);
    all.push((long.clone(), long));
    all
}

#[tokio::test]
async fn hostile_texts_are_read_back_as_written() {
    for database in databases() {
        let store = open(&database).await;
        for (i, (input, expected)) in hostile().into_iter().enumerate() {
            let name = format!("k{i}");
            tx!(store.write, [name, input], |tx| tx.set_meta(&name, &input).await?).await.unwrap();
            let read = tx!(store.read, [name], |tx| tx.meta(&name).await?).await.unwrap();
            assert_eq!(read.as_ref(), Some(&expected), "{database}: parameter {i}");
            let echoed = tx!(store.read, [input], |tx| {
                let mut rows = Rows::new(&[
                    ("n", ColumnType::Int),
                    ("t", ColumnType::Text),
                    ("b", ColumnType::Bytes),
                ]);
                rows.push([1.into(), Param::from(&input), input.as_bytes().into()]);
                rows.push([2.into(), None::<&str>.into(), Param::Bytes(None)]);
                let sql = "SELECT t, b FROM {rows} WHERE n >= $1 ORDER BY n";
                let found = tx.bulk(sql, &params![1], &rows).await?;
                assert_eq!((found[1].opt_text("t")?, found[1].opt_bytes("b")?), (None, None));
                (found[0].text("t")?, found[0].bytes("b")?)
            });
            let (text, bytes) = echoed.await.unwrap();
            assert_eq!(text, expected, "{database}: row {i}");
            assert_eq!(bytes, input.as_bytes(), "{database}: bytes {i}");
        }
    }
}

#[tokio::test]
async fn hostile_texts_survive_in_every_table() {
    for database in databases() {
        let store = open(&database).await;
        let request: RequestId = store.id();
        let run: RunId = store.start().await;
        for (i, (input, expected)) in hostile().into_iter().enumerate() {
            let inbound = NewInbound {
                body: input.clone(),
                ..inbound(&format!("p{i}"), &format!("+1555{i:04}"), store.now())
            };
            let body = json!({"text": input, input.chars().take(60).collect::<String>(): i});
            let wrote = tx!(store.write, [inbound, body], |tx| {
                tx.store_inbound(TENANT, &inbound).await?;
                tx.lock_request(TENANT, request).await?;
                tx.log(request, KindName::of("said"), About::run(Some(run)), body.clone())?;
                tx.signal(run, SignalKind::Named("said"), None, &body).await?
            });
            assert!(wrote.await.unwrap(), "{database}: {i}");
            let read = tx!(store.read, [inbound], |tx| {
                tx.inbound_by_provider(TENANT, "loopback", &inbound.provider_id).await?
            });
            let read = read.await.unwrap().expect("stored");
            assert_eq!((&read.body, &read.from), (&expected, &inbound.from), "{database}: {i}");
        }
        let count = i64::try_from(hostile().len()).expect("few");
        let events =
            tx!(store.read, |tx| tx.stream_events(request.into(), 0, 100).await?).await.unwrap();
        let signals = tx!(store.write, |tx| {
            let mut taken = Vec::new();
            while let Some(signal) = tx.first_named(run, &["said"]).await? {
                tx.consume_named(run, signal.id, 1).await?;
                taken.push(signal);
            }
            taken
        });
        let signals = signals.await.unwrap();
        assert_eq!((events.len(), signals.len()), (hostile().len(), hostile().len()), "{database}");
        for (i, (input, _)) in hostile().into_iter().enumerate() {
            // A stored string contains U+FFFD in place of U+0000. A stored JSON value keeps U+0000,
            // because JSON escapes this character.
            assert_eq!(events[i].body["text"], json!(input), "{database}: {i}");
            assert_eq!(signals[i].payload["text"], json!(input), "{database}: {i}");
        }
        assert_eq!(database.number("SELECT count(*) FROM inbound").await, count, "{database}");
    }
}

#[tokio::test]
async fn order_and_equality_are_by_bytes() {
    for database in databases() {
        let store = open(&database).await;
        let names = ["Zoe", "a", "B", "é", "e\u{301}", "_", "aa", "A"];
        for name in names {
            tx!(store.write, |tx| tx.ensure_tenant(name).await?).await.unwrap();
        }
        let mut sorted = names.map(str::to_owned);
        sorted.sort();
        let read = tx!(store.read, |tx| tx.tenants().await?).await.unwrap();
        assert_eq!(read, sorted, "{database}");
    }
}

law!(a_statement_over_no_rows_does_nothing, async |database: &TestDb, store: Opened| {
    let wrote = tx!(store.write, |tx| {
        let sql = "INSERT INTO meta (k, v) SELECT k, k FROM {rows} WHERE true";
        let mut rows = Rows::new(&[("k", ColumnType::Text)]);
        tx.bulk_unless_empty(sql, &rows).await?;
        assert!(tx.bulk(sql, &[], &rows).await?.is_empty());
        for key in ["k1", "k2"] {
            rows.push([key.into()]);
        }
        tx.bulk_unless_empty(sql, &rows).await?;
        let sql = "SELECT k FROM meta WHERE k IN ($1, $2) ORDER BY k DESC";
        let found = tx.rows(sql, &params!["k1", "k2"]).await?;
        found.iter().filter_map(|row| row.text("k").ok()).collect::<Vec<_>>()
    });
    assert_eq!(wrote.await.unwrap(), ["k2", "k1"], "{database}");
});

law!(an_empty_text_is_not_an_absent_one, async |database: &TestDb, store: Opened| {
    let run: RunId = store.start().await;
    let read = tx!(store.write, |tx| {
        tx.signal(run, SignalKind::Named(""), None, &json!("")).await?;
        tx.signal(run, SignalKind::Order("pause"), None, &json!(null)).await?;
        let mut rows =
            Rows::new(&[("n", ColumnType::Int), ("t", ColumnType::Text), ("i", ColumnType::Int)]);
        rows.push([1.into(), "".into(), 0.into()]);
        rows.push([2.into(), None::<&str>.into(), None::<i64>.into()]);
        let rows = tx.bulk("SELECT t, i FROM {rows} ORDER BY n", &[], &rows).await?;
        let found = [&rows[0], &rows[1]].map(|row| (row.opt_text("t"), row.opt_int("i")));
        let open = tx.open_signals(run).await?;
        let signals: Vec<_> = open.named.into_iter().chain(open.orders).collect();
        (signals, found.map(|(text, int)| (text.ok(), int.ok())))
    });
    let (signals, found) = read.await.unwrap();
    let names: Vec<Option<&str>> = signals.iter().map(|signal| signal.name.as_deref()).collect();
    assert_eq!(names, [Some(""), None], "{database}");
    assert_eq!(signals[0].payload, json!(""), "{database}: nor is it null");
    assert_eq!(found[0], (Some(Some(String::new())), Some(Some(0))), "{database}");
    assert_eq!(found[1], (Some(None), Some(None)), "{database}");
});

law!(an_instant_keeps_its_microsecond, async |database: &TestDb, store: Opened| {
    let last = Timestamp::from_micros(253_402_207_199_999_999); // the end of the year 9999, UTC-4
    for at in [Timestamp::from_micros(1), Timestamp::from_micros(-1), START, last] {
        let run = store.start().await;
        let mut waiting = super::support::parked(store.commit(run, 0), Some(at), 0);
        waiting.head.last_at = at;
        waiting.head.ended_at = Some(at);
        waiting.events[0].at = at;
        store.must_commit(waiting).await;
        let read = tx!(store.read, |tx| {
            let events = tx.stream_events(run.into(), 0, 9).await?;
            (tx.run(run).await?.expect("a run"), events[0].at)
        });
        let (head, event) = read.await.unwrap();
        assert_eq!((head.last_at, head.ended_at, head.due_at), (at, Some(at), Some(at)));
        assert_eq!(event, at, "{database}");
    }
});

#[tokio::test]
async fn numbers_keep_their_whole_range() {
    for database in databases() {
        let store = open(&database).await;
        let extremes = [i64::MIN, -1, 0, 1, 1 << 53, (1 << 53) + 1, i64::MAX];
        for n in extremes {
            let read = tx!(store.read, |tx| {
                let mut rows = Rows::new(&[("n", ColumnType::Int), ("id", ColumnType::Id)]);
                rows.push([n.into(), Param::Id(None)]);
                let row = tx.bulk("SELECT n, id, 7 AS seven FROM {rows}", &[], &rows).await?;
                assert_eq!(row[0].opt_id::<RunId>("id")?, None);
                assert_eq!(row[0].int("seven")?, 7, "the type of a literal");
                let one =
                    tx.row("SELECT CAST($1 AS BIGINT) AS n", &params![n]).await?.expect("a row");
                (row[0].int("n")?, one.at("n")?)
            });
            assert_eq!(read.await.unwrap(), (n, Timestamp::from_micros(n)), "{database}");
        }
    }
}
