//! What the operator reads in a text.

use std::collections::BTreeMap;

use abide_language::contract::Risk;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::terms::{Directive, OperatorDomain, OperatorIntent, Urgency};

/// The reading of a text: what it wants, and the calls of tools that do it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperatorReading {
    /// What the text wants, as a whole.
    pub classification: IntentClassification,
    /// The calls that the text asks for, in the order in which they must run.
    #[serde(default)]
    pub calls: Vec<WantedCall>,
    /// The rule that the text conflicts with. Only texts that are refused have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Conflict>,
    /// What the text and its context say, by member of the calls' input. A phone is as it was said.
    #[serde(default)]
    pub slots: Map<String, Value>,
    /// Whether a language model proposed the tools. Nobody has seen them before they are planned, so an approval that was
    /// given beforehand does not count for them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_proposed: bool,
}

/// What a text wants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IntentClassification {
    /// What to do with the text.
    pub intent: OperatorIntent,
    /// The part of the business that it is about.
    pub domain: OperatorDomain,
    /// How soon it wants to be acted on.
    pub urgency: Urgency,
    /// The tools that it asks for, each once, in the order in which they must run.
    pub tool_candidates: Vec<String>,
    /// The members that the calls must have.
    pub required_fields: Vec<String>,
    /// Those of them that neither the text, its context nor an earlier call provides.
    pub missing_evidence: Vec<String>,
    /// The highest risk of the tools. For a refusal, the risk of what was asked.
    pub risk_tier: Risk,
    /// Why that is the risk.
    pub risk_reason: String,
    /// How sure the reading is, from 0 to 1.
    pub confidence: f32,
    /// Why the text is read in this way.
    pub reasoning: String,
}

/// A call that a text asks for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WantedCall {
    /// The name of the tool.
    pub tool: String,
    /// The input, as far as the text and its context say it. Each member is one of the tool's contract.
    #[serde(default)]
    pub input: Map<String, Value>,
    /// The members whose values an earlier call of the same text produces.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub refs: BTreeMap<String, ValueOf>,
    /// The members that must be ids and of which the text says only a name, such as `quote_id`: "Sarah".
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub named: BTreeMap<String, String>,
}

/// A value that an earlier call produces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueOf {
    /// The place of the call in the list of calls, from 0.
    pub call: usize,
    /// The member of the call's result.
    pub member: String,
}

/// A rule that a text conflicts with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// The rule.
    pub directive: Directive,
    /// What in the text conflicts with it, in a sentence.
    pub reason: String,
}

impl WantedCall {
    /// Whether the call has a value for this member, or will have it when an earlier call is done.
    #[must_use]
    pub fn provides(&self, member: &str) -> bool {
        self.input.contains_key(member) || self.refs.contains_key(member)
    }
}
