//! An offer: an invitation of one person to one role of one request.

pub mod history;
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
    /// The current state of the offer.
    pub state: OfferState,
    /// Why the offer ended; `None` while it is open.
    pub cause: Option<OfferCause>,
    /// The run that made the offer; `None` for an offer that a late yes created.
    pub run: Option<RunId>,
    /// The earliest time at which policy permits the invitation to be sent.
    pub planned_at: Timestamp,
    /// The time at which the offer expires. A yes after this time is late; for a yes
    /// at exactly this time, the setting `offer_boundary` decides.
    pub expires_at: Timestamp,
}

/// Returns the name under which the tally of a request counts the offers of one wave for a role.
#[must_use]
pub fn wave_cell(role: &str, wave: i64) -> String {
    format!("{role}#{wave}")
}
