//! Test that the ids of another tenant are answered like ids that nothing has.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::client::{Client, NOBODY, create_token, make_tenant};
use crate::http::testing::TestApi;

/// Ids and names of another tenant, by what they are: the name of their schema, or the first part of the
/// path.
async fn north(api: &TestApi) -> BTreeMap<&'static str, String> {
    make_tenant(api, "north").await;
    let north = Client::owner().in_tenant(Some("north"));
    let seed = north.must(api, "POST", "/v1/seed", &json!({})).await;
    let service = "2025-10-05T09:00:00-05:00";
    let new = json!({"service_time": service, "targets": {"nursery": 2}});
    let request = north.must(api, "POST", "/v1/requests", &new).await;
    let text = "method: patient\nsteps:\n  - await: { signal: go, timeout: 1h }\n";
    north.must(api, "POST", "/v1/methods", &json!({"text": text})).await;
    let start = json!({"method": "patient", "goal": {"kind": "Wait"}});
    let run = north.must(api, "POST", "/v1/runs", &start).await;
    let later = json!({"method": "patient", "goal": {"kind": "Wait"}, "cron": "0 9 * * MON"});
    let schedule = north.must(api, "POST", "/v1/schedules", &later).await;
    let stranger =
        json!({"id": "m1", "from": "+15125559999", "to": "+15125550199", "body": "who?"});
    north.must(api, "POST", "/v1/messages/inbound", &stranger).await;
    let inbox = north.must(api, "GET", "/v1/inbox", &json!({})).await;
    let call = json!({"input": {"query": "keys"}});
    let receipt = north.must(api, "POST", "/v1/tools/fetch_kb/calls", &call).await;
    let approval = open_approval(api, &id(&seed["people"][0], "id")).await;
    let newer = text.replace("1h", "2h");
    north.must(api, "POST", "/v1/methods", &json!({"text": newer})).await;
    let path = format!("/v1/runs/{}/upgrade", id(&run, "id"));
    let upgrade = north.must(api, "POST", &path, &json!({})).await;
    let fact = json!({"topic": "Keys?", "text": "With Pat.", "source": "Pat", "reviewer": "Ruth"});
    north.must(api, "PUT", "/v1/kb/spare-keys", &fact).await;
    let vespers = json!({"name": "vespers", "weekday": "sunday", "time": "18:00"});
    north.must(api, "POST", "/v1/services", &vespers).await;
    let token = create_token(api, "north", json!({"role": "viewer"})).await;
    let file = north.send(api, "POST", "/v1/files", "north's file").await.body;
    let events = north.get(api, "/v1/events").await.body;
    let message = json!({"message": "system status"});
    let planned = north.must(api, "POST", "/v1/operator", &message).await;
    BTreeMap::from([
        ("ApprovalId", approval),
        ("PlanId", id(&planned["plan"], "plan_id")),
        ("EventId", id(&events["items"][0], "id")),
        ("PersonId", id(&seed["people"][0], "id")),
        ("RequestId", id(&request, "id")),
        ("RunId", id(&run, "id")),
        ("TimerId", id(&schedule, "id")),
        ("MessageId", id(&inbox["items"][0], "id")),
        ("CallId", id(&receipt, "call_id")),
        ("UpgradeId", id(&upgrade, "id")),
        ("TokenId", token.id),
        ("files", id(&file, "digest")),
        ("kb", "spare-keys".to_owned()),
        ("methods", "patient".to_owned()),
        ("services", "vespers".to_owned()),
        ("tenants", "north".to_owned()),
    ])
}

fn id(answer: &Value, member: &str) -> String {
    answer[member].as_str().expect("an id").to_owned()
}

/// Lets a run of the tenant `north` ask for an approval, and returns the id of the approval.
async fn open_approval(api: &TestApi, person: &str) -> String {
    let strict = json!({ "broadcast_approval_over": 0 });
    api.engine.set_settings("north", &strict).await.expect("set");
    let text = "method: tell\nsteps:\n  - call: broadcast\n    args:\n      people: '{{goal.people}}'\n      \
                template: text\n      vars: { lines: [Hi] }\n";
    let north = Client::owner().in_tenant(Some("north"));
    north.must(api, "POST", "/v1/methods", &json!({"text": text})).await;
    let start = json!({"method": "tell", "goal": {"people": [person]}});
    north.must(api, "POST", "/v1/runs", &start).await;
    let found = north.must(api, "GET", "/v1/approvals", &json!({})).await;
    id(&found["items"][0], "id")
}

/// Routes that add what the path names, or that are about the tools of the program.
const NOT_OF_A_TENANT: [&str; 4] = [
    "PUT /v1/kb/{id}",
    "PUT /v1/capacities/{key}",
    "GET /v1/tools/{name}",
    "POST /v1/tools/{name}/calls",
];

#[tokio::test]
async fn an_id_of_another_tenant_is_answered_like_an_id_that_nothing_has() {
    let api = TestApi::seeded().await;
    let theirs = north(&api).await;
    let admin = create_token(&api, "default", json!({"role": "admin"})).await;
    let described = crate::http::openapi::document();
    let mut compared = 0;
    for (path, item) in described["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let method = method.to_uppercase();
            let route = format!("{method} {path}");
            if !path.contains('{') || NOT_OF_A_TENANT.contains(&route.as_str()) {
                continue;
            }
            let kind = kind_of(path, operation);
            let known = theirs.get(kind.as_str()).unwrap_or_else(|| panic!("{route}: {kind}"));
            let unknown = known
                .split_once('_')
                .map_or_else(|| "nothing".to_owned(), |(prefix, _)| format!("{prefix}_{NOBODY}"));
            let body = operation.pointer("/requestBody/content/application~1json/example");
            let body = body.map(ToString::to_string).unwrap_or_default();
            let send = async |id: &str| {
                let path = path.replace("{version}", "1").replace("{id}", id).replace("{name}", id);
                let path = path.replace("{digest}", id);
                let answer = admin.send(&api, &method, &path, &body).await;
                (answer.status, answer.text.replace(id, "ID"))
            };
            let (status, text) = send(known).await;
            assert_eq!(
                (status, &text),
                (send(&unknown).await.0, &send(&unknown).await.1),
                "{route}"
            );
            assert!((400..500).contains(&status), "{route}: {status} {text}");
            compared += 1;
        }
    }
    assert!(compared > 30, "{compared}");
    let owner = Client::owner().in_tenant(Some("north"));
    for (kind, path) in [("RunId", "/v1/runs"), ("PersonId", "/v1/people"), ("CallId", "/v1/calls")]
    {
        let path = format!("{path}/{}", theirs[kind]);
        assert_eq!(owner.get(&api, &path).await.status, 200, "{path} exists");
    }
}

/// Filters of lists that take an id, with the kind of the id.
const FILTERS: [(&str, &str); 8] = [
    ("/v1/events?run_id=", "RunId"),
    ("/v1/events?correlation_id=", "RequestId"),
    ("/v1/events?after=", "EventId"),
    ("/v1/overview?after=", "EventId"),
    ("/v1/messages?run_id=", "RunId"),
    ("/v1/messages?request_id=", "RequestId"),
    ("/v1/runs?request_id=", "RequestId"),
    ("/v1/schedules?run_id=", "RunId"),
];

#[tokio::test]
async fn a_filter_with_an_id_of_another_tenant_selects_what_an_unknown_id_selects() {
    let api = TestApi::seeded().await;
    let theirs = north(&api).await;
    let admin = create_token(&api, "default", json!({"role": "admin"})).await;
    for (filter, kind) in FILTERS {
        let known = theirs[kind].as_str();
        let unknown = format!("{}_{NOBODY}", known.split('_').next().unwrap_or_default());
        let send = async |id: &str| {
            let answer = admin.get(&api, &format!("{filter}{id}")).await;
            (answer.status, answer.text.replace(id, "ID"))
        };
        assert_eq!(send(known).await, send(&unknown).await, "{filter}");
    }
}

/// Returns what the parameter of a path names: the type of the id, or the first part of the path.
fn kind_of(path: &str, operation: &Value) -> String {
    let id = operation["parameters"].as_array().into_iter().flatten();
    let id = id.filter(|parameter| parameter["in"] == "path");
    let mut types = id.filter_map(|parameter| parameter["schema"]["$ref"].as_str());
    let named = types.next().and_then(|target| target.rsplit('/').next());
    named.or(path.split('/').nth(2)).unwrap_or_default().to_owned()
}
