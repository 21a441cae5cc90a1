//! The rule about money: a call that costs much needs a supervisor's approval.

use super::PolicyVerdict;
use crate::base::Problem;

/// Decides whether a call that costs `cost` needs an approval. Both amounts are in the currency of the tenant.
///
/// A call that costs at most `approval_over` is allowed; `None` is no limit.
#[must_use]
pub fn spend(cost: f64, approval_over: Option<f64>) -> PolicyVerdict {
    match approval_over {
        Some(limit) if cost > limit => {
            let message =
                format!("the call costs {cost}, and a supervisor must approve more than {limit}");
            PolicyVerdict::ask(Problem::caller("approval_required", message).with_hint(
                "ask a supervisor, write to fewer people, or raise `spend_approval_over`",
            ))
        }
        _ => PolicyVerdict::allow(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::PolicyDecision;

    #[test]
    fn more_than_the_limit_asks_and_the_limit_itself_does_not() {
        assert_eq!(spend(10.0, Some(10.0)), PolicyVerdict::allow());
        assert_eq!(spend(1_000_000.0, None), PolicyVerdict::allow());
        let asked = spend(10.01, Some(10.0));
        assert_eq!(asked.decision, PolicyDecision::Ask);
        assert!(asked.reason.is_some_and(|reason| reason.message.contains("costs 10.01")));
        assert_eq!(spend(0.0, Some(0.0)), PolicyVerdict::allow());
    }
}
