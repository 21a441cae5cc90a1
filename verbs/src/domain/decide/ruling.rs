//! Decides whether a message approves or refuses something.

use abide_agent::ruling::{RulingReading, RulingWord};
use abide_agent::staff::StaffIntent;
use abide_engine::base::ApprovalId;
use abide_engine::run::ApprovalDecision;
use abide_engine::store::ApprovalState;
use serde::Deserialize;

use super::{Decision, Focus, focus};
use crate::data::question::ClarificationKind;
use crate::domain::view::{SenderApproval, Standing, View};
use crate::domain::wish::StaffWish;

/// What the sender was asked about several approvals.
#[derive(Deserialize)]
struct AskedWhich {
    approvals: Vec<ApprovalId>,
    decision: Option<ApprovalDecision>,
}

/// Decides how to handle a message that may decide an approval. Returns `None` if it is meant for something
/// else. A yes or a no that does not say that it approves goes to an open invitation or question first, after
/// the sender was asked once which it is meant for.
pub(super) fn decide_ruling(
    view: &View,
    reading: RulingReading,
    wish: Option<&StaffWish>,
) -> Option<Decision> {
    let question = view.question.as_ref();
    let asked: Option<AskedWhich> = question
        .filter(|question| question.kind == ClarificationKind::Approval)
        .and_then(|question| serde_json::from_value(question.about.clone()).ok());
    let invited = view.asks.iter().any(|ask| ask.standing == Standing::Open);
    if !reading.explicit && reading.which.is_none() {
        let elsewhere = match question.map(|question| question.kind) {
            Some(ClarificationKind::Approval | ClarificationKind::Again) => invited,
            Some(ClarificationKind::Unmatched) | None => false,
            Some(_) => true,
        };
        if elsewhere || wish.is_some_and(wants_something_else) {
            return None;
        }
    }
    let decided = reading.decision.map(|word| match word {
        RulingWord::Approve => ApprovalDecision::Approve,
        RulingWord::Deny => ApprovalDecision::Deny,
    });
    let decision = decided.or_else(|| asked.as_ref()?.decision)?;
    let open: Vec<SenderApproval> =
        view.approvals.iter().filter(|it| it.state == ApprovalState::Pending).cloned().collect();
    let meant = match (reading.which, &asked) {
        (Some(n), Some(asked)) => asked
            .approvals
            .get(n - 1)
            .and_then(|id| view.approvals.iter().find(|approval| approval.id == *id).cloned()),
        // A number stands for an item of a list that was sent. Without a list, there is only the first.
        (Some(1), None) if open.len() == 1 => open.first().cloned(),
        (Some(_), None) => None,
        (None, _) if open.len() == 1 => open.first().cloned(),
        (None, _) => None,
    };
    Some(match meant {
        Some(approval) if approval.state != ApprovalState::Pending => {
            Decision::RuledBefore(approval)
        }
        Some(_) if invited && !reading.explicit && reading.which.is_none() => {
            Decision::AskWhichApproval(open, Some(decision))
        }
        Some(approval) => Decision::Rule(approval, decision),
        None if open.is_empty() => {
            let is_free = reading.explicit || matches!(focus(view), Focus::Nothing);
            Decision::RuledBefore(view.approvals.last().filter(|_| is_free)?.clone())
        }
        None => Decision::AskWhichApproval(open, Some(decision)),
    })
}

/// Whether a wish of staff is about something else than an approval.
pub(super) fn wants_something_else(wish: &StaffWish) -> bool {
    wish.is_understood() && !matches!(wish.intent, StaffIntent::Approve | StaffIntent::Reject)
}
