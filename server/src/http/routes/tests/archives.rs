//! Archiving over HTTP.

use serde_json::json;

use super::{ANA, fill, inbound};
use crate::http::testing::TestApi;

#[tokio::test]
async fn what_is_old_leaves_and_the_archive_is_listed_and_audited() {
    let api = TestApi::seeded().await;
    assert_eq!(api.get("/v1/archives").await, (200, json!({"items": []})));
    let (status, nothing) = api.post("/v1/archives", "{}").await;
    assert_eq!((status, &nothing), (200, &json!({"rows": 0, "archives": []})));
    assert_eq!(api.post("/v1/runs", &fill(1)).await.0, 202);
    assert_eq!(api.post("/v1/messages/inbound", &inbound("SM1", ANA, "yes")).await.0, 200);
    assert_eq!(api.post("/v1/clock/advance", &json!({"by": "15d"}).to_string()).await.0, 200);

    let before = json!({"before": "0s"}).to_string();
    let (status, report) = api.send("POST", "/v1/archives", "k1", &before).await;
    assert_eq!(status, 200, "{report}");
    assert_eq!(report["archives"][0]["state"], "sealed");
    assert_eq!(report["archives"][0]["rows"]["run"], 1, "{report}");
    assert_eq!(api.send("POST", "/v1/archives", "k1", &before).await, (200, report.clone()));
    let (_, list) = api.get("/v1/archives").await;
    assert_eq!(list["items"], report["archives"]);
    let (_, audit) = api.get("/v1/audit").await;
    assert_eq!((&audit["breaches"], &audit["archives"]), (&json!([]), &json!(1)));
    let (_, part) = api.get("/v1/audit?scope=since_seal&streams=1").await;
    assert_eq!(part["breaches"], json!([]));

    let (status, refused) =
        api.post("/v1/archives", &json!({"before": "long ago"}).to_string()).await;
    assert_eq!(status, 422, "{refused}");
    let (status, refused) = api.get("/v1/audit?scope=some").await;
    assert_eq!(status, 422, "{refused}");
}
