//! The explanation of every kind of wait and of end.

use std::fmt::Write as _;

use jiff::tz::TimeZone;
use serde_json::json;

use super::ahead::Ahead;
use super::plight::{Held, HeldBy, Plight, Workers};
use super::saying::{Eyes, lasting, listed};
use super::story::tell;
use crate::base::problem::Blame;
use crate::base::{RunId, Span, Timestamp, TypedId as _, Value};
use crate::facade::view::{Position, RunView, WaitingOn};

fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

/// Tuesday 17:20 in Chicago.
fn eyes() -> Eyes {
    let zone = TimeZone::get("America/Chicago").expect("a zone");
    Eyes { now: at("2025-09-30T22:20:00Z"), zone }
}

fn run(status: &str) -> RunView {
    let id = RunId::from_uuid(uuid::Uuid::from_u128(7));
    RunView {
        id,
        method: "fill_roles".to_owned(),
        method_version: 1,
        status: status.to_owned(),
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
        parent_id: None,
        replaces: None,
        forked_from: None,
        created_at: "2025-09-30T19:20:00Z".to_owned(),
        updated_at: "2025-09-30T21:05:00Z".to_owned(),
    }
}

fn plight(run: RunView) -> Plight {
    Plight {
        run,
        tenant: "default".to_owned(),
        branch: false,
        ahead: Ahead {
            steps: vec!["assign".to_owned(), "tell_filled".to_owned()],
            fallback: vec!["last_call".to_owned(), "wait_again".to_owned()],
            signals: Vec::new(),
        },
        scheduled: false,
        switched_off: false,
        held: None,
        poison: false,
        blame: None,
        children: 0,
        child: None,
        workers: Workers::Present,
    }
}

/// A run that has been waiting since 14:20, until 20:20 at the latest.
fn waiting(kind: &str, why: &str, from: &[&str]) -> Plight {
    let from: Vec<Value> = from.iter().map(|name| json!({"name": name})).collect();
    let mut plight = plight(run("waiting"));
    plight.run.waiting_on = Some(WaitingOn {
        kind: kind.to_owned(),
        since: Some("2025-09-30T19:20:00Z".to_owned()),
        until: Some("2025-10-01T01:20:00Z".to_owned()),
        need: Some(5),
        have: Some(3),
        from: from.into(),
        why: why.to_owned(),
    });
    plight
}

fn replies() -> Plight {
    let why = "3 of 5 have said yes for nursery, 2 have not answered yet";
    waiting("replies", why, &["Dana", "Eli"])
}

fn signal() -> Plight {
    let mut plight = waiting("signal", "the signal `yes` or `no` has not arrived yet", &[]);
    plight.ahead.signals = vec!["yes".to_owned(), "no".to_owned()];
    plight.ahead.fallback.clear();
    plight
}

fn answer(signals: &[&str]) -> Plight {
    let mut plight = waiting("answer", "Dana has not answered yet", &["Dana"]);
    plight.ahead.signals = signals.iter().map(|name| (*name).to_owned()).collect();
    plight.ahead.fallback.clear();
    plight
}

fn timer() -> Plight {
    let mut plight = waiting("timer", "it is in a planned pause; nobody has to do anything", &[]);
    plight.ahead.fallback.clear();
    plight
}

fn scheduled() -> Plight {
    let mut plight = waiting("timer", "it waits for a time that it has scheduled", &[]);
    plight.ahead.fallback.clear();
    plight.scheduled = true;
    plight
}

fn child(branch: bool, children: usize) -> Plight {
    let mut plight = waiting("child", "", &[]);
    let wait = plight.run.waiting_on.as_mut().expect("it waits");
    wait.until = None;
    let mut inner = signal();
    inner.branch = branch;
    inner.run.method = "ask_the_pastor".to_owned();
    plight.ahead = Ahead::default();
    plight.children = children;
    plight.child = Some(Box::new(inner));
    plight
}

fn retry() -> Plight {
    let mut plight = waiting("retry", "attempt 2 of the step failed; it will be retried", &[]);
    plight.run.position.as_mut().expect("a step").step_id = "invite".to_owned();
    plight
}

fn failed(blame: Blame) -> Plight {
    let mut plight = plight(run("failed"));
    plight.run.error = Some(json!({"code": "approval_required", "step_id": "last_call",
        "message": "31 people are more than the 25 that need no approval", "hint": "ask fewer"}));
    plight.blame = Some(blame);
    plight
}

fn completed(outcome: &str) -> Plight {
    let mut plight = plight(run("completed"));
    plight.run.outcome = Some(outcome.to_owned());
    plight
}

fn held(by: HeldBy) -> Plight {
    let mut plight = replies();
    plight.held = Some(Held { count: 12, until: at("2025-10-01T13:00:00Z"), by });
    plight
}

fn cancelled_in_quiet_hours() -> Plight {
    Plight { run: run("cancelled"), ..held(HeldBy::QuietHours) }
}

fn switched_off() -> Plight {
    let mut plight = replies();
    plight.switched_off = true;
    plight
}

fn without(workers: Workers) -> Plight {
    Plight { workers, ..replies() }
}

fn poison() -> Plight {
    let mut plight = plight(run("paused"));
    plight.poison = true;
    plight
}

fn undoing() -> Plight {
    let mut plight = plight(run("running"));
    plight.run.phase = Some("compensating".to_owned());
    plight
}

fn stuck() -> Plight {
    let mut plight = replies();
    plight.run.stuck = Some(crate::facade::Stuck {
        since: "2025-09-30T21:20:00Z".to_owned(),
        cause: "it is due, but no process has taken it".to_owned(),
        must_act: "An operator must make sure that `abide serve` is running".to_owned(),
    });
    plight
}

#[test]
fn every_kind_of_wait_and_end_is_told_in_plain_words() {
    let cases = [
        ("replies", replies()),
        ("signal", signal()),
        ("answer", answer(&[])),
        ("answer or message", answer(&["called_off"])),
        ("timer", timer()),
        ("scheduled", scheduled()),
        ("child", child(false, 1)),
        ("branches", child(true, 2)),
        ("retry", retry()),
        ("paused", plight(run("paused"))),
        ("poison", poison()),
        ("workers missing", without(Workers::Missing)),
        ("clocks off", without(Workers::ClocksOff)),
        ("kill switch", switched_off()),
        ("quiet hours", held(HeldBy::QuietHours)),
        ("budget", held(HeldBy::Budget)),
        ("rate", held(HeldBy::Rate)),
        ("stuck", stuck()),
        ("succeeded", completed("succeeded")),
        ("fell short", completed("fell_short")),
        ("failed", failed(Blame::Caller)),
        ("failed for now", failed(Blame::Transient)),
        ("cancelled", plight(run("cancelled"))),
        ("cancelled, last words held back", cancelled_in_quiet_hours()),
        ("pending", plight(run("pending"))),
        ("running", plight(run("running"))),
        ("undoing", undoing()),
    ];
    let mut told = String::new();
    for (name, plight) in cases {
        let explained = tell(&plight, &eyes());
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
    assert_eq!(listed(&names[..1], "and"), "A");
    assert_eq!(listed(&names[..3], "or"), "A, B or C");
    assert_eq!(listed(&names[..7], "and"), "A, B, C, D, E, F and one other");
    assert_eq!(listed(&names, "and"), "A, B, C, D, E, F and 3 others");
    assert_eq!(lasting(Span::from_secs(59)), "less than a minute");
    assert_eq!(lasting(Span::from_secs(3_600)), "1 hour");
    assert_eq!(lasting(Span::from_secs(200_000)), "2 days");
}

#[test]
fn days_are_said_as_they_lie_to_the_reader() {
    for (instant, said) in [
        ("2025-09-30T19:20:00Z", "today at 14:20"),
        ("2025-10-01T04:59:00Z", "today at 23:59"),
        ("2025-10-01T05:00:00Z", "tomorrow at 00:00"),
        ("2025-09-29T19:20:00Z", "yesterday at 14:20"),
        ("2025-10-05T14:00:00Z", "on Sun 5 Oct at 09:00"),
        ("2026-01-04T15:00:00Z", "on Sun 4 Jan 2026 at 09:00"),
    ] {
        assert_eq!(eyes().moment(at(instant)), said);
    }
}
