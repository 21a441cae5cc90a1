//! Tests of each route, with a real engine on a new database file.

mod archives;
mod calls;
mod controls;
mod files;
mod inbox;
mod methods;
mod people;
mod services;
mod stream;
mod tenants;

use serde_json::{Value, json};

use crate::http::testing::{TestApi, TestClock};

const SERVICE: &str = "2025-10-05T09:00:00-05:00";
const ANA: &str = "+15125550101";

fn fill(count: u32) -> String {
    let goal = json!({"kind": "FillRole", "role": "nursery", "count": count, "time": SERVICE});
    json!({"method": "fill_roles", "goal": goal}).to_string()
}

fn inbound(id: &str, from: &str, body: &str) -> String {
    json!({"id": id, "from": from, "to": "+15125550199", "body": body}).to_string()
}

fn id(answer: &Value) -> &str {
    answer["id"].as_str().expect("an id")
}

#[tokio::test]
async fn people_are_matched_by_phone_and_name() {
    let api = TestApi::empty(TestClock::Virtual).await;
    let ana = json!([{"name": "Ana", "phone": "512 555 0101", "roles": ["Nursery"]}]).to_string();
    let (status, first) = api.post("/v1/people", &ana).await;
    assert_eq!(status, 200, "{first}");
    assert_eq!(first["items"][0]["phone"], ANA);
    assert_eq!(api.post("/v1/people", &ana).await, (200, first.clone()), "again changes nothing");

    let (_, found) = api.get("/v1/people?role=nursery&q=an").await;
    assert_eq!(found["items"], first["items"]);
    assert_eq!(api.get("/v1/people?role=ushers").await.1["items"], json!([]));
}

#[tokio::test]
async fn lists_come_in_pages() {
    let api = TestApi::seeded().await;
    let mut names: Vec<String> = Vec::new();
    let mut path = "/v1/people?limit=5".to_owned();
    for _ in 0..10 {
        let (status, page) = api.get(&path).await;
        assert_eq!(status, 200, "{page}");
        let items = page["items"].as_array().expect("items");
        assert!(items.len() <= 5);
        names.extend(items.iter().map(|person| person["name"].to_string()));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/people?limit=5&cursor={cursor}");
    }
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!((count, names.len()), (14, 14), "everybody once");
}

#[tokio::test]
async fn a_request_is_created_changed_and_cancelled() {
    let api = TestApi::seeded().await;
    let new = json!({"service_time": SERVICE, "targets": {"nursery": 2}}).to_string();
    let (status, made) = api.send("POST", "/v1/requests", "k1", &new).await;
    assert_eq!((status, &made["status"]), (201, &json!("open")), "{made}");
    assert_eq!(api.send("POST", "/v1/requests", "k1", &new).await, (201, made.clone()));
    assert_eq!(api.post("/v1/requests", &new).await.0, 409, "one live request a service");

    let path = format!("/v1/requests/{}", id(&made));
    assert_eq!(api.get(&path).await, (200, made.clone()));
    let patch = json!({"targets": {"nursery": 3}, "version": made["version"]}).to_string();
    let (status, changed) = api.send("PATCH", &path, "", &patch).await;
    assert_eq!((status, &changed["targets"]), (200, &json!({"nursery": 3})), "{changed}");
    let (status, stale) = api.send("PATCH", &path, "", &patch).await;
    assert_eq!((status, &stale["code"]), (409, &json!("version_conflict")));

    let (_, cancelled) = api.post(&format!("{path}/cancel"), "").await;
    assert_eq!(cancelled["status"], "cancelled");
    assert_eq!(api.get("/v1/requests?status=open").await.1["items"], json!([]));
}

#[tokio::test]
async fn a_fact_is_written_listed_and_retired() {
    let api = TestApi::seeded().await;
    let fact = json!({
        "topic": "Where are the spare keys?", "text": "With Pat.", "source": "Pat", "reviewer": "Ruth",
        "reviewed_at": "2025-01-01T00:00:00Z",
    });
    let path = "/v1/kb/spare-keys";
    let (status, put) = api.send("PUT", path, "k1", &fact.to_string()).await;
    assert_eq!(
        (status, &put["age_days"], &put["stale"]),
        (200, &json!(272), &json!(true)),
        "{put}"
    );
    let (_, all) = api.get("/v1/kb").await;
    assert_eq!(all["items"].as_array().map(Vec::len), Some(6), "the demo's five and this one");
    assert_eq!(api.post("/v1/seed", "").await.0, 200);
    assert_eq!(api.get("/v1/kb").await.1, all, "seeding again changes nothing");

    let (status, retired) = api.send("DELETE", path, "", "").await;
    assert_eq!((status, &retired["retired"]), (200, &json!(true)));
    let (_, retired) = api.get("/v1/kb?retired=true").await;
    assert_eq!(retired["items"][0]["id"], "spare-keys");
    assert_eq!(api.send("DELETE", "/v1/kb/nothing", "", "").await.0, 404);
    let bad = api.send("PUT", "/v1/kb/Spare%20Keys", "", &fact.to_string()).await;
    assert_eq!((bad.0, &bad.1["code"]), (422, &json!("invalid_fact")));
}

#[tokio::test]
async fn a_schedule_is_added_listed_fired_and_removed() {
    let api = TestApi::seeded().await;
    let goal = json!({"kind": "FillRole", "role": "nursery", "count": 2, "time": SERVICE});
    let at = "2025-09-30T16:00:00-05:00";
    let new = json!({"method": "fill_roles", "goal": goal, "at": at}).to_string();
    let (status, single) = api.send("POST", "/v1/schedules", "k1", &new).await;
    assert_eq!((status, &single["next_at"]), (201, &json!(at)), "{single}");
    assert_eq!(api.send("POST", "/v1/schedules", "k1", &new).await, (201, single.clone()));
    let cron = json!({"method": "fill_roles", "goal": goal, "cron": "0 9 * * MON"});
    let (status, weekly) = api.post("/v1/schedules", &cron.to_string()).await;
    assert_eq!((status, &weekly["next_at"]), (201, &json!("2025-10-06T09:00:00-05:00")));
    assert_eq!(api.get("/v1/schedules").await.1["items"], json!([single, weekly]));
    let (_, page) = api.get("/v1/schedules?limit=1").await;
    let next =
        format!("/v1/schedules?limit=1&cursor={}", page["next_cursor"].as_str().expect("a cursor"));
    assert_eq!(api.get(&next).await.1["items"], json!([weekly]));

    let (_, advanced) = api.post("/v1/clock/advance", r#"{"by": "2h"}"#).await;
    assert_eq!(advanced["fired"], 1, "{advanced}");
    assert_eq!(
        api.get("/v1/runs?method=fill_roles").await.1["items"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(api.get("/v1/schedules").await.1["items"], json!([weekly]));

    let path = format!("/v1/schedules/{}", id(&weekly));
    assert_eq!(api.send("DELETE", &path, "", "").await, (200, weekly.clone()));
    assert_eq!(api.send("DELETE", &path, "", "").await.0, 404);
    assert_eq!(api.send("DELETE", "/v1/schedules/weekly", "", "").await.0, 404);
    let lacking = json!({"method": "fill_roles", "goal": {"kind": "FillRole"}, "at": at});
    let (status, refused) = api.post("/v1/schedules", &lacking.to_string()).await;
    assert_eq!((status, &refused["code"]), (422, &json!("goal_invalid")));
    let both = json!({"method": "fill_roles", "goal": goal, "at": at, "cron": "0 9 * * *"});
    assert_eq!(api.post("/v1/schedules", &both.to_string()).await.0, 422);
}

#[tokio::test]
async fn a_capacity_is_set_and_listed() {
    let api = TestApi::seeded().await;
    let (status, set) = api.send("PUT", "/v1/capacities/van%20seats", "", "{\"total\": 8}").await;
    assert_eq!((status, set), (200, json!({"key": "van seats", "total": 8, "used": 0, "free": 8})));
    api.send("PUT", "/v1/capacities/projector", "", "{\"total\": 1}").await;
    let (_, all) = api.get("/v1/capacities").await;
    assert_eq!(
        (&all["items"][0]["key"], &all["items"][1]["total"]),
        (&json!("projector"), &json!(8))
    );
    for bad in ["{\"total\": -1}", "{\"total\": 1.5}", "{}"] {
        assert_eq!(api.send("PUT", "/v1/capacities/van", "", bad).await.0, 422, "{bad}");
    }
}

#[tokio::test]
async fn a_run_is_started_shown_and_controlled() {
    let api = TestApi::seeded().await;
    let (status, started) = api.send("POST", "/v1/runs", "k1", &fill(2)).await;
    assert_eq!(status, 202, "{started}");
    assert_eq!(api.send("POST", "/v1/runs", "k1", &fill(2)).await, (202, started.clone()));
    assert_eq!(api.send("POST", "/v1/runs", "k1", &fill(3)).await.1["code"], "key_clash");
    assert_eq!(api.post("/v1/runs", &fill(2)).await.1["code"], "already_running");
    let on_conflict =
        |what: &str| fill(2).replacen('{', &format!("{{\"on_conflict\":\"{what}\","), 1);
    let (status, joined) = api.post("/v1/runs", &on_conflict("join")).await;
    assert_eq!((status, &joined["id"]), (202, &started["id"]));
    assert_eq!(api.post("/v1/runs", &on_conflict("ignore")).await.0, 422);

    let path = format!("/v1/runs/{}", id(&started));
    let (_, run) = api.get(&path).await;
    assert_eq!((&run["status"], &run["waiting_on"]["need"]), (&json!("waiting"), &json!(2)));
    assert_eq!(run["waiting_on"]["from"].as_array().map(Vec::len), Some(12));
    let (_, waiting) = api.get("/v1/runs?waiting=true&method=fill_roles").await;
    assert_eq!(waiting["items"][0]["id"], started["id"]);
    assert_eq!(api.get("/v1/runs?status=failed").await.1["items"], json!([]));

    let (_, receipts) = api.get(&format!("{path}/receipts")).await;
    assert_eq!(receipts["items"][1]["tool"], "make_offers");
    let (_, messages) = api.get(&format!("{path}/messages")).await;
    assert_eq!(messages["items"].as_array().map(Vec::len), Some(12));
    let (_, events) = api.get(&format!("{path}/events?limit=1")).await;
    assert_eq!(events["items"][0]["kind"], "run.started");
    assert_eq!(events["next_cursor"], "1");
    let (_, graph) = api.get(&format!("{path}/graph")).await;
    assert_eq!(graph["nodes"][1]["state"], "finished", "{graph}");
    let (status, svg) = api.send_raw("GET", &format!("{path}/graph.svg"), "", "").await;
    assert!(status == 200 && svg.starts_with(b"<svg"), "{}", String::from_utf8_lossy(&svg));

    for (order, status) in [("pause", "paused"), ("resume", "waiting"), ("cancel", "cancelled")] {
        let (_, run) = api.post(&format!("{path}/{order}"), "").await;
        assert_eq!(run["status"], status, "{order}: {run}");
    }
    assert_eq!(api.post(&format!("{path}/retry"), "").await.0, 409);
    let signal = json!({"name": "go", "data": 1}).to_string();
    assert_eq!(api.post(&format!("{path}/signal"), &signal).await.0, 409, "it is over");
    assert_eq!(api.get("/v1/audit").await.1["breaches"], json!([]));
}

#[tokio::test]
async fn a_run_is_explained() {
    let api = TestApi::seeded().await;
    let (_, started) = api.post("/v1/runs", &fill(2)).await;
    let path = format!("/v1/runs/{}", id(&started));
    let (status, explained) = api.get(&format!("{path}/explain")).await;
    assert_eq!(status, 200, "{explained}");
    assert!(explained["text"].as_str().is_some_and(|text| text.contains("0 of 2")), "{explained}");
    assert_eq!(explained["waiting_on"]["kind"], "replies");
    assert_eq!(explained["next"][0]["at"], "2025-10-01T01:20:00+00:00", "{explained}");

    let signal = json!({"name": "go"}).to_string();
    let (status, sent) = api.post(&format!("{path}/signal"), &signal).await;
    assert_eq!((status, &sent["accepted"]), (202, &json!(true)), "{sent}");
    assert!(
        sent["warning"].as_str().is_some_and(|text| text.contains("awaits no signal")),
        "{sent}"
    );
}

#[tokio::test]
async fn a_repeated_message_is_a_duplicate() {
    let api = TestApi::seeded().await;
    let message = inbound("m1", "+15125550100", "Fill 2 nursery spots for the 9am service");
    let (status, received) = api.post("/v1/messages/inbound", &message).await;
    assert_eq!((status, &received["handled_as"]), (200, &json!("staff_request")), "{received}");
    let (_, again) = api.post("/v1/messages/inbound", &message).await;
    assert_eq!((&again["duplicate"], &again["run_id"]), (&json!(true), &received["run_id"]));

    let yes = api.post("/v1/messages/inbound", &inbound("m2", ANA, "sure, happy to")).await;
    assert_eq!(yes.1["handled_as"], "reply");
    let (_, sent) = api.get("/v1/messages?to=%2B15125550101&direction=outbound").await;
    let kinds: Vec<&Value> =
        sent["items"].as_array().into_iter().flatten().map(|m| &m["kind"]).collect();
    assert_eq!(kinds, ["confirmed", "invite"], "newest first");
    let plain = api.get("/v1/messages?to=+15125550101&direction=outbound").await;
    assert_eq!(plain.1, sent, "the plus of a number need not be encoded");
    let stop = api.post("/v1/messages/inbound", &inbound("m3", ANA, "STOP")).await;
    assert_eq!(stop.1["handled_as"], "opt_out");
}

#[tokio::test]
async fn a_virtual_clock_is_advanced_by_a_request() {
    let api = TestApi::seeded().await;
    api.post("/v1/runs", &fill(2)).await;
    let (status, advanced) = api.post("/v1/clock/advance", "{\"by\": \"9h\"}").await;
    assert_eq!((status, &advanced["now"]), (200, &json!("2025-10-01T04:20:00+00:00")));
    assert_eq!(advanced["fired"], 2, "the wait and the wait after the last call: {advanced}");
    assert_eq!(api.get("/v1/clock").await.1["now"], advanced["now"]);
    let (_, runs) = api.get("/v1/runs").await;
    assert_eq!(runs["items"][0]["outcome"], "fell_short");
    let back = api.post("/v1/clock/advance", "{\"to\": \"2025-09-30T00:00:00Z\"}").await;
    assert_eq!(back.0, 422);
}

#[tokio::test]
async fn the_system_clock_cannot_be_advanced() {
    let api = TestApi::empty(TestClock::Real).await;
    assert_eq!(api.get("/v1/clock").await.0, 404);
    assert_eq!(api.post("/v1/clock/advance", "{\"by\": \"1h\"}").await.0, 404);
    assert!(!api.engine.is_virtual());
}

#[tokio::test]
async fn health_metrics_events_and_the_overview_are_shown() {
    let api = TestApi::seeded().await;
    api.post("/v1/runs", &fill(2)).await;
    assert_eq!(api.get("/healthz").await, (200, json!({"status": "ok"})));
    assert_eq!(api.get("/readyz").await, (200, json!({"status": "ready"})));
    assert_eq!(api.send_raw("GET", "/metrics", "", "").await.0, 200);
    let (_, events) = api.get("/v1/events?limit=2").await;
    assert_eq!(events["items"].as_array().map(Vec::len), Some(2), "{events}");
    let after = events["items"][1]["id"].as_str().expect("an id");
    let (_, overview) = api.get(&format!("/v1/overview?after={after}")).await;
    assert_eq!((&overview["runs"]["waiting"], &overview["stuck"]), (&json!(1), &json!(0)));
    assert!(overview["since"]["calls"].as_i64() > Some(0), "{overview}");
}

#[tokio::test]
async fn an_invalid_request_is_refused_with_the_code_of_its_fault() {
    let api = TestApi::seeded().await;
    let nobody = "01999c113f00700080132576642cadc8";
    let cases = [
        ("GET", format!("/v1/runs/run_{nobody}"), String::new(), 404, "unknown_run"),
        ("GET", "/v1/runs/run_1".into(), String::new(), 404, "unknown_run"),
        ("GET", format!("/v1/runs/run_{nobody}/messages"), String::new(), 404, "unknown_run"),
        ("GET", format!("/v1/runs/run_{nobody}/explain"), String::new(), 404, "unknown_run"),
        ("POST", format!("/v1/runs/run_{nobody}/cancel"), String::new(), 404, "unknown_run"),
        ("GET", format!("/v1/requests/req_{nobody}"), String::new(), 404, "request_unknown"),
        ("GET", "/v1/runs?status=asleep".into(), String::new(), 422, "invalid_status"),
        ("GET", "/v1/runs?cursor=x".into(), String::new(), 422, "invalid_cursor"),
        ("GET", "/v1/runs?limit=1000".into(), String::new(), 422, "schema"),
        ("GET", "/v1/messages?direction=up".into(), String::new(), 422, "invalid_direction"),
        ("POST", "/v1/runs".into(), "{\"method\": \"fill_roles\"}".into(), 422, "schema"),
        ("POST", "/v1/runs".into(), fill(2).replace("fill_roles", "x"), 404, "unknown_method"),
        ("POST", "/v1/runs".into(), fill(2).replace(":2,", ":\"2\","), 422, "goal_invalid"),
        ("POST", "/v1/runs".into(), fill(2).replace("2025", "2015"), 422, "service_passed"),
        (
            "POST",
            "/v1/people".into(),
            "[{\"name\": \"A\", \"phone\": \"x\"}]".into(),
            422,
            "invalid_phone",
        ),
        ("POST", "/v1/people".into(), "{}".into(), 422, "schema"),
        ("POST", "/v1/messages/inbound".into(), inbound("", ANA, "hi"), 422, "message_invalid"),
        ("POST", "/v1/messages/inbound".into(), inbound("m", "Ana", "hi"), 422, "message_invalid"),
        ("POST", "/v1/clock/advance".into(), "{}".into(), 422, "schema"),
    ];
    for (method, path, body, status, code) in cases {
        let (got, problem) = api.send(method, &path, "", &body).await;
        assert_eq!(
            (got, &problem["code"]),
            (status, &json!(code)),
            "{method} {path} {body}: {problem}"
        );
    }
    let (_, runs) = api.get("/v1/runs").await;
    assert_eq!(runs["items"], json!([]), "nothing was changed");
}
