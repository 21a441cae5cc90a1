//! An offer: one person is asked once for one role of one request.

pub mod transition;

use abide_engine::base::{OfferId, PersonId, RequestId, RunId, Timestamp};

pub use transition::{OfferCause, OfferState};

/// An offer as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Its id.
    pub id: OfferId,
    /// The request.
    pub request: RequestId,
    /// The person asked.
    pub person: PersonId,
    /// The role offered.
    pub role: String,
    /// The number of its wave for that role, from 1.
    pub wave: i64,
    /// Its number among the offers to this person in this request, from 1.
    pub ordinal: i64,
    /// Whether it is open, or how it ended.
    pub state: OfferState,
    /// Why it ended; `None` while it is open.
    pub cause: Option<OfferCause>,
    /// The run that made it; `None` for an offer renewed by a late yes.
    pub run: Option<RunId>,
    /// The first instant at which policy permits its invitation to be sent.
    pub planned_at: Timestamp,
    /// From this instant on, a yes is late.
    pub expires_at: Timestamp,
}

/// Returns the name of the tally cell that counts one wave of offers for a role.
#[must_use]
pub fn wave_cell(role: &str, wave: i64) -> String {
    format!("{role}#{wave}")
}
