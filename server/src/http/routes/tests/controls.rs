//! Tests of the routes that skip a step, fork a run, or pause, resume, cancel or retry a run.

use abide_engine::transaction;
use serde_json::{Value, json};

use super::id;
use crate::http::testing::{TestApi, TestClock};

const METHOD: &str = "method: patient
steps:
  - { id: first, call: reserve, args: { key: hall, amount: 1 }, out: hall }
  - { id: second, await: { timeout: 2h } }
  - { id: third, await: { signal: more, timeout: 2h, out: more } }
";

const NOBODY: &str = "/v1/runs/run_01999c113f00700080132576642cadc8";

/// Starts a run that fails at its first step, because the resource `hall` does not exist.
/// Returns the URL path of the run.
async fn failed_run(api: &TestApi) -> String {
    let published = api.post("/v1/methods", &json!({"text": METHOD}).to_string()).await;
    assert_eq!(published.0, 201, "{}", published.1);
    let start = json!({"method": "patient", "goal": {"kind": "Wait"}}).to_string();
    let (status, started) = api.post("/v1/runs", &start).await;
    assert_eq!((status, &started["status"]), (202, &json!("failed")), "{started}");
    format!("/v1/runs/{}", id(&started))
}

fn step(run: &Value) -> &Value {
    &run["position"]["step_id"]
}

#[tokio::test]
async fn a_step_is_skipped_once_for_a_key() {
    let api = TestApi::empty(TestClock::Virtual).await;
    let run = failed_run(&api).await;
    let skip = format!("{run}/skip");
    let out = json!({"out": "hello"}).to_string();
    let (status, first) = api.send("POST", &skip, "k1", &out).await;
    assert_eq!((status, step(&first)), (200, &json!("second")), "{first}");
    assert_eq!(first["vars"]["hall"], "hello", "{first}");
    assert_eq!(api.send("POST", &skip, "k1", &out).await, (200, first));
    assert_eq!(step(&api.get(&run).await.1), "second", "the key stands for one step");
    let (status, other) = api.send("POST", &skip, "k1", "").await;
    assert_eq!((status, &other["code"]), (409, &json!("key_clash")), "{other}");

    for (body, status, code) in [
        (out.as_str(), 422, "out_unbound"),
        (r#"{"outs": 1}"#, 422, "schema"),
        ("{", 400, "not_json"),
    ] {
        let (got, refused) = api.post(&skip, body).await;
        assert_eq!((got, &refused["code"]), (status, &json!(code)), "{body}: {refused}");
    }
    assert_eq!(step(&api.post(&skip, "").await.1), "third");
    assert_eq!(api.post(&skip, r#"{"out": 1}"#).await.1["code"], "out_unbound", "an `await`");
    assert_eq!(api.post(&skip, "").await.1["status"], "completed");
    let (status, over) = api.post(&skip, "").await;
    assert_eq!((status, &over["code"]), (409, &json!("wrong_state")), "{over}");
    let (status, nobody) = api.post(&format!("{NOBODY}/skip"), "").await;
    assert_eq!((status, &nobody["code"]), (404, &json!("unknown_run")));

    let (_, events) = api.get(&format!("{run}/events?limit=100")).await;
    let events = events["items"].as_array().expect("events");
    assert_eq!(events.iter().filter(|event| event["kind"] == "run.skipped").count(), 3);
    assert_eq!(api.get("/v1/audit").await.1["breaches"], json!([]));
}

#[tokio::test]
async fn a_run_is_forked_once_for_a_key() {
    let api = TestApi::empty(TestClock::Virtual).await;
    let old = failed_run(&api).await;
    let (_, skipped) = api.post(&format!("{old}/skip"), r#"{"out": null}"#).await;
    assert_eq!(skipped["vars"].get("hall"), Some(&Value::Null), "null is a value, too");
    let fork = format!("{old}/fork");
    let from = |step: &str| json!({"from": step}).to_string();
    let (status, forked) = api.send("POST", &fork, "k1", &from("second")).await;
    assert_eq!((status, &forked["status"]), (202, &json!("waiting")), "{forked}");
    assert!(old.ends_with(forked["forked_from"].as_str().expect("the old one")), "{forked}");
    assert_eq!(api.send("POST", &fork, "k1", &from("second")).await, (202, forked.clone()));
    assert_eq!(api.send("POST", &fork, "k1", &from("first")).await.1["code"], "key_clash");

    let (_, new) = api.get(&format!("/v1/runs/{}", id(&forked))).await;
    assert_eq!((step(&new), &new["vars"]), (&json!("second"), &skipped["vars"]), "{new}");
    assert_eq!(new["forked_from"], forked["forked_from"]);
    let (_, all) = api.get("/v1/runs").await;
    assert_eq!(all["items"].as_array().map(Vec::len), Some(2), "the key stands for one run");

    let goal = json!({"from": "first", "goal": {"kind": "Other"}}).to_string();
    let (status, other) = api.post(&fork, &goal).await;
    assert_eq!(status, 202, "{other}");
    let (_, other) = api.get(&format!("/v1/runs/{}", id(&other))).await;
    assert_eq!((step(&other), &other["goal"]["kind"]), (&json!("first"), &json!("Other")));
    assert_eq!((&other["status"], other["vars"].get("hall")), (&json!("failed"), None));

    for (path, body, status, code) in [
        (&fork, from("thrid"), 404, "unknown_step"),
        (&fork, from("third"), 409, "cannot_fork"),
        (&fork, "{}".to_owned(), 422, "schema"),
        (&format!("{NOBODY}/fork"), from("first"), 404, "unknown_run"),
    ] {
        let (got, refused) = api.post(path, &body).await;
        assert_eq!((got, &refused["code"]), (status, &json!(code)), "{body}: {refused}");
    }
    assert_eq!(api.get("/v1/runs").await.1["items"].as_array().map(Vec::len), Some(3));
    assert_eq!(api.get("/v1/audit").await.1["breaches"], json!([]));
}

/// Deletes the stored responses, as if the process had carried out a request
/// and crashed before it stored the response.
async fn delete_answers(api: &TestApi) {
    let forget = transaction!(|tx| Ok(tx.execute("DELETE FROM http_key", &[]).await?));
    api.engine.write(forget).await.expect("is forgotten");
}

#[tokio::test]
async fn an_order_is_carried_out_once_for_a_key_even_if_its_answer_was_lost() {
    let api = TestApi::seeded().await;
    let start = json!({"method": "fill_roles", "goal": {"kind": "FillRole", "role": "nursery",
        "count": 2, "time": "2025-10-05T09:00:00-05:00"}});
    let (_, started) = api.post("/v1/runs", &start.to_string()).await;
    let run = format!("/v1/runs/{}", id(&started));
    let order = async |what: &str, key: &str| {
        let (status, run) = api.send("POST", &format!("{run}/{what}"), key, "").await;
        assert_eq!(status, 200, "{what} {key}: {run}");
        run["status"].clone()
    };
    assert_eq!(order("pause", "k1").await, "paused");
    assert_eq!(order("resume", "k2").await, "waiting");
    delete_answers(&api).await;
    assert_eq!(order("pause", "k1").await, "waiting", "it was paused once, and has gone on");
    assert_eq!(order("pause", "k3").await, "paused", "another key is another order");
    assert_eq!(order("resume", "k2").await, "paused", "it was resumed once, and is paused again");
    assert_eq!(order("cancel", "k4").await, "cancelled");
    delete_answers(&api).await;
    assert_eq!(order("cancel", "k4").await, "cancelled");
}

#[tokio::test]
async fn a_failed_run_is_retried_once_for_a_key() {
    let api = TestApi::empty(TestClock::Virtual).await;
    let run = failed_run(&api).await;
    let retry = format!("{run}/retry");
    let receipts = async || {
        let (_, receipts) = api.get(&format!("{run}/receipts")).await;
        receipts["items"].as_array().map_or(0, Vec::len)
    };
    let before = receipts().await;
    assert_eq!(api.send("POST", &retry, "k1", "").await.0, 200);
    let after = receipts().await;
    assert!(after > before, "it was tried again");
    delete_answers(&api).await;
    assert_eq!(api.send("POST", &retry, "k1", "").await.0, 200);
    assert_eq!(receipts().await, after, "once");
}
