//! `{text}` → `{encoding, segments, units}`: the size of a message as carriers bill it.

use abide_engine::template::{Segments, segments};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Input {
    text: String,
}

pub(super) fn eval(input: Input) -> Result<Segments, String> {
    Ok(segments(&input.text))
}
