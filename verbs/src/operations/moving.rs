//! Lets everything follow a service that has moved: offers, texts that have not left, timers, runs and people.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::{OfferId, PersonId, Problem, Span, Timestamp, TypedId as _};
use abide_engine::run::{MOVE_SIGNAL, ServiceMove};
use abide_engine::store::{Cause, QueuedAbout, SignalKind, Tx};
use serde_json::{Value, json};

use super::messages::{self, MessageDraft, MessageSample};
use super::places::{self, PlaceRelease};
use super::{OperationContext, time_zone};
use crate::assignment::AssignmentState;
use crate::data;
use crate::request::Request;

/// Lets everything follow a request whose service was to begin at `from`. Whoever holds a place, waits for one or was
/// asked is asked once whether they can come at the new time; who holds a place in a service that now overlaps keeps
/// that one.
///
/// # Errors
/// Returns errors from rendering and from the store.
pub async fn follow(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &mut Request,
    from: Timestamp,
) -> Result<(), Problem> {
    let zone = time_zone::of(context.settings);
    let order = ServiceMove { from, to: request.service_time.in_zone(&zone) };
    // An offer does not expire earlier because its service is earlier: people keep the time to answer.
    data::offer::move_expiry(tx, request.id, Span::max(order.by(), Span::ZERO)).await?;
    let unsent = rewrite_unsent(tx, context, request).await?;
    release_overlapping(tx, context, request).await?;
    ask_again(tx, context, request, from, &unsent).await?;
    let payload = order.payload();
    let key = format!("moved:{}", request.version);
    for run in tx.live_runs(request.id).await? {
        tx.move_timers(run.id, order.by()).await?;
        tx.signal(run.id, SignalKind::Order(MOVE_SIGNAL), Some(&key), &payload).await?;
    }
    Ok(())
}

/// Writes the new time into invitations and reminders that have not left. Returns the people whose invitation has not.
async fn rewrite_unsent(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &Request,
) -> Result<BTreeSet<PersonId>, Problem> {
    let mut unsent = BTreeSet::new();
    for kind in [messages::cause::OFFER, messages::cause::REMINDER] {
        for queued in tx.queued_about(request.id, kind).await? {
            let QueuedAbout { id, person, cause, not_before, kind: template } = queued;
            let Some(offer) = data::offer::by_id(tx, OfferId::from_uuid(cause)).await? else {
                continue;
            };
            let vars = messages::role_variables(request, &offer.role);
            let sample = MessageSample { template: &template, person: Some(person), vars: &vars };
            // A reminder of a method's own may need more than this; then the text below corrects it.
            if let Ok(Some(rendered)) = messages::sample(tx, context, sample).await {
                tx.reword(id, Some(&rendered), not_before).await?;
                if kind == messages::cause::OFFER {
                    unsent.insert(person);
                }
            }
        }
    }
    Ok(unsent)
}

/// Frees the places of people who hold a place in another service that overlaps the new time.
async fn release_overlapping(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &mut Request,
) -> Result<(), Problem> {
    for place in data::assignment::places(tx, request.id).await? {
        let Some(held) = data::assignment::clash(tx, request, place.person).await? else {
            continue;
        };
        let release = PlaceRelease {
            reason: Some("the service has moved"),
            ..PlaceRelease::of(place.person, &place.role)
        };
        places::release(tx, context, request, release).await?;
        let draft = about(request, place.person);
        let vars = json!({ "role": held.role, "time": held.time.to_string() });
        messages::send(tx, &context.unasked(), "placed_elsewhere", &[draft], &vars).await?;
    }
    Ok(())
}

/// Asks everybody who holds a place, waits for one or has an open offer whether they can come at the new time.
async fn ask_again(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &Request,
    from: Timestamp,
    unsent: &BTreeSet<PersonId>,
) -> Result<(), Problem> {
    let mut asked: BTreeMap<PersonId, (String, bool)> = BTreeMap::new();
    for offer in data::offer::pending_of_request(tx, request.id).await? {
        if !unsent.contains(&offer.person) {
            asked.insert(offer.person, (offer.role, false));
        }
    }
    for held in data::assignment::held(tx, request.id).await? {
        asked.insert(held.person, (held.role, held.state == AssignmentState::Accepted));
    }
    let mut groups: BTreeMap<(String, bool), Vec<MessageDraft>> = BTreeMap::new();
    for (person, group) in asked {
        groups.entry(group).or_default().push(about(request, person));
    }
    for ((role, holds), drafts) in groups {
        let mut vars = messages::role_variables(request, &role);
        vars["from"] = Value::from(from.to_string());
        vars["holds"] = Value::from(holds);
        messages::send(tx, &context.unasked(), "moved", &drafts, &vars).await?;
    }
    Ok(())
}

fn about(request: &Request, person: PersonId) -> MessageDraft {
    MessageDraft {
        occasion: Some(format!("v{}", request.version)),
        cause: Cause { kind: messages::cause::REQUEST, id: Some(request.id.uuid()) },
        ..MessageDraft::about_offer(person, request.id, 1)
    }
}
