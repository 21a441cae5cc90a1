//! Idempotency keys of calls, and the receipts that people search for.

use abide_engine::base::{CallId, Digest, RunId, TypedId as _};
use abide_engine::library::{Definition, DefinitionKind};
use abide_engine::store::{ReceiptFilter, ToolKey};
use serde_json::json;

use super::support::{Opened, START, TENANT, law, tx};
use super::topics::list_as_migrated;
use crate::postgres::TestDb;

const KEY: ToolKey<'_> = ToolKey { tenant: TENANT, tool: "leads.create", key: "+61400000001" };

law!(a_key_belongs_to_the_first_call_until_it_is_released, async |_: &TestDb, store: Opened| {
    let (first, second): (CallId, CallId) = (store.ids.mint(START), store.ids.mint(START));
    let input = Digest::of(b"input");
    let none = tx!(store.read, |tx| tx.keyed_call(KEY).await?).await.expect("read");
    assert_eq!(none, None);
    for call in [first, second] {
        let has = tx!(store.write, |tx| tx.claim_key(KEY, call, input).await?).await;
        let has = has.expect("claimed");
        assert_eq!((has.call, has.input, has.result), (first, input, None));
    }
    let result = json!({ "lead_id": "lead_1" });
    let stored = result.clone();
    tx!(store.write, [stored], |tx| tx.store_keyed_result(KEY, &stored).await?)
        .await
        .expect("stored");
    let has = tx!(store.read, |tx| tx.keyed_call(KEY).await?).await.expect("read");
    assert_eq!(has.expect("a call").result, Some(result));
    tx!(store.write, |tx| tx.release_key(KEY, second).await?).await.expect("released");
    let has = tx!(store.read, |tx| tx.keyed_call(KEY).await?).await.expect("read");
    assert_eq!(has.expect("still the first").call, first, "only the call that has it gives it up");
    tx!(store.write, |tx| tx.release_key(KEY, first).await?).await.expect("released");
    let has = tx!(store.write, |tx| tx.claim_key(KEY, second, input).await?).await;
    assert_eq!(has.expect("claimed").call, second);
});

/// Inserts twenty thousand receipts of ten tools. Every hundredth is of a call that failed.
const FILL_SQLITE: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
     INSERT INTO ledger (id, stream, seq, tenant, kind, at, run_id, call_id, tool, status, body, hash, pos)
     SELECT unhex(printf('%032x', i)), unhex(printf('%032x', i)), 1, 'grace', 'receipt', i,
        unhex(printf('%032x', i)), unhex(printf('%032x', i)), 'tool.' || (i % 10),
        CASE WHEN i % 100 = 7 THEN 'failed' ELSE 'succeeded' END, '{}', zeroblob(32), i FROM n RETURNING ''";
const FILL_POSTGRES: &str = "INSERT INTO ledger (id, stream, seq, tenant, kind, at, run_id, call_id, tool, status, body, hash, pos)
     SELECT lpad(to_hex(i), 32, '0')::uuid, lpad(to_hex(i), 32, '0')::uuid, 1, 'grace', 'receipt', i,
        lpad(to_hex(i), 32, '0')::uuid, lpad(to_hex(i), 32, '0')::uuid, 'tool.' || (i % 10),
        CASE WHEN i % 100 = 7 THEN 'failed' ELSE 'succeeded' END, '{}', decode(repeat('00', 32), 'hex'), i
     FROM generate_series(1, 20000) i RETURNING ''";

law!(receipts_are_found_by_tool_and_status, async |database: &TestDb, store: Opened| {
    database.texts(FILL_SQLITE, FILL_POSTGRES).await;
    list_as_migrated(database).await;
    // Each case: the filter, and the numbers of the first two receipts that it finds.
    let cases = [
        (None, None, [20_000, 19_999]),
        (Some("tool.3"), None, [19_993, 19_983]),
        (None, Some("failed"), [19_907, 19_807]),
        (None, Some("succeeded"), [20_000, 19_999]),
        (Some("tool.7"), Some("failed"), [19_907, 19_807]),
        (Some("tool.7"), Some("succeeded"), [19_997, 19_987]),
    ];
    for (tool, status, expected) in cases {
        let filter = ReceiptFilter { tool, status, before: None };
        let rows = tx!(store.read, |tx| tx.tenant_receipts(TENANT, filter, 2).await?).await;
        let rows = rows.expect("read");
        let found: Vec<i64> = rows.iter().map(|row| row.at.micros()).collect();
        assert_eq!(found, expected, "{database}: {tool:?} {status:?}");
        let before = rows.first().map(|row| row.id);
        let filter = ReceiptFilter { tool, status, before };
        let next = tx!(store.read, |tx| tx.tenant_receipts(TENANT, filter, 1).await?).await;
        assert_eq!(next.expect("read")[0].at.micros(), expected[1], "{database}");
    }
    let call = CallId::from_uuid(RunId::from_uuid(sqlx::types::Uuid::from_u128(7)).uuid());
    let found = tx!(store.read, |tx| tx.receipt(TENANT, call).await?).await.expect("read");
    assert_eq!(found.and_then(|row| row.tool).as_deref(), Some("tool.7"));
    let others = tx!(store.read, |tx| tx.receipt("other", call).await?).await.expect("read");
    assert_eq!(others, None, "a receipt of another tenant");
});

law!(the_definitions_of_a_call_are_stored_once, async |database: &TestDb, store: Opened| {
    let bundle = Digest::of(b"{}");
    let definition = Definition {
        digest: bundle,
        kind: DefinitionKind::Bundle,
        name: "call:leads.create".to_owned(),
        body: "{}".to_owned(),
        graph: None,
    };
    for _ in 0..2 {
        let all = vec![definition.clone()];
        tx!(store.write, [all], |tx| tx.store_definitions(bundle, || all).await?)
            .await
            .expect("stored");
    }
    assert_eq!(database.number("SELECT COUNT(*) FROM definition").await, 1);
    assert_eq!(database.number("SELECT COUNT(*) FROM method_version").await, 0);
});
