//! `staff-requests`: what a text of staff of the demo church asks for.

use std::sync::LazyLock;

use abide_agent::church::ChurchWords;
use abide_agent::staff::{StaffText, read};
use jiff::Timestamp;
use serde::Deserialize;

/// The church whose services and roles the texts mean.
static DEMO: LazyLock<ChurchWords> = LazyLock::new(ChurchWords::demo);

/// A text of staff.
#[derive(Deserialize)]
pub(super) struct Input {
    text: String,
    now: Timestamp,
}

/// Reads a text of staff.
pub(super) fn eval(input: Input) -> Result<StaffText, String> {
    Ok(read(&input.text, &input.now.to_zoned(DEMO.zone.clone()), &DEMO))
}
