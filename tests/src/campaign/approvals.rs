//! Approvals: a call that needs one waits, survives crashes, and does exactly what was approved, or nothing.

use abide_engine::base::{ApprovalId, PersonId};
use abide_engine::facade::{ApprovalQuery, ApprovalView, Decider, Decision};
use abide_engine::policy::Region;
use abide_engine::run::{ApprovalDecision, Control, RunOutcome};
use abide_engine::store::{ApprovalFilter, ApprovalState};
use abide_engine::transaction;
use abide_verbs::api::people::{self, PeopleQuery, PersonInput};
use serde_json::json;

use super::api::{ApiRequest, ChurchApi};
use super::church::{Church, PAT, Setup, on_both};

/// Phone number of Ruth, the supervisor of the demo church.
const RUTH: &str = "+15125550113";

/// A church in which a message to more than five people needs an approval.
fn strict() -> Setup {
    Setup::settings(json!({ "broadcast_approval_over": 5, "quiet_hours": "none" }))
}

impl Church {
    /// Returns the approvals in a state, newest first.
    pub(crate) async fn approvals(&self, state: ApprovalState) -> Vec<ApprovalView> {
        let filter = ApprovalFilter { state: Some(state), before: None };
        let query = ApprovalQuery { filter, limit: 0 };
        self.engine().approvals("default", query).await.expect("listed").items
    }

    /// Returns the only approval that is open.
    pub(crate) async fn pending(&self) -> ApprovalView {
        let mut found = self.approvals(ApprovalState::Pending).await;
        assert_eq!(found.len(), 1, "{found:#?}");
        found.remove(0)
    }

    /// Decides as somebody who may. Fails with the code of the problem.
    pub(crate) async fn decide(
        &self,
        approval: ApprovalId,
        decision: ApprovalDecision,
    ) -> Result<(), String> {
        let by =
            Decider::Caller { id: "ruth".to_owned(), name: "Ruth".to_owned(), any_role: false };
        let decision = Decision { approval, decision, by, reason: Some("as agreed".to_owned()) };
        let decided = self.engine().decide("default", decision).await;
        decided.map(drop).map_err(|problem| problem.code.to_string())
    }

    async fn add_supervisor(&self, name: &str, phone: &str) {
        self.put_person(name, phone, &["supervisor"]).await;
    }

    /// Adds a person with these roles, or gives these roles to the person with this name and phone.
    pub(crate) async fn put_person(&self, name: &str, phone: &str, roles: &[&str]) {
        let (name, phone) = (name.to_owned(), phone.to_owned());
        let roles = Some(roles.iter().map(|role| (*role).to_owned()).collect());
        let people = vec![PersonInput { name, phone, roles, ..PersonInput::default() }];
        let now = self.engine().now();
        let task = transaction!([people], |tx| {
            people::upsert(tx, "default", Region::Us, now, &people).await.map(drop)
        });
        self.engine().write(task).await.expect("added");
    }

    /// Lets the person with this phone number approve, and returns who decided, or the code of the problem.
    async fn approve_as(
        &self,
        approval: ApprovalId,
        phone: &str,
    ) -> Result<Option<String>, String> {
        let (by, decision) = (Decider::Person(self.person(phone).await), ApprovalDecision::Approve);
        let decision = Decision { approval, decision, by, reason: None };
        let decided = self.engine().decide("default", decision).await;
        decided.map(|view| view.decided_by).map_err(|problem| problem.code.to_string())
    }

    /// Returns the person with this phone number.
    pub(crate) async fn person(&self, phone: &str) -> PersonId {
        let task = transaction!(|tx| people::list(tx, "default", &PeopleQuery::default()).await);
        let page = self.engine().read(task).await.expect("listed");
        page.items.iter().find(|it| it.phone == phone).expect("a person").id
    }

    /// Counts the last calls that were sent to the pool.
    async fn last_calls(&self) -> usize {
        let mut count = 0;
        for letter in 'A'..='L' {
            count += self.sent(&Church::phone(letter), "last_call").await;
        }
        count
    }
}

on_both!(an_approved_call_reaches_those_who_were_shown, with strict(), async |mut church: Church| {
    let run = church.fill(5).await.id;
    church.say("AB", "yes").await;
    church.advance("6h").await;
    let view = church.run(run).await;
    let waiting = view.waiting_on.expect("a wait");
    let asked = church.pending().await;
    assert_eq!((waiting.kind.as_str(), waiting.approval_id), ("approval", Some(asked.id)));
    assert_eq!((&*asked.tool, &*asked.risk, &*asked.step_id), ("broadcast", "T3", "last_call"));
    assert_eq!((&asked.shows["recipients"], &asked.shows["what"]), (&json!(10), &json!("text 10 people")));
    assert_eq!(asked.input["people"].as_array().map(Vec::len), Some(10));
    assert!(asked.shows["text"].as_str().is_some_and(|text| text.contains("nursery")), "{asked:#?}");
    assert_eq!((church.sent(RUTH, "approval_request").await, church.last_calls().await), (1, 0));

    // Hana opts out and Ken joins before the decision: neither is texted.
    church.text(&Church::phone('H'), "STOP").await;
    church.add_people(1, "nursery").await;
    church.crash().await;
    church.advance("30min").await;
    church.decide(asked.id, ApprovalDecision::Approve).await.expect("approved");
    church.advance("1min").await;
    assert_eq!(church.last_calls().await, 9);
    let receipts = church.receipts(run).await;
    let receipt = receipts.iter().find(|it| it["tool"] == "broadcast").expect("a receipt");
    assert_eq!((&receipt["status"], &receipt["risk"]), (&json!("succeeded"), &json!("T3")));
    assert_eq!(receipt["approval_id"], json!(asked.id));
    church.decide(asked.id, ApprovalDecision::Approve).await.expect("the same again");
    let other = church.decide(asked.id, ApprovalDecision::Deny).await;
    assert_eq!(other.expect_err("too late"), "approval_decided");
    church.advance("5min").await;
    assert_eq!(church.last_calls().await, 9, "an approval serves one call");
    church.assert_consistent().await;
});

on_both!(a_refused_call_sends_nothing_and_the_method_goes_on, with strict(), async |mut church: Church| {
    let run = church.fill(5).await.id;
    church.advance("6h").await;
    let asked = church.pending().await;
    church.decide(asked.id, ApprovalDecision::Deny).await.expect("denied");
    church.advance("1min").await;
    assert_eq!((church.last_calls().await, church.sent(PAT, "not_done").await), (0, 1));
    let receipts = church.receipts(run).await;
    let receipt = receipts.iter().find(|it| it["tool"] == "broadcast").expect("a receipt");
    assert_eq!((&receipt["status"], &receipt["error"]["code"]), (&json!("failed"), &json!("denied")));
    assert_eq!((&receipt["risk"], &receipt["error"]["message"]), (&json!("T3"), &json!("Ruth refused it: as agreed")));
    assert_eq!(church.run(run).await.status.as_str(), "waiting", "it waits for those it invited");
    church.say("ABCDE", "yes").await;
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
    church.assert_consistent().await;
});

on_both!(an_approval_that_never_comes_counts_as_refused, with strict(), async |mut church: Church| {
    church.add_supervisor("Sam", "+15125550198").await;
    let run = church.fill(5).await.id;
    church.advance("6h").await;
    let asked = church.pending().await;
    let told = async |church: &Church| {
        let sent = church.sent(RUTH, "approval_request").await;
        (sent, church.sent("+15125550198", "approval_request").await)
    };
    for (by, expected) in [("1h59min", (1, 0)), ("1min", (2, 0)), ("1h", (2, 1)), ("59min", (2, 1))] {
        church.advance(by).await;
        church.crash().await;
        assert_eq!(told(&church).await, expected, "after {by} more");
    }
    church.advance("1min").await;
    assert_eq!(church.last_calls().await, 0);
    let expired = church.approvals(ApprovalState::Expired).await;
    assert_eq!(expired.iter().map(|it| it.id).collect::<Vec<_>>(), [asked.id]);
    let late = church.decide(asked.id, ApprovalDecision::Approve).await;
    assert_eq!(late.expect_err("too late"), "approval_expired");
    let receipts = church.receipts(run).await;
    let receipt = receipts.iter().find(|it| it["tool"] == "broadcast").expect("a receipt");
    assert_eq!(receipt["error"]["code"], "approval_expired");
    church.advance("3h").await;
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::FellShort));
    church.assert_consistent().await;
});

on_both!(a_cancelled_run_leaves_nothing_to_decide, with strict(), async |church: Church| {
    let run = church.fill(5).await.id;
    church.advance("6h").await;
    let asked = church.pending().await;
    church.control(run, Control::Cancel).await.expect("cancelled");
    church.advance("1min").await;
    assert_eq!(church.approvals(ApprovalState::Void).await.len(), 1);
    let late = church.decide(asked.id, ApprovalDecision::Approve).await;
    assert_eq!(late.expect_err("void"), "approval_decided");
    let receipts = church.receipts(run).await;
    let receipt = receipts.iter().find(|it| it["tool"] == "broadcast").expect("a receipt");
    assert_eq!(receipt["error"]["code"], "approval_void");
    assert_eq!(church.last_calls().await, 0);
    church.assert_consistent().await;
});

on_both!(only_a_supervisor_decides, with strict(), async |church: Church| {
    church.fill(5).await;
    church.advance("6h").await;
    let asked = church.pending().await;
    assert_eq!(church.approve_as(asked.id, PAT).await, Err("not_an_approver".to_owned()));
    assert_eq!(church.approve_as(asked.id, RUTH).await, Ok(Some("Ruth".to_owned())));
    let unknown = church.engine().approval("other", asked.id).await.expect_err("another tenant's");
    assert_eq!(unknown.code, "unknown_approval");
    church.advance("1min").await;
    assert_eq!(church.last_calls().await, 12);
    church.assert_consistent().await;
});

on_both!(a_supervisor_who_has_lost_the_role_decides_nothing, with strict(), async |mut church: Church| {
    church.fill(5).await;
    church.advance("6h").await;
    let asked = church.pending().await;
    church.put_person("Ruth", RUTH, &["pastor_of_nursery"]).await;
    let refused = Err("not_an_approver".to_owned());
    assert_eq!(church.approve_as(asked.id, RUTH).await, refused);
    church.crash().await;
    church.advance("1min").await;
    assert_eq!((church.pending().await.id, church.last_calls().await), (asked.id, 0));
    church.put_person("Ruth", RUTH, &["supervisor"]).await;
    assert_eq!(church.approve_as(asked.id, RUTH).await, Ok(Some("Ruth".to_owned())));
    // The decision was hers to make. Losing the role afterwards takes nothing back, and repeating it is refused.
    church.put_person("Ruth", RUTH, &[]).await;
    assert_eq!(church.approve_as(asked.id, RUTH).await, refused);
    church.advance("1min").await;
    assert_eq!(church.last_calls().await, 12);
    church.assert_consistent().await;
});

on_both!(without_a_supervisor_staff_hear_what_to_do, with strict(), async |church: Church| {
    church.put_person("Ruth", RUTH, &[]).await;
    church.fill(5).await;
    church.advance("6h").await;
    let asked = church.pending().await;
    let told = async |template: &str| {
        (church.sent(PAT, template).await, church.sent(RUTH, template).await)
    };
    assert_eq!((told("approval_nobody").await, told("approval_request").await), ((1, 0), (0, 0)));
    assert_eq!(church.approve_as(asked.id, PAT).await, Err("not_an_approver".to_owned()));
    church.advance("2h").await;
    assert_eq!(told("approval_nobody").await, (1, 0), "staff are told once");
    church.put_person("Ruth", RUTH, &["supervisor"]).await;
    church.advance("1h").await;
    assert_eq!((told("approval_nobody").await, told("approval_request").await), ((1, 0), (0, 1)));
    assert_eq!(church.approve_as(asked.id, RUTH).await, Ok(Some("Ruth".to_owned())));
    church.advance("1min").await;
    assert_eq!(church.last_calls().await, 12);
    church.assert_consistent().await;
});

on_both!(the_only_supervisor_is_told_a_last_time, with strict(), async |church: Church| {
    church.fill(5).await;
    church.advance("6h").await;
    for (by, expected) in [("1h59min", 1), ("1min", 2), ("59min", 2), ("1min", 3), ("59min", 3)] {
        church.advance(by).await;
        assert_eq!(church.sent(RUTH, "approval_request").await, expected, "after {by} more");
    }
    church.assert_consistent().await;
});

on_both!(a_revoked_token_decides_nothing, with strict(), async |church: Church| {
    church.fill(5).await;
    church.advance("6h").await;
    let asked = church.pending().await;
    let api = ChurchApi::over(&church);
    let create = async |label: &str| {
        let body = json!({ "role": "supervisor", "label": label }).to_string();
        let request = ApiRequest { method: "POST", path: "/v1/tokens", key: None, body: &body };
        api.send(&request).await.body
    };
    let (ruth, sam) = (create("Ruth").await, create("Sam").await);
    let path = format!("/v1/approvals/{}", asked.id);
    let approve = ApiRequest { method: "POST", path: &path, key: None, body: r#"{"decision": "approve"}"# };
    let send = async |token: &serde_json::Value| {
        api.send_with(token["token"].as_str().expect("a secret"), &approve).await
    };
    let path_of_ruth = format!("/v1/tokens/{}", ruth["id"].as_str().expect("an id"));
    let revoke = ApiRequest { method: "DELETE", path: &path_of_ruth, key: None, body: "" };
    assert_eq!(api.send(&revoke).await.status, 200);
    let refused = send(&ruth).await;
    assert_eq!((refused.status, &refused.body["code"]), (401, &json!("unauthorized")));
    assert_eq!(church.pending().await.id, asked.id);
    let decided = send(&sam).await;
    assert_eq!((decided.status, &decided.body["decided_by"]), (200, &json!("Sam")));
    church.advance("1min").await;
    assert_eq!(church.last_calls().await, 12);
    church.assert_consistent().await;
});

on_both!(a_supervisor_decides_by_text, with strict(), async |mut church: Church| {
    church.fill(5).await;
    church.advance("6h").await;
    let handled = church.text(RUTH, "wait, who is that?").await.handled_as;
    assert_ne!(handled.as_str(), "approval", "a question decides nothing");
    church.pending().await;
    church.crash().await;
    let handled = church.text(RUTH, "yes").await.handled_as;
    assert_eq!(handled.as_str(), "approval");
    church.advance("1min").await;
    assert_eq!((church.last_calls().await, church.sent(RUTH, "approval_decided").await), (12, 1));
    let ended = church.approvals(ApprovalState::Approved).await;
    assert_eq!(ended[0].decided_by.as_deref(), Some("Ruth"));
    church.assert_consistent().await;
});

on_both!(a_text_of_somebody_else_decides_nothing, with strict(), async |mut church: Church| {
    church.add_supervisor("Sam", "+15125550198").await;
    church.fill(5).await;
    church.advance("6h").await;
    for (phone, text) in [(PAT, "approve"), ("+15125550177", "approve"), (&*Church::phone('A'), "yes")] {
        assert_ne!(church.text(phone, text).await.handled_as.as_str(), "approval", "{text}");
    }
    church.put_person("Ruth", RUTH, &["staff"]).await;
    assert_ne!(church.text(RUTH, "approve").await.handled_as.as_str(), "approval", "not any more");
    church.pending().await;
    church.text("+15125550198", "no, don't send it").await;
    church.advance("1min").await;
    assert_eq!((church.approvals(ApprovalState::Denied).await.len(), church.last_calls().await), (1, 0));

    church.put_person("Ruth", RUTH, &["supervisor"]).await;
    church.text(RUTH, "approve").await;
    assert_eq!(church.sent(RUTH, "approval_over").await, 1, "it is decided already");
    church.assert_consistent().await;
});

on_both!(of_several_approvals_a_text_says_which, with strict(), async |mut church: Church| {
    let first = church.fill(5).await.id;
    let cafe = json!({ "kind": "FillRole", "role": "cafe", "count": 5, "time": "2025-10-05T09:00:00-05:00" });
    church.add_people(7, "cafe").await;
    let second = church.start("fill_roles", cafe).await.expect("started").id;
    church.advance("6h").await;
    assert_eq!(church.approvals(ApprovalState::Pending).await.len(), 2);
    assert_eq!(church.text(RUTH, "yes").await.handled_as.as_str(), "ambiguous");
    assert_eq!(church.sent(RUTH, "approval_which").await, 1);
    church.crash().await;
    assert_eq!(church.text(RUTH, "2").await.handled_as.as_str(), "approval");
    let approved = church.approvals(ApprovalState::Approved).await;
    let runs = [first, second];
    assert_eq!((approved.len(), runs.contains(&approved[0].run_id)), (1, true));
    assert_eq!(church.text(RUTH, "no").await.handled_as.as_str(), "approval", "one is left");
    assert_eq!(church.approvals(ApprovalState::Denied).await.len(), 1);
    church.assert_consistent().await;
});
