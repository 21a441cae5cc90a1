//! What the rules say together: the strictest of their decisions, and the latest of their holds.

use crate::base::{Problem, Timestamp};

/// What may happen with an effect, from the mildest to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Decision {
    /// It happens.
    #[default]
    Allow,
    /// It happens once somebody with the right to has approved it.
    Ask,
    /// It is only written down that it would have happened.
    Shadow,
    /// It does not happen.
    Deny,
}

/// What one rule says, or several together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// What may happen.
    pub decision: Decision,
    /// Why it is not simply allowed: the reason of the strictest rule, of the first among equals.
    pub reason: Option<Problem>,
    /// Not before this instant, if it happens.
    pub hold_until: Option<Timestamp>,
}

impl Verdict {
    /// Nothing stands against it.
    #[must_use]
    pub fn allow() -> Self {
        Self::default()
    }

    /// It is allowed, but not yet; `reason` says what it waits for.
    #[must_use]
    pub fn hold(until: Timestamp, reason: Problem) -> Self {
        Self { decision: Decision::Allow, reason: Some(reason), hold_until: Some(until) }
    }

    /// Somebody must approve it.
    #[must_use]
    pub fn ask(reason: Problem) -> Self {
        Self { decision: Decision::Ask, reason: Some(reason), hold_until: None }
    }

    /// It must not happen.
    #[must_use]
    pub fn deny(reason: Problem) -> Self {
        Self { decision: Decision::Deny, reason: Some(reason), hold_until: None }
    }

    /// Both rules together: the stricter decision with its reason, the later hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let hold_until = self.hold_until.max(other.hold_until);
        let (first, second) = match self.decision.cmp(&other.decision) {
            std::cmp::Ordering::Less => (other, self),
            // Of two holds, the later one says what is waited for.
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
