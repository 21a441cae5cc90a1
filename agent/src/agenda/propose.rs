//! Goals that a model proposes: the rules check each, and set its priority and its next action.

use serde::{Deserialize, Serialize};

use super::ACTIVE_MAX;
use super::goal::GoalType;
use super::stack::Agenda;
use crate::words;

/// Maximum number of characters of a proposed description.
const DESCRIPTION_CHARS_MAX: usize = 120;
/// Maximum number of proposals that are looked at.
const PROPOSALS_MAX: usize = 6;
/// Marks that a description may contain besides letters, digits and blanks. Marks of templates, markup and code are
/// not among them, because the description becomes part of a prompt.
const MARKS: &str = ".,;:!?'’\"()+-–—/&%$€£₹#";

/// A goal that a model proposes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GoalProposal {
    /// The type, which may be unknown.
    pub goal_type: String,
    /// What is to be reached, in one short line.
    pub description: String,
}

words! {
    /// Why a proposal is refused.
    pub enum ProposalFault {
        /// There is no such type of goal.
        UnknownType = "unknown_type",
        /// The profile alone decides about onboarding.
        ProfileDecides = "profile_decides",
        /// A recommendation needs an active price goal.
        NoParent = "no_parent",
        /// There is such a goal already.
        Duplicate = "duplicate",
        /// There are as many active goals as there may be.
        Full = "full",
        /// The description is empty, too long, or more than plain words.
        BadDescription = "bad_description",
    }
}

/// A proposal that the rules refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedProposal {
    /// Its place among the proposals, from 0.
    pub index: usize,
    /// Why it is refused.
    pub fault: ProposalFault,
}

/// A proposal that the rules accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedProposal {
    /// The type.
    pub goal_type: GoalType,
    /// The goal that it is a part of.
    pub parent: Option<i64>,
    /// What is to be reached.
    pub description: String,
}

/// The proposals of a model after the rules have checked them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckedProposals {
    /// Those that may become goals.
    pub accepted: Vec<AcceptedProposal>,
    /// Those that may not.
    pub refused: Vec<RefusedProposal>,
}

/// Checks the proposals of a model against the active goals.
#[must_use]
pub fn proposed(agenda: &Agenda, proposals: &[GoalProposal]) -> CheckedProposals {
    let mut checked = CheckedProposals::default();
    for (index, proposal) in proposals.iter().enumerate() {
        match check(agenda, &checked.accepted, proposal) {
            Ok(accepted) if index < PROPOSALS_MAX => checked.accepted.push(accepted),
            Ok(_) => {
                checked.refused.push(RefusedProposal { index, fault: ProposalFault::Full });
            }
            Err(fault) => checked.refused.push(RefusedProposal { index, fault }),
        }
    }
    checked
}

fn check(
    agenda: &Agenda,
    accepted: &[AcceptedProposal],
    proposal: &GoalProposal,
) -> Result<AcceptedProposal, ProposalFault> {
    let goal_type = GoalType::parse(proposal.goal_type.trim()).ok_or(ProposalFault::UnknownType)?;
    let parent = match goal_type {
        GoalType::Onboarding => return Err(ProposalFault::ProfileDecides),
        GoalType::Recommendation => {
            let price = agenda.of_type(GoalType::PriceWatch).ok_or(ProposalFault::NoParent)?;
            Some(price.id)
        }
        _ => None,
    };
    let is_taken = agenda.same(goal_type, parent).is_some()
        || accepted.iter().any(|other| other.goal_type == goal_type);
    if is_taken {
        return Err(ProposalFault::Duplicate);
    }
    if agenda.goals().len() + accepted.len() >= ACTIVE_MAX {
        return Err(ProposalFault::Full);
    }
    let description = plain(&proposal.description).ok_or(ProposalFault::BadDescription)?;
    Ok(AcceptedProposal { goal_type, parent, description })
}

/// Returns a description without blanks around it, if it is one short line of plain words.
fn plain(description: &str) -> Option<String> {
    let description = description.trim();
    let is_short = description.chars().count() <= DESCRIPTION_CHARS_MAX;
    let is_plain =
        description.chars().all(|c| c.is_alphanumeric() || c == ' ' || MARKS.contains(c));
    let has_word = description.chars().any(char::is_alphabetic);
    (is_short && is_plain && has_word).then(|| description.to_owned())
}
