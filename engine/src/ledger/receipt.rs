//! Defines the receipt: the proof of one call, written in the same commit as the effects of the call.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::bounded::bounded;
use super::effects::{Effects, ExternalEffect};
use super::shapes::ReceiptEffects;
use crate::base::{ApprovalId, CallId, Problem, ReceiptId, RunId, Timestamp, Value};

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReceiptStatus {
    /// The call succeeded.
    Succeeded,
    /// The call failed and had no effect; the error says why.
    Failed,
    /// Something that the call needs is not configured.
    NotConfigured,
    /// The run is a shadow: the call was not executed.
    Shadowed,
}

impl ReceiptStatus {
    /// Returns the name of the status in the API and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::NotConfigured => "not_configured",
            Self::Shadowed => "shadowed",
        }
    }
}

/// The proof of a finished call. Each call has exactly one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Receipt {
    /// Id of the receipt.
    pub id: ReceiptId,
    /// Id of the call.
    pub call_id: CallId,
    /// Run that made the call.
    pub run_id: RunId,
    /// Id of the step that made the call.
    pub step_id: String,
    /// Name of the verb.
    pub tool: String,
    /// How the call ended.
    pub status: ReceiptStatus,
    /// Arguments, bounded by [`bounded`].
    pub input: Value,
    /// Result, bounded by [`bounded`].
    pub result: Value,
    /// Rows that the call wrote and messages that it sent.
    #[schema(value_type = ReceiptEffects)]
    pub effects: Value,
    /// Error, if the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ReceiptError>,
    /// Idempotency key of the call: the caller's own, or the argument that the contract names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// The approval that the call had, if it needed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
    /// Number of the attempt at which the call ended, from 1.
    pub attempt: u32,
    /// Risk tier of the verb, `T0` to `T4`.
    pub risk: String,
    /// Time of the first attempt.
    #[schema(format = DateTime)]
    pub started_at: String,
    /// Time at which the call ended.
    #[schema(format = DateTime)]
    pub finished_at: String,
}

/// The error of a failed call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptError {
    /// Stable error code.
    pub code: String,
    /// Error message.
    pub message: String,
    /// Remedy, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl From<&Problem> for ReceiptError {
    fn from(problem: &Problem) -> Self {
        Self {
            code: problem.code.to_string(),
            message: problem.message.clone(),
            hint: problem.hint.clone(),
        }
    }
}

impl Receipt {
    /// Returns the effects of a call in the form that the call's receipt shows.
    /// If the call had several chunks (transactions), the receipt gives only the numbers of rows and
    /// messages. In this case, `effects` are the effects of the last chunk, and `so_far` gives the
    /// numbers of rows and messages in all earlier chunks. If there was only one chunk, `so_far` is
    /// `None`.
    #[must_use]
    pub fn effects(effects: &Effects, so_far: Option<(u64, u64)>) -> Value {
        let mut shown = serde_json::json!({
            "db_writes": effects.db_writes,
            "messages_sent": effects.messages_sent,
            "files_written": effects.files_written,
            "external_calls": effects.external_calls,
        });
        if effects.messages_to_come > 0 {
            shown["messages_to_come"] = effects.messages_to_come.into();
        }
        if !effects.idempotency_hit.is_empty() {
            shown["idempotency_hit"] = serde_json::json!(effects.idempotency_hit);
        }
        if let Some((writes, messages)) = so_far {
            let total = |so_far: u64, last: usize| so_far + last as u64;
            shown["db_writes"] =
                serde_json::json!({ "count": total(writes, effects.db_writes.len()) });
            shown["messages_sent"] =
                serde_json::json!({ "count": total(messages, effects.messages_sent.len()) });
        }
        bounded(&shown)
    }

    /// Adds a call to an outside system to the effects of a failed call, if it got as far as that.
    pub fn with_external(&mut self, effect: Option<ExternalEffect>) {
        if let Some(effect) = effect {
            self.effects["external_calls"] = serde_json::json!([effect]);
        }
    }

    /// Returns a value in the form that receipts show: long lists and strings are shortened.
    #[must_use]
    pub fn shown(value: &Value) -> Value {
        bounded(value)
    }

    /// Returns an instant in the form that receipts show.
    #[must_use]
    pub fn instant(at: Timestamp) -> String {
        at.to_string()
    }
}
