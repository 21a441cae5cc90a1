//! Calls of tools from outside: each has exactly one receipt, and a key never lets a tool act twice.

use std::sync::Arc;
use std::time::Duration;

use abide_engine::base::{CallId, Problem, Value};
use abide_engine::facade::{CallStatus, ReceiptQuery, ToolCall};
use abide_engine::ledger::ReceiptStatus;
use abide_engine::library::Sources;
use abide_engine::quality::{self, PlannedCall};
use abide_engine::store::{CommitPoint, FaultAction, Tx, tx_closure};
use abide_engine::verb::{CallContext, Effects, Verb, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use crate::campaign::church::{Church, Setup, on_both};
use crate::engines;
use crate::faults::FaultAtCommit;
use crate::postgres::databases;

/// The tools of a kennel, with the members of their contracts that differ. Their code adds one row for
/// each time that it acts.
const TOOLS: [(&str, &str); 10] = [
    ("kennel.book", "idempotency: { mode: keyed, key_field: dog }"),
    ("kennel.feed", "idempotency: none"),
    ("kennel.clean", "idempotency: safe-retry"),
    ("kennel.groom", "idempotency: none\n    risk: T2"),
    ("kennel.sell", "idempotency: none\n    risk: T4\n    irreversible: true"),
    ("kennel.bill", "idempotency: none\n    risk: T3"),
    ("kennel.mail", "idempotency: none\n    risk: T3"),
    ("kennel.vet", "idempotency: none\n    cost: 80"),
    (
        "kennel.give_away",
        "idempotency: none
    risk: T3
    approvers: [{ role: supervisor, n: 2 }, { role: staff }]",
    ),
    (
        "kennel.walk",
        "idempotency: none
    handler: not_configured
    not_configured: { reason: nobody walks dogs yet, required_env: [LEASH], next_steps: [find a walker] }",
    ),
];

/// Returns the file with the contracts of the kennel's tools.
fn contracts() -> String {
    let tools = TOOLS.map(|(name, own)| {
        format!(
            "
  {name}:
    {own}
    description: Does something with a dog.
    effect: write
    timeout_ms: 10000
    receipt_fields: [result.dog, effects.db_writes]
    input_schema:
      type: object
      required: [dog]
      additionalProperties: false
      properties:
        dog: {{ type: string, minLength: 1 }}
        nights: {{ type: integer, minimum: 1 }}
        trouble: {{ type: string }}
    output_schema:
      type: object
      required: [dog, booked_by]
      properties: {{ dog: {{ type: string }}, booked_by: {{ type: string }} }}"
        )
    });
    format!("risk: T1\ntools:{}\n", tools.concat())
}

/// Writes a row, and then does what `trouble` says.
struct Act;

#[async_trait]
impl WriteVerb for Act {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let id = cx.call.to_string();
        tx.execute(
            "INSERT INTO kb (tenant, id, topic, text, source, reviewer, reviewed_at, retired)
             VALUES ($1, $2, 'dog', '', '', '', 0, 0)",
            &abide_engine::params![cx.tenant, &id],
        )
        .await?;
        match args["trouble"].as_str() {
            Some("fails") => return Err(Problem::caller("kennel_full", "no kennel is free")),
            Some("panics") => panic!("a dog bites"),
            Some("lies") => return Ok(VerbOutcome::done(json!({ "dog": 1 }), Effects::default())),
            _ => {}
        }
        let mut effects = Effects::default();
        effects.wrote("kb", "insert", &id);
        Ok(VerbOutcome::done(json!({ "dog": args["dog"], "booked_by": id }), effects))
    }
}

/// Counts the rows that the tools of the kennel wrote.
pub(crate) const ROWS: &str = "SELECT COUNT(*) FROM kb WHERE topic = 'dog'";

/// Returns a church that has the tools of the kennel.
pub(crate) fn kennel() -> Setup {
    let mut setup = Setup::default();
    setup.sources.contracts.insert("home/kennel.yaml".to_owned(), contracts());
    let acting = TOOLS.iter().map(|(name, _)| *name).filter(|name| *name != "kennel.walk");
    for name in acting {
        setup.verbs = setup.verbs.with(name, Verb::Write(Arc::new(Act)));
    }
    setup
}

/// Returns a call of a tool with only its input.
pub(crate) fn call_of(tool: &str, input: Value) -> ToolCall {
    ToolCall { tool: tool.to_owned(), input, ..ToolCall::default() }
}

/// Makes a call and returns its receipt.
pub(crate) async fn receipt(church: &Church, call: ToolCall) -> Value {
    let id = church.engine().call_tool("default", call).await.expect("the call is made");
    finished(church, id).await
}

/// Returns the receipt of a call that is finished, or is about to be.
pub(crate) async fn finished(church: &Church, id: CallId) -> Value {
    let call = church.engine().wait_for_call("default", id, Duration::from_millis(500)).await;
    let call = call.expect("the call is known");
    call.receipt.clone().unwrap_or_else(|| panic!("not finished: {call:?}"))
}

on_both!(a_call_has_one_receipt_however_it_ends, with kennel(), async |church: Church| {
    let cases = [
        (json!({ "dog": "Rex" }), "kennel.book", "succeeded", "", 1),
        (json!({ "dog": "Bo", "trouble": "fails" }), "kennel.feed", "failed", "kennel_full", 0),
        (json!({ "dog": "Bo", "trouble": "panics" }), "kennel.feed", "failed", "internal", 0),
        (json!({ "dog": "Bo", "trouble": "lies" }), "kennel.feed", "failed", "output_invalid", 0),
        (json!({ "dog": "Bo" }), "kennel.walk", "not_configured", "not_configured", 0),
    ];
    let mut rows = 0;
    for (input, tool, status, code, written) in cases {
        let receipt = receipt(&church, call_of(tool, input.clone())).await;
        assert_eq!(receipt["status"], status, "{tool}: {receipt}");
        assert_eq!(receipt["error"]["code"].as_str().unwrap_or_default(), code, "{receipt}");
        assert_eq!(receipt["input"], input);
        assert_eq!(receipt["effects"]["db_writes"].as_array().map(Vec::len), Some(written));
        rows += i64::try_from(written).expect("small");
        assert_eq!(church.number(ROWS).await, rows, "{tool}");
        let run = receipt["run_id"].as_str().and_then(|id| id.parse().ok()).expect("a run");
        assert_eq!(church.receipts(run).await, vec![receipt]);
    }
    church.assert_consistent().await;
});

on_both!(a_wrong_call_is_refused_and_leaves_nothing, with kennel(), async |church: Church| {
    let dog = || json!({ "dog": "Rex" });
    let cases = [
        (call_of("kennel.book", json!({})), "args_invalid"),
        (call_of("kennel.book", json!({ "dog": 7 })), "args_invalid"),
        (call_of("kennel.book", json!({ "dog": "Rex", "cat": 1 })), "args_invalid"),
        (call_of("kennel.boook", dog()), "unknown_tool"),
        (call_of("wait_for_replies", dog()), "not_callable"),
        (ToolCall { key: Some("k".repeat(5000)), ..call_of("kennel.book", dog()) }, "key_too_long"),
    ];
    for (call, code) in cases {
        let refused = church.engine().call_tool("default", call).await.expect_err("refused");
        assert_eq!(refused.code, code, "{refused:?}");
    }
    let bypass = church.start("call:kennel.sell", dog()).await.expect_err("refused");
    assert_eq!(bypass.code, "unknown_method");
    assert_eq!(church.number("SELECT COUNT(*) FROM run").await, 0);
});

/// A tool whose contract names a proof that its receipts can never have.
const UNPROVABLE: &str = "
risk: T1
tools:
  kennel.guess:
    description: Guesses the age of a dog.
    effect: read
    idempotency: none
    timeout_ms: 10000
    handler: not_configured
    not_configured: { reason: nobody guesses yet }
    receipt_fields: [result.dog.age, effects.db_writes]
    input_schema: { type: object, properties: { dog: { type: string } } }
    output_schema:
      type: object
      properties: { dog: { type: object, properties: { name: { type: string } } } }
";

fn unprovable() -> Setup {
    let mut setup = Setup::default();
    setup.sources.contracts.insert("home/guess.yaml".to_owned(), UNPROVABLE.to_owned());
    setup
}

on_both!(the_quality_gate_refuses_a_call_that_no_receipt_could_prove, with unprovable(), async |church: Church| {
    let call = call_of("kennel.guess", json!({ "dog": "Rex" }));
    let refused = church.engine().call_tool("default", call).await.expect_err("refused");
    assert_eq!(refused.code, "quality_gate_failed");
    let lines: Vec<&str> = refused.message.lines().collect();
    assert_eq!(lines[0], "Status: quality_gate_failed");
    assert!(lines[1].starts_with("Reason: no receipt can have `result.dog.age`"), "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("Provable by receipt: false")).count(), 2);
    let wrong = call_of("kennel.guess", json!({ "dog": 7 }));
    let wrong = church.engine().call_tool("default", wrong).await.expect_err("refused");
    assert_eq!(wrong.code, "args_invalid", "the more exact code comes first");
    assert_eq!(church.number("SELECT COUNT(*) FROM run").await, 0);
});

#[test]
fn every_shipped_tool_can_be_proved_and_every_safer_one_is_safer() {
    let library = engines::library(&Sources::builtin());
    for contract in library.contracts.iter() {
        let (tool, input) = (contract.name.as_str(), json!({}));
        let plan = [PlannedCall { tool, input: &input, consented: false }];
        let verdict = quality::judge(&library.contracts, &plan);
        assert!(verdict.provable_by_receipt, "{tool}: {verdict:?}");
        let safer = verdict.safer_alternative.map(|safer| safer.tool);
        assert_eq!(safer, contract.safer, "{tool}");
    }
}

on_both!(of_sixteen_calls_with_one_key_only_one_acts, with kennel(), async |church: Church| {
    let engine = church.engine();
    let calls = (0..16).map(|_| {
        let engine = engine.clone();
        tokio::spawn(async move {
            let call = call_of("kennel.book", json!({ "dog": "Rex" }));
            let id = engine.call_tool("default", call).await.expect("the call is made");
            let call = engine.wait_for_call("default", id, Duration::from_secs(60)).await;
            call.expect("known").receipt.expect("finished")
        })
    });
    let mut receipts = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        receipts.push(call.await.expect("no panic"));
    }
    assert_eq!(church.number(ROWS).await, 1);
    let hits = receipts.iter().filter(|r| r["effects"]["idempotency_hit"] == json!(["Rex"]));
    assert_eq!(hits.count(), 15);
    for receipt in &receipts {
        assert_eq!(receipt["status"], "succeeded");
        assert_eq!(receipt["idempotency_key"], "Rex");
        assert_eq!(receipt["result"], receipts[0]["result"]);
    }
    church.assert_consistent().await;
});

on_both!(each_idempotency_mode_does_what_it_says, with kennel(), async |church: Church| {
    let keyed = |tool: &str, key: &str, dog: &str| {
        let input = json!({ "dog": dog });
        ToolCall { key: Some(key.to_owned()), ..call_of(tool, input) }
    };
    let (first, second) = (keyed("kennel.feed", "k", "Rex"), keyed("kennel.feed", "k", "Rex"));
    assert_ne!(receipt(&church, first).await["id"], receipt(&church, second).await["id"]);
    assert_eq!(church.number(ROWS).await, 2, "a tool without idempotency acts on each call");

    let (first, second) = (keyed("kennel.clean", "k", "Rex"), keyed("kennel.clean", "k", "Rex"));
    assert_eq!(receipt(&church, first).await, receipt(&church, second).await);
    assert_eq!(church.number(ROWS).await, 3, "the second call is the first");

    let first = receipt(&church, keyed("kennel.book", "k", "Rex")).await;
    let second = receipt(&church, keyed("kennel.book", "k", "Rex")).await;
    assert_ne!(first["id"], second["id"]);
    assert_eq!(first["result"], second["result"]);
    assert_eq!(second["effects"]["idempotency_hit"], json!(["k"]));
    assert_eq!(church.number(ROWS).await, 4);

    for tool in ["kennel.clean", "kennel.book"] {
        let other = church.engine().call_tool("default", keyed(tool, "k", "Bo")).await;
        assert_eq!(other.expect_err("refused").code, "key_clash", "{tool}");
    }
    let failing = || call_of("kennel.book", json!({ "dog": "Bo", "trouble": "fails" }));
    assert_eq!(receipt(&church, failing()).await["status"], "failed");
    let again = receipt(&church, call_of("kennel.book", json!({ "dog": "Bo" }))).await;
    assert_eq!(again["status"], "succeeded", "a failed call gives its key back");
    assert!(again["effects"].get("idempotency_hit").is_none(), "{again}");
});

on_both!(a_call_of_a_paused_tenant_waits_in_the_queue, with kennel(), async |church: Church| {
    church.execute("UPDATE tenant SET paused = 1").await;
    let call = call_of("kennel.book", json!({ "dog": "Rex" }));
    let id = church.engine().call_tool("default", call).await.expect("the call is made");
    let queued = church.engine().wait_for_call("default", id, Duration::ZERO).await;
    let queued = queued.expect("known");
    assert_eq!((queued.status, queued.receipt), (CallStatus::Queued, None));
    assert_eq!(church.number("SELECT COUNT(*) FROM core_tool_calls WHERE status = 'queued'").await, 1);
    let run = queued.run_id;
    church.control(run, abide_engine::run::Control::Cancel).await.expect("cancelled");
});

/// Statements of the kind that people debug a registry with.
const VIEWS: [(&str, i64); 5] = [
    ("SELECT COUNT(*) FROM core_tool_calls WHERE status = 'failed' AND error->>'message' LIKE '%kennel%'", 1),
    (
        "SELECT COUNT(*) FROM (SELECT r.status, r.result, r.effects, c.input FROM core_tool_receipts r
         JOIN core_tool_calls c ON c.id = r.call_id WHERE r.status = 'failed'
         ORDER BY r.created_at DESC) AS failed",
        1,
    ),
    (
        "SELECT COUNT(*) FROM (SELECT * FROM core_tool_receipts WHERE tool_name = 'kennel.book'
         ORDER BY created_at DESC LIMIT 1) AS latest",
        1,
    ),
    ("SELECT COUNT(*) FROM core_tool_calls WHERE input->>'dog' = 'Rex' AND idempotency_key = 'Rex'", 1),
    ("SELECT COUNT(*) FROM brain_runs WHERE request->>'method' = 'call:kennel.book' AND status = 'completed'", 1),
];

on_both!(the_views_answer_the_usual_questions_and_take_no_rows, with kennel(), async |church: Church| {
    receipt(&church, call_of("kennel.book", json!({ "dog": "Rex" }))).await;
    receipt(&church, call_of("kennel.feed", json!({ "dog": "Bo", "trouble": "fails" }))).await;
    for (sql, expected) in VIEWS {
        assert_eq!(church.number(sql).await, expected, "{sql}");
    }
    for sql in [
        "INSERT INTO core_tool_calls (tool_name) VALUES ('kennel.book')",
        "INSERT INTO core_tool_receipts (tool_name) VALUES ('kennel.book')",
        "INSERT INTO brain_runs (status) VALUES ('completed')",
    ] {
        let insert = tx_closure(move |tx| {
            Box::pin(async move { Ok(tx.execute(sql, &[]).await?) })
        });
        let refused = church.engine().write(insert).await.expect_err("refused");
        assert!(format!("{refused:?}").contains("is a view"), "{refused:?}");
    }
    let failed = ReceiptQuery { status: Some(ReceiptStatus::Failed), ..ReceiptQuery::default() };
    let tool = ReceiptQuery { tool: Some("kennel.book".to_owned()), ..ReceiptQuery::default() };
    for (query, expected) in [(failed, "kennel.feed"), (tool, "kennel.book")] {
        let page = church.engine().receipt_log("default", &query).await.expect("listed");
        let tools: Vec<_> = page.items.iter().map(|receipt| receipt["tool"].clone()).collect();
        assert_eq!(tools, vec![json!(expected)]);
    }
});

/// Number of commits that a call can need, and a few more.
const COMMITS: u32 = 4;

#[tokio::test]
async fn a_call_whose_commit_is_lost_has_one_receipt_and_acts_once() {
    for side in [CommitPoint::Before, CommitPoint::After] {
        for database in databases() {
            let loss = Arc::new(FaultAtCommit::new(FaultAction::Lose));
            let setup = Setup { faults: loss.clone(), ..kennel() };
            let church = Church::with(database, setup).await;
            for nth in 1..=COMMITS {
                let dog = format!("dog {nth}");
                let call = || ToolCall {
                    request_key: Some(dog.clone()),
                    ..call_of("kennel.book", json!({ "dog": dog }))
                };
                loss.arm(side, nth);
                let id = match church.engine().call_tool("default", call()).await {
                    Ok(id) => id,
                    Err(_) => church.engine().call_tool("default", call()).await.expect("made"),
                };
                for _ in 0..3 {
                    church.move_clock("1s");
                    let _ = church.engine().tick().await;
                }
                assert_eq!(finished(&church, id).await["status"], "succeeded", "{side:?} {nth}");
                assert_eq!(church.number(ROWS).await, i64::from(nth), "{side:?} {nth}");
            }
            let receipts = "SELECT COUNT(*) FROM ledger WHERE kind = 'receipt'";
            assert_eq!(church.number(receipts).await, i64::from(COMMITS));
            church.assert_consistent().await;
        }
    }
}
