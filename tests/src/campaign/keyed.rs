//! A request with an `Idempotency-Key` is executed once, even if the process crashes during the request.
//! One commit makes the changes of the request and stores the response to the request.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use abide_engine::base::Value;
use abide_engine::facade::{NewVersion, PublishOutcome, UpgradeOptions};
use abide_engine::store::{CommitParts, CommitPoint, FaultAction, FaultHooks, StatementHooks};
use serde_json::json;

use super::api::{ApiRequest, ChurchApi};
use super::church::{Church, Setup};
use crate::postgres::{TestDb, databases};
use crate::process::ApiAnswer;

const TENANT: &str = "default";
/// Maximum number of commits of one request. The process is crashed once after each of these commits.
const COMMITS_MAX: i64 = 20;

/// Crashes the process right after the n-th commit from now on, counted from 1.
#[derive(Default)]
struct CrashAfter(AtomicI64);

impl StatementHooks for CrashAfter {}

impl FaultHooks for CrashAfter {
    fn at_commit(&self, point: CommitPoint, _: CommitParts) -> FaultAction {
        match point == CommitPoint::After && self.0.fetch_sub(1, Ordering::SeqCst) == 1 {
            true => FaultAction::Crash,
            false => FaultAction::Go,
        }
    }
}

impl CrashAfter {
    /// Disarms the crash. Returns whether the crash had already happened.
    fn disarm(&self) -> bool {
        self.0.swap(0, Ordering::SeqCst) <= 0
    }
}

/// A request to a route, and its effect.
struct Case {
    method: &'static str,
    path: String,
    body: Value,
    /// An SQL query that counts rows of the kind that the request writes.
    effect: &'static str,
    /// The result of `effect` after one execution of the request.
    count: i64,
}

impl Case {
    fn new(method: &'static str, path: impl Into<String>, body: Value) -> Self {
        Self { method, path: path.into(), body, effect: "", count: 0 }
    }

    fn post(path: impl Into<String>, body: Value) -> Self {
        Self::new("POST", path, body)
    }

    /// Sets the query that counts the rows that the request writes, and their count after one execution.
    fn counted(self, effect: &'static str, count: i64) -> Self {
        Self { effect, count, ..self }
    }
}

/// Kinds of requests. If such a request were repeated without a key, it would act twice or get a
/// different response.
const ROUTES: [&str; 10] = [
    "inbox_answer",
    "publish",
    "rollback",
    "delete",
    "seed",
    "upgrade_run",
    "upgrade_all",
    "undo_run",
    "undo_order",
    "advance",
];

fn patient(hours: u32) -> String {
    format!("method: patient\nsteps:\n  - await: {{ signal: go, timeout: {hours}h }}\n")
}

async fn publish(church: &Church, hours: u32) {
    let text = patient(hours);
    let published = church
        .engine()
        .publish(TENANT, NewVersion { file: "patient.yaml", text: &text, shadow: false })
        .await;
    assert!(matches!(published.expect("answered"), PublishOutcome::Published(_)));
}

/// Prepares a church for the named kind of request, and returns the request.
async fn prepare(church: &mut Church, name: &'static str) -> Case {
    publish(church, 1).await;
    let orders = "SELECT COUNT(*) FROM upgrade";
    match name {
        "publish" => Case::post("/v1/methods", json!({ "text": patient(2) }))
            .counted("SELECT COUNT(*) FROM ledger WHERE kind = 'method.published'", 2),
        "rollback" => {
            publish(church, 2).await;
            publish(church, 3).await;
            Case::post("/v1/methods/patient/rollback", json!({}))
                .counted("SELECT COUNT(*) FROM ledger WHERE kind = 'method.rolled_back'", 1)
        }
        "delete" => {
            publish(church, 2).await;
            Case::new("DELETE", "/v1/methods/patient/versions/1", json!({}))
                .counted("SELECT COUNT(*) FROM ledger WHERE kind = 'method.deleted'", 1)
        }
        "seed" => Case::post("/v1/seed", json!({}))
            .counted("SELECT COUNT(*) FROM person WHERE name = 'Pat'", 1),
        "inbox_answer" => {
            church.text("+15125559999", "who is this?").await;
            let request = ApiRequest { method: "GET", path: "/v1/inbox", key: None, body: "" };
            let listed = ChurchApi::over(church).send(&request).await.body;
            let id = listed["items"][0]["id"].as_str().expect("an id");
            Case::post(format!("/v1/inbox/{id}/answer"), json!({ "text": "Grace Church." }))
                .counted("SELECT COUNT(*) FROM outbox WHERE kind = 'text'", 1)
        }
        "advance" => Case::post("/v1/clock/advance", json!({ "by": "30h" })).counted(
            "SELECT CAST(v AS BIGINT) FROM meta WHERE k = 'virtual_now'",
            at_hour(church, 30),
        ),
        _ => {
            let run = church.start("patient", json!({})).await.expect("started").id;
            church.start("patient", json!({})).await.expect("started");
            publish(church, 2).await;
            let options = UpgradeOptions::default();
            let upgrade = async || church.engine().upgrade_run(TENANT, run, &options).await;
            match name {
                "upgrade_run" => {
                    Case::post(format!("/v1/runs/{run}/upgrade"), json!({})).counted(orders, 1)
                }
                "upgrade_all" => {
                    Case::post("/v1/methods/patient/upgrade", json!({})).counted(orders, 1)
                }
                "undo_run" => {
                    upgrade().await.expect("moved");
                    Case::post(format!("/v1/runs/{run}/upgrade/undo"), json!({})).counted(orders, 2)
                }
                "undo_order" => {
                    let order = upgrade().await.expect("moved").id.expect("an order");
                    Case::post(format!("/v1/upgrades/{order}/undo"), json!({})).counted(orders, 2)
                }
                other => panic!("no route {other}"),
            }
        }
    }
}

fn at_hour(church: &Church, hours: i64) -> i64 {
    church.engine().now().micros() + hours * 3_600_000_000
}

async fn send(church: &Church, case: &Case) -> ApiAnswer {
    let body = case.body.to_string();
    let request =
        ApiRequest { method: case.method, path: &case.path, key: Some("once"), body: &body };
    ChurchApi::over(church).send(&request).await
}

/// Sends a request, crashes the process after the `nth` commit of the request, and sends the request
/// again. Returns false if the request makes fewer than `nth` commits.
async fn crashed_over(database: TestDb, name: &'static str, nth: i64) -> bool {
    let context = format!("{database}: {name}, crashed after commit {nth}");
    let crash = Arc::new(CrashAfter::default());
    let setup = Setup { faults: crash.clone(), ..Setup::default() };
    let mut church = Church::with(database, setup).await;
    let case = prepare(&mut church, name).await;
    crash.0.store(nth, Ordering::SeqCst);
    let first = send(&church, &case).await;
    let crashed = crash.disarm();
    church.crash().await;
    let second = send(&church, &case).await;
    assert!((200..300).contains(&second.status), "{context}: {second:?}");
    assert_eq!(church.number(case.effect).await, case.count, "{context}: {name} is executed once");
    assert_eq!(send(&church, &case).await, second, "{context}: the same answer");
    assert_eq!(church.number(case.effect).await, case.count, "{context}: {name} is executed once");
    if !crashed {
        assert_eq!(first, second, "{context}: the same answer");
    }
    church.assert_consistent().await;
    crashed
}

#[tokio::test]
async fn a_request_with_a_key_is_executed_once_at_any_crash() {
    for name in ROUTES {
        for nth in 1..=COMMITS_MAX {
            let mut crashed = false;
            for database in databases() {
                crashed |= crashed_over(database, name, nth).await;
            }
            if !crashed {
                assert!(nth > 1, "{name} commits something");
                break;
            }
            assert!(nth < COMMITS_MAX, "{name} never ends");
        }
    }
}
