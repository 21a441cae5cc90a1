//! Defines scripts for the loopback provider.
//! The rules of a script make the provider refuse messages, answer late or lose its answers.

use std::fmt;
use std::sync::Arc;

use super::interface::SendRequest;
use crate::base::{Span, Timestamp};
use crate::clock::Clock;

/// The loopback's reaction to a message that a rule of its script matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reaction {
    /// The loopback accepts the message and answers after a delay.
    /// If the delay exceeds the engine's timeout, the engine stops waiting although the message was sent.
    Accept {
        /// Delay of the answer.
        after: Span,
    },
    /// The loopback refuses the message.
    Refuse {
        /// The error code of the refusal, such as `21610`.
        code: String,
        /// Whether the loopback may accept the same message later.
        later: bool,
    },
    /// The engine cannot connect to the loopback.
    Unreachable {
        /// Reason, to be written to the log.
        reason: String,
    },
    /// The loopback never answers and does not send the message.
    Hang,
    /// The connection breaks before the answer, so the caller does not know whether the message was sent.
    LoseAnswer {
        /// Whether the message was sent.
        sent: bool,
    },
}

/// How the loopback answers the question whether it received a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LookupBehaviour {
    /// The loopback answers according to its records.
    #[default]
    Honest,
    /// The loopback answers that it cannot tell now whether it received the message.
    CannotTellYet,
    /// The loopback answers that it can never tell whether it received the message.
    CanNeverTell,
}

/// A rule of a script: a reaction of the loopback, and the messages that get this reaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptRule {
    to: Option<String>,
    until: Option<Timestamp>,
    reaction: Reaction,
    lookups: LookupBehaviour,
}

impl ScriptRule {
    /// Creates a rule for every message.
    #[must_use]
    pub fn always(reaction: Reaction) -> Self {
        Self { to: None, until: None, reaction, lookups: LookupBehaviour::default() }
    }

    /// Creates a rule for the messages to one phone number.
    #[must_use]
    pub fn to(number: impl Into<String>, reaction: Reaction) -> Self {
        Self { to: Some(number.into()), ..Self::always(reaction) }
    }

    /// Makes the rule apply only before the instant `until`.
    #[must_use]
    pub fn until(self, until: Timestamp) -> Self {
        Self { until: Some(until), ..self }
    }

    /// Sets how the loopback answers lookups of the messages that the rule matches.
    #[must_use]
    pub fn with_lookups(self, lookups: LookupBehaviour) -> Self {
        Self { lookups, ..self }
    }

    fn applies(&self, to: &str, now: Timestamp) -> bool {
        self.to.as_deref().is_none_or(|number| number == to)
            && self.until.is_none_or(|until| now < until)
    }
}

/// A list of rules. The first rule that applies to a message decides how the loopback reacts to it.
/// A message to which no rule applies is accepted immediately.
#[derive(Clone)]
pub struct Script {
    clock: Arc<dyn Clock>,
    rules: Vec<ScriptRule>,
}

impl Script {
    /// Creates a script without rules. `clock` measures delays and decides when a rule ends.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, rules: Vec::new() }
    }

    /// Appends a rule.
    #[must_use]
    pub fn with(mut self, rule: ScriptRule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Returns the reaction to a message, if a rule applies to it.
    pub(super) fn reaction(&self, send: &SendRequest) -> Option<Reaction> {
        self.rule(&send.to).map(|rule| rule.reaction.clone())
    }

    /// Returns how the loopback answers a lookup of a message to this phone number.
    pub(super) fn lookup_behaviour(&self, to: &str) -> LookupBehaviour {
        self.rule(to).map_or(LookupBehaviour::Honest, |rule| rule.lookups)
    }

    /// Waits for `span`, measured by the script's clock.
    pub(super) async fn pause(&self, span: Span) {
        self.clock.until(self.clock.now() + span).await;
    }

    fn rule(&self, to: &str) -> Option<&ScriptRule> {
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
            .with(ScriptRule::to("+1", Reaction::Hang).with_lookups(LookupBehaviour::CanNeverTell))
            .with(ScriptRule::always(busy()).until(second(60)));
        let rule = |to: &str| script.rule(to).map(|rule| (rule.reaction.clone(), rule.lookups));
        assert_eq!(rule("+1"), Some((Reaction::Hang, LookupBehaviour::CanNeverTell)));
        assert_eq!(rule("+2"), Some((busy(), LookupBehaviour::Honest)));
        clock.set(second(60));
        assert_eq!(rule("+2"), None, "the rule has ended");
        assert_eq!(script.lookup_behaviour("+2"), LookupBehaviour::Honest);
        assert_eq!(rule("+1"), Some((Reaction::Hang, LookupBehaviour::CanNeverTell)));
    }
}
