//! The inbox of staff.

use serde_json::json;

use super::{id, inbound};
use crate::http::testing::House;

#[tokio::test]
async fn a_text_waits_is_shown_and_closed_once() {
    let house = House::seeded().await;
    let stranger = inbound("SM1", "+15125559999", "who is this?");
    assert_eq!(house.post("/v1/messages/inbound", &stranger).await.0, 200);
    house.post("/v1/clock/advance", "{\"by\": \"1s\"}").await;
    let (status, open) = house.get("/v1/inbox").await;
    let item = &open["items"][0];
    assert_eq!((status, &item["reason"]), (200, &json!("unknown_sender")), "{open}");
    assert_eq!(item["from"], "+15125559999");
    let path = format!("/v1/inbox/{}", id(item));
    assert_eq!(house.get(&path).await, (200, item.clone()));

    let close = format!("{path}/close");
    let (status, closed) = house.send("POST", &close, "k1", "").await;
    assert_eq!((status, &closed["state"]), (200, &json!("closed")), "{closed}");
    assert_eq!(house.send("POST", &close, "k1", "").await.1, closed);
    assert_eq!(house.get("/v1/inbox").await.1["items"], json!([]));
    assert_eq!(house.get("/v1/inbox?state=closed").await.1["items"], json!([closed]));
    for (path, status, code) in [
        ("/v1/inbox?state=asleep", 422, "invalid_status"),
        ("/v1/inbox?cursor=x", 422, "invalid_cursor"),
        ("/v1/inbox/msg_00000000-0000-7000-8000-000000000000", 404, "inbox_unknown"),
    ] {
        let (got, problem) = house.get(path).await;
        assert_eq!((got, &problem["code"]), (status, &json!(code)), "{path}: {problem}");
    }
}
