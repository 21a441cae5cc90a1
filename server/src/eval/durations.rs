//! `{input}` → `{valid, ns?, reason?}`: durations in the `humantime` dialect.

use abide_engine::base::time::parse_elapsed;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
pub(super) struct Input {
    input: String,
}

#[derive(Serialize)]
pub(super) struct Output {
    valid: bool,
    /// Duration in nanoseconds. The dialect allows durations up to 2^64 s,
    /// whose number of nanoseconds does not fit into 64 bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    ns: Option<u128>,
    /// Why the duration is not valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

pub(super) fn eval(input: Input) -> Result<Output, String> {
    Ok(match parse_elapsed(&input.input) {
        Ok(duration) => Output { valid: true, ns: Some(duration.as_nanos()), reason: None },
        Err(error) => Output { valid: false, ns: None, reason: Some(error.to_string()) },
    })
}
