//! Writes the paragraph that explains a run: a few sentences, in the order in which a reader would ask.

use super::act::must_act;
use super::plight::{Held, HeldBy, Plight, Workers};
use super::saying::{Eyes, counted, lasting, listed, ticked};
use super::{Explanation, NextEvent};
use crate::base::Timestamp;
use crate::facade::view::WaitingOn;

/// Explains a run.
pub(super) fn tell(plight: &Plight, eyes: &Eyes) -> Explanation {
    let must_act = must_act(plight);
    let mut said = stands(plight, eyes, &subject(plight));
    said.extend(next_sentence(plight, eyes));
    said.push(must_act.clone());
    Explanation {
        text: said.join(" "),
        waiting_on: plight.run.waiting_on.clone(),
        next: next_events(plight, "it"),
        must_act,
    }
}

fn subject(plight: &Plight) -> String {
    format!("This run of `{}`", plight.run.method)
}

/// Describes the current state of a run in sentences.
fn stands(plight: &Plight, eyes: &Eyes, who: &str) -> Vec<String> {
    let run = &plight.run;
    let mut said = vec![match run.status.as_str() {
        "pending" if run.replaces.is_some() => {
            let rival = run.replaces.map(|rival| rival.to_string()).unwrap_or_default();
            let started = when(&run.created_at, eyes);
            format!(
                "{who} was started {started} to replace {rival} and begins when that run has ended."
            )
        }
        "pending" => {
            format!("{who} was started {} and has not begun yet.", when(&run.created_at, eyes))
        }
        "running" => {
            let since = when(&run.updated_at, eyes);
            format!("{who} is running{}; it last made progress {since}.", at_step(plight))
        }
        "waiting" => waits(plight, eyes, who),
        "paused" => paused(plight, eyes, who),
        _ => ended(plight, eyes, who),
    }];
    match run.phase.as_deref() {
        Some("compensating") => {
            said.push("It is ending, and is undoing what it did before.".to_owned());
        }
        Some("cancelling") => {
            said.push(
                "It was cancelled, and is doing what remains to be done after that.".to_owned(),
            );
        }
        _ => {}
    }
    if run.is_live() {
        said.extend(nobody_works(plight.workers).map(str::to_owned));
    }
    if plight.switched_off && run.is_live() {
        said.push(format!(
            "The kill switch of `{}` is on: until it is turned off, nothing is sent and no deadline \
             fires, but answers are stored.",
            plight.tenant
        ));
    } else if let Some(held) = &plight.held {
        said.push(postponed_messages((held, run.is_live()), eyes));
    }
    if let Some(stuck) = &run.stuck {
        let since = when(&stuck.since, eyes);
        said.push(format!("It should have moved on {since}: {}.", stuck.cause));
    }
    said
}

fn nobody_works(workers: Workers) -> Option<&'static str> {
    match workers {
        Workers::Present => None,
        Workers::Missing => Some(
            "No process is working on this database: until one does, nothing is sent and no deadline \
             fires, but answers are stored.",
        ),
        Workers::ClocksOff => Some(
            "The clocks of the processes that could work on it are too far from the database's clock, \
             so these processes take no work.",
        ),
    }
}

fn waits(plight: &Plight, eyes: &Eyes, who: &str) -> String {
    let Some(wait) = &plight.run.waiting_on else {
        return format!("{who} is waiting{}.", at_step(plight));
    };
    let since = wait.since.as_deref().map(|since| waiting_since(since, eyes)).unwrap_or_default();
    match wait.kind.as_str() {
        "replies" => {
            let silent = wait.names();
            let silent = match silent.as_slice() {
                [] => String::new(),
                names => format!(" Still waiting for {}.", listed(names, "and")),
            };
            format!("{who} has been waiting for answers{since}: {}.{silent}", wait.why)
        }
        "signal" => {
            let signals = listed(&ticked(&plight.ahead.signals), "or");
            format!(
                "{who} has been waiting{since} for the signal {signals}, which has not arrived yet."
            )
        }
        "answer" => {
            let people = listed(&wait.names(), "and");
            let others = match plight.ahead.signals.as_slice() {
                [] => String::new(),
                signals => format!(
                    " The signal {} would also end the wait.",
                    listed(&ticked(signals), "or")
                ),
            };
            format!(
                "{who} asked {people} a question and has been waiting for the answer{since}.{others}"
            )
        }
        "timer" if plight.scheduled => {
            format!("{who} has been waiting{since} for a time that it has scheduled.")
        }
        "timer" => format!("{who} has been in a planned pause{since}."),
        "retry" => format!("{who} is waiting{}: {}.", at_step(plight), tidy(&wait.why)),
        "child" => format!("{who} has been waiting{since} for {}", children(plight, eyes)),
        _ => format!("{who} is waiting{}: {}.", at_step(plight), wait.why),
    }
}

/// Returns what follows `has been waiting for`: the child runs, and a description of the first one.
fn children(plight: &Plight, eyes: &Eyes) -> String {
    let open = i64::try_from(plight.children).unwrap_or(i64::MAX);
    let Some(child) = &plight.child else { return "its child runs.".to_owned() };
    let branch = child.branch;
    let (what, which) = match (branch, open) {
        (true, 1) => ("one of its own branches.".to_owned(), "That branch".to_owned()),
        (true, n) => (format!("{n} of its own branches."), "The first of them".to_owned()),
        (false, 1) => {
            let method = &child.run.method;
            (format!("a run of `{method}` that it started."), "That run".to_owned())
        }
        (false, n) => (format!("{n} runs that it started."), "The first of them".to_owned()),
    };
    let id = if branch { String::new() } else { format!(" ({})", child.run.id) };
    format!("{what} {}", stands(child, eyes, &format!("{which}{id}")).join(" "))
}

fn paused(plight: &Plight, eyes: &Eyes, who: &str) -> String {
    let at = when(&plight.run.updated_at, eyes);
    let place = at_step(plight);
    if plight.poison {
        return format!(
            "{who} was put in quarantine {at}{place}: it crashed the process that worked on it, \
             several times in a row."
        );
    }
    format!("{who} was paused {at}{place}. Answers are stored while it is paused.")
}

fn ended(plight: &Plight, eyes: &Eyes, who: &str) -> String {
    let run = &plight.run;
    let at = when(&run.updated_at, eyes);
    let took = match (instant(&run.created_at), instant(&run.updated_at)) {
        (Some(from), Some(to)) => lasting(to - from),
        _ => "some time".to_owned(),
    };
    match (run.status.as_str(), run.outcome.as_deref()) {
        ("completed", Some("succeeded")) => {
            format!("{who} reached its goal {at}, {took} after its start, and has ended.")
        }
        ("completed", _) => format!(
            "{who} ended {at}, {took} after its start, and fell short of its goal: all its steps and \
             fallbacks are done."
        ),
        ("failed", _) => format!("{who} failed {at}{}: {}", at_step(plight), failure(plight)),
        _ if plight.held.is_some() => {
            format!("{who} was cancelled {at}, {took} after its start.")
        }
        _ => format!(
            "{who} was cancelled {at}, {took} after its start. Nothing more is sent for it."
        ),
    }
}

/// Returns why it failed and the remedy, with the full stop.
fn failure(plight: &Plight) -> String {
    let Some(error) = &plight.run.error else { return "the reason is not recorded.".to_owned() };
    let said = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
    match said("hint") {
        hint if hint.is_empty() => format!("{}.", said("message")),
        hint => format!("{} (hint: {hint}).", said("message")),
    }
}

fn postponed_messages((held, live): (&Held, bool), eyes: &Eyes) -> String {
    let why = match held.by {
        HeldBy::QuietHours => "because nobody is texted in quiet hours",
        HeldBy::Budget => "because this month's message budget is used up",
        HeldBy::Rate => "because only a limited number may be sent per minute",
        HeldBy::Provider => "because the provider refused the last attempt",
        HeldBy::Plan => "because sending is planned for later",
    };
    let (count, are, until) = (held.count, plural(held.count), eyes.moment(held.until));
    let then = if live { "; the time to answer begins then" } else { "" };
    format!("{count} of its messages {are} held back until {until}, {why}{then}.")
}

/// Describes what comes next in sentences. Returns none unless the run waits and the kill switch is off.
fn next_sentence(plight: &Plight, eyes: &Eyes) -> Vec<String> {
    let Some(wait) = awaited(plight) else { return Vec::new() };
    let until = wait.until.as_deref().map(|until| when(until, eyes));
    let goes_on = goes_on(plight);
    let mut said = vec![match (wait.kind.as_str(), until) {
        ("replies", Some(until)) => {
            let more = wait.need.unwrap_or(0) - wait.have.unwrap_or(0);
            let people = if more == 1 { "person has" } else { "people have" };
            format!(
                "It {goes_on} when {more} more {people} said yes or nobody is left to answer, and \
                 {until} at the latest."
            )
        }
        ("signal", Some(until)) => {
            format!("It {goes_on} when the signal arrives, or {until} without it.")
        }
        ("answer", Some(until)) => {
            format!("It {goes_on} when the answer arrives, or {until} without it.")
        }
        ("timer", Some(until)) if plight.scheduled => {
            format!("That time comes {until}; then it {goes_on}.")
        }
        ("timer", Some(until)) => format!("The pause ends {until}; then it {goes_on}."),
        ("retry", Some(until)) => format!("The next attempt is {until}; after that, it {goes_on}."),
        ("child", Some(until)) => {
            format!("When {}, or {until} at the latest, this run {goes_on}.", children_end(plight))
        }
        ("child", None) => format!("When {}, this run {goes_on}.", children_end(plight)),
        _ => format!("After that, it {goes_on}."),
    }];
    if !plight.ahead.fallback.is_empty() {
        let steps = listed(&ticked(&plight.ahead.fallback), "and");
        said.push(format!("If its goal is not reached by then, it may fall back to {steps}."));
    }
    said
}

/// Returns what must happen to the child runs before their parent goes on.
fn children_end(plight: &Plight) -> &'static str {
    let branch = plight.child.as_ref().is_some_and(|child| child.branch);
    match (branch, plight.children) {
        (true, 1) => "that branch has ended",
        (true, _) => "enough of the branches have ended",
        (false, 1) => "that run has ended",
        (false, _) => "enough of those runs have ended",
    }
}

/// Returns `goes on with …`, or `ends` if no step follows.
fn goes_on(plight: &Plight) -> String {
    match plight.ahead.steps.as_slice() {
        [] => "ends".to_owned(),
        steps => format!("goes on with {}", listed(&ticked(steps), "and")),
    }
}

/// Returns what the run waits for, unless the kill switch keeps that from ending the wait.
fn awaited(plight: &Plight) -> Option<&WaitingOn> {
    let comes = plight.run.status == "waiting" && !plight.switched_off;
    plight.run.waiting_on.as_ref().filter(|_| comes)
}

/// Lists what comes next for programs, the earliest first.
fn next_events(plight: &Plight, who: &str) -> Vec<NextEvent> {
    let inner = plight.child.as_deref().map(|child| {
        let who = if child.branch { "its branch" } else { "the run that it waits for" };
        next_events(child, who)
    });
    let mut next: Vec<NextEvent> = inner.unwrap_or_default();
    if let Some(held) = plight.held.filter(|_| plight.run.is_live() && !plight.switched_off) {
        let what = format!("{} may be sent", counted(held.count, "message"));
        next.push(NextEvent { at: Some(held.until.to_string()), what });
    }
    if let Some(wait) = awaited(plight) {
        let what = match wait.kind.as_str() {
            "retry" => format!("{who} tries again{}", at_step(plight)),
            _ => format!("{who} {}", goes_on(plight)),
        };
        next.push(NextEvent { at: wait.until.clone(), what });
        if !plight.ahead.fallback.is_empty() {
            let steps = listed(&ticked(&plight.ahead.fallback), "and");
            next.push(NextEvent { at: None, what: format!("{who} may fall back to {steps}") });
        }
    }
    next.sort_by_key(|event| (event.at.is_none(), event.at.as_deref().and_then(instant)));
    next
}

/// Returns ` at the step …`, or an empty text if the run is at no step.
fn at_step(plight: &Plight) -> String {
    let error_step = plight.run.error.as_ref().and_then(|error| error["step_id"].as_str());
    let step = plight.run.position.as_ref().map(|position| position.step_id.as_str());
    error_step.or(step).map(|step| format!(" at the step `{step}`")).unwrap_or_default()
}

fn waiting_since(since: &str, eyes: &Eyes) -> String {
    instant(since)
        .map(|at| format!(" since {} ({})", eyes.moment(at), eyes.since(at)))
        .unwrap_or_default()
}

/// Cuts `attempt 1 of the step failed; it will be retried` at the semicolon: the rest is said elsewhere.
fn tidy(why: &str) -> &str {
    why.split_once(';').map_or(why, |(first, _)| first)
}

fn plural(n: i64) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

fn when(text: &str, eyes: &Eyes) -> String {
    instant(text).map(|at| eyes.moment(at)).unwrap_or_default()
}

fn instant(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}
