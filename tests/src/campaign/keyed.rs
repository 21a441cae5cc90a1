//! A request with an `Idempotency-Key` is executed once, wherever the process crashes during it: its effect
//! and its stored answer are one commit.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use abide_engine::base::Value;
use abide_engine::facade::{NewVersion, PublishOutcome, UpgradeOptions};
use abide_engine::store::{CommitParts, CommitPoint, FaultAction, FaultHooks};
use abide_server::http::{App, Guard};
use axum::body::{Body, to_bytes};
use axum::http::Request;
use serde_json::json;
use tokio::sync::watch;
use tower::ServiceExt as _;

use super::church::{Church, Setup};
use crate::postgres::{TestDb, databases};

const TENANT: &str = "default";
const TOKEN: &str = "k";
const ANSWER_BYTES_MAX: usize = 4 << 20;
/// Maximum number of commits of one request at which the process is crashed.
const COMMITS_MAX: i64 = 20;

/// Crashes the process right after the n-th commit from now on, counted from 1.
#[derive(Default)]
struct DiesAfter(AtomicI64);

impl FaultHooks for DiesAfter {
    fn at_commit(&self, point: CommitPoint, _: CommitParts) -> FaultAction {
        match point == CommitPoint::After && self.0.fetch_sub(1, Ordering::SeqCst) == 1 {
            true => FaultAction::Crash,
            false => FaultAction::Go,
        }
    }
}

impl DiesAfter {
    /// Disarms the crash, and returns whether it had happened.
    fn spare(&self) -> bool {
        self.0.swap(0, Ordering::SeqCst) <= 0
    }
}

/// A request: its method, path and body.
type Asked = (&'static str, String, Value);

/// A request to a route, and its effect: a query that counts it, and the count after one execution.
struct Case {
    name: &'static str,
    asked: Asked,
    effect: (&'static str, i64),
}

/// Routes at which a repeated request would have its effect twice or be answered differently.
const ROUTES: [&str; 9] = [
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

/// Prepares a church for a request.
async fn prepare(church: &Church, name: &'static str) -> Case {
    publish(church, 1).await;
    let orders = "SELECT COUNT(*) FROM upgrade";
    let (asked, effect): (Asked, (&str, i64)) = match name {
        "publish" => (
            ("POST", "/v1/methods".to_owned(), json!({ "text": patient(2) })),
            ("SELECT COUNT(*) FROM ledger WHERE kind = 'method.published'", 2),
        ),
        "rollback" => {
            publish(church, 2).await;
            publish(church, 3).await;
            (
                ("POST", "/v1/methods/patient/rollback".to_owned(), json!({})),
                ("SELECT COUNT(*) FROM ledger WHERE kind = 'method.rolled_back'", 1),
            )
        }
        "delete" => {
            publish(church, 2).await;
            (
                ("DELETE", "/v1/methods/patient/versions/1".to_owned(), json!({})),
                ("SELECT COUNT(*) FROM ledger WHERE kind = 'method.deleted'", 1),
            )
        }
        "seed" => (
            ("POST", "/v1/seed".to_owned(), json!({})),
            ("SELECT COUNT(*) FROM person WHERE name = 'Pat'", 1),
        ),
        "advance" => (
            ("POST", "/v1/clock/advance".to_owned(), json!({ "by": "30h" })),
            ("SELECT CAST(v AS BIGINT) FROM meta WHERE k = 'virtual_now'", at_hour(church, 30)),
        ),
        _ => {
            let run = church.start("patient", json!({})).await.expect("started").id;
            church.start("patient", json!({})).await.expect("started");
            publish(church, 2).await;
            let options = UpgradeOptions::default();
            let upgrade = async || church.engine().upgrade_run(TENANT, run, &options).await;
            match name {
                "upgrade_run" => {
                    (("POST", format!("/v1/runs/{run}/upgrade"), json!({})), (orders, 1))
                }
                "upgrade_all" => {
                    (("POST", "/v1/methods/patient/upgrade".to_owned(), json!({})), (orders, 1))
                }
                "undo_run" => {
                    upgrade().await.expect("moved");
                    (("POST", format!("/v1/runs/{run}/upgrade/undo"), json!({})), (orders, 2))
                }
                "undo_order" => {
                    let order = upgrade().await.expect("moved").id.expect("an order");
                    (("POST", format!("/v1/upgrades/{order}/undo"), json!({})), (orders, 2))
                }
                other => panic!("no route {other}"),
            }
        }
    };
    Case { name, asked, effect }
}

fn at_hour(church: &Church, hours: i64) -> i64 {
    church.engine().now().micros() + hours * 3_600_000_000
}

async fn ask(church: &Church, (method, path, body): &Asked) -> (u16, Value) {
    let (_stop, stopping) = watch::channel(false);
    let app = App { engine: church.engine().clone(), metrics: None, stopping };
    let routes = app.router(Guard { dev: false, key: TOKEN.into() });
    let request = Request::builder()
        .method(*method)
        .uri(path)
        .header("authorization", format!("Bearer {TOKEN}"))
        .header("idempotency-key", "once")
        .body(Body::from(body.to_string()))
        .expect("a request");
    let response = routes.oneshot(request).await.expect("an answer");
    let status = response.status().as_u16();
    let bytes = to_bytes(response.into_body(), ANSWER_BYTES_MAX).await.expect("a body");
    (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
}

/// Sends a request, crashes after its `nth` commit, and sends it again. Returns false if the request has
/// fewer commits.
async fn died_over(database: TestDb, name: &'static str, nth: i64) -> bool {
    let told = format!("{database}: {name}, dying after commit {nth}");
    let dies = Arc::new(DiesAfter::default());
    let setup = Setup { faults: dies.clone(), ..Setup::default() };
    let mut church = Church::with(database, setup).await;
    let Case { name, asked, effect: (effect, once) } = prepare(&church, name).await;
    dies.0.store(nth, Ordering::SeqCst);
    let first = ask(&church, &asked).await;
    let died = dies.spare();
    church.crash().await;
    let second = ask(&church, &asked).await;
    assert!((200..300).contains(&second.0), "{told}: {second:?}");
    assert_eq!(church.number(effect).await, once, "{told}: {name} is executed once");
    assert_eq!(ask(&church, &asked).await, second, "{told}: the same answer");
    assert_eq!(church.number(effect).await, once, "{told}: {name} is executed once");
    if !died {
        assert_eq!(first, second, "{told}: the same answer");
    }
    church.assert_sound().await;
    died
}

#[tokio::test]
async fn a_request_with_a_key_is_executed_once_at_any_crash() {
    for name in ROUTES {
        for nth in 1..=COMMITS_MAX {
            let mut died = false;
            for database in databases() {
                died |= died_over(database, name, nth).await;
            }
            if !died {
                assert!(nth > 1, "{name} commits something");
                break;
            }
            assert!(nth < COMMITS_MAX, "{name} never ends");
        }
    }
}
