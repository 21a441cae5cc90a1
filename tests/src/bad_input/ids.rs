//! Ids that do not exist, and strings that are not ids.

use abide_engine::base::id::IdSource;
use abide_engine::base::{PersonId, RequestId, RunId, Timestamp};
use serde_json::{Value, json};

use super::{ROWS, failure_text};
use crate::campaign::church::{SERVICE, goal};
use crate::postgres::databases;
use crate::process::{ApiAnswer, ServerProcess, run_abide};

#[track_caller]
fn check(reply: &ApiAnswer, status: u16, codes: &[&str], about: &str) {
    let told = reply.body.to_string();
    assert_eq!(reply.status, status, "{about}: {told:.300}");
    let code = reply.body["code"].as_str().unwrap_or_default();
    assert!(codes.contains(&code), "{about}: {told:.300}");
    assert!(told.len() < 1_000, "{about}: {} bytes", told.len());
}

const OF_A_RUN: [&str; 6] = ["", "/receipts", "/events", "/messages", "/graph", "/graph.svg"];
const ORDERS: [&str; 4] = ["cancel", "pause", "resume", "retry"];

#[tokio::test]
async fn an_unknown_id_is_not_found() {
    let ids = IdSource::seeded(99);
    let now = Timestamp::from_micros(1_790_000_000_000_000);
    let (run, request): (RunId, RequestId) = (ids.mint(now), ids.mint(now));
    let person: PersonId = ids.mint(now);
    let long = "x".repeat(5_000);
    let (run, request) = (run.to_string(), request.to_string());
    let no_ids = ["run_", "run_1", "7", "%00", "%ff", "run_%F0%9F%98%80", long.as_str()];
    for database in databases() {
        assert!(run_abide(&["migrate", "--db", database.url()]).status.success(), "{database}");
        let server = ServerProcess::serve(database.url(), &["--clock", "virtual"]);
        let before = database.number(ROWS).await;
        for id in no_ids.iter().copied().chain([&*run, &*request]) {
            let about = format!("{database}: {id:.40}");
            for path in OF_A_RUN {
                let reply = server.get(&format!("/v1/runs/{id}{path}")).await;
                check(&reply, 404, &["unknown_run", "not_found"], &about);
            }
            for order in ORDERS {
                let reply = server.post(&format!("/v1/runs/{id}/{order}"), &json!({})).await;
                check(&reply, 404, &["unknown_run", "not_found"], &about);
            }
            let signal = json!({"name": "go", "data": {}});
            let reply = server.post(&format!("/v1/runs/{id}/signal"), &signal).await;
            check(&reply, 404, &["unknown_run", "not_found"], &about);
            let reply = server.get(&format!("/v1/requests/{id}")).await;
            check(&reply, 404, &["request_unknown", "not_found"], &about);
            let reply = server.post(&format!("/v1/requests/{id}/cancel"), &json!({})).await;
            check(&reply, 404, &["request_unknown", "not_found"], &about);
        }
        let start =
            |request: &str| json!({"method": "fill_roles", "goal": goal(2), "request_id": request});
        check(&server.post("/v1/runs", &start(&request)).await, 404, &["request_unknown"], "start");
        check(
            &server.post("/v1/runs", &start(&run)).await,
            422,
            &["schema"],
            "start with another id",
        );
        let method = json!({"method": "fill_rolls", "goal": goal(2)});
        let reply = server.post("/v1/runs", &method).await;
        check(&reply, 404, &["unknown_method"], "method");
        assert_eq!(reply.body["hint"], "did you mean `fill_roles`?");
        let people = |id: &str| json!([{"id": id, "name": "Ana", "phone": "+15125550101"}]);
        let reply = server.post("/v1/people", &people(&person.to_string())).await;
        check(&reply, 404, &["person_unknown"], "person");
        check(&server.post("/v1/people", &people("ana")).await, 422, &["schema"], "no person's id");
        check(
            &server.post("/v1/people", &people(&run)).await,
            422,
            &["schema"],
            "a run for a person",
        );
        check(&server.get("/v1/no/such").await, 404, &["unknown_route"], "route");
        assert_eq!(database.number(ROWS).await, before, "{database}");
        assert_eq!(database.number("SELECT COUNT(*) FROM person").await, 0, "{database}");
    }
}

#[tokio::test]
async fn an_invalid_query_is_refused() {
    let database = crate::postgres::TestDb::sqlite();
    let server = ServerProcess::serve(database.url(), &[]);
    let cases = [
        ("/v1/runs?request_id=x", "schema"),
        ("/v1/runs?cursor=x", "invalid_cursor"),
        ("/v1/runs?limit=0", "schema"),
        ("/v1/runs?limit=501", "schema"),
        ("/v1/runs?limit=-1", "schema"),
        ("/v1/runs?status=lost", "invalid_status"),
        ("/v1/messages?direction=up", "invalid_direction"),
        ("/v1/messages?run_id=req_1", "schema"),
        ("/v1/requests?from=soon", "schema"),
        ("/v1/people?cursor=x", "invalid_cursor"),
    ];
    for (path, code) in cases {
        check(&server.get(path).await, 422, &[code], path);
    }
    for path in ["/v1/runs?limit=1", "/v1/runs?limit=500"] {
        assert_eq!(server.get(path).await.status, 200, "{path}");
    }
}

#[test]
fn the_command_line_reports_an_unknown_id() {
    for database in databases() {
        assert!(run_abide(&["migrate", "--db", database.url()]).status.success(), "{database}");
        for verb in ["show", "cancel", "pause", "resume", "retry"] {
            for id in ["run_01890a5d-ac96-774b-bcce-b302099a8057", "7", "a b/../c?d#e", "run_é"] {
                let said = failure_text(&run_abide(&["run", verb, id, "--db", database.url()]));
                assert!(said.contains("error: there is no run"), "{database}: {verb} {id}: {said}");
                assert!(said.contains("hint: "), "{database}: {verb} {id}: {said}");
            }
        }
        let json = run_abide(&["run", "show", "7", "--json", "--db", database.url()]);
        let told: Value = serde_json::from_slice(&json.stderr).expect("JSON on stderr");
        assert_eq!((&told["code"], &told["status"]), (&json!("unknown_run"), &json!(404)));
        let goal =
            json!({"kind": "FillRole", "role": "nursery", "count": 2, "time": SERVICE}).to_string();
        let start = ["run", "start", "fill_roles", "--request", "req_x", "--goal", &goal];
        let said = failure_text(&run_abide(&[&start[..], &["--db", database.url()]].concat()));
        assert!(said.contains("req_x"), "{database}: {said}");
    }
}
