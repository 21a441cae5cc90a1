//! Each route, over a real engine on a fresh file.

mod directory;
mod inbox;
mod methods;
mod steering;
mod tenants;

use serde_json::{Value, json};

use crate::http::testing::{House, Time};

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
    let house = House::empty(Time::Virtual).await;
    let ana = json!([{"name": "Ana", "phone": "512 555 0101", "roles": ["Nursery"]}]).to_string();
    let (status, first) = house.post("/v1/people", &ana).await;
    assert_eq!(status, 200, "{first}");
    assert_eq!(first["items"][0]["phone"], ANA);
    assert_eq!(house.post("/v1/people", &ana).await, (200, first.clone()), "again changes nothing");

    let (_, found) = house.get("/v1/people?role=nursery&q=an").await;
    assert_eq!(found["items"], first["items"]);
    assert_eq!(house.get("/v1/people?role=ushers").await.1["items"], json!([]));
}

#[tokio::test]
async fn lists_come_in_pages() {
    let house = House::seeded().await;
    let mut names: Vec<String> = Vec::new();
    let mut path = "/v1/people?limit=5".to_owned();
    for _ in 0..10 {
        let (status, page) = house.get(&path).await;
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
async fn a_request_is_made_changed_and_called_off() {
    let house = House::seeded().await;
    let new = json!({"service_time": SERVICE, "targets": {"nursery": 2}}).to_string();
    let (status, made) = house.send("POST", "/v1/requests", "k1", &new).await;
    assert_eq!((status, &made["status"]), (201, &json!("open")), "{made}");
    assert_eq!(house.send("POST", "/v1/requests", "k1", &new).await, (201, made.clone()));
    assert_eq!(house.post("/v1/requests", &new).await.0, 409, "one live request a service");

    let path = format!("/v1/requests/{}", id(&made));
    assert_eq!(house.get(&path).await, (200, made.clone()));
    let patch = json!({"targets": {"nursery": 3}, "version": made["version"]}).to_string();
    let (status, changed) = house.send("PATCH", &path, "", &patch).await;
    assert_eq!((status, &changed["targets"]), (200, &json!({"nursery": 3})), "{changed}");
    let (status, stale) = house.send("PATCH", &path, "", &patch).await;
    assert_eq!((status, &stale["code"]), (409, &json!("version_conflict")));

    let (_, cancelled) = house.post(&format!("{path}/cancel"), "").await;
    assert_eq!(cancelled["status"], "cancelled");
    assert_eq!(house.get("/v1/requests?status=open").await.1["items"], json!([]));
}

#[tokio::test]
async fn a_fact_is_written_listed_and_retired() {
    let house = House::seeded().await;
    let fact = json!({
        "topic": "Where are the spare keys?", "text": "With Pat.", "source": "Pat", "reviewer": "Ruth",
        "reviewed_at": "2025-01-01T00:00:00Z",
    });
    let path = "/v1/kb/spare-keys";
    let (status, put) = house.send("PUT", path, "k1", &fact.to_string()).await;
    assert_eq!(
        (status, &put["age_days"], &put["stale"]),
        (200, &json!(272), &json!(true)),
        "{put}"
    );
    let (_, all) = house.get("/v1/kb").await;
    assert_eq!(all["items"].as_array().map(Vec::len), Some(6), "the demo's five and this one");
    assert_eq!(house.post("/v1/seed", "").await.0, 200);
    assert_eq!(house.get("/v1/kb").await.1, all, "seeding again changes nothing");

    let (status, retired) = house.send("DELETE", path, "", "").await;
    assert_eq!((status, &retired["retired"]), (200, &json!(true)));
    let (_, retired) = house.get("/v1/kb?retired=true").await;
    assert_eq!(retired["items"][0]["id"], "spare-keys");
    assert_eq!(house.send("DELETE", "/v1/kb/nothing", "", "").await.0, 404);
    let bad = house.send("PUT", "/v1/kb/Spare%20Keys", "", &fact.to_string()).await;
    assert_eq!((bad.0, &bad.1["code"]), (422, &json!("invalid_fact")));
}

#[tokio::test]
async fn a_schedule_is_added_once_listed_fired_and_removed() {
    let house = House::seeded().await;
    let goal = json!({"kind": "FillRole", "role": "nursery", "count": 2, "time": SERVICE});
    let at = "2025-09-30T16:00:00-05:00";
    let new = json!({"method": "fill_roles", "goal": goal, "at": at}).to_string();
    let (status, once) = house.send("POST", "/v1/schedules", "k1", &new).await;
    assert_eq!((status, &once["next_at"]), (201, &json!(at)), "{once}");
    assert_eq!(house.send("POST", "/v1/schedules", "k1", &new).await, (201, once.clone()));
    let cron = json!({"method": "fill_roles", "goal": goal, "cron": "0 9 * * MON"});
    let (status, weekly) = house.post("/v1/schedules", &cron.to_string()).await;
    assert_eq!((status, &weekly["next_at"]), (201, &json!("2025-10-06T09:00:00-05:00")));
    assert_eq!(house.get("/v1/schedules").await.1["items"], json!([once, weekly]));
    let (_, page) = house.get("/v1/schedules?limit=1").await;
    let next =
        format!("/v1/schedules?limit=1&cursor={}", page["next_cursor"].as_str().expect("a cursor"));
    assert_eq!(house.get(&next).await.1["items"], json!([weekly]));

    let (_, advanced) = house.post("/v1/clock/advance", r#"{"by": "2h"}"#).await;
    assert_eq!(advanced["fired"], 1, "{advanced}");
    assert_eq!(
        house.get("/v1/runs?method=fill_roles").await.1["items"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(house.get("/v1/schedules").await.1["items"], json!([weekly]));

    let path = format!("/v1/schedules/{}", id(&weekly));
    assert_eq!(house.send("DELETE", &path, "", "").await, (200, weekly.clone()));
    assert_eq!(house.send("DELETE", &path, "", "").await.0, 404);
    assert_eq!(house.send("DELETE", "/v1/schedules/weekly", "", "").await.0, 404);
    let lacking = json!({"method": "fill_roles", "goal": {"kind": "FillRole"}, "at": at});
    let (status, refused) = house.post("/v1/schedules", &lacking.to_string()).await;
    assert_eq!((status, &refused["code"]), (422, &json!("goal_invalid")));
    let both = json!({"method": "fill_roles", "goal": goal, "at": at, "cron": "0 9 * * *"});
    assert_eq!(house.post("/v1/schedules", &both.to_string()).await.0, 422);
}

#[tokio::test]
async fn a_capacity_is_set_and_listed() {
    let house = House::seeded().await;
    let (status, set) = house.send("PUT", "/v1/capacities/van%20seats", "", "{\"total\": 8}").await;
    assert_eq!((status, set), (200, json!({"key": "van seats", "total": 8, "used": 0, "free": 8})));
    house.send("PUT", "/v1/capacities/projector", "", "{\"total\": 1}").await;
    let (_, all) = house.get("/v1/capacities").await;
    assert_eq!(
        (&all["items"][0]["key"], &all["items"][1]["total"]),
        (&json!("projector"), &json!(8))
    );
    for bad in ["{\"total\": -1}", "{\"total\": 1.5}", "{}"] {
        assert_eq!(house.send("PUT", "/v1/capacities/van", "", bad).await.0, 422, "{bad}");
    }
}

#[tokio::test]
async fn a_run_is_started_looked_at_and_steered() {
    let house = House::seeded().await;
    let (status, started) = house.send("POST", "/v1/runs", "k1", &fill(2)).await;
    assert_eq!(status, 202, "{started}");
    assert_eq!(house.send("POST", "/v1/runs", "k1", &fill(2)).await, (202, started.clone()));
    assert_eq!(house.send("POST", "/v1/runs", "k1", &fill(3)).await.1["code"], "key_clash");
    assert_eq!(house.post("/v1/runs", &fill(2)).await.1["code"], "already_running");
    let on_conflict =
        |what: &str| fill(2).replacen('{', &format!("{{\"on_conflict\":\"{what}\","), 1);
    let (status, joined) = house.post("/v1/runs", &on_conflict("join")).await;
    assert_eq!((status, &joined["id"]), (202, &started["id"]));
    assert_eq!(house.post("/v1/runs", &on_conflict("ignore")).await.0, 422);

    let path = format!("/v1/runs/{}", id(&started));
    let (_, run) = house.get(&path).await;
    assert_eq!((&run["status"], &run["waiting_on"]["need"]), (&json!("waiting"), &json!(2)));
    assert_eq!(run["waiting_on"]["from"].as_array().map(Vec::len), Some(12));
    let (_, waiting) = house.get("/v1/runs?waiting=true&method=fill_roles").await;
    assert_eq!(waiting["items"][0]["id"], started["id"]);
    assert_eq!(house.get("/v1/runs?status=failed").await.1["items"], json!([]));

    let (_, receipts) = house.get(&format!("{path}/receipts")).await;
    assert_eq!(receipts["items"][1]["tool"], "make_offers");
    let (_, messages) = house.get(&format!("{path}/messages")).await;
    assert_eq!(messages["items"].as_array().map(Vec::len), Some(12));
    let (_, events) = house.get(&format!("{path}/events?limit=1")).await;
    assert_eq!(events["items"][0]["kind"], "run.started");
    assert_eq!(events["next_cursor"], "1");
    let (_, graph) = house.get(&format!("{path}/graph")).await;
    assert_eq!(graph["nodes"][1]["state"], "finished", "{graph}");
    let (status, svg) = house.raw("GET", &format!("{path}/graph.svg"), "", "").await;
    assert!(status == 200 && svg.starts_with(b"<svg"), "{}", String::from_utf8_lossy(&svg));

    for (order, status) in [("pause", "paused"), ("resume", "waiting"), ("cancel", "cancelled")] {
        let (_, run) = house.post(&format!("{path}/{order}"), "").await;
        assert_eq!(run["status"], status, "{order}: {run}");
    }
    assert_eq!(house.post(&format!("{path}/retry"), "").await.0, 409);
    let signal = json!({"name": "go", "data": 1}).to_string();
    assert_eq!(house.post(&format!("{path}/signal"), &signal).await.0, 409, "it is over");
    assert_eq!(house.get("/v1/audit").await.1["breaches"], json!([]));
}

#[tokio::test]
async fn a_run_is_explained() {
    let house = House::seeded().await;
    let (_, started) = house.post("/v1/runs", &fill(2)).await;
    let path = format!("/v1/runs/{}", id(&started));
    let (status, told) = house.get(&format!("{path}/explain")).await;
    assert_eq!(status, 200, "{told}");
    assert!(told["text"].as_str().is_some_and(|text| text.contains("0 of 2")), "{told}");
    assert_eq!(told["waiting_on"]["kind"], "replies");
    assert_eq!(told["next"][0]["at"], "2025-10-01T01:20:00+00:00", "{told}");

    let signal = json!({"name": "go"}).to_string();
    let (status, sent) = house.post(&format!("{path}/signal"), &signal).await;
    assert_eq!((status, &sent["accepted"]), (202, &json!(true)), "{sent}");
    assert!(
        sent["warning"].as_str().is_some_and(|text| text.contains("awaits no signal")),
        "{sent}"
    );
}

#[tokio::test]
async fn a_message_is_heard_once() {
    let house = House::seeded().await;
    let ask = inbound("m1", "+15125550100", "Fill 2 nursery spots for the 9am service");
    let (status, heard) = house.post("/v1/messages/inbound", &ask).await;
    assert_eq!((status, &heard["handled_as"]), (200, &json!("staff_request")), "{heard}");
    let (_, again) = house.post("/v1/messages/inbound", &ask).await;
    assert_eq!((&again["duplicate"], &again["run_id"]), (&json!(true), &heard["run_id"]));

    let yes = house.post("/v1/messages/inbound", &inbound("m2", ANA, "sure, happy to")).await;
    assert_eq!(yes.1["handled_as"], "reply");
    let (_, sent) = house.get("/v1/messages?to=%2B15125550101&direction=outbound").await;
    let kinds: Vec<&Value> =
        sent["items"].as_array().into_iter().flatten().map(|m| &m["kind"]).collect();
    assert_eq!(kinds, ["confirmed", "invite"], "newest first");
    let plain = house.get("/v1/messages?to=+15125550101&direction=outbound").await;
    assert_eq!(plain.1, sent, "the plus of a number need not be encoded");
    let stop = house.post("/v1/messages/inbound", &inbound("m3", ANA, "STOP")).await;
    assert_eq!(stop.1["handled_as"], "opt_out");
}

#[tokio::test]
async fn a_virtual_clock_goes_when_it_is_told() {
    let house = House::seeded().await;
    house.post("/v1/runs", &fill(2)).await;
    let (status, advanced) = house.post("/v1/clock/advance", "{\"by\": \"9h\"}").await;
    assert_eq!((status, &advanced["now"]), (200, &json!("2025-10-01T04:20:00+00:00")));
    assert_eq!(advanced["fired"], 2, "the wait and the wait after the last call: {advanced}");
    assert_eq!(house.get("/v1/clock").await.1["now"], advanced["now"]);
    let (_, runs) = house.get("/v1/runs").await;
    assert_eq!(runs["items"][0]["outcome"], "fell_short");
    let back = house.post("/v1/clock/advance", "{\"to\": \"2025-09-30T00:00:00Z\"}").await;
    assert_eq!(back.0, 422);
}

#[tokio::test]
async fn a_real_clock_cannot_be_told() {
    let house = House::empty(Time::Real).await;
    assert_eq!(house.get("/v1/clock").await.0, 404);
    assert_eq!(house.post("/v1/clock/advance", "{\"by\": \"1h\"}").await.0, 404);
    assert!(!house.engine.is_virtual());
}

#[tokio::test]
async fn the_process_and_the_log_are_shown() {
    let house = House::seeded().await;
    house.post("/v1/runs", &fill(2)).await;
    assert_eq!(house.get("/healthz").await, (200, json!({"status": "ok"})));
    assert_eq!(house.get("/readyz").await, (200, json!({"status": "ready"})));
    assert_eq!(house.raw("GET", "/metrics", "", "").await.0, 200);
    let (_, events) = house.get("/v1/events?limit=2").await;
    assert_eq!(events["items"].as_array().map(Vec::len), Some(2), "{events}");
    let after = events["items"][1]["id"].as_str().expect("an id");
    let (_, overview) = house.get(&format!("/v1/overview?after={after}")).await;
    assert_eq!((&overview["runs"]["waiting"], &overview["stuck"]), (&json!(1), &json!(0)));
    assert!(overview["since"]["calls"].as_i64() > Some(0), "{overview}");
}

#[tokio::test]
async fn what_is_wrong_is_refused_with_its_code() {
    let house = House::seeded().await;
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
        let (got, problem) = house.send(method, &path, "", &body).await;
        assert_eq!(
            (got, &problem["code"]),
            (status, &json!(code)),
            "{method} {path} {body}: {problem}"
        );
    }
    let (_, runs) = house.get("/v1/runs").await;
    assert_eq!(runs["items"], json!([]), "nothing was changed");
}
