//! Writes the paragraph that explains a run: sentences about the run's state, then about what happens next,
//! then about who must act.

use super::diagnosis::{Diagnosis, HeldBack, HoldReason, Workers};
use super::must_act::must_act;
use super::wording::{Reader, format_count, format_span, in_backticks, join_names};
use super::{Explanation, NextEvent};
use crate::base::Timestamp;
use crate::facade::run_view::RunPhase;
use crate::facade::waiting_on::{WaitKind, WaitingOn};
use crate::run::{RunOutcome, RunStatus};

/// Builds the explanation of a run, as a paragraph and as data.
pub(super) fn explain(diagnosis: &Diagnosis, reader: &Reader) -> Explanation {
    let must_act = must_act(diagnosis);
    let mut said = state_sentences(diagnosis, reader, &subject(diagnosis));
    said.extend(next_sentence(diagnosis, reader));
    said.push(must_act.clone());
    Explanation {
        text: said.join(" "),
        waiting_on: diagnosis.run.waiting_on.clone(),
        next: next_events(diagnosis, "it"),
        must_act,
    }
}

fn subject(diagnosis: &Diagnosis) -> String {
    format!("This run of `{}`", diagnosis.run.method)
}

/// Describes the current state of a run in sentences.
fn state_sentences(diagnosis: &Diagnosis, reader: &Reader, who: &str) -> Vec<String> {
    let run = &diagnosis.run;
    let mut said = vec![match run.status {
        RunStatus::Pending => pending(diagnosis, reader, who),
        RunStatus::Running => {
            let since = when(&run.updated_at, reader);
            format!("{who} is running{}; it last made progress {since}.", at_step(diagnosis))
        }
        RunStatus::Waiting => waiting(diagnosis, reader, who),
        RunStatus::Paused => paused(diagnosis, reader, who),
        RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled => {
            ended(diagnosis, reader, who)
        }
    }];
    match run.phase {
        Some(RunPhase::Compensating) => {
            said.push("It is ending, and is undoing what it did before.".to_owned());
        }
        Some(RunPhase::Cancelling) => {
            said.push(
                "It was cancelled, and is doing what remains to be done after that.".to_owned(),
            );
        }
        None => {}
    }
    if run.is_live() {
        said.extend(workers_sentence(diagnosis.workers).map(str::to_owned));
    }
    if diagnosis.switched_off && run.is_live() {
        said.push(format!(
            "The kill switch of `{}` is on: until it is turned off, nothing is sent and no deadline \
             fires, but answers are stored.",
            diagnosis.tenant
        ));
    } else if let Some(held) = &diagnosis.held {
        said.push(held_messages(diagnosis, held, reader));
    }
    if let Some(stuck) = &run.stuck {
        let since = when(&stuck.since, reader);
        said.push(format!("It should have moved on {since}: {}.", stuck.cause));
    }
    said
}

fn workers_sentence(workers: Workers) -> Option<&'static str> {
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

fn pending(diagnosis: &Diagnosis, reader: &Reader, who: &str) -> String {
    let started = when(&diagnosis.run.created_at, reader);
    match diagnosis.run.replaces {
        Some(rival) => format!(
            "{who} was started {started} to replace {rival} and begins when that run has ended."
        ),
        None => format!("{who} was started {started} and has not begun yet."),
    }
}

fn waiting(diagnosis: &Diagnosis, reader: &Reader, who: &str) -> String {
    let Some(wait) = &diagnosis.run.waiting_on else {
        return format!("{who} is waiting{}.", at_step(diagnosis));
    };
    let since = wait.since.as_deref().map(|since| waiting_since(since, reader)).unwrap_or_default();
    match wait.kind {
        WaitKind::Replies => {
            let silent = wait.names();
            let silent = match silent.as_slice() {
                [] => String::new(),
                names => format!(" Still waiting for {}.", join_names(names, "and")),
            };
            format!("{who} has been waiting for answers{since}: {}.{silent}", wait.why)
        }
        WaitKind::Signal => {
            let signals = join_names(&in_backticks(&diagnosis.signals), "or");
            format!(
                "{who} has been waiting{since} for the signal {signals}, which has not arrived yet."
            )
        }
        WaitKind::Answer => {
            let people = join_names(&wait.names(), "and");
            let others = match diagnosis.signals.as_slice() {
                [] => String::new(),
                signals => format!(
                    " The signal {} would also end the wait.",
                    join_names(&in_backticks(signals), "or")
                ),
            };
            format!(
                "{who} asked {people} a question and has been waiting for the answer{since}.{others}"
            )
        }
        WaitKind::Timer if diagnosis.scheduled => {
            format!("{who} has been waiting{since} for a time that it has scheduled.")
        }
        WaitKind::Timer => format!("{who} has been in a planned pause{since}."),
        WaitKind::Retry => {
            format!("{who} is waiting{}: {}.", at_step(diagnosis), before_semicolon(&wait.why))
        }
        WaitKind::Approval => {
            format!("{who} has been waiting{since} for an approval: {}.", wait.why)
        }
        WaitKind::External => {
            format!(
                "{who} has been waiting{since} for another system: {}.",
                before_semicolon(&wait.why)
            )
        }
        WaitKind::Child => {
            format!("{who} has been waiting{since} for {}", children(diagnosis, reader))
        }
        WaitKind::Pause | WaitKind::Quarantine | WaitKind::CapableNode => {
            format!("{who} is waiting{}: {}.", at_step(diagnosis), wait.why)
        }
    }
}

/// Returns the words that follow `has been waiting for`:
/// the number of child runs, and a description of the first child run.
fn children(diagnosis: &Diagnosis, reader: &Reader) -> String {
    let open = i64::try_from(diagnosis.children).unwrap_or(i64::MAX);
    let Some(child) = &diagnosis.child else { return "its child runs.".to_owned() };
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
    format!("{what} {}", state_sentences(child, reader, &format!("{which}{id}")).join(" "))
}

fn paused(diagnosis: &Diagnosis, reader: &Reader, who: &str) -> String {
    let at = when(&diagnosis.run.updated_at, reader);
    let place = at_step(diagnosis);
    if diagnosis.quarantined {
        return format!(
            "{who} was put in quarantine {at}{place}: it crashed the process that worked on it, \
             several times in a row."
        );
    }
    format!("{who} was paused {at}{place}. Answers are stored while it is paused.")
}

fn ended(diagnosis: &Diagnosis, reader: &Reader, who: &str) -> String {
    let run = &diagnosis.run;
    let at = when(&run.updated_at, reader);
    let took = match (instant(&run.created_at), instant(&run.updated_at)) {
        (Some(from), Some(to)) => format_span(to - from),
        _ => "some time".to_owned(),
    };
    match (run.status, run.outcome) {
        (RunStatus::Completed, Some(RunOutcome::Succeeded)) => {
            format!("{who} reached its goal {at}, {took} after its start, and has ended.")
        }
        (RunStatus::Completed, _) => format!(
            "{who} ended {at}, {took} after its start, and fell short of its goal: all its steps and \
             fallbacks are done."
        ),
        (RunStatus::Failed, _) => {
            format!("{who} failed {at}{}: {}", at_step(diagnosis), failure(diagnosis))
        }
        _ if diagnosis.held.is_some() => {
            format!("{who} was cancelled {at}, {took} after its start.")
        }
        _ => format!(
            "{who} was cancelled {at}, {took} after its start. Nothing more is sent for it."
        ),
    }
}

/// Describes why the run failed, and the remedy if one is known.
fn failure(diagnosis: &Diagnosis) -> String {
    let Some(error) = &diagnosis.run.error else { return "the reason is not recorded.".to_owned() };
    match &error.hint {
        None => format!("{}.", error.message),
        Some(hint) => format!("{} (hint: {hint}).", error.message),
    }
}

fn held_messages(diagnosis: &Diagnosis, held: &HeldBack, reader: &Reader) -> String {
    let why = match held.reason {
        HoldReason::QuietHours => "because nobody is texted in quiet hours",
        HoldReason::Budget => "because this month's message budget is used up",
        HoldReason::Rate => "because only a limited number may be sent per minute",
        HoldReason::Provider => "because the provider refused the last attempt",
        HoldReason::Plan => "because sending is planned for later",
    };
    let (count, are, until) = (held.count, is_or_are(held.count), reader.time(held.until));
    let live = diagnosis.run.is_live();
    let then = if live { "; the time to answer begins then" } else { "" };
    format!("{count} of its messages {are} held back until {until}, {why}{then}.")
}

/// Describes in sentences what ends the wait of a run and what the run does then.
/// Returns no sentences if the run does not wait or the kill switch is on.
fn next_sentence(diagnosis: &Diagnosis, reader: &Reader) -> Vec<String> {
    let Some(wait) = awaited(diagnosis) else { return Vec::new() };
    let until = wait.until.as_deref().map(|until| when(until, reader));
    let goes_on = goes_on(diagnosis);
    let mut said = vec![match (wait.kind, until) {
        (WaitKind::Replies, Some(until)) => {
            let more = wait.need.unwrap_or(0) - wait.have.unwrap_or(0);
            let people = if more == 1 { "person has" } else { "people have" };
            format!(
                "It {goes_on} when {more} more {people} said yes or nobody is left to answer, and \
                 {until} at the latest."
            )
        }
        (WaitKind::Signal, Some(until)) => {
            format!("It {goes_on} when the signal arrives, or {until} without it.")
        }
        (WaitKind::Answer, Some(until)) => {
            format!("It {goes_on} when the answer arrives, or {until} without it.")
        }
        (WaitKind::Timer, Some(until)) if diagnosis.scheduled => {
            format!("That time comes {until}; then it {goes_on}.")
        }
        (WaitKind::Timer, Some(until)) => format!("The pause ends {until}; then it {goes_on}."),
        (WaitKind::Approval, Some(until)) => {
            format!("It {goes_on} when somebody decides; {until}, it counts as refused.")
        }
        (WaitKind::Retry, Some(until)) => {
            format!("The next attempt is {until}; after that, it {goes_on}.")
        }
        (WaitKind::External, Some(until)) => {
            format!("It {goes_on} when the outcome is known; it is looked into again {until}.")
        }
        (WaitKind::Child, Some(until)) => {
            format!(
                "When {}, or {until} at the latest, this run {goes_on}.",
                children_end(diagnosis)
            )
        }
        (WaitKind::Child, None) => format!("When {}, this run {goes_on}.", children_end(diagnosis)),
        _ => format!("After that, it {goes_on}."),
    }];
    if !diagnosis.next.fallback.is_empty() {
        let steps = join_names(&in_backticks(&diagnosis.next.fallback), "and");
        said.push(format!("If its goal is not reached by then, it may fall back to {steps}."));
    }
    said
}

/// Returns the words that follow `When`: what must happen to the child runs
/// before their parent continues.
fn children_end(diagnosis: &Diagnosis) -> &'static str {
    let branch = diagnosis.child.as_ref().is_some_and(|child| child.branch);
    match (branch, diagnosis.children) {
        (true, 1) => "that branch has ended",
        (true, _) => "enough of the branches have ended",
        (false, 1) => "that run has ended",
        (false, _) => "enough of those runs have ended",
    }
}

/// Returns `goes on with` and the next steps, or `ends` if no step follows.
fn goes_on(diagnosis: &Diagnosis) -> String {
    match diagnosis.next.steps.as_slice() {
        [] => "ends".to_owned(),
        steps => format!("goes on with {}", join_names(&in_backticks(steps), "and")),
    }
}

/// Returns what the run waits for. Returns `None` if the run does not wait,
/// or if the kill switch is on and so nothing can end the wait.
fn awaited(diagnosis: &Diagnosis) -> Option<&WaitingOn> {
    let may_end = diagnosis.run.status == RunStatus::Waiting && !diagnosis.switched_off;
    diagnosis.run.waiting_on.as_ref().filter(|_| may_end)
}

/// Lists the next events as data for programs, the earliest first.
fn next_events(diagnosis: &Diagnosis, who: &str) -> Vec<NextEvent> {
    let inner = diagnosis.child.as_deref().map(|child| {
        let who = if child.branch { "its branch" } else { "the run that it waits for" };
        next_events(child, who)
    });
    let mut next: Vec<NextEvent> = inner.unwrap_or_default();
    if let Some(held) =
        diagnosis.held.filter(|_| diagnosis.run.is_live() && !diagnosis.switched_off)
    {
        let what = format!("{} may be sent", format_count(held.count, "message"));
        next.push(NextEvent { at: Some(held.until.to_string()), what });
    }
    if let Some(wait) = awaited(diagnosis) {
        let what = match wait.kind {
            WaitKind::Retry => format!("{who} tries again{}", at_step(diagnosis)),
            _ => format!("{who} {}", goes_on(diagnosis)),
        };
        next.push(NextEvent { at: wait.until.clone(), what });
        if !diagnosis.next.fallback.is_empty() {
            let steps = join_names(&in_backticks(&diagnosis.next.fallback), "and");
            next.push(NextEvent { at: None, what: format!("{who} may fall back to {steps}") });
        }
    }
    next.sort_by_key(|event| (event.at.is_none(), event.at.as_deref().and_then(instant)));
    next
}

/// Returns ` at the step …`, or an empty string if the run is at no step.
fn at_step(diagnosis: &Diagnosis) -> String {
    let error_step = diagnosis.run.error.as_ref().map(|error| error.step_id.as_str());
    let step = diagnosis.run.position.as_ref().map(|position| position.step_id.as_str());
    error_step.or(step).map(|step| format!(" at the step `{step}`")).unwrap_or_default()
}

fn waiting_since(since: &str, reader: &Reader) -> String {
    instant(since)
        .map(|at| format!(" since {} ({})", reader.time(at), reader.elapsed_since(at)))
        .unwrap_or_default()
}

/// Returns the part of a reason that comes before its semicolon. The reason for a wait may be
/// `attempt 1 of the step failed; it will be retried`. The explanation needs only the first part,
/// because it mentions the next attempt in a sentence of its own.
fn before_semicolon(why: &str) -> &str {
    why.split_once(';').map_or(why, |(first, _)| first)
}

fn is_or_are(n: i64) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

fn when(text: &str, reader: &Reader) -> String {
    instant(text).map(|at| reader.time(at)).unwrap_or_default()
}

fn instant(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}
