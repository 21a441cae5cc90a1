//! Tenants without one of the domains: which runs end, and what becomes of the messages that people write.

use abide_engine::store::RunRef;
use serde_json::json;

use crate::campaign::church::{Church, PAT, Setup, on_both};

/// A method that calls a tool of the trade when it is told to go on.
const COUNT_LEADS: &str = "
method: count_leads
steps:
  - await: { signal: go, timeout: 30days }
  - { call: leads.list, args: {} }
";

const PAT_ASKS: &str = "Fill 5 nursery spots for the 9am service";

fn two_domains() -> Setup {
    Setup::default().method("count_leads", COUNT_LEADS)
}

on_both!(a_run_fails_at_the_tool_of_a_domain_that_was_removed, with two_domains(), async |church: Church| {
    let run = church.start("count_leads", json!({})).await.expect("started").id;
    let engine = church.engine();
    engine.set_settings("default", &json!({ "domains": ["church"] })).await.expect("set");
    let refused = church.start("count_leads", json!({})).await.expect_err("no trade");
    assert_eq!(refused.code, "domain_disabled");
    let named = RunRef { tenant: "default", run };
    engine.signal(named, "go", &json!(1), None).await.expect("sent");
    engine.tick().await.expect("settled");
    let receipts = church.receipts(run).await;
    assert_eq!(receipts[0]["error"]["code"], "domain_disabled", "{receipts:#?}");
    church.assert_consistent().await;
});

/// A method that calls verbs that belong to no domain.
const TELL_OFFICE: &str = "
method: tell_office
steps:
  - { call: search_people, args: { filter: { is_active: true } }, out: people }
  - { call: notify, args: { targets: [staff], template: text, vars: { lines: [A job is done.] } } }
  - { call: schedule, args: { at: 2031-01-01T09:00:00Z, payload: { about: the job } } }
";

/// A method that calls a verb of the church.
const FREE_PLACE: &str = "
method: free_place
steps:
  - call: unassign
    args: { person: '{{goal.person}}', role: nursery, time: 2031-01-01T09:00:00Z }
";

fn a_business() -> Setup {
    Setup::default().method("tell_office", TELL_OFFICE).method("free_place", FREE_PLACE)
}

on_both!(a_business_calls_the_verbs_that_belong_to_no_domain, with a_business(), async |church: Church| {
    let engine = church.engine();
    engine.set_settings("default", &json!({ "domains": ["trade"] })).await.expect("set");
    let run = church.start("tell_office", json!({})).await.expect("started").id;
    engine.tick().await.expect("settled");
    let receipts = church.receipts(run).await;
    let ended: Vec<_> = receipts.iter().map(|it| (&it["tool"], &it["status"])).collect();
    let done = json!("succeeded");
    let tools = ["search_people", "notify", "schedule"].map(|tool| json!(tool));
    assert_eq!(ended, tools.iter().map(|tool| (tool, &done)).collect::<Vec<_>>());
    let refused = church.start("free_place", json!({})).await.expect_err("no church");
    assert_eq!(refused.code, "domain_disabled");
    church.assert_consistent().await;
});

on_both!(nobody_requests_volunteers_of_a_business_by_text, async |mut church: Church| {
    let settings = json!({ "domains": ["trade"] });
    church.engine().set_settings("default", &settings).await.expect("set");
    let received = church.text(PAT, PAT_ASKS).await;
    assert_eq!(received.run_id, None, "{received:?}");
    assert_eq!(church.number("SELECT COUNT(*) FROM run").await, 0);
    assert_eq!(church.sent(PAT, "operator_clarify").await, 1, "it is read as a wish of a trade");
    church.text(PAT, "HELP").await;
    assert_eq!(church.sent(PAT, "help").await, 1);
    church.text(PAT, "STOP").await;
    assert_eq!(church.number("SELECT COUNT(*) FROM contact WHERE suppressed = 1").await, 1);
    church.assert_consistent().await;
});
