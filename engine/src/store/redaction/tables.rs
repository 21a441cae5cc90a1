//! The tables of the engine whose rows name their tenant and may quote somebody.

use super::TextTable;
use crate::text_table;

/// These tables. Runs, events and messages are redacted by functions of their own, because their texts are in rows
/// that name no tenant, or have a hash.
pub(super) static TABLES: [TextTable; 6] = [
    text_table!("approval", [id Id], [reason, shows, decided_by, note, votes]),
    text_table!("schedule", [id Id], [body, last_error]),
    text_table!("outbox", [id Id], [key, error], by "{tenant}", "{id}", unique [key]),
    text_table!("tool_key", [tool Text, key Text], [key, result], unique [key]),
    text_table!("http_key", [key Text], [key, answer], unique [key]),
    text_table!("upgrade", [id Id], [renamed]),
];
