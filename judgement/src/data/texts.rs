//! The tables of this crate with texts that may name or quote somebody.

use abide_engine::store::TextTable;
use abide_engine::text_table;

/// These tables. The keys of users and sessions are ids.
pub static TEXTS: [TextTable; 14] = [
    text_table!("classification", [id Id], [request_key, message, context, reading], unique [request_key]),
    text_table!("run_plan", [id Id], [body, verdict]),
    text_table!("conversation_session", [user_key Text, session Text], [next_phrase]),
    text_table!(
        "conversation_goals",
        [user_key Text, session Text, id Int],
        [description, next_action, slots]
    ),
    text_table!("conversation_goal_journal", [id Id], [payload]),
    text_table!("agenda_turn", [id Id], [turn]),
    text_table!("source", [id Id], [uri, info_jsonb]),
    text_table!("entity", [id Id], [key, alias_jsonb], unique [key]),
    text_table!("relation", [id Id], [attrs_jsonb]),
    text_table!("modifier", [id Id], [value]),
    text_table!("assertion", [id Id], [object]),
    text_table!(
        "asked",
        [id Id],
        [request_key, text, dialogue, answer, trace],
        unique [request_key]
    ),
    text_table!("obligation", [id Id], [details_jsonb]),
    text_table!("standing_obligation", [obligation_id Id], [thing, goal]),
];
