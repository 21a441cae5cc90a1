//! A receipt: the proof of one call, written in the commit of what it did.

use serde::{Deserialize, Serialize};

use super::bounded::bounded;
use super::effects::Effects;
use crate::base::{CallId, Problem, ReceiptId, RunId, Timestamp, Value};

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReceiptStatus {
    /// It did what it was to do.
    Succeeded,
    /// It did nothing; the error says why.
    Failed,
    /// What it needs is not set up here.
    NotConfigured,
    /// It would have done it.
    Shadowed,
}

impl ReceiptStatus {
    /// The word of the API and the database.
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

/// Exactly one for each call, whatever happens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// The receipt's id.
    pub id: ReceiptId,
    /// The call.
    pub call_id: CallId,
    /// The run that made it.
    pub run_id: RunId,
    /// The step that made it.
    pub step_id: String,
    /// The verb.
    pub tool: String,
    /// How it ended.
    pub status: ReceiptStatus,
    /// Its arguments, long lists counted.
    pub input: Value,
    /// Its result, long lists counted.
    pub result: Value,
    /// What it wrote and sent.
    pub effects: Value,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ReceiptError>,
    /// The attempt at which it ended, from 1.
    pub attempt: u32,
    /// Its tier, `T0` to `T4`.
    pub risk: String,
    /// When it was first made.
    pub started_at: String,
    /// When it ended.
    pub finished_at: String,
}

/// The error of a failed call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptError {
    /// The stable code.
    pub code: String,
    /// What was wrong.
    pub message: String,
    /// What to do about it.
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
    /// The effects of a call as its receipt shows them; chunks before the last are only counted.
    #[must_use]
    pub fn effects(effects: &Effects, so_far: Option<(u64, u64)>) -> Value {
        let mut shown = serde_json::json!({
            "db_writes": effects.db_writes,
            "messages_sent": effects.messages_sent,
            "files_written": [],
            "external_calls": [],
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

    /// A value as receipts show it.
    #[must_use]
    pub fn shown(value: &Value) -> Value {
        bounded(value)
    }

    /// An instant as receipts show it.
    #[must_use]
    pub fn instant(at: Timestamp) -> String {
        at.to_string()
    }
}
