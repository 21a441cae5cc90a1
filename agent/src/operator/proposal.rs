//! Reads a text as a request for the tools that a language model proposes. The model only chooses among the tools; what
//! they take is read from the text and its context by the same rules as ever, and the same rules decide.

use super::clause::is_negative;
use super::command::{Command, Commands};
use super::reading::OperatorReading;
use super::tag::Tagged;
use super::terms::OperatorIntent;
use super::{OperatorText, read_with, token};

/// Most tools that are taken from a proposal. A text asks for few things at once.
const TOOLS_MAX: usize = 8;

/// The tools that a model proposes for a text.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposedTools {
    /// The names of the tools, in the order in which they are to run.
    pub tools: Vec<String>,
    /// How sure the model is, from 0 to 1.
    pub confidence: f32,
}

/// Whether a reading leaves open what its text wants, so that a model may propose tools.
#[must_use]
pub fn is_open(reading: &OperatorReading) -> bool {
    let intent = reading.classification.intent;
    intent == OperatorIntent::Clarify && reading.calls.is_empty() && reading.conflict.is_none()
}

/// Reads a text whose reading leaves open what it wants, as a request for the tools that a model proposes. Returns
/// `None` if the proposal names no tool, or one that there is not, and if the text denies something or takes it back.
#[must_use]
pub fn read_proposed(said: &OperatorText<'_>, proposed: &ProposedTools) -> Option<OperatorReading> {
    let known = |tool: &String| said.contracts.get(tool).is_some();
    let most = proposed.tools.len() <= TOOLS_MAX;
    if proposed.tools.is_empty() || !most || !proposed.tools.iter().all(known) {
        return None;
    }
    let words = Tagged::of(said.text, token::tokens(said.text), said.now);
    if is_negative(&words) {
        return None;
    }
    let mut is_denied = false;
    let reading = read_with(said, |found| {
        is_denied = found.denied || found.taken_back;
        let end = found.all.iter().map(|it| it.tokens.end).max().unwrap_or_default();
        let refused = found.all.iter().map(|it| it.refused).fold(0.0, f32::max);
        let command = Command {
            tokens: 0..end,
            clause: 0..end,
            intent: proposed.tools.join(", "),
            tools: proposed.tools.clone(),
            probability: proposed.confidence,
            rivals: Vec::new(),
            refused,
        };
        Commands { all: vec![command], ..found }
    });
    (!is_denied).then_some(OperatorReading { is_proposed: true, ..reading })
}
