//! `volunteer-replies`: what a reply means, given what its sender last got from us.

use abide_agent::reply::{ReplyPrompt, ReplyReading, read};
use serde::Deserialize;

/// A reply.
#[derive(Deserialize)]
pub(super) struct Input {
    text: String,
    context: ReplyPrompt,
}

/// Reads a reply.
pub(super) fn eval(input: Input) -> Result<ReplyReading, String> {
    Ok(read(&input.text, input.context))
}
