//! `staff-requests`: what a text of staff of the demo church asks for.

use std::sync::LazyLock;

use abide_agent::church::ChurchWords;
use abide_agent::staff::{Intents, StaffText, read};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

/// The church whose services and roles the texts mean.
static DEMO: LazyLock<ChurchWords> = LazyLock::new(ChurchWords::demo);

/// A text of staff.
#[derive(Deserialize)]
pub(super) struct Input {
    text: String,
    now: Timestamp,
}

/// Reads a text of staff. An intent of a home has its own name, and its slots stand beside those of the program.
pub(super) fn eval(input: Input, intents: &Intents) -> Result<Value, String> {
    let now = input.now.to_zoned(DEMO.zone.clone());
    let mut read = read(&input.text, &now, &DEMO, intents);
    let own = read.own.take();
    let is_open = read.of.is_some();
    let mut shown = serde_json::to_value::<StaffText>(read).map_err(|error| error.to_string())?;
    if let (Some(own), Some(members)) = (own, shown.as_object_mut()) {
        members.insert((if is_open { "of" } else { "intent" }).to_owned(), own.intent.into());
        members.extend(own.slots);
    }
    Ok(shown)
}
