//! Scripts for the loopback provider: which texts it refuses, answers late or loses.

use std::fmt;
use std::sync::Arc;

use super::SendRequest;
use crate::base::{Span, Timestamp};
use crate::clock::Clock;

/// What the loopback does with a text that a rule of its script names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reaction {
    /// It takes the text, and answers after this time. The engine stops waiting for an answer that
    /// takes longer than its time-out, although the text was sent.
    Accept {
        /// How long the answer takes.
        after: Span,
    },
    /// It refuses the text with this code.
    Refuse {
        /// The provider's code, such as `21610`.
        code: String,
        /// True where the same text may be taken later.
        later: bool,
    },
    /// Nobody can connect to it.
    Unreachable {
        /// Why.
        reason: String,
    },
    /// It never answers, and does not send the text.
    Hang,
    /// The connection breaks before its answer: the caller does not know whether the text was sent.
    LoseAnswer {
        /// Whether it was.
        sent: bool,
    },
}

/// How the loopback answers the question what became of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LookUp {
    /// By its records.
    #[default]
    Honest,
    /// It cannot tell now.
    NotNow,
    /// It can never tell.
    Never,
}

/// A reaction of the loopback, and the texts that it applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    to: Option<String>,
    until: Option<Timestamp>,
    reaction: Reaction,
    look_up: LookUp,
}

impl Rule {
    /// Reacts so to every text.
    #[must_use]
    pub fn always(reaction: Reaction) -> Self {
        Self { to: None, until: None, reaction, look_up: LookUp::default() }
    }

    /// Reacts so to texts to one number.
    #[must_use]
    pub fn to(number: impl Into<String>, reaction: Reaction) -> Self {
        Self { to: Some(number.into()), ..Self::always(reaction) }
    }

    /// The same, but only before `until`.
    #[must_use]
    pub fn until(self, until: Timestamp) -> Self {
        Self { until: Some(until), ..self }
    }

    /// The same, with this answer to whoever asks what became of such a text.
    #[must_use]
    pub fn looked_up(self, look_up: LookUp) -> Self {
        Self { look_up, ..self }
    }

    fn applies(&self, to: &str, now: Timestamp) -> bool {
        self.to.as_deref().is_none_or(|number| number == to)
            && self.until.is_none_or(|until| now < until)
    }
}

/// How the loopback treats texts: the first rule that applies to a text decides. It takes a text that
/// no rule applies to, and answers at once.
#[derive(Clone)]
pub struct Script {
    clock: Arc<dyn Clock>,
    rules: Vec<Rule>,
}

impl Script {
    /// A script without rules. Answers are late, and rules end, by this clock.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, rules: Vec::new() }
    }

    /// The same with one more rule, behind the others.
    #[must_use]
    pub fn with(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// The reaction to a text, if a rule applies to it.
    pub(super) fn reaction(&self, send: &SendRequest) -> Option<Reaction> {
        self.rule(&send.to).map(|rule| rule.reaction.clone())
    }

    /// How it answers whoever asks about a text to this number.
    pub(super) fn look_up(&self, to: &str) -> LookUp {
        self.rule(to).map_or(LookUp::Honest, |rule| rule.look_up)
    }

    /// Waits for so long.
    pub(super) async fn pause(&self, span: Span) {
        self.clock.until(self.clock.now() + span).await;
    }

    fn rule(&self, to: &str) -> Option<&Rule> {
        let now = self.clock.now();
        self.rules.iter().find(|rule| rule.applies(to, now))
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").field("rules", &self.rules).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::VirtualClock;

    #[test]
    fn the_first_rule_that_applies_decides() {
        let second = |s: i64| Timestamp::from_micros(s * 1_000_000);
        let clock = Arc::new(VirtualClock::starting_at(second(0)));
        let busy = || Reaction::Refuse { code: "20429".to_owned(), later: true };
        let script = Script::new(Arc::clone(&clock) as Arc<dyn Clock>)
            .with(Rule::to("+1", Reaction::Hang).looked_up(LookUp::Never))
            .with(Rule::always(busy()).until(second(60)));
        let rule = |to: &str| script.rule(to).map(|rule| (rule.reaction.clone(), rule.look_up));
        assert_eq!(rule("+1"), Some((Reaction::Hang, LookUp::Never)));
        assert_eq!(rule("+2"), Some((busy(), LookUp::Honest)));
        clock.set(second(60));
        assert_eq!(rule("+2"), None, "it is over");
        assert_eq!(script.look_up("+2"), LookUp::Honest);
        assert_eq!(rule("+1"), Some((Reaction::Hang, LookUp::Never)));
    }
}
