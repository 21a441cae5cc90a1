//! Tests of the routes of tenants. They check when a change is accepted, what the kill switch does,
//! and what the preview of a resume shows.

use abide_engine::transaction;
use serde_json::{Value, json};

use super::fill;
use crate::http::testing::TestApi;

const PATH: &str = "/v1/tenants/default";

async fn patch(api: &TestApi, key: &str, change: Value) -> (u16, Value) {
    api.send("PATCH", PATH, key, &change.to_string()).await
}

#[tokio::test]
async fn settings_are_changed_at_the_version_that_was_read() {
    let api = TestApi::seeded().await;
    let (status, before) = api.get(PATH).await;
    assert_eq!((status, &before["paused"], &before["settings"]), (200, &json!(false), &json!({})));
    let quiet = json!({"settings": {"quiet_hours": "none"}, "version": before["version"]});
    let (status, changed) = patch(&api, "k1", quiet.clone()).await;
    assert_eq!((status, &changed["settings"]["quiet_hours"]), (200, &json!("none")), "{changed}");
    assert_eq!(patch(&api, "k1", quiet.clone()).await, (200, changed.clone()), "the same again");
    let (status, stale) = patch(&api, "", quiet).await;
    assert_eq!((status, &stale["code"]), (409, &json!("version_conflict")));
    let back = json!({"settings": {"quiet_hours": null}, "version": changed["version"]});
    assert_eq!(patch(&api, "", back).await.1["settings"], json!({}));
}

#[tokio::test]
async fn a_region_is_a_setting_of_its_own_name() {
    let api = TestApi::seeded().await;
    let (_, before) = api.get(PATH).await;
    assert_eq!(before.get("region"), None);
    let region = json!({"region": "AU", "version": before["version"]});
    let (status, changed) = patch(&api, "", region).await;
    assert_eq!((status, &changed["region"]), (200, &json!("AU")), "{changed}");
    assert_eq!(changed["settings"], json!({"region": "AU"}));
    let back = json!({"settings": {"region": null}, "version": changed["version"]});
    assert_eq!(patch(&api, "", back).await.1["settings"], json!({}));
}

#[tokio::test]
async fn the_region_says_which_country_a_phone_number_is_of() {
    let api = TestApi::seeded().await;
    let mia = json!([{"name": "Mia", "phone": "0400 123 456"}]).to_string();
    assert_eq!(api.post("/v1/people", &mia).await.1["code"], "invalid_phone");
    let region = json!({"region": "AU", "version": api.get(PATH).await.1["version"]});
    assert_eq!(patch(&api, "", region).await.0, 200);
    let (status, people) = api.post("/v1/people", &mia).await;
    assert_eq!((status, &people["items"][0]["phone"]), (200, &json!("+61400123456")), "{people}");
    let (_, found) = api.get("/v1/people?phone=0400123456").await;
    assert_eq!(found["items"][0]["name"], "Mia", "{found}");
}

#[tokio::test]
async fn a_tenant_sees_and_calls_the_tools_of_its_domains_only() {
    let api = TestApi::seeded().await;
    let names = async || {
        let (_, tools) = api.get("/v1/tools").await;
        let items = tools["items"].as_array().cloned().unwrap_or_default();
        items.iter().map(|tool| tool["name"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let all: Vec<String> = names().await;
    let domains = json!({"domains": ["church"], "version": api.get(PATH).await.1["version"]});
    let (status, changed) = patch(&api, "", domains).await;
    assert_eq!((status, &changed["domains"]), (200, &json!(["church"])), "{changed}");
    let left: Vec<String> = names().await;
    assert!(all.iter().any(|name| name == "leads.list"), "{all:?}");
    let is_of_trade = |name: &String| name.contains('.') && !name.starts_with("ask.");
    assert!(!left.iter().any(is_of_trade), "{left:?}");
    assert!(left.iter().any(|name| name == "search_people"), "{left:?}");
    assert_eq!(api.get("/v1/tools/leads.list").await.0, 200, "its contract can still be read");
    let call = json!({"input": {}}).to_string();
    let (status, refused) = api.post("/v1/tools/leads.list/calls", &call).await;
    assert_eq!((status, &refused["code"]), (422, &json!("domain_disabled")), "{refused}");
    let version = changed["version"].clone();
    let trade = json!({"domains": ["trade"], "version": version});
    let (_, changed) = patch(&api, "", trade).await;
    assert_eq!(api.post("/v1/tools/leads.list/calls", &call).await.0, 200);
    let (status, refused) = api.post("/v1/runs", &fill(1)).await;
    assert_eq!((status, &refused["code"]), (422, &json!("domain_disabled")), "{refused}");
    let back = json!({"settings": {"domains": null}, "version": changed["version"]});
    assert_eq!(patch(&api, "", back).await.1.get("domains"), None);
    assert_eq!(names().await as Vec<String>, all);
}

#[tokio::test]
async fn texts_are_signed_with_the_name_of_the_tenant() {
    let api = TestApi::seeded().await;
    let mut nth = 0;
    let mut answer = async |name: Value| {
        let version = api.get(PATH).await.1["version"].clone();
        let changed =
            patch(&api, "", json!({"settings": {"name": name}, "version": version})).await;
        assert_eq!(changed.0, 200, "{}", changed.1);
        nth += 1;
        let inbound = json!({"id": format!("h{nth}"), "from": "+15125550101", "to": "+15125550000", "body": "HELP"});
        let (status, told) = api.post("/v1/messages/inbound", &inbound.to_string()).await;
        assert_eq!(status, 200, "{told}");
        let sent = api.get("/v1/messages?to=%2B15125550101&limit=1").await.1;
        sent["items"][0]["body"].as_str().unwrap_or_default().to_owned()
    };
    let tail = "We text when a team needs a hand.";
    let hope = answer(json!("Hope Church")).await;
    assert!(hope.starts_with(&format!("This is Hope Church. {tail}")), "{hope}");
    let seeded = answer(Value::Null).await;
    assert!(seeded.starts_with("This is Grace Church. "), "{seeded}");
    let version = api.get(PATH).await.1["version"].clone();
    let named = patch(&api, "", json!({"name": "Mercy Chapel", "version": version})).await.1;
    assert_eq!(named["name"], "Mercy Chapel");
}

#[tokio::test]
async fn a_change_that_is_not_supported_is_refused() {
    let api = TestApi::seeded().await;
    let version = api.get(PATH).await.1["version"].clone();
    for (change, status, code) in [
        (json!({"name": " "}), 422, "settings_invalid"),
        (json!({"name": "x".repeat(41)}), 422, "settings_invalid"),
        (json!({"region": "XX"}), 422, "schema"),
        (json!({"settings": {"region": "XX"}}), 422, "settings_invalid"),
        (json!({"domains": ["navy"]}), 422, "settings_invalid"),
        (json!({"domains": []}), 422, "settings_invalid"),
        (json!({"settings": {"quiet": "none"}}), 422, "settings_invalid"),
        (json!({"colour": "red"}), 422, "schema"),
    ] {
        let mut body = change.clone();
        body["version"] = version.clone();
        let (got, problem) = patch(&api, "", body).await;
        assert_eq!((got, &problem["code"]), (status, &json!(code)), "{change}: {problem}");
    }
    assert_eq!(patch(&api, "", json!({"paused": true})).await.1["code"], "schema");
    let nobody = "/v1/tenants/nobody";
    for (method, path) in [("GET", nobody.to_owned()), ("GET", format!("{nobody}/resume-preview"))]
    {
        let (status, problem) = api.send(method, &path, "", "").await;
        assert_eq!((status, &problem["code"]), (404, &json!("unknown_tenant")), "{path}");
    }
    let change = json!({"paused": true, "version": 1}).to_string();
    assert_eq!(api.send("PATCH", nobody, "", &change).await.0, 404);
    assert_eq!(api.get(PATH).await.1["version"], version, "nothing was changed");
    assert_eq!(patch(&api, "", json!({"shadow": false, "version": version})).await.0, 200);
}

#[tokio::test]
async fn tenants_are_listed_in_pages() {
    let api = TestApi::seeded().await;
    let make = transaction!(|tx| Ok(tx.ensure_tenant("north").await?));
    api.engine.write(make).await.expect("made");
    let (_, first) = api.get("/v1/tenants?limit=1").await;
    assert_eq!(
        (&first["items"][0]["id"], &first["next_cursor"]),
        (&json!("default"), &json!("default"))
    );
    let (_, rest) = api.get("/v1/tenants?limit=1&cursor=default").await;
    assert_eq!((&rest["items"][0]["id"], rest.get("next_cursor")), (&json!("north"), None));
}

#[tokio::test]
async fn a_resume_preview_counts_what_would_be_sent_and_started() {
    let api = TestApi::seeded().await;
    let empty = json!({
        "sends": { "count": 0, "by_method": [], "by_person": [] },
        "runs": { "count": 0, "by_method": [] }, "schedules": { "count": 0, "by_method": [] },
    });
    let preview = format!("{PATH}/resume-preview");
    assert_eq!(api.post("/v1/runs", &fill(2)).await.0, 202);
    assert_eq!(api.get(&preview).await, (200, empty.clone()), "it is not paused");

    let switch = async |paused: bool| {
        let version = api.get(PATH).await.1["version"].clone();
        let (status, tenant) = patch(&api, "", json!({"paused": paused, "version": version})).await;
        assert_eq!((status, &tenant["paused"]), (200, &json!(paused)), "{tenant}");
    };
    switch(true).await;
    let yes = super::inbound("m1", super::ANA, "yes");
    assert_eq!(api.post("/v1/messages/inbound", &yes).await.0, 200);
    let goal = json!({"kind": "FillRole", "role": "ushers", "count": 1, "time": super::SERVICE});
    let later = json!({"method": "fill_roles", "goal": goal, "at": "2025-09-30T15:00:00-05:00"});
    assert_eq!(api.post("/v1/schedules", &later.to_string()).await.0, 201);
    api.post("/v1/clock/advance", r#"{"by": "8h"}"#).await;
    assert_eq!(api.get("/v1/overview").await.1["held"], 1);
    let (_, runs) = api.get("/v1/runs").await;
    assert_eq!(runs["items"][0]["held"], true, "{runs}");

    let (_, told) = api.get(&preview).await;
    assert_eq!((&told["sends"]["count"], &told["runs"]["count"]), (&json!(1), &json!(1)), "{told}");
    assert_eq!(told["sends"]["by_method"][0]["template"], "confirmed", "{told}");
    assert_eq!(told["sends"]["by_person"][0]["name"], "Ana", "{told}");
    let held = json!({"method": "fill_roles", "count": 1, "due": 1, "pending": 0});
    assert_eq!(told["runs"]["by_method"][0], held, "{told}");
    assert_eq!(told["schedules"]["by_method"][0], json!({"method": "fill_roles", "count": 1}));
    switch(false).await;
    assert_eq!(api.get(&preview).await, (200, empty));
    assert_eq!(api.get("/v1/overview").await.1.get("held"), None);
    let (_, after) = api.get(PATH).await;
    assert_eq!((&after["paused"], after.get("switch")), (&json!(false), None), "{after}");
}
