//! The tables of this crate with texts that may name or quote somebody.

use abide_engine::store::TextTable;
use abide_engine::text_table;

/// These tables. The entry of a person who is erased is blanked by a function of its own.
pub static TEXTS: [TextTable; 6] = [
    text_table!("inbox", [message Id], [note]),
    text_table!("ask", [id Id], [about]),
    text_table!("question", [person Id, kind Text], [about]),
    text_table!("kb", [id Text], [topic, text, source, reviewer, written_by]),
    text_table!("thread", [contact Bytes], [taken_by]),
    text_table!("person", [id Id], [household, guardian_phone], by "tenant", "{id}"),
];
