//! The approval rule: a message to many people at once needs a supervisor's approval.

use super::PolicyVerdict;
use crate::base::Problem;

/// Decides whether a broadcast to `recipients` people needs approval.
///
/// A broadcast to at most `approval_over` recipients is allowed.
/// A supervisor must approve a broadcast to more recipients (`approval_required`).
#[must_use]
pub fn broadcast(recipients: u64, approval_over: u64) -> PolicyVerdict {
    if recipients <= approval_over {
        return PolicyVerdict::allow();
    }
    let message = format!(
        "a broadcast to {recipients} people needs a supervisor's approval: \
         the limit is {approval_over}"
    );
    PolicyVerdict::ask(
        Problem::caller("approval_required", message).with_hint(
            "ask a supervisor, write to fewer people, or raise `broadcast_approval_over`",
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::PolicyDecision;

    #[test]
    fn more_than_the_limit_asks_and_the_limit_itself_does_not() {
        assert_eq!(broadcast(25, 25), PolicyVerdict::allow());
        let asked = broadcast(26, 25);
        assert_eq!(asked.decision, PolicyDecision::Ask);
        let reason = asked.reason.expect("a reason");
        assert_eq!(reason.code, "approval_required");
        assert!(reason.message.contains("26 people"), "{}", reason.message);
        assert_eq!(broadcast(1, 0).decision, PolicyDecision::Ask);
        assert_eq!(broadcast(0, 0), PolicyVerdict::allow());
    }
}
