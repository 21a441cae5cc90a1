//! The rules that judge a call beside the tier of its tool: chains of approvers, money, facts and promised times.

use abide_engine::base::{RunId, Value};
use abide_engine::domain::StartRun;
use abide_engine::facade::{ApprovalView, Decider, Decision, ToolCall};
use abide_engine::run::{ApprovalDecision, RunOutcome, StartConsent};
use abide_engine::store::ApprovalState;
use serde_json::json;

use crate::campaign::church::{Church, PAT, Setup, on_both};
use crate::tools::{ROWS, call_of, finished, kennel};
use crate::trade::{australia, done};

/// Phone number of Ruth, the supervisor of the demo church.
const RUTH: &str = "+15125550113";
/// Phone number of a second supervisor.
const SAM: &str = "+15125550198";

const GIVE_AWAY: &str = r#"
method: give_away
description: Gives the dog away.
steps:
  - { id: give, call: kennel.give_away, args: { dog: "{{goal.dog}}" } }
"#;

const VET: &str = r#"
method: vet
description: Takes the dog to the vet.
steps:
  - { id: vet, call: kennel.vet, args: { dog: "{{goal.dog}}" } }
"#;

const CITE: &str = r#"
method: cite
description: Tells staff what the knowledge base says about a topic.
steps:
  - { id: look, call: fetch_kb, args: { query: "{{goal.dog}}", limit: 1 }, out: facts }
  - id: tell
    call: notify
    args: { targets: [staff], template: cited, vars: { text: "{{first(facts).text}}" } }
"#;

const CITED: &str = "---
description: Tells staff a fact.
for: staff
vars: { text: { type: text, example: The gate closes at noon. } }
---
{{name}}: {{text}} {{church}}
";

fn setup(settings: Value) -> Setup {
    let mut setup =
        Setup { sources: kennel().sources, verbs: kennel().verbs, ..Setup::settings(settings) };
    for (name, text) in [("give_away", GIVE_AWAY), ("vet", VET), ("cite", CITE)] {
        setup.sources.methods.insert(format!("{name}.yaml"), text.to_owned());
    }
    setup.sources.templates.insert("cited.hbs".to_owned(), CITED.to_owned());
    setup
}

async fn start(church: &Church, method: &str, topic: &str) -> RunId {
    let (method, goal) = (method.to_owned(), json!({ "dog": topic }));
    let wanted = StartRun { method, goal, consent: StartConsent::Given, ..StartRun::default() };
    church.engine().start_run("default", wanted).await.expect("started").id
}

impl Church {
    /// Lets the person with this phone number say yes to the only open approval.
    async fn yes_by(&self, phone: &str) -> Result<ApprovalView, String> {
        let approval = self.pending().await.id;
        let by = Decider::Person(self.person(phone).await);
        let decision = Decision { approval, decision: ApprovalDecision::Approve, by, reason: None };
        let decided = self.engine().decide("default", decision).await;
        decided.map_err(|problem| problem.code.to_string())
    }

    /// Returns the rules of the last event `call.judged` of a run, each as `rule: decision`.
    async fn judged(&self, run: RunId) -> Vec<String> {
        let events = self.events_of(run, "call.judged").await;
        let rules = events.last().map(|body| body["rules"].clone()).unwrap_or_default();
        let text = |rule: &Value, name: &str| rule[name].as_str().unwrap_or_default().to_owned();
        let rules = rules.as_array().cloned().unwrap_or_default();
        rules.iter().map(|it| format!("{}: {}", text(it, "rule"), text(it, "decision"))).collect()
    }
}

on_both!(a_chain_needs_everybody_in_turn_and_no_one_twice, with setup(json!({ "quiet_hours": "none" })), async |mut church: Church| {
    church.put_person("Sam", SAM, &["supervisor"]).await;
    let run = start(&church, "give_away", "Rex").await;
    let asked = church.pending().await;
    assert_eq!(json!(asked.approvers), json!([{ "role": "supervisor", "n": 2 }, { "role": "staff", "n": 1 }]));
    let told = async |church: &Church, phone: &str| church.sent(phone, "approval_request").await;
    assert_eq!((told(&church, RUTH).await, told(&church, SAM).await, told(&church, PAT).await), (1, 1, 0));

    assert_eq!(church.yes_by(PAT).await.expect_err("not the turn of staff"), "not_an_approver");
    assert_eq!(church.yes_by(RUTH).await.expect("counted").state, ApprovalState::Pending);
    church.crash().await;
    assert_eq!(church.yes_by(RUTH).await.expect("the same again").votes.len(), 1, "no one twice");
    assert_eq!(church.yes_by(SAM).await.expect("counted").state, ApprovalState::Pending);
    assert_eq!((told(&church, PAT).await, church.number(ROWS).await), (1, 0));
    assert_eq!(church.yes_by(RUTH).await.expect_err("the turn of staff"), "not_an_approver");

    let ended = church.yes_by(PAT).await.expect("approved");
    let names = ended.decided_by.expect("by three people");
    assert_eq!((ended.state, names.split(", ").count()), (ApprovalState::Approved, 3));
    church.crash().await;
    church.advance("1min").await;
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
    assert_eq!(church.number(ROWS).await, 1);
    let ends = church.events_of(run, "approval.ended").await;
    assert_eq!(ends[0]["votes"].as_array().map(Vec::len), Some(3));
    church.assert_consistent().await;
});

on_both!(one_no_ends_a_chain, with setup(json!({ "quiet_hours": "none" })), async |church: Church| {
    church.put_person("Sam", SAM, &["supervisor"]).await;
    let run = start(&church, "give_away", "Rex").await;
    church.yes_by(RUTH).await.expect("counted");
    let asked = church.pending().await;
    church.decide(asked.id, ApprovalDecision::Deny).await.expect("denied");
    church.advance("1min").await;
    assert_eq!((church.number(ROWS).await, church.run(run).await.status.as_str()), (0, "failed"));
    church.assert_consistent().await;
});

on_both!(a_caller_alone_cannot_stand_for_a_chain, with setup(json!({})), async |church: Church| {
    let input = json!({ "dog": "Rex" });
    let call = ToolCall { consented: true, ..call_of("kennel.give_away", input) };
    let id = church.engine().call_tool("default", call).await.expect("made");
    assert_eq!(church.pending().await.votes, []);
    let asked = church.pending().await;
    church.decide(asked.id, ApprovalDecision::Deny).await.expect("denied");
    assert_eq!(finished(&church, id).await["error"]["code"], "denied");
    assert_eq!(church.number(ROWS).await, 0);
});

on_both!(a_call_that_costs_much_is_asked_for, with setup(json!({ "spend_approval_over": 50 })), async |church: Church| {
    let run = start(&church, "vet", "Rex").await;
    let asked = church.pending().await;
    assert_eq!((&*asked.risk, &asked.shows["cost"]), ("T3", &json!(80.0)));
    assert!(asked.reason.contains("costs 80"), "{}", asked.reason);
    assert_eq!(church.judged(run).await, ["tier: allow", "spend: ask"]);
    church.decide(asked.id, ApprovalDecision::Approve).await.expect("approved");
    church.advance("1min").await;
    assert_eq!((church.run(run).await.outcome, church.number(ROWS).await), (Some(RunOutcome::Succeeded), 1));
    church.assert_consistent().await;
});

on_both!(a_call_within_the_limit_is_not_asked_for, with setup(json!({ "spend_approval_over": 80 })), async |church: Church| {
    let run = start(&church, "vet", "Rex").await;
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
    assert_eq!(church.judged(run).await, Vec::<String>::new(), "everyday calls leave no verdicts");
});

on_both!(messages_count_with_their_price, with setup(json!({ "spend_approval_over": 0.05, "segment_price": 0.01, "quiet_hours": "none" })), async |mut church: Church| {
    let run = church.fill(5).await.id;
    let asked = church.pending().await;
    assert_eq!((&*asked.step_id, &*asked.tool), ("invite", "make_offers"), "twelve invitations cost more than 5 cents");
    assert!(asked.shows["cost"].as_f64().is_some_and(|cost| cost > 0.05), "{asked:#?}");
    church.decide(asked.id, ApprovalDecision::Approve).await.expect("approved");
    church.advance("1min").await;
    church.say("ABCDE", "yes").await;
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
    church.assert_consistent().await;
});

on_both!(a_message_that_cites_a_stale_fact_is_asked_for, with setup(json!({ "kb_max_age": "1s", "quiet_hours": "none" })), async |church: Church| {
    church.advance("1day").await;
    let run = start(&church, "cite", "park").await;
    let asked = church.pending().await;
    assert!(asked.reason.contains("has not been reviewed"), "{}", asked.reason);
    assert_eq!((church.sent(PAT, "cited").await, church.judged(run).await), (0, vec!["tier: allow".to_owned(), "stale_fact: ask".to_owned()]));
    church.decide(asked.id, ApprovalDecision::Approve).await.expect("approved");
    church.advance("1min").await;
    assert_eq!(church.sent(PAT, "cited").await, 1);
    church.assert_consistent().await;
});

on_both!(a_fresh_fact_is_told_at_once, with setup(json!({ "kb_max_age": "36500days", "quiet_hours": "none" })), async |church: Church| {
    start(&church, "cite", "park").await;
    assert_eq!(church.sent(PAT, "cited").await, 1);
});

/// Makes a call as somebody who may not approve it, and returns what its approval says; nothing if it acted.
async fn asked(church: &Church, tool: &str, input: Value) -> Option<ApprovalView> {
    let id = church.engine().call_tool("default", call_of(tool, input)).await.expect("made");
    let asked = church.approvals(ApprovalState::Pending).await;
    if asked.is_empty() {
        assert_eq!(finished(church, id).await["status"], "succeeded");
    }
    asked.into_iter().next()
}

on_both!(a_promised_time_is_moved_only_with_an_approval, with australia(), async |church: Church| {
    let job = async |title: &str| done(&church, "job.create", json!({ "title": title })).await["job_id"].clone();
    let (roof, gutter) = (job("Roof").await, job("Gutter").await);
    let at = |id: &Value, from: &str, until: &str| json!({
        "job_id": id, "starts_at": format!("2025-10-07T{from}:00+10:00"), "ends_at": format!("2025-10-07T{until}:00+10:00"), "assigned_to": "Tom",
    });
    done(&church, "job.schedule", at(&roof, "08:00", "12:00")).await;

    // Calls from outside of T2 wait in any case; what they say tells the rules apart.
    let plain = asked(&church, "job.schedule", at(&gutter, "12:00", "14:00")).await.expect("T2");
    assert!(plain.reason.contains("risk T2"), "{}", plain.reason);
    church.decide(plain.id, ApprovalDecision::Approve).await.expect("approved");
    let moved = asked(&church, "job.reschedule", at(&roof, "14:00", "16:00")).await.expect("promised");
    assert_eq!((&*moved.risk, moved.reason.contains("is promised for 2025-10-07T08:00:00+10:00")), ("T3", true), "{moved:#?}");
    church.decide(moved.id, ApprovalDecision::Deny).await.expect("denied");
    let over = asked(&church, "job.reschedule", at(&gutter, "12:00", "14:00")).await.expect("T2");
    assert!(over.reason.contains("risk T2"), "nothing moves: {}", over.reason);
    church.decide(over.id, ApprovalDecision::Approve).await.expect("approved");
    let third = job("Fence").await;
    let beside = asked(&church, "job.schedule", at(&third, "11:00", "13:00")).await.expect("an overlap");
    assert_eq!((&*beside.risk, beside.reason.contains("is promised for")), ("T3", true), "{beside:#?}");
    church.decide(beside.id, ApprovalDecision::Approve).await.expect("approved");
    church.assert_consistent().await;
});
