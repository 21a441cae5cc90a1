//! Approvals: a call that needs one waits, survives crashes, and does exactly what was approved, or nothing.

use abide_engine::base::{ApprovalId, PersonId};
use abide_engine::facade::{ApprovalQuery, ApprovalView, Decider, Decision};
use abide_engine::policy::Region;
use abide_engine::run::{ApprovalDecision, Control, RunOutcome};
use abide_engine::store::{ApprovalFilter, ApprovalState};
use abide_engine::transaction;
use abide_verbs::api::people::{self, PeopleQuery, PersonInput};
use serde_json::json;

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
        let by = Decider::Caller("Ruth".to_owned());
        let decision = Decision { approval, decision, by, reason: Some("as agreed".to_owned()) };
        let decided = self.engine().decide("default", decision).await;
        decided.map(drop).map_err(|problem| problem.code.to_string())
    }

    async fn add_supervisor(&self, name: &str, phone: &str) {
        let (name, phone) = (name.to_owned(), phone.to_owned());
        let roles = Some(vec!["supervisor".to_owned()]);
        let people = vec![PersonInput { name, phone, roles, ..PersonInput::default() }];
        let now = self.engine().now();
        let task = transaction!([people], |tx| {
            people::upsert(tx, "default", Region::Us, now, &people).await.map(drop)
        });
        self.engine().write(task).await.expect("added");
    }

    /// Returns the person with this phone number.
    async fn person(&self, phone: &str) -> PersonId {
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
    let decide = async |who: &str| {
        let person = church.person(who).await;
        let (approval, decision) = (asked.id, ApprovalDecision::Approve);
        let by = Decider::Person(person);
        let decided =
            church.engine().decide("default", Decision { approval, decision, by, reason: None }).await;
        decided.map(|view| view.decided_by).map_err(|problem| problem.code.to_string())
    };
    assert_eq!(decide(PAT).await, Err("not_an_approver".to_owned()));
    assert_eq!(decide(RUTH).await, Ok(Some("Ruth".to_owned())));
    let unknown = church.engine().approval("other", asked.id).await.expect_err("another tenant's");
    assert_eq!(unknown.code, "unknown_approval");
    church.advance("1min").await;
    assert_eq!(church.last_calls().await, 12);
    church.assert_consistent().await;
});
