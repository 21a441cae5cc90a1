//! Tests of the routes of people.

use serde_json::json;

use super::{ANA, id};
use crate::http::testing::{TestApi, TestClock};

#[tokio::test]
async fn a_person_is_shown_by_id_and_found_by_number() {
    let api = TestApi::seeded().await;
    let (status, found) = api.get("/v1/people?phone=512-555-0101").await;
    assert_eq!((status, &found["items"][0]["name"]), (200, &json!("Ana")), "{found}");
    assert_eq!(found["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(api.get(&format!("/v1/people?phone={ANA}")).await.1, found, "a bare plus");
    let ana = &found["items"][0];
    assert_eq!(api.get(&format!("/v1/people/{}", id(ana))).await, (200, ana.clone()));
    for (path, status, code) in [
        ("/v1/people/per_00000000-0000-7000-8000-000000000000", 404, "person_unknown"),
        ("/v1/people/Ana", 404, "person_unknown"),
        ("/v1/people?phone=555-0101", 422, "invalid_phone"),
    ] {
        let (got, problem) = api.get(path).await;
        assert_eq!((got, &problem["code"]), (status, &json!(code)), "{path}: {problem}");
    }
}

#[tokio::test]
async fn people_who_share_a_number_are_told_apart_by_the_other_filters() {
    let api = TestApi::empty(TestClock::Virtual).await;
    let people = json!([
        {"name": "Ana", "phone": ANA, "roles": ["nursery"], "campus": "north"},
        {"name": "Ben", "phone": ANA, "roles": ["ushers"]},
        {"name": "Bea", "phone": ANA, "roles": ["ushers"], "campus": "north"},
    ]);
    assert_eq!(api.post("/v1/people", &people.to_string()).await.0, 200);
    for (rest, names) in [
        ("", &["Ana", "Ben", "Bea"][..]),
        ("&role=ushers", &["Ben", "Bea"]),
        ("&role=ushers&campus=north", &["Bea"]),
        ("&q=be&limit=1", &["Ben"]),
    ] {
        let (_, found) = api.get(&format!("/v1/people?phone={ANA}{rest}")).await;
        let told: Vec<_> =
            found["items"].as_array().into_iter().flatten().map(|one| &one["name"]).collect();
        assert_eq!(told, names, "{rest}");
        assert_eq!(found.get("next_cursor").is_some(), rest.contains("limit"), "{rest}");
    }
}

#[tokio::test]
async fn the_demo_of_the_trade_is_loaded_into_a_fresh_tenant_once() {
    let api = TestApi::empty(TestClock::Virtual).await;
    assert_eq!(api.post("/v1/seed", r#"{"domain": "farm"}"#).await.0, 422);
    let (status, loaded) = api.post("/v1/seed", r#"{"domain": "trade"}"#).await;
    assert_eq!(status, 200, "{loaded}");
    assert_eq!(
        (&loaded["business"], &loaded["people"][0]["name"], &loaded["rows"]["invoices"]),
        (&json!("Bayside Plumbing and Roofing"), &json!("Pat"), &json!(3))
    );
    let tenant = api.get("/v1/tenants/default").await.1;
    assert_eq!(
        (&tenant["region"], &tenant["settings"]["time_zone"]),
        (&json!("AU"), &json!("Australia/Melbourne"))
    );
    let (status, again) = api.post("/v1/seed", r#"{"domain": "trade"}"#).await;
    assert_eq!((status, &again["people"], &again["rows"]), (200, &loaded["people"], &json!({})));
    assert_eq!(api.get("/v1/tenants/default").await.1, tenant);
}

#[tokio::test]
async fn the_demo_of_the_trade_leaves_the_region_of_a_tenant_in_use() {
    let api = TestApi::seeded().await;
    let (status, loaded) = api.post("/v1/seed", r#"{"domain": "trade"}"#).await;
    assert_eq!(status, 200, "{loaded}");
    assert_eq!(api.get("/v1/tenants/default").await.1["settings"], json!({}));
}
