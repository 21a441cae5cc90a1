//! Tests of who is recorded as the writer of a fact.

use serde_json::json;

use super::client::create_token;
use crate::http::testing::TestApi;

#[tokio::test]
async fn a_fact_is_of_the_client_who_wrote_it() {
    let api = TestApi::seeded().await;
    let ruth = create_token(&api, "default", json!({"role": "supervisor", "label": "Ruth"})).await;
    let nameless = create_token(&api, "default", json!({"role": "supervisor"})).await;
    let staff = create_token(&api, "default", json!({"role": "staff"})).await;
    let fact = json!({"topic": "Keys?", "text": "With Pat.", "source": "Pat"});
    let path = "/v1/kb/spare-keys";
    let written = ruth.must(&api, "PUT", path, &fact).await;
    assert_eq!((&written["written_by"], &written["reviewer"]), (&json!("Ruth"), &json!("Ruth")));
    let mut claimed = fact.clone();
    claimed["written_by"] = json!("Pastor Bob");
    let refused = ruth.send(&api, "PUT", path, &claimed.to_string()).await;
    assert_eq!((refused.status, refused.code()), (422, "schema"));
    let mut reviewed = fact.clone();
    reviewed["reviewer"] = json!("Pastor Bob");
    let written = nameless.must(&api, "PUT", path, &reviewed).await;
    let role = json!("a client with the role `supervisor`");
    assert_eq!((&written["written_by"], &written["reviewer"]), (&role, &json!("Pastor Bob")));
    for method in ["PUT", "DELETE"] {
        let refused = staff.send(&api, method, path, &fact.to_string()).await;
        assert_eq!((refused.status, refused.code()), (403, "forbidden"), "{method}");
    }
    let (_, written) = api.send("PUT", path, "", &reviewed.to_string()).await;
    assert_eq!(written["written_by"], "an operator");
    ruth.must(&api, "DELETE", path, &json!({})).await;
    let (_, events) = api.get("/v1/events?limit=200").await;
    let items = events["items"].as_array().expect("events");
    let by: Vec<_> = items
        .iter()
        .filter(|event| event["kind"].as_str().is_some_and(|kind| kind.starts_with("fact.")))
        .map(|event| event["body"]["by"].clone())
        .collect();
    assert_eq!(by, [json!(ruth.id), json!(nameless.id), json!("operator"), json!(ruth.id)]);
}
