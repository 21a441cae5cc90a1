//! Tests of the routes that publish, compare, roll back and delete versions of methods, and move runs.

use serde_json::{Value, json};

use super::id;
use crate::http::testing::{TestApi, TestClock};

fn text(hours: u32) -> String {
    format!("method: patience\nsteps:\n  - {{ id: pause, await: {{ timeout: {hours}h }} }}\n")
}

async fn publish(api: &TestApi, hours: u32) -> (u16, Value) {
    api.post("/v1/methods", &json!({"text": text(hours)}).to_string()).await
}

/// Publishes two versions of a method, and starts a run of the first version.
/// Returns the URL path of the run.
async fn two_versions(api: &TestApi) -> String {
    assert_eq!(publish(api, 2).await.0, 201);
    let start = json!({"method": "patience", "goal": {"kind": "Wait"}}).to_string();
    let (_, started) = api.post("/v1/runs", &start).await;
    assert_eq!(started["status"], "waiting", "{started}");
    assert_eq!(publish(api, 3).await.1["version"], 2);
    format!("/v1/runs/{}", id(&started))
}

#[tokio::test]
async fn a_method_is_published_once_and_shown() {
    let api = TestApi::empty(TestClock::Virtual).await;
    let (status, published) = publish(&api, 2).await;
    assert_eq!((status, &published["new"]), (201, &json!(true)), "{published}");
    let (status, again) = publish(&api, 2).await;
    assert_eq!((status, &again["new"]), (200, &json!(false)), "{again}");
    let faulty = json!({"text": "method: patience\nsteps: 1\n"}).to_string();
    let (status, refused) = api.post("/v1/methods", &faulty).await;
    assert_eq!((status, &refused["code"]), (422, &json!("method_invalid")));
    assert_eq!(refused["findings"][0]["line"], 2, "{refused}");

    let (_, all) = api.get("/v1/methods").await;
    let names: Vec<&Value> =
        all["items"].as_array().into_iter().flatten().map(|method| &method["name"]).collect();
    assert!(names.contains(&&json!("patience")) && names.contains(&&json!("fill_roles")));
    let (_, shown) = api.get("/v1/methods/patience").await;
    assert_eq!((&shown["text"], &shown["origin"]), (&json!(text(2)), &json!("published")));
    let (_, versions) = api.get("/v1/methods/patience/versions").await;
    assert_eq!(versions["items"], shown["versions"]);
    let (_, version) = api.get("/v1/methods/patience/versions/1").await;
    assert_eq!((&version["text"], &version["active"]), (&shown["text"], &json!(true)));

    let (_, graph) = api.get("/v1/methods/fill_roles/graph").await;
    assert_eq!(graph["method"], "fill_roles");
    let (status, dot) =
        api.send_raw("GET", "/v1/methods/fill_roles/graph?format=dot", "", "").await;
    assert!(status == 200 && dot.starts_with(b"digraph"), "{}", String::from_utf8_lossy(&dot));
    for (path, code) in [
        ("/v1/methods/nothing", "unknown_method"),
        ("/v1/methods/patience/versions/7", "unknown_version"),
        ("/v1/methods/patience/graph?format=png", "unknown_format"),
    ] {
        let (status, refused) = api.get(path).await;
        assert_eq!((status, &refused["code"]), (404, &json!(code)), "{path}");
    }
}

#[tokio::test]
async fn two_versions_are_compared_and_a_draft_is_judged() {
    let api = TestApi::empty(TestClock::Virtual).await;
    let run = two_versions(&api).await;
    let (_, diff) = api.get("/v1/methods/patience/diff").await;
    assert_eq!(
        (&diff["from"], &diff["to"], &diff["runs"]["safe"]),
        (&json!(1), &json!(2), &json!(1))
    );
    assert_eq!(diff["changes"][0]["change"], "changed", "{diff}");
    assert!(run.ends_with(diff["runs"]["groups"][0]["runs"][0].as_str().expect("a run")));

    let draft = json!({"text": text(4)}).to_string();
    let (_, judged) = api.post("/v1/methods/check", &draft).await;
    assert_eq!((&judged["dry_run"], &judged["safe"]), (&json!(true), &json!(1)), "{judged}");
    let faulty = json!({"text": "method: patience\n"}).to_string();
    assert_eq!(api.post("/v1/methods/check", &faulty).await, (200, json!({})));
    let contracts = json!({"contracts": []}).to_string();
    assert_eq!(api.post("/v1/contracts/check", &contracts).await.1["items"], json!([]));
}

#[tokio::test]
async fn runs_are_moved_to_a_version_and_back() {
    let api = TestApi::empty(TestClock::Virtual).await;
    let run = two_versions(&api).await;
    let version = async || api.get(&run).await.1["method_version"].clone();
    let upgrade = "/v1/methods/patience/upgrade";
    let (_, judged) = api.post(upgrade, r#"{"dry_run": true}"#).await;
    assert_eq!((&judged["safe"], judged.get("id")), (&json!(1), None), "{judged}");
    let (status, moved) = api.send("POST", upgrade, "k1", "{}").await;
    assert_eq!((status, &moved["progress"]["moved"]), (200, &json!(1)), "{moved}");
    assert_eq!(version().await, 2);
    let order = format!("/v1/upgrades/{}", id(&moved));
    assert_eq!(api.get(&order).await.1["moved"], 1);
    let (status, undone) = api.post(&format!("{order}/undo"), "").await;
    assert_eq!((status, version().await), (200, json!(1)), "{undone}");

    let (status, moved) = api.post(&format!("{run}/upgrade"), r#"{"to": 2}"#).await;
    assert_eq!((status, version().await), (200, json!(2)), "{moved}");
    let (status, undone) = api.post(&format!("{run}/upgrade/undo"), "").await;
    assert_eq!((status, version().await), (200, json!(1)), "{undone}");
    let nothing = "/v1/upgrades/upg_01999c113f00700080132576642cadc8";
    assert_eq!(api.get(nothing).await.1["code"], "unknown_upgrade");
}

#[tokio::test]
async fn a_method_is_rolled_back_and_a_version_is_deleted() {
    let api = TestApi::empty(TestClock::Virtual).await;
    two_versions(&api).await;
    let (status, back) = api.post("/v1/methods/patience/rollback", "").await;
    assert_eq!((status, &back["version"]), (200, &json!(1)), "{back}");
    let (_, deleted) = api.send("DELETE", "/v1/methods/patience/versions/2", "k1", "").await;
    assert_eq!(deleted, json!({"name": "patience", "version": 2, "deleted": true}));
    let (status, active) = api.send("DELETE", "/v1/methods/patience/versions/1", "", "").await;
    assert_eq!((status, &active["code"]), (409, &json!("version_active")), "{active}");
    let (status, none) = api.post("/v1/methods/patience/rollback", "").await;
    assert_eq!((status, &none["code"]), (409, &json!("no_older_version")), "{none}");
}
