//! Verdicts of policy rules. Of several verdicts, the strictest decision and the latest `hold_until` win.

use crate::base::{Problem, Timestamp};

/// The decision about an effect, ordered from the mildest to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum PolicyDecision {
    /// Perform the effect.
    #[default]
    Allow,
    /// Perform the effect only after it was approved by a person who has the right to approve it.
    Ask,
    /// Only record that the effect would have been performed.
    Shadow,
    /// Refuse the effect.
    Deny,
}

impl PolicyDecision {
    /// Returns the decision as the ledger stores it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Shadow => "shadow",
            Self::Deny => "deny",
        }
    }
}

/// The verdict of one policy rule, or the combined verdict of several rules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyVerdict {
    /// The decision about the effect.
    pub decision: PolicyDecision,
    /// Why the effect is delayed, or not allowed: the reason of the strictest rule.
    /// Of equally strict rules, the rule with the latest `hold_until` gives the reason.
    /// If these times are equal too, the first rule gives the reason.
    pub reason: Option<Problem>,
    /// Earliest instant at which the effect may be performed.
    pub hold_until: Option<Timestamp>,
}

impl PolicyVerdict {
    /// Returns the verdict that allows the effect without conditions.
    #[must_use]
    pub fn allow() -> Self {
        Self::default()
    }

    /// Allows the effect, but not before the instant `until`. The problem `reason` states why
    /// the effect is delayed.
    #[must_use]
    pub fn hold(until: Timestamp, reason: Problem) -> Self {
        Self { decision: PolicyDecision::Allow, reason: Some(reason), hold_until: Some(until) }
    }

    /// Requires an approval for the effect.
    #[must_use]
    pub fn ask(reason: Problem) -> Self {
        Self { decision: PolicyDecision::Ask, reason: Some(reason), hold_until: None }
    }

    /// Refuses the effect.
    #[must_use]
    pub fn deny(reason: Problem) -> Self {
        Self { decision: PolicyDecision::Deny, reason: Some(reason), hold_until: None }
    }

    /// Combines two verdicts: takes the stricter decision with its reason, and the later `hold_until`.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let hold_until = self.hold_until.max(other.hold_until);
        let (first, second) = match self.decision.cmp(&other.decision) {
            std::cmp::Ordering::Less => (other, self),
            // If the decisions are equal, the verdict with the later `hold_until` gives the reason.
            std::cmp::Ordering::Equal if other.hold_until > self.hold_until => (other, self),
            _ => (self, other),
        };
        let reason = match (first.decision, second.decision) {
            (PolicyDecision::Allow, _) | (_, PolicyDecision::Allow) if first.reason.is_none() => {
                second.reason
            }
            _ => first.reason.or(second.reason),
        };
        Self { decision: first.decision, reason, hold_until }
    }
}

impl FromIterator<PolicyVerdict> for PolicyVerdict {
    fn from_iter<I: IntoIterator<Item = PolicyVerdict>>(verdicts: I) -> Self {
        verdicts.into_iter().fold(Self::allow(), Self::and)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(code: &'static str) -> Problem {
        Problem::caller(code, code)
    }

    fn at(n: i64) -> Timestamp {
        Timestamp::from_micros(n)
    }

    #[test]
    fn the_strictest_decides_and_the_latest_holds() {
        let together = [
            PolicyVerdict::hold(at(5), why("early")),
            PolicyVerdict::ask(why("many")),
            PolicyVerdict::allow(),
            PolicyVerdict::deny(why("never")),
            PolicyVerdict::hold(at(9), why("earlier")),
        ];
        let all: PolicyVerdict = together.into_iter().collect();
        assert_eq!(all.decision, PolicyDecision::Deny);
        assert_eq!(all.reason.map(|reason| reason.code), Some("never".into()));
        assert_eq!(all.hold_until, Some(at(9)));
    }

    #[test]
    fn of_two_holds_the_later_one_says_why() {
        let (quiet, rate) =
            (PolicyVerdict::hold(at(5), why("quiet")), PolicyVerdict::hold(at(9), why("rate")));
        for both in [quiet.clone().and(rate.clone()), rate.clone().and(quiet)] {
            assert_eq!(both, rate);
        }
        assert_eq!(PolicyVerdict::allow().and(rate.clone()), rate);
    }

    #[test]
    fn decisions_are_ordered_by_strictness() {
        use PolicyDecision::{Allow, Ask, Deny, Shadow};
        assert!(Allow < Ask && Ask < Shadow && Shadow < Deny);
    }
}
