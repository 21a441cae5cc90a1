//! Checks the explanation of a run for each kind of wait and for each way in which a run can end.

use std::fmt::Write as _;

use jiff::tz::TimeZone;
use serde_json::json;

use super::diagnosis::{Diagnosis, HeldBack, HoldReason, Workers};
use super::next_steps::NextSteps;
use super::paragraph::explain;
use super::wording::{Reader, format_span, join_names};
use crate::base::problem::Blame;
use crate::base::{ApprovalId, RunId, Span, Timestamp, TypedId as _, Value};
use crate::facade::run_view::{Position, RunFailureView, RunPhase, RunView};
use crate::facade::waiting_on::{WaitKind, WaitingOn};
use crate::run::{RunOutcome, RunStatus};

fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

/// Returns a reader for whom it is Tuesday, 17:20, in Chicago.
fn reader() -> Reader {
    let zone = TimeZone::get("America/Chicago").expect("a zone");
    Reader { now: at("2025-09-30T22:20:00Z"), zone }
}

fn run(status: RunStatus) -> RunView {
    let id = RunId::from_uuid(uuid::Uuid::from_u128(7));
    RunView {
        id,
        method: "fill_roles".to_owned(),
        method_version: 1,
        status,
        outcome: None,
        goal: Value::Null,
        request_id: None,
        position: Some(Position {
            step_id: "wait".to_owned(),
            path: "steps/2".to_owned(),
            foreach_index: None,
        }),
        vars: None,
        waiting_on: None,
        next_timer_at: None,
        error: None,
        phase: None,
        stuck: None,
        held: false,
        shadow: false,
        beside: None,
        parent_id: None,
        replaces: None,
        forked_from: None,
        correlation_id: None,
        created_at: "2025-09-30T19:20:00Z".to_owned(),
        updated_at: "2025-09-30T21:05:00Z".to_owned(),
    }
}

fn diagnosis(run: RunView) -> Diagnosis {
    Diagnosis {
        run,
        tenant: "default".to_owned(),
        branch: false,
        next: NextSteps {
            steps: vec!["assign".to_owned(), "tell_filled".to_owned()],
            fallback: vec!["last_call".to_owned(), "wait_again".to_owned()],
        },
        signals: Vec::new(),
        scheduled: false,
        switched_off: false,
        held: None,
        quarantined: false,
        blame: None,
        children: 0,
        child: None,
        workers: Workers::Present,
    }
}

/// Builds the diagnosis of a run that has been waiting since 14:20 and waits until 20:20 at the latest.
/// The parameter `from` contains the names of the people who have not answered.
fn waiting(kind: WaitKind, why: &str, from: &[&str]) -> Diagnosis {
    let from: Vec<Value> = from.iter().map(|name| json!({"name": name})).collect();
    let mut diagnosis = diagnosis(run(RunStatus::Waiting));
    diagnosis.run.waiting_on = Some(WaitingOn {
        kind,
        since: Some("2025-09-30T19:20:00Z".to_owned()),
        until: Some("2025-10-01T01:20:00Z".to_owned()),
        need: Some(5),
        have: Some(3),
        from: from.into(),
        approval_id: None,
        why: why.to_owned(),
    });
    diagnosis
}

fn replies() -> Diagnosis {
    let why = "3 of 5 have said yes for nursery, 2 have not answered yet";
    waiting(WaitKind::Replies, why, &["Dana", "Eli"])
}

fn signal() -> Diagnosis {
    let mut diagnosis =
        waiting(WaitKind::Signal, "the signal `yes` or `no` has not arrived yet", &[]);
    diagnosis.signals = vec!["yes".to_owned(), "no".to_owned()];
    diagnosis.next.fallback.clear();
    diagnosis
}

fn answer(signals: &[&str]) -> Diagnosis {
    let mut diagnosis = waiting(WaitKind::Answer, "Dana has not answered yet", &["Dana"]);
    diagnosis.signals = signals.iter().map(|name| (*name).to_owned()).collect();
    diagnosis.next.fallback.clear();
    diagnosis
}

fn timer() -> Diagnosis {
    let mut diagnosis =
        waiting(WaitKind::Timer, "it is in a planned pause; nobody has to do anything", &[]);
    diagnosis.next.fallback.clear();
    diagnosis
}

fn scheduled() -> Diagnosis {
    let mut diagnosis = waiting(WaitKind::Timer, "it waits for a time that it has scheduled", &[]);
    diagnosis.next.fallback.clear();
    diagnosis.scheduled = true;
    diagnosis
}

fn child(branch: bool, children: usize) -> Diagnosis {
    let mut diagnosis = waiting(WaitKind::Child, "", &[]);
    let wait = diagnosis.run.waiting_on.as_mut().expect("it waits");
    wait.until = None;
    let mut inner = signal();
    inner.branch = branch;
    inner.run.method = "ask_the_pastor".to_owned();
    diagnosis.next = NextSteps::default();
    diagnosis.children = children;
    diagnosis.child = Some(Box::new(inner));
    diagnosis
}

fn retry() -> Diagnosis {
    let mut diagnosis =
        waiting(WaitKind::Retry, "attempt 2 of the step failed; it will be retried", &[]);
    diagnosis.run.position.as_mut().expect("a step").step_id = "invite".to_owned();
    diagnosis
}

fn failed(blame: Blame) -> Diagnosis {
    let mut diagnosis = diagnosis(run(RunStatus::Failed));
    diagnosis.run.error = Some(RunFailureView {
        code: "approval_required".to_owned(),
        hint: Some("ask fewer".to_owned()),
        message: "31 people are more than the 25 that need no approval".to_owned(),
        step_id: "last_call".to_owned(),
    });
    diagnosis.blame = Some(blame);
    diagnosis
}

fn completed(outcome: RunOutcome) -> Diagnosis {
    let mut diagnosis = diagnosis(run(RunStatus::Completed));
    diagnosis.run.outcome = Some(outcome);
    diagnosis
}

fn held(reason: HoldReason) -> Diagnosis {
    let mut diagnosis = replies();
    diagnosis.held = Some(HeldBack { count: 12, until: at("2025-10-01T13:00:00Z"), reason });
    diagnosis
}

fn cancelled_in_quiet_hours() -> Diagnosis {
    Diagnosis { run: run(RunStatus::Cancelled), ..held(HoldReason::QuietHours) }
}

fn switched_off() -> Diagnosis {
    let mut diagnosis = replies();
    diagnosis.switched_off = true;
    diagnosis
}

fn without(workers: Workers) -> Diagnosis {
    Diagnosis { workers, ..replies() }
}

fn quarantined() -> Diagnosis {
    let mut diagnosis = diagnosis(run(RunStatus::Paused));
    diagnosis.quarantined = true;
    diagnosis
}

fn approval() -> Diagnosis {
    let why = "a broadcast to 60 people needs a supervisor's approval: the limit is 25";
    let mut diagnosis = waiting(WaitKind::Approval, why, &[]);
    let wait = diagnosis.run.waiting_on.as_mut().expect("it waits");
    wait.approval_id = Some(ApprovalId::from_uuid(uuid::Uuid::nil()));
    diagnosis
}

fn undoing() -> Diagnosis {
    let mut diagnosis = diagnosis(run(RunStatus::Running));
    diagnosis.run.phase = Some(RunPhase::Compensating);
    diagnosis
}

fn stuck() -> Diagnosis {
    let mut diagnosis = replies();
    diagnosis.run.stuck = Some(crate::facade::StuckReason {
        since: "2025-09-30T21:20:00Z".to_owned(),
        cause: "it is due, but no process has taken it".to_owned(),
        must_act: "An operator must make sure that `abide serve` is running".to_owned(),
    });
    diagnosis
}

#[test]
fn every_kind_of_wait_and_end_is_told_in_plain_words() {
    let cases = [
        ("replies", replies()),
        ("approval", approval()),
        ("signal", signal()),
        ("answer", answer(&[])),
        ("answer or message", answer(&["called_off"])),
        ("timer", timer()),
        ("scheduled", scheduled()),
        ("child", child(false, 1)),
        ("branches", child(true, 2)),
        ("retry", retry()),
        ("paused", diagnosis(run(RunStatus::Paused))),
        ("poison", quarantined()),
        ("workers missing", without(Workers::Missing)),
        ("clocks off", without(Workers::ClocksOff)),
        ("kill switch", switched_off()),
        ("quiet hours", held(HoldReason::QuietHours)),
        ("budget", held(HoldReason::Budget)),
        ("rate", held(HoldReason::Rate)),
        ("stuck", stuck()),
        ("succeeded", completed(RunOutcome::Succeeded)),
        ("fell short", completed(RunOutcome::FellShort)),
        ("failed", failed(Blame::Caller)),
        ("failed for now", failed(Blame::Transient)),
        ("cancelled", diagnosis(run(RunStatus::Cancelled))),
        ("cancelled, last words held back", cancelled_in_quiet_hours()),
        ("pending", diagnosis(run(RunStatus::Pending))),
        ("running", diagnosis(run(RunStatus::Running))),
        ("undoing", undoing()),
    ];
    let mut told = String::new();
    for (name, diagnosis) in cases {
        let explained = explain(&diagnosis, &reader());
        let _ = writeln!(told, "{name}\n  {}", explained.text);
        for next in explained.next {
            let _ = writeln!(told, "  - {}: {}", next.at.as_deref().unwrap_or("then"), next.what);
        }
        told.push('\n');
    }
    insta::assert_snapshot!(told);
}

#[test]
fn many_names_are_cut_and_spans_are_coarse() {
    let names: Vec<String> = ('A'..='I').map(String::from).collect();
    assert_eq!(join_names(&names[..1], "and"), "A");
    assert_eq!(join_names(&names[..3], "or"), "A, B or C");
    assert_eq!(join_names(&names[..7], "and"), "A, B, C, D, E, F and one other");
    assert_eq!(join_names(&names, "and"), "A, B, C, D, E, F and 3 others");
    assert_eq!(format_span(Span::from_secs(59)), "less than a minute");
    assert_eq!(format_span(Span::from_secs(3_600)), "1 hour");
    assert_eq!(format_span(Span::from_secs(200_000)), "2 days");
}

#[test]
fn days_are_named_relative_to_the_readers_today() {
    for (instant, said) in [
        ("2025-09-30T19:20:00Z", "today at 14:20"),
        ("2025-10-01T04:59:00Z", "today at 23:59"),
        ("2025-10-01T05:00:00Z", "tomorrow at 00:00"),
        ("2025-09-29T19:20:00Z", "yesterday at 14:20"),
        ("2025-10-05T14:00:00Z", "on Sun 5 Oct at 09:00"),
        ("2026-01-04T15:00:00Z", "on Sun 4 Jan 2026 at 09:00"),
    ] {
        assert_eq!(reader().time(at(instant)), said);
    }
}
