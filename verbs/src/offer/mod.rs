//! An offer: an invitation of one person to one role of one request.

pub mod transition;

use abide_engine::base::{OfferId, PersonId, RequestId, RunId, Timestamp};

pub use transition::{OfferCause, OfferState};

/// An offer as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The id of the offer.
    pub id: OfferId,
    /// The request that needs the person.
    pub request: RequestId,
    /// The person asked.
    pub person: PersonId,
    /// The role offered.
    pub role: String,
    /// The number of the offer's wave for that role, from 1.
    pub wave: i64,
    /// The number of this offer among all offers to this person in this request, from 1.
    pub ordinal: i64,
    /// Whether the offer is open, or how it ended.
    pub state: OfferState,
    /// Why the offer ended; `None` while it is open.
    pub cause: Option<OfferCause>,
    /// The run that made the offer; `None` for an offer that a late yes created.
    pub run: Option<RunId>,
    /// The first instant at which policy permits the invitation to be sent.
    pub planned_at: Timestamp,
    /// The instant from which on a yes is late.
    pub expires_at: Timestamp,
}

/// Returns the name of the tally cell for one wave of offers for a role.
#[must_use]
pub fn wave_cell(role: &str, wave: i64) -> String {
    format!("{role}#{wave}")
}
