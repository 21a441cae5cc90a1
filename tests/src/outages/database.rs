//! The database becomes unreachable under a running server, and comes back.

use std::time::Duration;

use serde_json::{Value, json};

use crate::place::{Place, until};
use crate::postgres::TestDb;
use crate::process::{Abide, Reply};

/// Interval at which a gateway delivers an unaccepted message again, and maximum time that a caller retries.
const AGAIN_EVERY: Duration = Duration::from_millis(200);
const BACK_WITHIN: Duration = Duration::from_secs(60);

fn yes(from: u32) -> Value {
    json!({"id": format!("SM{from}"), "from": format!("+151255501{from:02}"), "to": "+15125550199",
        "body": "yes, happy to"})
}

/// Repeats a request until the answer is no longer 503.
async fn once_it_is_back(ask: impl AsyncFn() -> Reply) -> Reply {
    let asking = async {
        let mut again = tokio::time::interval(AGAIN_EVERY);
        loop {
            again.tick().await;
            let reply = ask().await;
            if reply.status != 503 {
                return reply;
            }
        }
    };
    tokio::time::timeout(BACK_WITHIN, asking).await.expect("it comes back")
}

async fn assert_is_away(server: &Abide) {
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
    let place = Place::seeded(TestDb::postgres());
    let server = place.serve(&[]);
    let goal = json!({"kind": "FillRole", "role": "nursery", "count": 2,
        "time": "2031-01-05T09:00:00-06:00"});
    let started = server.post("/v1/runs", &json!({"method": "fill_roles", "goal": goal})).await;
    assert!(started.status < 300, "{started:?}");
    let run = format!("/v1/runs/{}", started.body["id"].as_str().expect("an id"));
    until(&server, &run, |run| run["status"] == "waiting").await;
    assert_eq!(server.post("/v1/messages/inbound", &yes(1)).await.status, 200);

    place.db.cut_off();
    assert_is_away(&server).await;
    assert_is_away(&server).await;
    place.db.let_in();

    let late = yes(2);
    let taken = once_it_is_back(|| server.post("/v1/messages/inbound", &late)).await;
    assert_eq!((taken.status, &taken.body["duplicate"]), (200, &json!(false)), "{taken:?}");
    assert_eq!(once_it_is_back(|| server.get("/readyz")).await.status, 200);
    let ended = until(&server, &run, |run| run["status"] == "completed").await;
    assert_eq!(ended["outcome"], "succeeded", "{ended:#}");
    place.assert_nothing_lost_or_doubled(&server, 2).await;
    assert!(server.stop().success(), "a clean stop");
    place.assert_audit_is_clean();
}
