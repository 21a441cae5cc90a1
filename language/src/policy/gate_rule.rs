//! The rules that judge a call before it acts. Each rule gives a verdict of its own; the strictest wins.

use serde::Serialize;

use super::PolicyVerdict;

crate::words! {
    /// A rule that judges a call before it acts.
    pub enum GateRule {
        /// The risk of the tool, with the consent that the run has.
        Tier = "tier",
        /// The number of people that a call writes to.
        Broadcast = "broadcast",
        /// What a call costs.
        Spend = "spend",
        /// A time that is promised to people already.
        Promise = "promise",
        /// The age of the facts that a message cites.
        StaleFact = "stale_fact",
    }
}

/// What one rule says about a call.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleVerdict {
    /// The rule.
    pub rule: GateRule,
    /// What it says.
    pub verdict: PolicyVerdict,
}

/// A verdict as the ledger stores it.
#[derive(Debug, Serialize)]
struct StoredVerdict<'a> {
    rule: GateRule,
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

impl RuleVerdict {
    /// Returns the verdict as the ledger stores it: `{rule, decision, reason?}`.
    #[must_use]
    pub fn to_value(&self) -> crate::base::Value {
        let reason = self.verdict.reason.as_ref().map(|reason| &*reason.message);
        let decision = self.verdict.decision.as_str();
        serde_json::json!(StoredVerdict { rule: self.rule, decision, reason })
    }
}
