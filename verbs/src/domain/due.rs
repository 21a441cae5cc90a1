//! Makes the changes that become due at a certain time: offers and questions expire, requests close
//! when their service begins, and people whose offer was withdrawn are notified.

use abide_engine::base::{
    ApprovalId, AskId, OfferId, Problem, RequestId, Timestamp, TypedId, limits,
};
use abide_engine::domain::DomainContext;
use abide_engine::planted::PlantedFault;
use abide_engine::store::{StoredCause, Tx};

use crate::ask;
use crate::data;
use crate::offer;
use crate::operations::offers::Notice;
use crate::operations::{OperationContext, asks, messages, offers, requests};
use crate::request::{self, Request};

/// Locks a request and makes its due changes, at most one chunk of offers at a time.
/// Returns the number of changed rows and sent notices; 0 if nothing is left to do.
pub(super) async fn sweep(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    id: RequestId,
) -> Result<u64, Problem> {
    let request = requests::lock(tx, cx.tenant, id).await?;
    let by = tx.latest_due(cx.tenant).await?;
    let context = OperationContext::of_domain(cx);
    let chunk = i64::try_from(limits::CHUNK_PEOPLE_MAX).unwrap_or(i64::MAX);
    let expired = data::offer::due_of(tx, id, by, chunk).await?;
    offers::end(tx, &context, &expired, offer::OfferCause::Lapse, Notice::None).await?;
    let mut lapsed = data::ask::open_of_request(tx, id).await?;
    lapsed.retain(|ask| ask.expires_at <= by);
    asks::end(tx, &context, &lapsed, ask::AskState::Expired).await?;
    let done = expired.len() + lapsed.len();
    if !request.status.is_final() && request.service_time <= by {
        return close(tx, &context, request).await.map(|closed| done as u64 + closed);
    }
    let notified =
        offers::notify_withdrawn(tx, &context, &request, limits::CHUNK_PEOPLE_MAX).await?;
    Ok((done + notified.len()) as u64)
}

/// Closes a request because its service begins. Withdraws open offers and questions without notice.
/// Returns the number of changed requests and offers.
async fn close(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    mut request: Request,
) -> Result<u64, Problem> {
    let open = data::offer::pending_of_request(tx, request.id).await?;
    offers::end(tx, context, &open, offer::OfferCause::CalledOff, Notice::None).await?;
    let asked = data::ask::open_of_request(tx, request.id).await?;
    asks::end(tx, context, &asked, ask::AskState::Withdrawn).await?;
    requests::change(tx, context, &mut request, request::RequestCause::Close).await?;
    data::question::sweep(tx, context.tenant, context.now).await?;
    Ok(1 + open.len() as u64)
}

/// Postpones the expiry of offers and questions whose message will be sent at this time,
/// which is later than planned. So the recipients have as much time to answer as planned.
pub(super) async fn sends_postponed(
    tx: &mut Tx,
    causes: &[StoredCause],
    at: Timestamp,
) -> Result<(), Problem> {
    data::offer::postpone(tx, &offers_of(causes, &[messages::cause::OFFER]), at).await?;
    Ok(data::ask::postpone(tx, &asks_of(causes), at).await?)
}

fn asks_of(causes: &[StoredCause]) -> Vec<AskId> {
    let asks = causes.iter().filter(|cause| cause.kind == messages::cause::ASK);
    asks.filter_map(|cause| cause.id.map(AskId::from_uuid)).collect()
}

fn offers_of(causes: &[StoredCause], kinds: &[&str]) -> Vec<OfferId> {
    let offers = causes.iter().filter(|cause| kinds.contains(&cause.kind.as_str()));
    offers.filter_map(|cause| cause.id.map(OfferId::from_uuid)).collect()
}

/// Returns for each cause whether a queued message with that cause may still be sent. The cause
/// of an invitation is its offer, for example, and the invitation may be sent only while the offer is open.
pub(super) async fn causes_hold(tx: &mut Tx, causes: &[StoredCause]) -> Result<Vec<bool>, Problem> {
    let of_offers = [messages::cause::OFFER, messages::cause::REMINDER];
    let open = data::offer::still_open(tx, &offers_of(causes, &of_offers)).await?;
    let mut answers = Vec::with_capacity(causes.len());
    for StoredCause { kind, id } in causes {
        answers.push(match (kind.as_str(), id) {
            (messages::cause::OFFER | messages::cause::REMINDER, Some(id)) => {
                open.contains(&OfferId::from_uuid(*id))
            }
            (messages::cause::WITHDRAWAL, Some(id)) => {
                may_have_been_asked(tx, OfferId::from_uuid(*id)).await?
            }
            (messages::cause::ASK, Some(id)) => {
                data::ask::open(tx, AskId::from_uuid(*id)).await?.is_some()
            }
            (messages::cause::APPROVAL, Some(id)) => {
                tx.awaits_decision(ApprovalId::from_uuid(*id)).await?
            }
            (messages::cause::REQUEST, Some(id)) => {
                let request = data::request::by_id(tx, RequestId::from_uuid(*id)).await?;
                request.is_some_and(|request| request.status.is_live())
            }
            _ => true,
        });
    }
    Ok(answers)
}

/// Whether the invitation of an offer may have reached its recipient.
/// Returns false only if the invitation was certainly not sent. Each recipient is sent one message
/// at a time. So before a later message is sent, it is known whether the invitation was sent.
async fn may_have_been_asked(tx: &mut Tx, offer: OfferId) -> Result<bool, Problem> {
    let (tenant, offer) =
        (data::offer::tenant_of(tx, offer).await?, data::offer::by_id(tx, offer).await?);
    let (Some(tenant), Some(offer)) = (tenant, offer) else { return Ok(true) };
    let key = messages::invitation_key(&offer);
    Ok(!tx.never_left(&tenant, &key).await? || PlantedFault::UnsentInvitationWithdrawn.is_active())
}
