//! An offer: one person asked, once, for one role of one request.

pub mod transition;

use abide_engine::base::{OfferId, PersonId, RequestId, RunId, Timestamp};

pub use transition::{Cause, State};

/// An offer as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Its id.
    pub id: OfferId,
    /// Of which request.
    pub request: RequestId,
    /// Who is asked.
    pub person: PersonId,
    /// For what.
    pub role: String,
    /// The wave of asking for that role, from 1.
    pub wave: i64,
    /// The how-manieth offer to this person in this request, from 1.
    pub ordinal: i64,
    /// Whether it may be answered, or how it ended.
    pub state: State,
    /// Why it ended.
    pub cause: Option<Cause>,
    /// The run that made it.
    pub run: Option<RunId>,
    /// The first instant at which policy lets its text go.
    pub planned_at: Timestamp,
    /// From this instant on a yes is late.
    pub expires_at: Timestamp,
}

/// The tally cell of one wave of offers for a role.
#[must_use]
pub fn wave_cell(role: &str, wave: i64) -> String {
    format!("{role}#{wave}")
}
