//! Who must approve a call: a chain of roles, in turn, and no one twice.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::contract::Approvers;

/// The yes of one person to an approval that needs several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApprovalVote {
    /// Who said yes: the id of a person, or the name of a caller of the API.
    pub by: String,
    /// The name under which people know who it was.
    pub name: String,
    /// The role for which the yes counts.
    pub role: String,
    /// When it was given (RFC 3339).
    #[schema(format = DateTime)]
    pub at: String,
}

/// The link of a chain whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApproverTurn<'a> {
    /// The role whose holders may decide now.
    pub role: &'a str,
    /// How many more of them must say yes.
    pub missing: u32,
}

/// Returns whose turn it is after `votes`; `None` if everybody whose yes is needed has said yes.
#[must_use]
pub fn turn<'a>(chain: &'a [Approvers], votes: &[ApprovalVote]) -> Option<ApproverTurn<'a>> {
    let mut left = u32::try_from(votes.len()).unwrap_or(u32::MAX);
    for link in chain {
        if left < link.n {
            return Some(ApproverTurn { role: &link.role, missing: link.n - left });
        }
        left -= link.n;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(role: &str, n: u32) -> Approvers {
        Approvers { role: role.to_owned(), n }
    }

    fn votes(n: usize) -> Vec<ApprovalVote> {
        let vote = |ix: usize| ApprovalVote {
            by: format!("per_{ix}"),
            name: "Ruth".to_owned(),
            role: "supervisor".to_owned(),
            at: "2025-10-05T14:00:00Z".to_owned(),
        };
        (0..n).map(vote).collect()
    }

    #[test]
    fn each_link_has_its_turn_until_all_have_said_yes() {
        let chain = [link("supervisor", 2), link("pastor", 1)];
        let found: Vec<_> =
            (0..4).map(|n| turn(&chain, &votes(n)).map(|turn| (turn.role, turn.missing))).collect();
        let wanted = [Some(("supervisor", 2)), Some(("supervisor", 1)), Some(("pastor", 1)), None];
        assert_eq!(found, wanted);
        assert_eq!(turn(&[], &[]), None);
    }
}
