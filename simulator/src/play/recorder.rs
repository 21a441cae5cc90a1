//! Measures a simulation, so that many simulations can be compared.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::{RunId, Timestamp, Value};
use abide_engine::ledger::EventKind;
use abide_engine::store::LedgerRow;
use abide_verbs::event::AnyEventKind::{self, Church, Engine};
use abide_verbs::event::ChurchEventKind;

use crate::report::Measure;

/// Collects measurements during a simulation.
/// Outcome, start and end are those of the run that started first.
#[derive(Default)]
pub(super) struct Recorder {
    first: Option<RunId>,
    measure: Measure,
    texts: BTreeMap<String, u64>,
    writers: BTreeSet<String>,
}

impl Recorder {
    /// Measures a run that started before the simulation. The measured time starts at `now`.
    pub(super) fn continue_run(&mut self, run: RunId, now: Timestamp) {
        self.first = Some(run);
        self.measure.began_at = Some(now);
    }

    /// Whether the measured run has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.measure.outcome.is_some()
    }

    /// Records a committed event.
    pub(super) fn event(&mut self, event: &LedgerRow) {
        let word = |name: &str| event.body.get(name).and_then(Value::as_str);
        match AnyEventKind::of(&event.kind) {
            Engine(EventKind::RunStarted) if self.first.is_none() => {
                self.first = event.run;
                self.measure.began_at = Some(event.at);
            }
            Church(ChurchEventKind::Assignment) if word("became") == Some("accepted") => {
                self.measure.accepted_at.push(event.at);
            }
            Engine(EventKind::Receipt) => {
                if let Some(step) = word("step_id") {
                    self.measure.steps.insert(step.to_owned());
                }
            }
            Engine(kind) if event.run.is_some() && event.run == self.first => {
                self.ended(kind, word("outcome"), event.at);
            }
            _ => {}
        }
    }

    fn ended(&mut self, kind: EventKind, outcome: Option<&str>, at: Timestamp) {
        let outcome = match kind {
            EventKind::RunCompleted => outcome.unwrap_or("completed"),
            EventKind::RunFailed => "failed",
            EventKind::RunCancelled => "cancelled",
            _ => return,
        };
        self.measure.outcome = Some(outcome.to_owned());
        self.measure.ended_at = Some(at);
    }

    /// Records a message to a person.
    pub(super) fn text(&mut self, to: &str, segments: u64) {
        self.measure.messages += 1;
        self.measure.segments += segments;
        *self.texts.entry(to.to_owned()).or_default() += 1;
    }

    /// Records a message from a person.
    pub(super) fn reply(&mut self, from: &str) {
        self.writers.insert(from.to_owned());
    }

    pub(super) fn measure(self) -> Measure {
        let most_to_one = self.texts.values().copied().max().unwrap_or(0);
        let writers = self.writers.len() as u64;
        Measure { most_to_one, people_texted: self.texts.len() as u64, writers, ..self.measure }
    }
}
