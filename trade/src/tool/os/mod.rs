//! The tools of the business as a whole: its notes, its snapshots and its health.

mod create_snapshot;
mod health_check;
mod search_notes;

pub(super) use create_snapshot::CreateSnapshot;
pub(super) use health_check::HealthCheck;
pub(super) use search_notes::SearchNotes;
