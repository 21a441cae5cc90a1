//! Tests that each law reports evidence that breaks the law, and reports nothing about correct evidence.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::id::IdSource;
use abide_engine::base::{
    Digest, EventId, MessageId, RunId, Span, StreamId, Timestamp, TypedId, Value,
};
use abide_engine::facade::{Direction, InboundMessage, MessageView};
use abide_engine::gateway::SentMessage;
use abide_engine::ledger::KindName;
use abide_engine::policy::Settings;
use abide_engine::store::{LedgerRow, MessageState, NewInbound};
use jiff::tz::TimeZone;
use serde_json::json;

use super::breaches;
use crate::play::{
    AcceptedMessage, EngineCommand, Exchange, JournalEntry, JudgementEvidence, SimulationEvidence,
    TenantEvidence,
};

const ANA: &str = "+15125550101";
pub(super) const NOON: &str = "2025-09-30T12:00:00Z";

pub(super) fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

pub(super) fn id<T: TypedId>(n: u128) -> T {
    T::from_uuid(uuid::Uuid::from_u128(n))
}

/// Builds the evidence of a tenant that has no runs, no messages and no events.
pub(super) fn nothing() -> TenantEvidence {
    TenantEvidence {
        tenant: "default".into(),
        sent: Vec::new(),
        outside: BTreeMap::new(),
        heard: Vec::new(),
        journal: Vec::new(),
        settings: Settings::default(),
        zone: TimeZone::UTC,
        zones_of_people: BTreeMap::new(),
        clock_tolerance: Span::ZERO,
        phones: BTreeMap::new(),
        supervisors: BTreeSet::new(),
        messages: Vec::new(),
        inbox: Vec::new(),
        runs: Vec::new(),
        offers: BTreeMap::new(),
        judgement: JudgementEvidence::default(),
        events: Vec::new(),
    }
}

/// Builds the evidence of a simulation with this single tenant.
pub(super) fn story(evidence: TenantEvidence) -> SimulationEvidence {
    let tenants = vec![evidence];
    let (broken, audit, overdue) = Default::default();
    SimulationEvidence { tenants, broken, audit, overdue, commits: 0, crashes: 0 }
}

fn sent(n: u128, when: &str) -> AcceptedMessage {
    let (to, body) = (ANA.into(), "Can you?".into());
    AcceptedMessage {
        nth: 0,
        begin: None,
        message: SentMessage { id: id::<MessageId>(n), to, body, at: at(when) },
    }
}

fn message(n: u128, state: MessageState) -> MessageView {
    let direction = match state {
        MessageState::Stored | MessageState::Applied => Direction::Inbound,
        _ => Direction::Outbound,
    };
    MessageView {
        id: id(n),
        direction,
        to: ANA.into(),
        from: ANA.into(),
        body: "yes".into(),
        kind: Some("invite".into()),
        idempotency_key: Some(format!("msg:{n}")),
        state,
        attempts: None,
        segments: None,
        error: None,
        request_id: None,
        correlation_id: None,
        run_id: None,
        created_at: NOON.into(),
        sent_at: None,
    }
}

fn heard(body: &str) -> NewInbound {
    NewInbound {
        gateway: "loopback".into(),
        provider_id: "SM1".into(),
        from: ANA.into(),
        to: ANA.into(),
        body: body.into(),
        carrier_word: None,
        received_at: at(NOON),
    }
}

/// Builds the evidence of a tenant whose only message was sent correctly, at the instant `when`.
fn one_sent(when: &str) -> TenantEvidence {
    TenantEvidence {
        sent: vec![sent(1, when)],
        messages: vec![message(1, MessageState::Sent)],
        ..nothing()
    }
}

/// Builds the events of one stream, chained by their hashes.
fn chain(events: &[(&'static str, Value)]) -> Vec<LedgerRow> {
    let mut last = Digest::ZERO;
    let linked = (1..).zip(events).map(|(seq, (kind, body))| {
        let mut row = LedgerRow {
            id: IdSource::seeded(1).mint::<EventId>(at(NOON)),
            stream: id::<StreamId>(5),
            seq,
            tenant: "default".into(),
            kind: KindName::of(kind),
            at: at(NOON),
            run: Some(id::<RunId>(5)),
            call: None,
            tool: None,
            status: None,
            body: body.clone(),
            hash: Digest::ZERO,
            correlation: None,
        };
        row.hash = Digest::chain(last, row.canonical().as_bytes());
        last = row.hash;
        row
    });
    linked.collect()
}

pub(super) fn events(events: &[(&'static str, Value)]) -> TenantEvidence {
    TenantEvidence { events: chain(events), ..nothing() }
}

pub(super) fn entry(what: Exchange) -> JournalEntry {
    JournalEntry { tenant: "default".into(), what, sent: 0, begun: 0, at: Timestamp::EPOCH }
}

fn opted_out(body: &str) -> [JournalEntry; 2] {
    let command = EngineCommand::Receive(InboundMessage {
        id: "SM1".into(),
        from: ANA.into(),
        to: ANA.into(),
        body: body.into(),
        received_at: None,
    });
    let heard = Exchange::TextReceived { id: "SM1".into(), from: ANA.into(), body: body.into() };
    [entry(heard), entry(Exchange::CommandDone(command, Some("opt_out".into())))]
}

fn opted_in() -> JournalEntry {
    entry(Exchange::TextReceived { id: "SM2".into(), from: ANA.into(), body: "Start".into() })
}

fn paused(paused: bool) -> JournalEntry {
    let command = EngineCommand::Tenant { paused };
    entry(if paused {
        Exchange::CommandDone(command, None)
    } else {
        Exchange::CommandSent(command)
    })
}

pub(super) fn told(evidence: &SimulationEvidence) -> String {
    breaches(evidence).join("; ")
}

#[test]
fn where_all_is_well_no_law_speaks() {
    let offered = json!({ "offers": [["ofr_1", "per_1"]] });
    let ended = json!({ "became": "expired", "offers": ["ofr_1"] });
    for (well, evidence) in [
        ("nothing happened", nothing()),
        ("a text was sent", one_sent(NOON)),
        (
            "a reply was handled",
            TenantEvidence {
                heard: vec![heard("yes")],
                messages: vec![message(1, MessageState::Applied)],
                ..nothing()
            },
        ),
        (
            "it is daytime where the recipient is",
            TenantEvidence {
                zones_of_people: BTreeMap::from([(
                    ANA.to_owned(),
                    vec![TimeZone::get("Australia/Melbourne").expect("a zone")],
                )]),
                ..one_sent("2025-09-30T23:00:00Z")
            },
        ),
        ("an offer ended", events(&[("offered", offered), ("offers", ended)])),
        (
            "the recipient opted in again",
            TenantEvidence {
                journal: opted_out("stop").into_iter().chain([opted_in()]).collect(),
                ..one_sent(NOON)
            },
        ),
        (
            "the kill switch is off again",
            TenantEvidence { journal: vec![paused(true), paused(false)], ..one_sent(NOON) },
        ),
    ] {
        assert_eq!(told(&story(evidence)), "", "{well}");
    }
}

/// Builds the evidence of a wait of six hours that timed out one second too early.
fn early_timeout() -> TenantEvidence {
    let receipt = json!({
        "input": { "timeout": "6h" }, "result": { "reason": "timeout" },
        "started_at": NOON, "finished_at": "2025-09-30T17:59:59Z",
    });
    let mut early = events(&[("receipt", receipt)]);
    early.events[0].tool = Some("wait_for_replies".into());
    early.events[0].call = Some(id(1));
    early.events = relinked(early.events);
    early
}

/// Returns the evidence of a call that was carried out so often, whose receipt gives this outcome.
fn acted(times: u32, outcome: Option<&str>) -> TenantEvidence {
    let made = outcome.map(|outcome| json!({ "outcome": outcome }));
    let made: Vec<Value> = made.into_iter().collect();
    let mut acted = events(&[("receipt", json!({ "effects": { "external_calls": made } }))]);
    acted.events[0].call = Some(id(1));
    acted.events = relinked(acted.events);
    if times > 0 {
        acted.outside.insert(id(1), times);
    }
    acted
}

#[test]
fn the_law_of_outside_systems_finds_what_breaks_it() {
    for (breach, evidence) in [
        ("was carried out 2 times", acted(2, Some("done"))),
        ("nobody carried it out", acted(0, Some("done"))),
        ("but it was carried out", acted(1, Some("not_done"))),
        ("does not name its effect", acted(1, None)),
        (
            "without a receipt",
            TenantEvidence { outside: BTreeMap::from([(id(1), 1)]), ..nothing() },
        ),
    ] {
        let told = told(&story(evidence));
        assert!(told.contains(breach), "`{breach}` is missing in: {told}");
    }
}

/// Builds the events of an approval: asked for, ended in a state, and the receipts of calls that had it. It was
/// asked for a call and for the one after it.
fn approved(state: Option<&str>, receipts: &[(&str, &str)]) -> TenantEvidence {
    let of = |mut body: Value| {
        body["approval_id"] = json!("apr_1");
        body
    };
    let mut told = vec![("approval.asked", of(json!({ "step_id": "bill", "then": ["send"] })))];
    told.extend(state.map(|state| ("approval.ended", of(json!({ "state": state })))));
    let receipt = |(step, status)| ("receipt", of(json!({ "step_id": step, "status": status })));
    told.extend(receipts.iter().copied().map(receipt));
    let mut told = events(&told);
    (1..).zip(&mut told.events).for_each(|(nth, event)| event.call = Some(id(nth)));
    told.events = relinked(told.events);
    told
}

#[test]
fn the_law_of_approvals_finds_what_breaks_it() {
    let (billed, sent) = (("bill", "succeeded"), ("send", "succeeded"));
    assert_eq!(told(&story(approved(Some("approved"), &[billed, sent]))), "");
    assert_eq!(told(&story(approved(Some("approved"), &[("bill", "failed")]))), "");
    assert_eq!(told(&story(approved(Some("denied"), &[]))), "");
    for (breach, evidence) in [
        ("serves `bill`", approved(Some("approved"), &[billed, billed])),
        ("serves `tell`", approved(Some("approved"), &[billed, ("tell", "succeeded")])),
        ("which is expired", approved(Some("expired"), &[billed])),
        ("which is open", approved(None, &[billed])),
        ("never ends", approved(None, &[])),
    ] {
        let told = told(&story(evidence));
        assert!(told.contains(breach), "`{breach}` is missing in: {told}");
    }
}

/// Builds the events of a run: its start, with or without consent, and a receipt.
fn gated(consent: Value, receipt: Value) -> TenantEvidence {
    let started = json!({ "method": "m", "consent": consent });
    let mut told = events(&[("run.started", started), ("receipt", receipt)]);
    told.events[1].call = Some(id(1));
    told.events = relinked(told.events);
    told
}

#[test]
fn the_law_of_gates_finds_what_breaks_it() {
    let receipt = |risk: &str| json!({ "tool": "job.create", "status": "succeeded", "risk": risk });
    let breaches = |consent: Value, receipt: Value| {
        super::nothing_acts_unasked::law(&gated(consent, receipt)).len()
    };
    assert_eq!(breaches(Value::Null, receipt("T1")), 0);
    assert_eq!(breaches(Value::Null, receipt("T2")), 1);
    assert_eq!(breaches(json!("starter"), receipt("T2")), 0);
    assert_eq!(
        breaches(json!({ "refused": "apr_01980000000070008000000000000000" }), receipt("T2")),
        1
    );
    assert_eq!(breaches(json!("starter"), receipt("T3")), 1);
}

/// Builds the evidence of two calls of a tool with one key: the results, and whether the second call is a hit.
fn keyed(results: [&str; 2], hit: bool, wrote: bool) -> TenantEvidence {
    let receipt = |result: &str, effects: Value| {
        let (tool, key) = ("leads.create", "0491 572 549");
        json!({ "tool": tool, "status": "succeeded", "idempotency_key": key, "result": result, "effects": effects })
    };
    let row = json!([{ "table": "leads", "action": "insert", "id": "lead_1" }]);
    let mut second = json!({ "db_writes": if wrote { row.clone() } else { json!([]) } });
    if hit {
        second["idempotency_hit"] = json!(["0491 572 549"]);
    }
    let mut called = events(&[
        ("receipt", receipt(results[0], json!({ "db_writes": row }))),
        ("receipt", receipt(results[1], second)),
    ]);
    (1..).zip(&mut called.events).for_each(|(nth, event)| event.call = Some(id(nth)));
    called.events = relinked(called.events);
    called
}

#[test]
fn the_law_of_keys_finds_what_breaks_it() {
    assert_eq!(told(&story(keyed(["lead_1", "lead_1"], true, false))), "");
    for (breach, evidence) in [
        ("acts a second time", keyed(["lead_1", "lead_1"], false, true)),
        ("writes although an earlier call answers it", keyed(["lead_1", "lead_1"], true, true)),
        ("returns another result", keyed(["lead_1", "lead_2"], true, false)),
    ] {
        let told = told(&story(evidence));
        assert!(told.contains(breach), "`{breach}` is missing in: {told}");
    }
}

#[test]
fn each_law_finds_what_breaks_it() {
    let mut twice = one_sent(NOON);
    twice.sent.push(sent(1, NOON));
    let mut same_key = one_sent(NOON);
    same_key.messages.push(MessageView { id: id(2), ..message(1, MessageState::Queued) });
    let mut forged = events(&[("run.started", json!({})), ("run.completed", json!({}))]);
    forged.events[0].body = json!({ "goal": "another" });
    let mut torn = events(&[("run.started", json!({})), ("run.completed", json!({}))]);
    torn.events.remove(0);
    let over = [("run.ended", json!({})), ("receipt", json!({}))];
    let ended = json!({ "became": "expired", "offers": ["ofr_1"] });
    for (breach, evidence) in [
        ("is missing 1 times", TenantEvidence { heard: vec![heard("yes")], ..nothing() }),
        (
            "1 times too often",
            TenantEvidence { messages: vec![message(1, MessageState::Applied)], ..nothing() },
        ),
        (
            "was never handled",
            TenantEvidence { messages: vec![message(1, MessageState::Stored)], ..nothing() },
        ),
        ("was sent 2 times", twice),
        ("another message has its key", same_key),
        (
            "the provider never had it",
            TenantEvidence { messages: vec![message(1, MessageState::Sent)], ..nothing() },
        ),
        (
            "`suppressed`, but the provider has it",
            TenantEvidence {
                messages: vec![message(1, MessageState::Suppressed)],
                ..one_sent(NOON)
            },
        ),
        ("not in our records", TenantEvidence { sent: vec![sent(1, NOON)], ..nothing() }),
        ("a second receipt", events(&[("receipt", json!({}))])),
        ("`receipt` after the end", events(&over)),
        ("starts again", events(&[("run.started", json!({})), ("run.started", json!({}))])),
        ("ofr_1 ends but is not open", events(&[("offers", ended)])),
        ("a wait of 6h ends after", early_timeout()),
        ("does not match its hash", forged),
        ("event 2 follows event 0", torn),
        (
            "`inbound.set_aside` of",
            events(&[("inbound.set_aside", json!({ "message": "msg_1", "why": "internal" }))]),
        ),
        (
            "`attempt.failed` of",
            events(&[("attempt.failed", json!({ "error": { "code": "internal" } }))]),
        ),
        (
            "who has opted out",
            TenantEvidence { journal: opted_out("stop").to_vec(), ..one_sent(NOON) },
        ),
        ("under the kill switch", TenantEvidence { journal: vec![paused(true)], ..one_sent(NOON) }),
        ("in quiet hours", one_sent("2025-09-30T23:00:00Z")),
        (
            "is still `queued`",
            TenantEvidence { messages: vec![message(1, MessageState::Queued)], ..nothing() },
        ),
    ] {
        let told = told(&story(evidence));
        assert!(told.contains(breach), "`{breach}` is missing in: {told}");
    }
}

#[test]
fn a_law_of_the_whole_story_finds_what_breaks_it() {
    let well = || story(nothing());
    let late = vec![("hope".to_owned(), at(NOON))];
    for (breach, evidence) in [
        (
            "accepted_over_target",
            SimulationEvidence { audit: vec!["accepted_over_target".into()], ..well() },
        ),
        (
            "commit 3: tally",
            SimulationEvidence { broken: vec!["commit 3: tally".into()], ..well() },
        ),
        ("an item of hope has been due since", SimulationEvidence { overdue: late, ..well() }),
    ] {
        let told = told(&evidence);
        assert!(told.contains(breach), "`{breach}` is missing in: {told}");
    }
}

/// Computes the hashes of the events again. A test needs this after it has changed fields of the events.
pub(super) fn relinked(mut events: Vec<LedgerRow>) -> Vec<LedgerRow> {
    let mut last = Digest::ZERO;
    for event in &mut events {
        event.hash = Digest::chain(last, event.canonical().as_bytes());
        last = event.hash;
    }
    events
}
