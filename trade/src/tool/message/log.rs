//! Adds what the business sends to the log of the record that it is about.

use abide_engine::base::{Problem, Timestamp};
use abide_engine::store::Tx;
use abide_engine::verb::Effects;

use crate::cell::Cell;
use crate::data::{self, StoredRow};
use crate::tool::input::{Input, known};

/// A message, as the log of what was said and written shows it.
pub(super) struct LoggedMessage<'a> {
    /// `sms` or `email`.
    pub(super) channel: &'static str,
    pub(super) to: &'a str,
    pub(super) subject: Option<&'a str>,
    pub(super) body: &'a str,
    pub(super) at: Timestamp,
}

/// Adds a message to the log of the record that it is about, if the input names one.
pub(super) async fn log(
    tx: &mut Tx,
    input: &Input<'_>,
    message: LoggedMessage<'_>,
    effects: &mut Effects,
) -> Result<(), Problem> {
    if input.text("entity_id").is_none() {
        return Ok(());
    }
    let table = known("comms_log")?;
    let mut row = StoredRow::new(table, data::new_id(tx, table), input.now);
    let columns = [
        ("channel", Some(message.channel)),
        ("direction", Some("outbound")),
        ("status", Some("logged")),
        ("subject", message.subject),
        ("body", Some(message.body)),
        ("contact", Some(message.to)),
    ];
    for (column, value) in columns {
        if let Some(value) = value {
            row.set(column, Cell::Text(value.to_owned()));
        }
    }
    row.set("occurred_at", Cell::Int(message.at.micros()));
    input.assign(tx, &mut row, &["entity_type", "entity_id"]).await?;
    input.insert(tx, &row, effects).await
}
