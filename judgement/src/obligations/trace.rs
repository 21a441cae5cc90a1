//! The trace of a request: one compact JSON document, from the text to the answer.

use abide_agent::obligations::Obligation;
use abide_engine::base::Value;
use serde::{Deserialize, Serialize};
use serde_json::Map;
use utoipa::ToSchema;

use crate::data::asked::{AskRow, ObligationStatus};

/// The number of the format.
pub const TRACE_V: u32 = 1;

/// The trace of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Trace {
    /// The format.
    pub v: u32,
    /// Id of the request.
    pub ask_id: String,
    /// When it was asked (RFC 3339).
    pub at: String,
    /// The text.
    pub text: String,
    /// What the text bound the agent to, in its order.
    pub obligations: Vec<TracedObligation>,
    /// Whether the answer was verified.
    pub verified: bool,
    /// The answer.
    pub answer: String,
    /// The time from the text to the answer, in milliseconds.
    pub latency_ms: u64,
}

/// An obligation in a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TracedObligation {
    /// The type.
    #[serde(rename = "type")]
    pub obligation_type: String,
    /// The payload.
    #[schema(value_type = Object)]
    pub payload: Map<String, Value>,
    /// What has become of it.
    #[serde(with = "as_word")]
    #[schema(value_type = String)]
    pub status: ObligationStatus,
    /// The calls that were made for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<TracedRun>,
    /// The assertions that its answer rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assertions: Vec<String>,
    /// The result of the verification; empty if nothing was to be verified.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verify: String,
    /// What it adds to the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The run that keeps it up or brings it about, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The operation that no tool offers, if none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discover_op: Option<String>,
}

/// A call in a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TracedRun {
    /// Name of the tool.
    pub tool: String,
    /// Id of the call.
    pub call_id: String,
    /// Digest of the input.
    pub input_hash: String,
    /// Digest of the result.
    pub output_hash: String,
    /// How the call ended.
    pub status: String,
    /// Its duration.
    pub duration_ms: u64,
}

impl Trace {
    /// Returns the stored trace of a request; `None` before the request is answered.
    #[must_use]
    pub fn of(ask: &AskRow) -> Option<Self> {
        serde_json::from_value(ask.trace.clone()?).ok()
    }
}

impl TracedObligation {
    /// Begins the trace of an obligation.
    #[must_use]
    pub fn of(obligation: &Obligation) -> Self {
        Self {
            obligation_type: obligation.obligation_type.as_str().to_owned(),
            payload: obligation.payload.clone(),
            ..Self::default()
        }
    }
}

impl Default for TracedObligation {
    fn default() -> Self {
        Self {
            obligation_type: String::new(),
            payload: Map::new(),
            status: ObligationStatus::Active,
            runs: Vec::new(),
            assertions: Vec::new(),
            verify: String::new(),
            answer: None,
            run_id: None,
            discover_op: None,
        }
    }
}

/// Writes a status as its word.
mod as_word {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::ObligationStatus;

    pub(super) fn serialize<S: Serializer>(
        status: &ObligationStatus,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(status.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<ObligationStatus, D::Error> {
        let word = String::deserialize(deserializer)?;
        ObligationStatus::parse(&word).ok_or_else(|| serde::de::Error::custom("no such status"))
    }
}
