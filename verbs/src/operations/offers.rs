//! Writes and ends offers, and notifies people whose offers were withdrawn.

use std::collections::BTreeMap;

use abide_engine::base::{OfferId, PersonId, Problem, RequestId, Timestamp, TypedId as _, limits};
use abide_engine::planted::Planted;
use abide_engine::store::{Cause, Tally, Tx};
use serde_json::json;

use super::Scene;
use super::letter::{self, Letter};
use crate::assignment;
use crate::data;
use crate::offer::{self, Offer, State, wave_cell};
use crate::request::Request;

/// Ends open offers of one request for one cause: updates the offers, the assignments of their people
/// and the tallies. With `notice`, also cancels invitations that are still queued, and marks the other
/// offers so that [`tell`] notifies their people.
///
/// # Errors
/// `wrong_state` if an offer is not open.
pub async fn end(
    tx: &mut Tx,
    scene: &Scene<'_>,
    offers: &[Offer],
    cause: offer::Cause,
    notice: bool,
) -> Result<(), Problem> {
    let Some(first) = offers.first() else { return Ok(()) };
    let request = first.request;
    let mut waves: BTreeMap<String, i64> = BTreeMap::new();
    let mut state = State::Pending;
    for offer in offers {
        state = offer.state.after(cause)?;
        *waves.entry(wave_cell(&offer.role, offer.wave)).or_default() += 1;
    }
    let ids: Vec<_> = offers.iter().map(|offer| offer.id).collect();
    data::offer::end(tx, &ids, (state, cause), notice, scene.now).await?;
    if notice {
        spare_the_unasked(tx, request, &ids).await?;
    }
    if state != State::Accepted {
        let change =
            if cause.is_refusal() { assignment::Cause::Refuse } else { assignment::Cause::Drop };
        let became = assignment::State::after(Some(assignment::State::Invited), change)?;
        let people: Vec<_> = offers.iter().map(|o| (o.person, o.role.as_str())).collect();
        data::assignment::uninvite(tx, request, &people, became, scene.now).await?;
    }
    for (cell, n) in waves {
        let (no, gone) = match state {
            State::Accepted => (0, 0),
            State::Declined => (n, 0),
            _ => (0, n),
        };
        tx.tally(request, &cell, Tally { open: -n, no, gone, ..Tally::default() }).await?;
    }
    for part in offers.chunks(limits::CHUNK_PEOPLE_MAX) {
        let ids: Vec<_> = part.iter().map(|offer| offer.id.to_string()).collect();
        let body = json!({"cause": cause.as_str(), "became": state.as_str(), "offers": ids});
        tx.log(request, "offers", scene.account, body)?;
    }
    Ok(())
}

/// Cancels the invitations that are still queued. Their recipients never learnt of the offer, so they
/// are not notified that it ended.
async fn spare_the_unasked(
    tx: &mut Tx,
    request: RequestId,
    offers: &[OfferId],
) -> Result<(), Problem> {
    let invitations = (letter::cause::OFFER, offers);
    let unasked = tx.cancel_queued(request, invitations, "withdrawn").await?;
    if Planted::ToldThoughNotAsked.is_in() {
        return Ok(());
    }
    Ok(data::offer::told(tx, &unasked).await?)
}

/// Writes new offers of one role and wave, with one ledger event for all of them. Takes at most one
/// chunk of people.
///
/// # Errors
/// Returns errors from the store.
pub async fn put(tx: &mut Tx, scene: &Scene<'_>, offers: &[Offer]) -> Result<(), Problem> {
    let Some(first) = offers.first() else { return Ok(()) };
    data::offer::insert(tx, scene.tenant, offers, scene.now).await?;
    let asked: Vec<_> = offers.iter().map(|offer| json!([offer.id, offer.person])).collect();
    let body = json!({
        "role": first.role,
        "wave": first.wave,
        "became": first.state.as_str(),
        "offers": asked,
    });
    Ok(tx.log(first.request, "offered", scene.account, body)?)
}

/// Records a yes to an offer that had ended, as a new offer that is accepted at once. The old offer
/// stays ended.
///
/// # Errors
/// Returns errors from the store.
pub async fn renew(
    tx: &mut Tx,
    scene: &Scene<'_>,
    request: RequestId,
    (person, role): (PersonId, &str),
) -> Result<Offer, Problem> {
    let newest = data::offer::newest(tx, request, person).await?;
    let offer = Offer {
        id: tx.mint(),
        request,
        person,
        role: role.to_owned(),
        wave: newest.as_ref().map_or(1, |offer| offer.wave),
        ordinal: newest.map_or(1, |offer| offer.ordinal + 1),
        state: State::Accepted,
        cause: Some(offer::Cause::Yes),
        run: None,
        planned_at: scene.now,
        expires_at: scene.now,
    };
    put(tx, scene, std::slice::from_ref(&offer)).await?;
    Ok(offer)
}

/// Notifies at most `limit` people whose offers were withdrawn. Returns the messages.
///
/// # Errors
/// Returns errors from rendering and from the store.
pub async fn tell(
    tx: &mut Tx,
    scene: &Scene<'_>,
    request: &Request,
    limit: usize,
) -> Result<Vec<letter::Sent>, Problem> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    // Texts that came in before are answered first: one may be a yes.
    let by = tx.due_by(scene.tenant).await?;
    let offers = data::offer::to_tell(tx, request.id, (by, limit)).await?;
    let mut sent = Vec::new();
    let mut by_kind: BTreeMap<(&str, &str), Vec<Letter>> = BTreeMap::new();
    for offer in &offers {
        let template =
            if offer.cause == Some(offer::Cause::Filled) { "withdrawn" } else { "cancelled" };
        let cause = Cause { kind: letter::cause::WITHDRAWAL, id: Some(offer.id.uuid()) };
        let about = Letter::about(offer.person, request.id, offer.ordinal);
        by_kind.entry((template, &offer.role)).or_default().push(Letter { cause, ..about });
    }
    for ((template, role), letters) in by_kind {
        sent.extend(
            letter::send(tx, scene, template, &letters, &letter::about(request, role)).await?,
        );
    }
    let told: Vec<_> = offers.iter().map(|offer| offer.id).collect();
    data::offer::told(tx, &told).await?;
    Ok(sent)
}

/// Whether an answer received at `received_at` is in time for an offer or question that expires at
/// `expires_at`.
#[must_use]
pub fn in_time(scene: &Scene<'_>, received_at: Timestamp, expires_at: Timestamp) -> bool {
    use abide_engine::policy::OfferBoundary;
    match scene.settings.offer_boundary {
        OfferBoundary::DeadlineWins => received_at < expires_at,
        OfferBoundary::ReplyWins => received_at <= expires_at,
    }
}
