//! Tests of the inbox of staff.

use serde_json::json;

use super::{id, inbound};
use crate::http::testing::TestApi;

#[tokio::test]
async fn an_unknown_senders_text_is_listed_shown_and_closed() {
    let api = TestApi::seeded().await;
    let stranger = inbound("SM1", "+15125559999", "who is this?");
    assert_eq!(api.post("/v1/messages/inbound", &stranger).await.0, 200);
    api.post("/v1/clock/advance", "{\"by\": \"1s\"}").await;
    let (status, open) = api.get("/v1/inbox").await;
    let item = &open["items"][0];
    assert_eq!((status, &item["reason"]), (200, &json!("unknown_sender")), "{open}");
    assert_eq!(item["from"], "+15125559999");
    let path = format!("/v1/inbox/{}", id(item));
    assert_eq!(api.get(&path).await, (200, item.clone()));

    let (_, assigned) = api.post(&format!("{path}/assign"), "{\"person\": \"Pat\"}").await;
    assert_eq!(assigned["assigned_to"]["name"], "Pat", "{assigned}");
    let (_, taken) = api.post(&format!("{path}/take-over"), "").await;
    assert!(taken["taken_over"]["by"].is_string(), "{taken}");
    let (_, back) = api.post(&format!("{path}/hand-back"), "").await;
    assert_eq!(back, assigned);

    let close = format!("{path}/close");
    let (status, closed) = api.send("POST", &close, "k1", "").await;
    assert_eq!((status, &closed["state"]), (200, &json!("closed")), "{closed}");
    assert_eq!(api.send("POST", &close, "k1", "").await.1, closed);
    assert_eq!(api.get("/v1/inbox").await.1["items"], json!([]));
    assert_eq!(api.get("/v1/inbox?state=closed").await.1["items"], json!([closed]));
    for (path, status, code) in [
        ("/v1/inbox?state=asleep", 422, "invalid_status"),
        ("/v1/inbox?cursor=x", 422, "invalid_cursor"),
        ("/v1/inbox/msg_00000000-0000-7000-8000-000000000000", 404, "inbox_unknown"),
    ] {
        let (got, problem) = api.get(path).await;
        assert_eq!((got, &problem["code"]), (status, &json!(code)), "{path}: {problem}");
    }
}

#[tokio::test]
async fn a_message_is_answered_once() {
    let api = TestApi::seeded().await;
    let stranger = inbound("SM1", "+15125559999", "who is this?");
    assert_eq!(api.post("/v1/messages/inbound", &stranger).await.0, 200);
    api.post("/v1/clock/advance", "{\"by\": \"1s\"}").await;
    let open = api.get("/v1/inbox").await.1;
    let path = format!("/v1/inbox/{}/answer", id(&open["items"][0]));
    let (status, problem) = api.post(&path, "{\"text\": \" \"}").await;
    assert_eq!((status, &problem["code"]), (422, &json!("invalid_answer")), "{problem}");
    let text = "{\"text\": \"Grace Church.\"}";
    let (status, answered) = api.send("POST", &path, "k1", text).await;
    assert_eq!((status, &answered["state"]), (200, &json!("closed")), "{answered}");
    assert_eq!(api.send("POST", &path, "k1", text).await.1, answered);
    let (status, problem) = api.post(&path, text).await;
    assert_eq!((status, &problem["code"]), (409, &json!("already_answered")), "{problem}");
    let sent = api.get("/v1/messages?direction=outbound").await.1;
    assert_eq!(sent["items"][0]["body"], "Grace Church.", "{sent}");
    assert_eq!(sent["items"].as_array().map(Vec::len), Some(1));
}
