//! Stores and ends offers, and notifies people whose offers were withdrawn.

use std::collections::BTreeMap;

use abide_engine::base::{OfferId, PersonId, Problem, RequestId, Timestamp, TypedId as _, limits};
use abide_engine::planted::PlantedFault;
use abide_engine::store::{Cause, Tally, Tx};
use serde_json::json;

use super::OperationContext;
use super::messages::{self, MessageDraft};
use crate::assignment;
use crate::data;
use crate::data::offer::OfferEnd;
use crate::event::ChurchEventKind;
use crate::offer::{self, Offer, OfferState, wave_cell};
use crate::request::Request;

/// Whether people get a message that their offer has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// No message is sent: for example, because the people answered the offer themselves, or because the
    /// offer expired.
    None,
    /// [`notify_withdrawn`] sends the message later. People whose invitation is still queued
    /// get no message: their invitation is cancelled.
    Owed,
}

/// Ends open offers of one request, all for the same cause. Updates the offers,
/// the assignments of the invited people and the tallies.
///
/// # Errors
/// `wrong_state` if an offer is not open.
pub async fn end(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    offers: &[Offer],
    cause: offer::OfferCause,
    notice: Notice,
) -> Result<(), Problem> {
    let Some(first) = offers.first() else { return Ok(()) };
    let request = first.request;
    let mut waves: BTreeMap<String, i64> = BTreeMap::new();
    let mut state = OfferState::Pending;
    for offer in offers {
        state = offer.state.after(cause)?;
        *waves.entry(wave_cell(&offer.role, offer.wave)).or_default() += 1;
    }
    let ids: Vec<_> = offers.iter().map(|offer| offer.id).collect();
    let owed = notice == Notice::Owed;
    let end = OfferEnd { state, cause, notify: owed, at: context.now };
    data::offer::end(tx, &ids, end).await?;
    if owed {
        cancel_unsent_invitations(tx, request, &ids).await?;
    }
    if state != OfferState::Accepted {
        let change = if cause.is_refusal() {
            assignment::AssignmentCause::Refuse
        } else {
            assignment::AssignmentCause::Drop
        };
        let became =
            assignment::AssignmentState::after(Some(assignment::AssignmentState::Invited), change)?;
        let people: Vec<_> = offers.iter().map(|o| (o.person, o.role.as_str())).collect();
        data::assignment::uninvite(tx, request, &people, became, context.now).await?;
    }
    for (cell, n) in waves {
        let (no, gone) = match state {
            OfferState::Accepted => (0, 0),
            OfferState::Declined => (n, 0),
            _ => (0, n),
        };
        tx.tally(request, &cell, Tally { open: -n, no, gone, ..Tally::default() }).await?;
    }
    for part in offers.chunks(limits::CHUNK_PEOPLE_MAX) {
        let ids: Vec<_> = part.iter().map(|offer| offer.id.to_string()).collect();
        let body = json!({"cause": cause.as_str(), "became": state.as_str(), "offers": ids});
        tx.log(request, ChurchEventKind::Offers, context.about, body)?;
    }
    Ok(())
}

/// Cancels the invitation of each of these offers if it is still queued. The recipient of a cancelled
/// invitation does not know about the offer, and so need not be told that the offer has ended.
async fn cancel_unsent_invitations(
    tx: &mut Tx,
    request: RequestId,
    offers: &[OfferId],
) -> Result<(), Problem> {
    let unasked = tx.cancel_queued(request, messages::cause::OFFER, offers, "withdrawn").await?;
    if PlantedFault::UnsentInvitationWithdrawn.is_active() {
        return Ok(());
    }
    Ok(data::offer::mark_notified(tx, &unasked).await?)
}

/// Stores new offers of one role and wave, and records one ledger event for all of them.
/// The caller must pass at most [`limits::CHUNK_PEOPLE_MAX`] offers.
///
/// # Errors
/// Returns errors from the store.
pub async fn put(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    offers: &[Offer],
) -> Result<(), Problem> {
    let Some(first) = offers.first() else { return Ok(()) };
    data::offer::insert(tx, context.tenant, offers, context.now).await?;
    let asked: Vec<_> = offers.iter().map(|offer| json!([offer.id, offer.person])).collect();
    let body = json!({
        "role": first.role,
        "wave": first.wave,
        "became": first.state.as_str(),
        "offers": asked,
    });
    Ok(tx.log(first.request, ChurchEventKind::Offered, context.about, body)?)
}

/// Records a yes that a person gave after the offer had ended. Because an offer cannot be reopened,
/// stores and returns a new offer that is accepted from the beginning.
///
/// # Errors
/// Returns errors from the store.
pub async fn accept_late(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: RequestId,
    person: PersonId,
    role: &str,
) -> Result<Offer, Problem> {
    let newest = data::offer::newest(tx, request, person).await?;
    let offer = Offer {
        id: tx.mint(),
        request,
        person,
        role: role.to_owned(),
        wave: newest.as_ref().map_or(1, |offer| offer.wave),
        ordinal: newest.map_or(1, |offer| offer.ordinal + 1),
        state: OfferState::Accepted,
        cause: Some(offer::OfferCause::Yes),
        run: None,
        planned_at: context.now,
        expires_at: context.now,
    };
    put(tx, context, std::slice::from_ref(&offer)).await?;
    Ok(offer)
}

/// Queues messages to at most `limit` people whose offers were withdrawn and who were not notified yet.
/// Returns the messages.
///
/// # Errors
/// Returns errors from rendering and from the store.
pub async fn notify_withdrawn(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &Request,
    limit: usize,
) -> Result<Vec<messages::QueuedMessage>, Problem> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    // An inbound message that is not applied yet may be a yes to one of the offers.
    // So leave out the offers that were withdrawn after such a message arrived.
    let by = tx.latest_due(context.tenant).await?;
    let offers = data::offer::to_notify(tx, request.id, by, limit).await?;
    let mut sent = Vec::new();
    let mut by_kind: BTreeMap<(&str, &str), Vec<MessageDraft>> = BTreeMap::new();
    for offer in &offers {
        let template =
            if offer.cause == Some(offer::OfferCause::Filled) { "withdrawn" } else { "cancelled" };
        let cause = Cause { kind: messages::cause::WITHDRAWAL, id: Some(offer.id.uuid()) };
        let about = MessageDraft::about_offer(offer.person, request.id, offer.ordinal);
        by_kind.entry((template, &offer.role)).or_default().push(MessageDraft { cause, ..about });
    }
    for ((template, role), drafts) in by_kind {
        sent.extend(
            messages::send(
                tx,
                context,
                template,
                &drafts,
                &messages::role_variables(request, role),
            )
            .await?,
        );
    }
    let notified: Vec<_> = offers.iter().map(|offer| offer.id).collect();
    data::offer::mark_notified(tx, &notified).await?;
    Ok(sent)
}

/// Whether an answer that was received at `received_at` is in time for an offer
/// or question that expires at `expires_at`. If the two times are equal,
/// the setting `offer_boundary` decides.
#[must_use]
pub fn in_time(
    context: &OperationContext<'_>,
    received_at: Timestamp,
    expires_at: Timestamp,
) -> bool {
    use abide_engine::policy::OfferBoundary;
    match context.settings.offer_boundary {
        OfferBoundary::DeadlineWins => received_at < expires_at,
        OfferBoundary::ReplyWins => received_at <= expires_at,
    }
}
