//! Tests that viewers read no phone number and no text of a message, on any route.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::client::{Client, create_token};
use crate::http::access::{Access, RULES, RouteRule};
use crate::http::testing::TestApi;
use crate::role::Role;

/// What strangers and volunteers write. No text of the program contains these words.
const WRITTEN: [&str; 4] = [
    "zebra stripes forever, happy to",
    "quokka weather, can I bring my drum?",
    "no can do, the marmalade needs me",
    "who on earth paints lighthouses?",
];
/// Phone numbers of the demo, of a stranger, and of a customer.
const PHONES: [&str; 4] = ["5125550101", "5125550100", "5125559999", "400111222"];

/// Fills the tenant: people, a campaign with replies, a stranger's message, leads, and calls of tools.
async fn busy_tenant() -> TestApi {
    let api = TestApi::seeded().await;
    let owner = Client::owner();
    owner.must(&api, "POST", "/v1/seed", &json!({"domain": "trade"})).await;
    let service = "2025-10-05T09:00:00-05:00";
    let goal = json!({"kind": "FillRole", "role": "nursery", "count": 3, "time": service});
    let start = json!({"method": "fill_roles", "goal": goal});
    owner.must(&api, "POST", "/v1/runs", &start).await;
    let senders = ["+15125550101", "+15125550102", "+15125550103", "+15125559999"];
    for (nth, (from, body)) in senders.into_iter().zip(WRITTEN).enumerate() {
        let message =
            json!({"id": format!("m{nth}"), "from": from, "to": "+15125550199", "body": body});
        owner.must(&api, "POST", "/v1/messages/inbound", &message).await;
    }
    let text = "method: told\nsteps:\n  - await: { signal: go, timeout: 9h, out: words }\n  - await: { signal: never, timeout: 9h }\n";
    owner.must(&api, "POST", "/v1/methods", &json!({"text": text})).await;
    let start = json!({"method": "told", "goal": {"kind": "Wait", "phone": "+15125550101"}});
    let run = owner.must(&api, "POST", "/v1/runs", &start).await;
    let signal = json!({"name": "go", "data": {"body": WRITTEN[3], "call": "+15125559999"}});
    let path = format!("/v1/runs/{}/signal", run["id"].as_str().expect("an id"));
    owner.must(&api, "POST", &path, &signal).await;
    owner.must(&api, "POST", "/v1/clock/advance", &json!({"by": "1m"})).await;
    let lead = json!({"input": {"name": "Mia", "phone": "+61400111222", "suburb": "Glebe"}});
    owner.must(&api, "POST", "/v1/tools/leads.create/calls", &lead).await;
    let log = json!({"input": {"channel": "sms", "direction": "inbound", "body": WRITTEN[2]}});
    owner.must(&api, "POST", "/v1/tools/comms.log/calls", &log).await;
    api
}

/// Returns the paths of a rule, with the ids that the lists of the tenant contain.
async fn paths(api: &TestApi, rule: &RouteRule) -> Vec<String> {
    let owner = Client::owner();
    let (list, member) = match rule.path.split('/').nth(2).unwrap_or_default() {
        _ if !rule.path.contains('{') => return vec![rule.path.to_owned()],
        "calls" => ("/v1/receipts?limit=500".to_owned(), "call_id"),
        part @ ("methods" | "tools") => (format!("/v1/{part}"), "name"),
        part => (format!("/v1/{part}"), "id"),
    };
    let listed = owner.get(api, &list).await.body;
    let items = listed["items"].as_array().cloned().unwrap_or_default();
    let filled = items.iter().filter_map(|item| item[member].as_str()).map(|id| {
        let path = rule.path.replace("{version}", "1");
        path.replace("{id}", id).replace("{name}", id).replace("{key}", id)
    });
    filled.collect()
}

/// Returns what of the personal data an answer contains.
fn leaks(text: &str) -> BTreeSet<&'static str> {
    WRITTEN.into_iter().chain(PHONES).filter(|personal| text.contains(personal)).collect()
}

#[tokio::test]
async fn a_viewer_reads_no_phone_number_and_no_text_of_a_message() {
    let api = busy_tenant().await;
    let viewer = create_token(&api, "default", json!({"role": "viewer"})).await;
    let admin = create_token(&api, "default", json!({"role": "admin"})).await;
    let own: Vec<String> = sent_texts(&api).await;
    let (mut read, mut hidden) = (0, BTreeSet::new());
    for rule in RULES.iter().filter(|rule| rule.access == Access::Least(Role::Viewer)) {
        for path in paths(&api, rule).await {
            let answer = viewer.get(&api, &path).await;
            assert_eq!(leaks(&answer.text), BTreeSet::new(), "{path}: {}", answer.text);
            let sent = own.iter().find(|text| answer.text.contains(text.as_str()));
            assert_eq!(sent, None, "{path}: {}", answer.text);
            hidden.extend(leaks(&admin.get(&api, &path).await.text));
            read += 1;
        }
    }
    assert!(read > 100, "{read} answers");
    assert_eq!(hidden, WRITTEN.into_iter().chain(PHONES).collect(), "an admin reads all of it");
}

/// Returns the texts that the tenant has sent.
async fn sent_texts(api: &TestApi) -> Vec<String> {
    let sent = Client::owner().get(api, "/v1/messages?direction=outbound&limit=500").await.body;
    let sent = sent["items"].as_array().cloned().unwrap_or_default();
    let texts: Vec<String> =
        sent.iter().filter_map(|one| one["body"].as_str()).map(str::to_owned).collect();
    assert!(texts.len() > 10, "{texts:?}");
    texts
}

#[tokio::test]
async fn events_are_redacted_for_everybody_who_does_not_ask_and_may_not_ask() {
    let api = busy_tenant().await;
    let runs = Client::owner().get(&api, "/v1/runs?method=told").await.body;
    let run = runs["items"][0]["id"].as_str().expect("a run").to_owned();
    for path in ["/v1/events?limit=500".to_owned(), format!("/v1/runs/{run}/events?limit=500")] {
        for role in Role::ALL {
            let client = create_token(&api, "default", json!({"role": role})).await;
            let brief = client.get(&api, &path).await;
            assert_eq!((brief.status, leaks(&brief.text)), (200, BTreeSet::new()), "{path} {role}");
            let full = client.get(&api, &format!("{path}&show_pii=true")).await;
            let status = if *role >= Role::Supervisor { 200 } else { 403 };
            assert_eq!(full.status, status, "{path} {role}: {}", full.text);
            let needs = full.body["detail"].as_str().unwrap_or_default();
            assert_eq!(needs.contains("needs the role `supervisor`"), status == 403, "{needs}");
        }
        let brief = Client::owner().get(&api, &path).await;
        assert_eq!(leaks(&brief.text), BTreeSet::new(), "the owner must ask, too");
    }
    let asked = Client::owner().get(&api, "/v1/events?limit=500&show_pii=true").await;
    assert!(!leaks(&asked.text).is_empty(), "there is something to redact");
    let odd = Client::owner().get(&api, "/v1/events?show_pii=maybe").await;
    assert_eq!((odd.status, odd.code()), (422, "schema"));
}

#[tokio::test]
async fn a_viewer_cannot_find_out_whose_number_it_is() {
    let api = TestApi::seeded().await;
    for role in Role::ALL {
        let client = create_token(&api, "default", json!({"role": role})).await;
        for path in ["/v1/people?phone=%2B15125550101", "/v1/messages?to=%2B15125550101"] {
            let status = if *role >= Role::Staff { 200 } else { 403 };
            assert_eq!(client.get(&api, path).await.status, status, "{role} {path}");
        }
    }
}

#[tokio::test]
async fn staff_read_what_they_work_with() {
    let api = busy_tenant().await;
    let staff = create_token(&api, "default", json!({"role": "staff"})).await;
    for path in ["/v1/people", "/v1/messages?limit=500", "/v1/inbox"] {
        assert!(!leaks(&staff.get(&api, path).await.text).is_empty(), "{path}");
    }
    let people: Value = staff.get(&api, "/v1/people").await.body;
    assert_eq!(people["items"][0]["phone"], "+15125550100");
}
