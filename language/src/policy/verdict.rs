//! Verdicts of policy rules, and how several combine: the strictest decision and the latest hold win.

use crate::base::{Problem, Timestamp};

/// What happens with an effect, ordered from the mildest decision to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Decision {
    /// Performs it.
    #[default]
    Allow,
    /// Performs it once a person with the right to do so has approved it.
    Ask,
    /// Only records that it would have been performed.
    Shadow,
    /// Refuses it.
    Deny,
}

/// The judgement of one rule, or of several combined.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// What happens with the effect.
    pub decision: Decision,
    /// Why the effect is not simply allowed: the reason of the strictest rule; among equally strict rules,
    /// that of the one with the latest hold, otherwise of the first.
    pub reason: Option<Problem>,
    /// Earliest instant at which the effect may be performed.
    pub hold_until: Option<Timestamp>,
}

impl Verdict {
    /// Returns the verdict that allows the effect without conditions.
    #[must_use]
    pub fn allow() -> Self {
        Self::default()
    }

    /// Allows the effect from `until` on; `reason` says what it waits for.
    #[must_use]
    pub fn hold(until: Timestamp, reason: Problem) -> Self {
        Self { decision: Decision::Allow, reason: Some(reason), hold_until: Some(until) }
    }

    /// Requires an approval.
    #[must_use]
    pub fn ask(reason: Problem) -> Self {
        Self { decision: Decision::Ask, reason: Some(reason), hold_until: None }
    }

    /// Refuses the effect.
    #[must_use]
    pub fn deny(reason: Problem) -> Self {
        Self { decision: Decision::Deny, reason: Some(reason), hold_until: None }
    }

    /// Combines two verdicts: the stricter decision with its reason, and the later hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let hold_until = self.hold_until.max(other.hold_until);
        let (first, second) = match self.decision.cmp(&other.decision) {
            std::cmp::Ordering::Less => (other, self),
            // The later of two holds is the one that the effect waits for.
            std::cmp::Ordering::Equal if other.hold_until > self.hold_until => (other, self),
            _ => (self, other),
        };
        let reason = match (first.decision, second.decision) {
            (Decision::Allow, _) | (_, Decision::Allow) if first.reason.is_none() => second.reason,
            _ => first.reason.or(second.reason),
        };
        Self { decision: first.decision, reason, hold_until }
    }
}

impl FromIterator<Verdict> for Verdict {
    fn from_iter<I: IntoIterator<Item = Verdict>>(verdicts: I) -> Self {
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
            Verdict::hold(at(5), why("early")),
            Verdict::ask(why("many")),
            Verdict::allow(),
            Verdict::deny(why("never")),
            Verdict::hold(at(9), why("earlier")),
        ];
        let all: Verdict = together.into_iter().collect();
        assert_eq!(all.decision, Decision::Deny);
        assert_eq!(all.reason.map(|reason| reason.code), Some("never".into()));
        assert_eq!(all.hold_until, Some(at(9)));
    }

    #[test]
    fn of_two_holds_the_later_one_says_why() {
        let (quiet, rate) = (Verdict::hold(at(5), why("quiet")), Verdict::hold(at(9), why("rate")));
        for both in [quiet.clone().and(rate.clone()), rate.clone().and(quiet)] {
            assert_eq!(both, rate);
        }
        assert_eq!(Verdict::allow().and(rate.clone()), rate);
    }

    #[test]
    fn decisions_are_ordered_by_strictness() {
        use Decision::{Allow, Ask, Deny, Shadow};
        assert!(Allow < Ask && Ask < Shadow && Shadow < Deny);
    }
}
