//! Tests that the laws of the judgement report evidence that breaks them, and report nothing about correct evidence.

use abide_agent::agenda::{AgendaGoal, GoalStatus, GoalType};
use abide_agent::obligations::ObligationType;
use abide_engine::base::{ApprovalId, ClassificationId, Digest, PlanId, RowId, RunId, Value};
use abide_engine::facade::ApprovalView;
use abide_engine::run::ApprovalScope;
use abide_engine::store::ApprovalState;
use abide_judgement::data::agenda::{JournalRow, SessionKey};
use abide_judgement::data::asked::{AskRow, ObligationStatus, StoredObligation};
use abide_judgement::data::audit::{AskedPlan, StoredEntry, StoredGoal};
use abide_judgement::data::operator::{ClassificationRow, OperatorStage, PlanRow};
use abide_judgement::data::standing::StandingRow;
use abide_judgement::obligations::AskRequest;
use abide_judgement::operator::{OperatorMode, PlanStatus};
use jiff::Timestamp;
use serde_json::{Map, from_value, json};

use super::tests::{NOON, at, entry, events, id, nothing, relinked, story, told};
use crate::play::{EngineCommand, Exchange, JudgementEvidence, TenantEvidence};

/// The run of all events that a test makes.
fn run() -> RunId {
    id(5)
}

fn reading() -> Value {
    json!({ "classification": {
        "intent": "execute", "domain": "quote", "urgency": "normal", "tool_candidates": [], "required_fields": [],
        "missing_evidence": [], "risk_tier": "T2", "risk_reason": "", "confidence": 1.0, "reasoning": "",
    } })
}

/// Builds a message with a plan of one call, which needs an approval.
fn planned() -> AskedPlan {
    let reading = reading();
    let classification = ClassificationRow {
        id: id::<ClassificationId>(1),
        key: None,
        session: None,
        inbound: None,
        person: None,
        correlation: None,
        message: "finalise the quote".into(),
        context: Map::new(),
        mode: OperatorMode::Execute,
        consented: false,
        reading: from_value(reading.clone()).expect("a reading"),
        stage: OperatorStage::Done,
        due_at: None,
        created_at: at(NOON),
    };
    let plan = json!({
        "plan_id": id::<PlanId>(2), "classification_id": classification.id, "status": "awaiting_approval",
        "domain": "quote", "tool_sequence": ["quote.finalize"],
        "calls": [{ "step_id": "c1", "tool": "quote.finalize", "input": { "quote_id": "quo_1" } }],
        "dependencies": [], "estimated_risk": "T2", "requires_approval": true, "required_fields": [],
        "missing_evidence": [], "confidence": 1.0, "estimate": { "messages": 0, "cost": 0.0 },
    });
    let quality = json!({
        "schema_correct": true, "provable_by_receipt": true, "worker_safe": true, "approval_obtained": false,
        "failures": [],
    });
    let row = PlanRow {
        plan: from_value(plan).expect("a plan"),
        verdict: from_value(json!({ "quality": quality, "reading": reading })).expect("a verdict"),
        method: Some(String::new()),
        undoes: None,
        created_at: at(NOON),
    };
    AskedPlan { classification, planned: Some(row) }
}

/// Builds the approval of that plan, which shows these calls.
fn approval(calls: &Value) -> ApprovalView {
    let input = json!({ "plan_id": id::<PlanId>(2), "calls": calls });
    ApprovalView {
        id: id::<ApprovalId>(3),
        state: ApprovalState::Approved,
        correlation_id: None,
        run_id: run(),
        call_id: id(4),
        step_id: "c1".into(),
        scope: ApprovalScope::Run,
        tool: "quote.finalize".into(),
        risk: "T2".into(),
        reason: String::new(),
        digest: Digest::of_value(&input).to_string(),
        input,
        shows: Value::Null,
        approvers: Vec::new(),
        votes: Vec::new(),
        asked_at: NOON.into(),
        expires_at: NOON.into(),
        decided_at: None,
        decided_by: None,
        note: None,
    }
}

fn receipt(tool: &str, step: &str) -> (&'static str, Value) {
    let body = json!({ "tool": tool, "step_id": step, "status": "succeeded", "risk": "T2" });
    ("receipt", body)
}

/// Builds the evidence of a plan whose run has these events.
fn carried_out(asked: AskedPlan, happened: &[(&'static str, Value)]) -> TenantEvidence {
    let mut evidence = events(happened);
    (1..).zip(&mut evidence.events).for_each(|(nth, event)| event.call = Some(id(nth)));
    evidence.events = relinked(evidence.events);
    let plan = asked.planned.as_ref().expect("a plan").plan.plan_id;
    evidence.judgement.runs.insert(plan, run());
    evidence.judgement.stored.plans.push(asked);
    evidence
}

/// Returns the events of an approval that is given.
fn approved() -> [(&'static str, Value); 3] {
    let (id, step) = (id::<ApprovalId>(3), "c1");
    [
        ("run.started", json!({})),
        ("approval.asked", json!({ "approval_id": id, "step_id": step, "scope": "run" })),
        ("approval.ended", json!({ "approval_id": id, "step_id": step, "state": "approved" })),
    ]
}

#[test]
fn the_laws_of_plans_find_what_breaks_them() {
    let calls =
        json!([{ "step_id": "c1", "tool": "quote.finalize", "input": { "quote_id": "quo_1" } }]);
    let other =
        json!([{ "step_id": "c1", "tool": "quote.finalize", "input": { "quote_id": "quo_2" } }]);
    let call = || receipt("quote.finalize", "c1");
    let given = |happened: Vec<(&'static str, Value)>, shown: &Value| {
        let mut evidence = carried_out(planned(), &[&approved()[..], &happened].concat());
        evidence.judgement.approvals.push(approval(shown));
        told(&story(evidence))
    };
    assert_eq!(given(vec![call()], &calls), "");
    assert!(given(vec![call()], &other).contains("unasked"));
    assert!(given(vec![call(), call()], &calls).contains("does not list"));
    assert!(given(vec![receipt("quote.send", "c2")], &calls).contains("does not list"));
    let started = ("run.started", json!({}));
    let unasked = carried_out(planned(), &[started.clone(), call()]);
    assert!(told(&story(unasked)).contains("plans_wait_for_consent"));
    let mut by_caller = planned();
    by_caller.classification.consented = true;
    let consented = ("run.started", json!({ "consent": "starter" }));
    assert_eq!(told(&story(carried_out(by_caller, &[consented, call()]))), "");
    let mut refused = planned();
    refused.planned.as_mut().expect("a plan").plan.status = PlanStatus::Rejected;
    assert!(
        told(&story(carried_out(refused, std::slice::from_ref(&started))))
            .contains("is `rejected`")
    );
    let mut seen = planned();
    seen.classification.mode = OperatorMode::Analyze;
    assert!(told(&story(carried_out(seen, &[started]))).contains("in the mode `analyze`"));
}

#[test]
fn the_law_of_layers_finds_what_breaks_it() {
    let mut left = planned();
    left.classification.due_at = Some(at(NOON));
    let mut unplanned = planned();
    unplanned.planned = None;
    let mut early = planned();
    early.planned.as_mut().expect("a plan").created_at = at("2025-09-30T11:00:00Z");
    for (breach, asked) in [
        ("is left at", left),
        ("was never planned", unplanned),
        ("is older than", early),
        ("is to run, and has no run", planned()),
    ] {
        let mut evidence = nothing();
        evidence.settings.domains = Some(["trade".to_owned()].into());
        evidence.judgement.stored.plans.push(asked);
        let told = told(&story(evidence));
        assert!(told.contains(breach), "`{breach}` is missing in: {told}");
    }
}

/// Builds a request with an answer, and an obligation with this trace.
fn answered(obligation: &Value) -> TenantEvidence {
    let ask = id::<RowId>(1);
    let trace = json!({
        "v": 1, "ask_id": ask, "at": NOON, "text": "What's 2+2?", "obligations": [obligation], "verified": true,
        "answer": "4", "latency_ms": 0,
    });
    let row = AskRow {
        id: ask,
        key: None,
        user: "u".into(),
        session: "s".into(),
        text: "What's 2+2?".into(),
        dialogue: Vec::new(),
        answer: Some("4".into()),
        verified: true,
        trace: Some(trace),
        at: at(NOON),
    };
    let mut evidence = nothing();
    let stored = &mut evidence.judgement.stored;
    stored.asks.push(row);
    let status = ObligationStatus::Resolved;
    stored.obligations.push(StoredObligation { id: id(2), ask, status });
    stored.journal.push(noted("snapshot", None, &json!({ "active": [], "stack": 0 })));
    evidence
}

/// An answer, and a question for its reason, which came from a node whose clock was behind.
fn asked_why(answer: &str) -> TenantEvidence {
    let mut evidence = answered(&obligation("passed"));
    let stored = &mut evidence.judgement.stored;
    let mut why = AskRow { id: id(0), text: "why?".into(), ..stored.asks[0].clone() };
    why.answer = Some(answer.into());
    let justify =
        json!({ "type": "JUSTIFY", "payload": {}, "status": "resolved", "answer": answer });
    let trace = why.trace.as_mut().expect("a trace");
    trace["answer"] = json!(answer);
    trace["obligations"] = json!([justify]);
    stored.asks.push(why);
    stored.journal.push(noted("snapshot", None, &json!({ "active": [], "stack": 0 })));
    evidence
}

fn obligation(verify: &str) -> Value {
    let run = json!({
        "tool": "ask.eval_math", "call_id": "call_1", "input_hash": "", "output_hash": "", "status": "succeeded",
        "duration_ms": 0,
    });
    json!({
        "type": "REPORT", "payload": {}, "status": "resolved", "runs": [run], "verify": verify, "answer": "4",
    })
}

#[test]
fn the_laws_of_answers_find_what_breaks_them() {
    assert_eq!(told(&story(answered(&obligation("passed")))), "");
    let unchecked = told(&story(answered(&obligation(""))));
    assert!(
        unchecked.contains("unchecked") && unchecked.contains("verified by nothing"),
        "{unchecked}"
    );
    let mut unresolved = answered(&obligation("passed"));
    unresolved.judgement.stored.obligations[0].status = ObligationStatus::Failed;
    assert!(told(&story(unresolved)).contains("verified by nothing"));
    let mut twice = answered(&obligation("passed"));
    let again = StoredObligation { id: id(3), ..twice.judgement.stored.obligations[0].clone() };
    twice.judgement.stored.obligations.push(again);
    assert!(told(&story(twice)).contains("is bound to 2 obligations"));
    let about_earlier = asked_why("Because ask.eval_math returned it (call call_1)");
    assert_eq!(told(&story(about_earlier)), "");
    let about_nothing = asked_why("Because ask.eval_math returned it (call call_7)");
    assert!(told(&story(about_nothing)).contains("`why?` is verified by nothing"));
    let mut lost = answered(&obligation("passed"));
    lost.events =
        events(&[("receipt", json!({ "status": "succeeded", "step_id": "call" }))]).events;
    (lost.events[0].call, lost.events[0].tool) = (Some(id(5)), Some("ask.save".into()));
    lost.events = relinked(lost.events);
    assert!(told(&story(lost)).contains("a call that no answer names"));
    let done = |answer: &str| {
        let command = EngineCommand::Ask(AskRequest {
            text: "What's 2+2?".to_owned(),
            obligations: None,
            session: None,
            user: "u".to_owned(),
            key: Some("k".to_owned()),
        });
        entry(Exchange::CommandDone(command, Some(answer.into())))
    };
    let same = TenantEvidence { journal: vec![done("a 4"), done("a 4")], ..nothing() };
    assert_eq!(told(&story(same)), "");
    let other = TenantEvidence { journal: vec![done("a 4"), done("b 4")], ..nothing() };
    assert!(told(&story(other)).contains("answers `k` with `a 4`, and then with `b 4`"));
}

fn key() -> SessionKey {
    SessionKey { user: "u".into(), session: "s".into() }
}

fn noted(event: &str, goal: Option<i64>, payload: &Value) -> StoredEntry {
    let (event, payload) = (event.to_owned(), payload.clone());
    let entry = JournalRow { id: id(7), user: "u".into(), event, goal, payload, at: at(NOON) };
    StoredEntry { key: key(), entry }
}

fn goal(id: i64, status: GoalStatus) -> StoredGoal {
    let now: Timestamp = NOON.parse().expect("an instant");
    let goal = AgendaGoal {
        id,
        goal_type: GoalType::General,
        parent: None,
        status,
        priority: 3,
        description: String::new(),
        next_action: String::new(),
        slots: Default::default(),
        ignored_answers: 0,
        created_at: now,
        updated_at: now,
    };
    StoredGoal { key: key(), goal }
}

/// Builds the evidence of a conversation.
fn conversation(goals: Vec<StoredGoal>, journal: Vec<StoredEntry>) -> TenantEvidence {
    let mut judgement = JudgementEvidence::default();
    (judgement.stored.goals, judgement.stored.journal) = (goals, journal);
    TenantEvidence { judgement, ..nothing() }
}

#[test]
fn the_laws_of_conversations_find_what_breaks_them() {
    let created = |id| noted("created", Some(id), &Value::Null);
    let ended = goal(1, GoalStatus::Completed);
    let completed = noted("completed", Some(1), &Value::Null);
    let well = conversation(vec![ended.clone()], vec![created(1), completed]);
    assert_eq!(told(&story(well)), "");
    let many: Vec<StoredGoal> = (1..=7).map(|id| goal(id, GoalStatus::Active)).collect();
    let shown = json!({ "active": [], "stack": 4 });
    let mut left = conversation(Vec::new(), Vec::new());
    left.judgement.stored.turns.push(key());
    let mut unevaluated = answered(&obligation("passed"));
    unevaluated.judgement.stored.journal.clear();
    for (breach, evidence) in [
        ("notes 1 begins, 0 completions", conversation(vec![ended], vec![created(1)])),
        ("has 7 active goals", conversation(many, (1..=7).map(created).collect())),
        ("shows 4", conversation(Vec::new(), vec![noted("snapshot", None, &shown)])),
        ("goal 1 of s is not stored", conversation(Vec::new(), vec![created(1)])),
        ("never evaluated", left),
        ("has 1 turns, of which 0 were evaluated", unevaluated),
    ] {
        let told = told(&story(evidence));
        assert!(told.contains(breach), "`{breach}` is missing in: {told}");
    }
}

/// Builds an order that is open.
fn order() -> StandingRow {
    StandingRow {
        id: id(2),
        user: "u".into(),
        kind: ObligationType::Maintain,
        predicate: "ball.in_place".into(),
        digest: String::new(),
        method: String::new(),
        goal: Value::Null,
        from: at(NOON),
        until: at(NOON),
        run: Some(run()),
    }
}

#[test]
fn the_law_of_orders_finds_what_breaks_it() {
    let done = json!({ "type": "MAINTAIN", "payload": {}, "status": "resolved", "run_id": run() });
    let ended = ("run.completed", json!({}));
    let told_done = |happened: &[(&'static str, Value)]| {
        let mut evidence = answered(&done);
        evidence.judgement.stored.asks[0].verified = false;
        evidence.events = events(happened).events;
        told(&story(evidence))
    };
    assert_eq!(told_done(&[ended]), "");
    assert!(told_done(&[]).contains("is done, which had not ended"));
    let stored = |status| {
        let mut evidence = nothing();
        evidence.judgement.stored.orders.push(order());
        let obligation = |status| StoredObligation { id: id(2), ask: id(1), status };
        evidence.judgement.stored.obligations.extend(Option::map(status, obligation));
        told(&story(evidence))
    };
    assert_eq!(stored(Some(ObligationStatus::Cancelled)), "");
    assert!(stored(Some(ObligationStatus::Active)).contains("is `active`, and has no run"));
    assert!(stored(None).contains("is of no obligation"));
}
