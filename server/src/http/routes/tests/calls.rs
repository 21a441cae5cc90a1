//! Tests of calls of tools that wait for an approval.

use serde_json::{Value, json};

use crate::http::testing::{TestApi, TestClock};

/// Calls a tool that needs an approval. Returns the id of the call and that of its approval.
async fn waiting(api: &TestApi, key: &str, to: &str) -> (String, String) {
    let call = json!({"input": {"to": to, "body": "We come at nine."}}).to_string();
    let (status, made) = api.send("POST", "/v1/tools/sms.send/calls", key, &call).await;
    assert_eq!(
        (status, &made["state"], &made["status"]),
        (202, &json!("pending"), &json!("waiting")),
        "{made}"
    );
    let text = |name: &str| made[name].as_str().expect("an id").to_owned();
    (text("call_id"), text("approval_id"))
}

async fn decide(api: &TestApi, approval: &str, decision: &str) -> (u16, Value) {
    api.post(&format!("/v1/approvals/{approval}"), &json!({"decision": decision}).to_string()).await
}

#[tokio::test]
async fn a_call_waits_for_its_approval_and_acts_once() {
    let api = TestApi::empty(TestClock::Virtual).await;
    let (call, approval) = waiting(&api, "k1", "+15125550101").await;
    assert_eq!(
        waiting(&api, "k1", "+15125550101").await,
        (call.clone(), approval.clone()),
        "the same call"
    );
    let (_, shown) = api.get(&format!("/v1/calls/{call}")).await;
    assert_eq!((&shown["status"], &shown["approval_id"]), (&json!("waiting"), &json!(approval)));
    let (_, open) = api.get("/v1/approvals").await;
    assert_eq!(open["items"].as_array().map(Vec::len), Some(1), "{open}");
    assert_eq!(open["items"][0]["input"]["body"], "We come at nine.");
    assert_eq!(api.get("/v1/messages").await.1["items"], json!([]));

    for _ in 0..2 {
        let (status, decided) = decide(&api, &approval, "approve").await;
        assert_eq!((status, &decided["state"]), (200, &json!("approved")), "{decided}");
    }
    let (_, done) = api.get(&format!("/v1/calls/{call}")).await;
    assert_eq!(done["receipt"]["status"], "succeeded", "{done}");
    assert_eq!(
        (&done["receipt"]["approval_id"], &done["receipt"]["risk"]),
        (&json!(approval), &json!("T3"))
    );
    let (status, late) = decide(&api, &approval, "deny").await;
    assert_eq!((status, &late["code"]), (409, &json!("approval_decided")));
    assert_eq!(api.get("/v1/messages").await.1["items"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_denied_call_fails_and_an_undecided_one_expires() {
    let api = TestApi::empty(TestClock::Virtual).await;
    let (denied, approval) = waiting(&api, "k1", "+15125550101").await;
    assert_eq!(decide(&api, &approval, "deny").await.0, 200);
    let (expired, _) = waiting(&api, "k2", "+15125550102").await;
    assert_eq!(api.post("/v1/clock/advance", &json!({"by": "4h"}).to_string()).await.0, 200);
    for (call, code) in [(denied, "denied"), (expired, "approval_expired")] {
        let (_, done) = api.get(&format!("/v1/calls/{call}")).await;
        assert_eq!(
            (&done["receipt"]["status"], &done["receipt"]["error"]["code"]),
            (&json!("failed"), &json!(code))
        );
    }
    assert_eq!(api.get("/v1/messages").await.1["items"], json!([]));
}
