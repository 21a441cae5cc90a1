//! Texts that ask for what must not be done. The rules look at the words alone; what the database says against a call
//! is for the planner.

mod business;
mod safety;
mod spoken;

use abide_language::contract::Risk;

use self::business::{machine, out_of_scope, revenue};
use self::safety::safety;
pub(super) use self::spoken::Spoken;
use super::reading::Conflict;
use super::tag::Tagged;
use super::terms::Directive;

/// A text that conflicts with a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) conflict: Conflict,
    /// The least risk of what was asked.
    pub(super) risk: Risk,
    pub(super) reach: Reach,
}

/// Whether a text that is refused asks for a call that could be named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// It asks for a call.
    One,
    /// It asks for something for everybody, or for what no tool does.
    Many,
}

/// Finds the first rule that a text conflicts with.
pub(super) fn find(text: &Tagged<'_>, records: bool) -> Option<Refusal> {
    let spoken = Spoken::of(text);
    safety(&spoken, text, records)
        .or_else(|| machine(&spoken))
        .or_else(|| revenue(&spoken, text))
        .or_else(|| out_of_scope(&spoken, text, records))
}

fn refusal(directive: Directive, reason: &str, risk: Risk, reach: Reach) -> Option<Refusal> {
    let conflict = Conflict { directive, reason: reason.to_owned() };
    Some(Refusal { conflict, risk, reach })
}
