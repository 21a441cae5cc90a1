//! The database of a running server becomes unreachable, and later becomes reachable again.

use std::time::Duration;

use serde_json::{Value, json};

use crate::deployment::{Deployment, poll_until};
use crate::postgres::TestDb;
use crate::process::{ApiAnswer, ServerProcess};

/// Interval at which the test repeats a rejected request,
/// and maximum time until the server must accept the request.
const RETRY_INTERVAL: Duration = Duration::from_millis(200);
const BACK_WITHIN: Duration = Duration::from_secs(60);

fn yes(from: u32) -> Value {
    json!({"id": format!("SM{from}"), "from": format!("+151255501{from:02}"), "to": "+15125550199",
        "body": "yes, happy to"})
}

/// Repeats a request until the status of the response is not 503.
async fn retry_until_back(send: impl AsyncFn() -> ApiAnswer) -> ApiAnswer {
    let retrying = async {
        let mut retries = tokio::time::interval(RETRY_INTERVAL);
        loop {
            retries.tick().await;
            let reply = send().await;
            if reply.status != 503 {
                return reply;
            }
        }
    };
    tokio::time::timeout(BACK_WITHIN, retrying).await.expect("it comes back")
}

async fn assert_unavailable(server: &ServerProcess) {
    for reply in [
        server.get("/readyz").await,
        server.post("/v1/messages/inbound", &yes(2)).await,
        server.get("/v1/runs").await,
    ] {
        let told = (reply.status, &reply.body["code"]);
        assert_eq!(told, (503, &json!("database_unavailable")), "{reply:?}");
    }
    assert_eq!(server.get("/healthz").await.status, 200, "the process itself is healthy");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_outage_acknowledges_nothing_and_recovery_is_automatic() {
    let deployment = Deployment::seeded(TestDb::postgres());
    let server = deployment.serve(&[]);
    let goal = json!({"kind": "FillRole", "role": "nursery", "count": 2,
        "time": "2031-01-05T09:00:00-06:00"});
    let started = server.post("/v1/runs", &json!({"method": "fill_roles", "goal": goal})).await;
    assert!(started.status < 300, "{started:?}");
    let run = format!("/v1/runs/{}", started.body["id"].as_str().expect("an id"));
    poll_until(&server, &run, |run| run["status"] == "waiting").await;
    assert_eq!(server.post("/v1/messages/inbound", &yes(1)).await.status, 200);

    deployment.db.disconnect();
    assert_unavailable(&server).await;
    assert_unavailable(&server).await;
    deployment.db.allow_connections();

    let late = yes(2);
    let taken = retry_until_back(|| server.post("/v1/messages/inbound", &late)).await;
    assert_eq!((taken.status, &taken.body["duplicate"]), (200, &json!(false)), "{taken:?}");
    assert_eq!(retry_until_back(|| server.get("/readyz")).await.status, 200);
    let ended = poll_until(&server, &run, |run| run["status"] == "completed").await;
    assert_eq!(ended["outcome"], "succeeded", "{ended:#}");
    deployment.assert_nothing_lost_or_doubled(&server, 2).await;
    assert!(server.stop().success(), "a clean stop");
    deployment.assert_audit_is_clean();
}
