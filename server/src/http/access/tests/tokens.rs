//! Tests of the routes of tokens.

use serde_json::{Value, json};

use super::client::{Client, create_token, make_tenant};
use crate::http::testing::TestApi;

#[tokio::test]
async fn a_token_is_created_used_listed_and_revoked() {
    let api = TestApi::seeded().await;
    let new = json!({"role": "viewer", "label": " wall display ", "expires": "90d"}).to_string();
    let (status, created) = api.post("/v1/tokens", &new).await;
    assert_eq!((status, &created["role"]), (201, &json!("viewer")), "{created}");
    assert_eq!(
        (&created["tenant"], &created["label"]),
        (&json!("default"), &json!("wall display"))
    );
    assert_eq!(created["expires_at"], "2025-12-29T19:20:00+00:00");
    let secret = created["token"].as_str().expect("a secret");
    let client = Client::with(secret);
    assert_eq!(client.get(&api, "/v1/people").await.status, 200);

    let (_, listed) = api.get("/v1/tokens").await;
    let mut shown = created.clone();
    shown.as_object_mut().expect("an object").remove("token");
    shown["last_used_at"] = json!("2025-09-30T19:20:00+00:00");
    assert_eq!(listed["items"], json!([shown]), "the list has no secret");
    let path = format!("/v1/tokens/{}", created["id"].as_str().expect("an id"));
    let (status, revoked) = api.send("DELETE", &path, "k1", "").await;
    assert_eq!((status, &revoked["revoked_at"]), (200, &json!("2025-09-30T19:20:00+00:00")));
    assert_eq!(client.get(&api, "/v1/people").await.status, 401, "at once");
    assert_eq!(api.send("DELETE", &path, "k1", "").await, (200, revoked.clone()));
    api.post("/v1/clock/advance", r#"{"by": "1h"}"#).await;
    assert_eq!(api.send("DELETE", &path, "", "").await, (200, revoked.clone()), "it stays so");
    assert_eq!(api.get("/v1/tokens").await.1["items"], json!([revoked]));
    let (status, problem) = api.send("DELETE", "/v1/tokens/tok_1", "", "").await;
    assert_eq!((status, &problem["code"]), (404, &json!("token_unknown")));
}

#[tokio::test]
async fn a_repeated_request_creates_no_second_token_and_does_not_show_the_secret_again() {
    let api = TestApi::seeded().await;
    let new = json!({"role": "staff"}).to_string();
    let (_, created) = api.send("POST", "/v1/tokens", "k1", &new).await;
    let (status, mut again) = api.send("POST", "/v1/tokens", "k1", &new).await;
    assert_eq!((status, again.get("token")), (201, None), "{again}");
    again["token"] = created["token"].clone();
    assert_eq!(again, created);
    assert_eq!(api.get("/v1/tokens").await.1["items"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_token_is_not_created_with_a_wrong_member_or_for_a_missing_tenant() {
    let api = TestApi::seeded().await;
    let long = "x".repeat(101);
    for new in [
        json!({}),
        json!({"role": "owner"}),
        json!({"role": "viewer", "tenant": "north"}),
        json!({"role": "viewer", "label": long}),
        json!({"role": "viewer", "expires": "soon"}),
        json!({"role": "viewer", "expires": "0s"}),
        json!({"role": "viewer", "expires": "2020-01-01T00:00:00Z"}),
    ] {
        let (status, problem) = api.post("/v1/tokens", &new.to_string()).await;
        assert_eq!((status, &problem["code"]), (422, &json!("schema")), "{new}: {problem}");
    }
    let owner = Client::owner().in_tenant(Some("nowhere"));
    let refused = owner.send(&api, "POST", "/v1/tokens", r#"{"role": "viewer"}"#).await;
    assert_eq!((refused.status, refused.code()), (404, "unknown_tenant"));
    let late = json!({"role": "viewer", "expires": "2026-01-01T00:00:00Z"}).to_string();
    assert_eq!(api.post("/v1/tokens", &late).await.0, 201);
}

#[tokio::test]
async fn the_tokens_of_a_tenant_come_in_pages_and_are_not_those_of_another() {
    let api = TestApi::seeded().await;
    make_tenant(&api, "north").await;
    let north = create_token(&api, "north", json!({"role": "admin"})).await;
    let mut mine = Vec::new();
    for _ in 0..3 {
        mine.push(create_token(&api, "default", json!({"role": "admin"})).await.id);
    }
    let (_, first) = api.get("/v1/tokens?limit=2").await;
    let cursor = first["next_cursor"].as_str().expect("a cursor");
    let (_, rest) = api.get(&format!("/v1/tokens?limit=2&cursor={cursor}")).await;
    assert_eq!(rest.get("next_cursor"), None);
    let ids = |page: &Value| {
        let items = page["items"].as_array().cloned().unwrap_or_default();
        items.iter().map(|one| one["id"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let listed: Vec<String> = [ids(&first), ids(&rest) as Vec<String>].concat();
    assert_eq!(listed, mine);
    let seen = north.get(&api, "/v1/tokens").await.body;
    assert_eq!(ids(&seen) as Vec<String>, std::slice::from_ref(&north.id));
    let path = format!("/v1/tokens/{}", mine[0]);
    assert_eq!(north.send(&api, "DELETE", &path, "").await.code(), "token_unknown");
}

#[tokio::test]
async fn the_last_use_of_a_token_is_known_to_the_hour() {
    let api = TestApi::seeded().await;
    let client = create_token(&api, "default", json!({"role": "viewer"})).await;
    let last_used = async || api.get("/v1/tokens").await.1["items"][0]["last_used_at"].clone();
    assert_eq!(last_used().await, Value::Null);
    for (by, expected) in [
        ("0s", "2025-09-30T19:20:00+00:00"),
        ("59min", "2025-09-30T19:20:00+00:00"),
        ("1min", "2025-09-30T20:20:00+00:00"),
        ("5h", "2025-10-01T01:20:00+00:00"),
    ] {
        api.post("/v1/clock/advance", &json!({"by": by}).to_string()).await;
        assert_eq!(client.get(&api, "/v1/people").await.status, 200);
        assert_eq!(last_used().await, expected, "after {by} more");
    }
}

#[tokio::test]
async fn the_ledger_records_who_created_and_who_revoked_a_token_and_never_the_secret() {
    let api = TestApi::seeded().await;
    let admin = create_token(&api, "default", json!({"role": "admin", "label": "Pat"})).await;
    let new = json!({"role": "viewer", "expires": "1d"});
    let created = admin.must(&api, "POST", "/v1/tokens", &new).await;
    let path = format!("/v1/tokens/{}", created["id"].as_str().expect("an id"));
    for _ in 0..2 {
        admin.must(&api, "DELETE", &path, &json!({})).await;
    }
    let (_, events) = api.get("/v1/events?limit=200").await;
    let items = events["items"].as_array().expect("events");
    let of_tokens: Vec<_> = items
        .iter()
        .filter(|event| event["kind"].as_str().is_some_and(|kind| kind.starts_with("token.")))
        .map(|event| (event["kind"].as_str().unwrap_or_default(), event["body"].clone()))
        .collect();
    let expected = [
        ("token.created", json!({"token_id": admin.id, "role": "admin", "by": "operator"})),
        (
            "token.created",
            json!({"token_id": created["id"], "role": "viewer", "by": admin.id,
                "expires_at": "2025-10-01T19:20:00+00:00"}),
        ),
        ("token.revoked", json!({"token_id": created["id"], "by": admin.id})),
    ];
    assert_eq!(of_tokens, expected, "a second revocation is no event");
    let secret = created["token"].as_str().expect("a secret");
    assert!(!events.to_string().contains(secret));
}
