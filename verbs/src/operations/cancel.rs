//! Cancels a request with its offers, questions and places, and stops the runs that fill it.

use abide_engine::base::{PersonId, Problem, limits};
use abide_engine::store::{SignalKind, Tx};
use serde_json::json;

use super::messages::{self, MessageDraft};
use super::offers::Notice;
use super::places::PlaceRelease;
use super::{OperationContext, asks, offers, places, requests};
use crate::ask;
use crate::assignment;
use crate::data;
use crate::offer;
use crate::request::{Request, RequestCause};

/// The effects of cancelling a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cancellation {
    /// The people who lost a place.
    pub released: Vec<PersonId>,
    /// Number of open offers and questions that were withdrawn.
    pub withdrawn: usize,
}

/// Cancels a request: withdraws its open offers and questions, and releases all its places
/// and waitlist ranks. Sends one notice to each person who was asked or had said yes.
/// Gives the order `cancel` to the runs that fill roles of the request.
///
/// # Errors
/// `wrong_state` if the request is closed or cancelled already.
pub async fn cancel(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &mut Request,
) -> Result<Cancellation, Problem> {
    requests::change(tx, context, request, RequestCause::Cancel).await?;
    let open = data::offer::pending_of_request(tx, request.id).await?;
    offers::end(tx, context, &open, offer::OfferCause::CalledOff, Notice::Owed).await?;
    let asked = data::ask::open_of_request(tx, request.id).await?;
    asks::end(tx, context, &asked, ask::AskState::Withdrawn).await?;
    let mut cancellation =
        Cancellation { released: Vec::new(), withdrawn: open.len() + asked.len() };
    for held in data::assignment::held(tx, request.id).await? {
        if held.state == assignment::AssignmentState::Accepted {
            cancellation.released.push(held.person);
        }
        places::release(tx, context, request, PlaceRelease::of(held.person, &held.role)).await?;
        let about = messages::role_variables(request, &held.role);
        let draft = MessageDraft::about_offer(held.person, request.id, 1);
        messages::send(tx, context, "cancelled", &[draft], &about).await?;
    }
    offers::notify_withdrawn(tx, context, request, limits::CHUNK_PEOPLE_MAX).await?;
    for run in data::live_fill::runs_of(tx, request.id).await? {
        let reason = json!({"reason": "the request was cancelled"});
        tx.signal(run, SignalKind::Order("cancel"), Some("request_cancelled"), &reason).await?;
    }
    Ok(cancellation)
}
