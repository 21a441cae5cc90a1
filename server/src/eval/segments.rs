//! `{text}` → `{encoding, segments, units}`: what a text costs on its way.

use abide_engine::template::{Segments, segments};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Input {
    text: String,
}

pub(super) fn eval(input: Input) -> Result<Segments, String> {
    Ok(segments(&input.text))
}
