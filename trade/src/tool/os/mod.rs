//! The tools of the business as a whole: its notes, its snapshots and its health.

mod search_notes;

pub(super) use search_notes::SearchNotes;
