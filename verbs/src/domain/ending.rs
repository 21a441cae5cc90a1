//! Changes the church's tables after an opt-out, after an invitation
//! that could not be delivered, and after the end of a run.

use abide_engine::base::{PersonId, Problem, RequestId, RunId, Value};
use abide_engine::domain::{DomainContext, FailedDelivery};
use abide_engine::policy::{OPT_OUT_CONFIRMED, OptoutReply};
use abide_engine::store::{InboundRow, Tx};
use serde_json::json;

use crate::ask;
use crate::assignment::AssignmentState;
use crate::data;
use crate::data::inbox::InboxEntry;
use crate::inbox::Reason;
use crate::offer::OfferCause;
use crate::operations::messages::{self, MessageDraft};
use crate::operations::offers::Notice;
use crate::operations::unreachable::OpenToPeople;
use crate::operations::{OperationContext, asks, capacity, offers, requests, staff_inbox};

/// Withdraws every open offer and question to people with the sender's number, and puts the message
/// in the inbox of staff. The people keep the places that they hold, but get no more texts,
/// so staff must phone them.
pub(super) async fn opted_out(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    inbound: &InboundRow,
) -> Result<(), Problem> {
    let people = data::person::by_contacts(tx, cx.tenant, &[inbound.sender]).await?;
    let ids: Vec<_> = people.iter().map(|person| person.id).collect();
    let open = OpenToPeople::load(tx, ids.clone()).await?;
    tx.lock_partitions(cx.tenant, &open.keys()).await?;
    let context = OperationContext::of_domain(cx);
    let (was_asked, run) = (!open.is_empty(), open.run());
    open.withdraw(tx, &context, OfferCause::OptedOut).await?;
    if let (Some(person), OptoutReply::Ours) = (ids.first(), cx.settings.optout_reply) {
        confirm(tx, cx, inbound, *person).await?;
    }
    let entry = InboxEntry::of_message(inbound.id, inbound.received_at, Reason::OptedOut);
    let entry = InboxEntry { person: ids.first().copied(), run, ..entry };
    let held = data::assignment::future_assignments(tx, &ids, inbound.received_at).await?;
    let has_place = held.iter().any(|open| open.assignment.state == AssignmentState::Accepted);
    if was_asked || has_place {
        return staff_inbox::put(tx, &context, &entry).await;
    }
    Ok(data::inbox::put(tx, cx.tenant, &entry).await?)
}

/// Confirms to the sender that no more messages will be sent. A second STOP gets no confirmation,
/// unless the sender has opted in again in between.
async fn confirm(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    inbound: &InboundRow,
    person: PersonId,
) -> Result<(), Problem> {
    let consent = tx.opt_ins(cx.tenant, inbound.sender).await?;
    let draft = MessageDraft {
        occasion: Some(consent.to_string()),
        not_before: Some(cx.now),
        ..MessageDraft::answer(person, inbound.id)
    };
    let context = OperationContext::of_domain(cx);
    messages::send(tx, &context, OPT_OUT_CONFIRMED, &[draft], &json!({})).await.map(drop)
}

/// If the message that could not be delivered is an invitation, ends the open offers that the
/// request has made to the recipient.
pub(super) async fn undelivered(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    delivery: &FailedDelivery,
) -> Result<(), Problem> {
    let (Some(request), Some(person)) = (delivery.request, delivery.person) else { return Ok(()) };
    if delivery.kind.split('~').next() != Some(messages::INVITATION) {
        return Ok(());
    }
    tx.lock_request(cx.tenant, request).await?;
    let open = data::offer::pending_of_request_people(tx, request, &[person]).await?;
    offers::end(tx, &OperationContext::of_domain(cx), &open, OfferCause::Bounced, Notice::None)
        .await
}

/// Cleans up after a cancelled run. Withdraws the run's open offers and questions; the recipients
/// of the offers are notified later. Gives back the amounts that the run reserved, and leaves the run's
/// open rebalances to staff. Wakes the runs that fill roles of the rebalanced requests.
pub(super) async fn run_cancelled(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    run: RunId,
    request: Option<RequestId>,
) -> Result<(), Problem> {
    let context = OperationContext::of_domain(cx).on_behalf_of(Some(run));
    if let Some(request) = request {
        tx.lock_request(cx.tenant, request).await?;
        let mut open = data::offer::pending_of_request(tx, request).await?;
        open.retain(|offer| offer.run == Some(run));
        offers::end(tx, &context, &open, OfferCause::CalledOff, Notice::Owed).await?;
        let mut asked = data::ask::open_of_request(tx, request).await?;
        asked.retain(|ask| ask.run == run);
        asks::end(tx, &context, &asked, ask::AskState::Withdrawn).await?;
    }
    capacity::release_all(tx, &context, run).await?;
    data::live_fill::remove(tx, run).await?;
    for request in data::rebalance::hand_over(tx, run).await? {
        requests::wake_waiting_runs(tx, request).await?;
    }
    Ok(())
}

/// Cleans up after a run that ended without being cancelled. Removes the record of the role that the run
/// filled, and removes the rebalances that the run was to resolve. Wakes the runs that fill roles
/// of the requests with these rebalances.
pub(super) async fn run_ended(tx: &mut Tx, run: RunId) -> Result<(), Problem> {
    data::live_fill::remove(tx, run).await?;
    for request in data::rebalance::run_ended(tx, run).await? {
        requests::wake_waiting_runs(tx, request).await?;
    }
    Ok(())
}

/// Returns the people with open offers in these waves, as `[{person_id, name}]`.
/// Each wave is given by the name of its row in the tally, such as `nursery#1`.
pub(super) async fn silent(
    tx: &mut Tx,
    request: RequestId,
    open_cells: &[String],
) -> Result<Value, Problem> {
    let mut open = data::offer::pending_of_request(tx, request).await?;
    open.retain(|offer| open_cells.contains(&crate::offer::wave_cell(&offer.role, offer.wave)));
    let people: Vec<_> = open.iter().map(|offer| offer.person).collect();
    with_names(tx, request, &people).await
}

/// Returns the people who have not answered a question yet, as `[{person_id, name}]`.
/// A question counts if `askings` contains the name of the signal that will bring its answer.
pub(super) async fn asked(
    tx: &mut Tx,
    request: RequestId,
    askings: &[String],
) -> Result<Value, Problem> {
    let mut open = data::ask::open_of_request(tx, request).await?;
    open.retain(|ask| askings.contains(&ask.signal));
    let people: Vec<_> = open.iter().map(|ask| ask.person).collect();
    with_names(tx, request, &people).await
}

/// Returns the ids and names of these people as `[{person_id, name}]`.
async fn with_names(tx: &mut Tx, request: RequestId, ids: &[PersonId]) -> Result<Value, Problem> {
    let Some(known) = data::request::by_id(tx, request).await? else { return Ok(json!([])) };
    let people = data::person::by_ids(tx, &known.tenant, ids).await?;
    Ok(people.iter().map(|p| json!({"person_id": p.id, "name": p.name})).collect())
}
