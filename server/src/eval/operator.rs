//! `ops-requests`: what a text of staff of a trade asks for, as calls of tools.

use abide_agent::operator::{OperatorIntent, OperatorReading, read};
use abide_engine::contract::Risk;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::EvalContext;

/// The zone of the business that the texts mean, and the instant at which a text is read that gives none. The instant
/// is fixed, so that the same lines always have the same answers.
const ZONE: &str = "Australia/Melbourne";
const NOW: &str = "2026-05-04T02:00:00Z";
/// From this risk on, a person must approve a call.
const APPROVED_FROM: Risk = Risk::T2;

/// A text of staff.
#[derive(Deserialize)]
pub(super) struct Input {
    text: String,
    #[serde(default)]
    context: Map<String, Value>,
    now: Option<Timestamp>,
}

/// What a text asks for, with the short names of `eval`.
#[derive(Serialize)]
pub(super) struct Output {
    intent: OperatorIntent,
    tools: Vec<String>,
    risk: Risk,
    approval_required: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    slots: Map<String, Value>,
    confidence: f32,
}

/// Reads a text of staff.
pub(super) fn eval(input: Input, context: &EvalContext) -> Result<Output, String> {
    let zone = TimeZone::get(ZONE).map_err(|error| error.to_string())?;
    let now = match input.now {
        Some(now) => now,
        None => NOW.parse().map_err(|error: jiff::Error| error.to_string())?,
    };
    let OperatorReading { classification, slots, .. } = read(
        &input.text,
        &input.context,
        &context.contracts,
        &context.operator_intents,
        &now.to_zoned(zone),
    );
    Ok(Output {
        intent: classification.intent,
        approval_required: classification.risk_tier >= APPROVED_FROM,
        tools: classification.tool_candidates,
        risk: classification.risk_tier,
        missing: classification.missing_evidence,
        slots,
        confidence: classification.confidence,
    })
}
