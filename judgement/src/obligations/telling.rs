//! Collects what is to be said to a text: the answers of its obligations, what must be asked back, and the trace.

use abide_agent::obligations::{Obligation, ObligationType};
use abide_engine::base::Value;

use super::ask::AskAnswer;
use super::conductor::Discharged;
use super::say;
use super::trace::{TRACE_V, Trace, TracedObligation};
use crate::data::asked::{AskRow, ObligationStatus};

/// What is to be said.
#[derive(Default)]
pub(super) struct Telling {
    /// The request before it in the session.
    pub(super) latest: Option<AskRow>,
    pub(super) executed: Vec<Obligation>,
    pub(super) answers: Vec<String>,
    pub(super) verified: bool,
    pub(super) sources: Vec<Value>,
    pub(super) traced: Vec<TracedObligation>,
}

impl Telling {
    pub(super) fn add(&mut self, obligation: &Obligation, done: Discharged) {
        let Discharged { answer, arose, verified, sources, says, mut traced } = done;
        let is_report = obligation.is(ObligationType::Report);
        let said = match &answer {
            None if says.is_some() => says,
            Some(value) => Some(say::value(obligation, value)),
            None if traced.status == ObligationStatus::Resolved => Some(say::done(obligation)),
            None => None,
        };
        traced.answer.clone_from(&said);
        self.answers.extend(said);
        self.sources.extend(sources);
        self.verified |= is_report && verified && answer.is_some();
        if let Some(operation) = &traced.discover_op {
            self.answers.push(say::no_tool(operation));
        }
        for new in &arose {
            match new.obligation_type {
                ObligationType::Clarify => self.ask(new.text("slot").unwrap_or("request")),
                _ => self.uncertain(new.text("claim").unwrap_or("something failed")),
            }
        }
        self.traced.push(traced);
        self.executed.extend(arose);
    }

    pub(super) fn ask(&mut self, slot: &str) {
        self.answers.push(say::question(slot));
    }

    pub(super) fn uncertain(&mut self, why: &str) {
        self.answers.push(say::uncertain(why));
    }

    pub(super) fn trace(&mut self, obligation: &Obligation, status: ObligationStatus) {
        self.traced.push(TracedObligation { status, ..TracedObligation::of(obligation) });
    }

    /// Gives the reason for the last answer: where it comes from.
    pub(super) fn justify(&mut self, obligation: &Obligation) {
        let trace = self.latest.as_ref().and_then(Trace::of);
        let runs = trace.iter().flat_map(|trace| &trace.obligations).flat_map(|it| it.runs.first());
        let reasons: Vec<String> =
            runs.map(|run| format!("{} returned it (call {})", run.tool, run.call_id)).collect();
        match reasons.is_empty() {
            true => self.uncertain("I have claimed nothing of the kind"),
            false => {
                self.answers.push(format!("Because {}", reasons.join(", and ")));
                self.verified = true;
            }
        }
        self.trace(obligation, ObligationStatus::Resolved);
    }

    pub(super) fn into_answer(mut self, row: &AskRow) -> AskAnswer {
        let reports = self.executed.iter().any(|it| it.is(ObligationType::Report));
        let has_verify = self.executed.iter().any(|it| it.is(ObligationType::Verify));
        if reports && self.verified && !has_verify {
            self.executed.push(Obligation::verify());
        }
        let answer = say::joined(&self.answers);
        let trace = Trace {
            v: TRACE_V,
            ask_id: row.id.to_string(),
            at: String::new(),
            text: row.text.clone(),
            obligations: self.traced,
            verified: self.verified,
            answer: answer.clone(),
            latency_ms: 0,
        };
        AskAnswer {
            ask_id: row.id.to_string(),
            answer,
            obligations: self.executed,
            verified: self.verified,
            sources: self.sources,
            trace: Some(trace),
        }
    }
}
