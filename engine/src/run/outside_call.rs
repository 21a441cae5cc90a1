//! Describes the call that a run carries out for a caller from outside.

use serde::{Deserialize, Serialize};

/// Marks a run that carries out one call of a tool for a caller from outside, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OutsideCall {
    /// Idempotency key that the caller gave for the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Whether somebody who may approved exactly this call when making it.
    #[serde(default)]
    pub consented: bool,
}
