//! What falls due by itself: offers and questions expire, requests close when their service begins, and people
//! whose offer was taken back are told.

use abide_engine::base::{AskId, OfferId, Problem, RequestId, TypedId, limits};
use abide_engine::domain::DomainContext;
use abide_engine::store::Tx;
use uuid::Uuid;

use crate::ask::{self, Ask};
use crate::data;
use crate::desk::{Scene, asks, letter, offers, requests};
use crate::offer;
use crate::request;

/// Does the next thing that is due, of one request; how many rows it touched, 0 if nothing is due.
pub(super) async fn sweep(tx: &mut Tx, cx: &DomainContext<'_>) -> Result<u64, Problem> {
    if let Some(request) = data::offer::first_due(tx, cx.now).await? {
        return expire(tx, cx, request).await;
    }
    if let Some(ask) = data::ask::first_due(tx, cx.now).await? {
        return lapse(tx, cx, &ask).await;
    }
    if let Some(begun) = data::request::begun(tx, cx.now, 1).await?.first() {
        return close(tx, cx, begun.id).await;
    }
    match data::offer::request_to_tell(tx).await? {
        Some(request) => tell(tx, cx, request).await,
        None => {
            data::question::sweep(tx, cx.now).await?;
            Ok(0)
        }
    }
}

async fn expire(tx: &mut Tx, cx: &DomainContext<'_>, id: RequestId) -> Result<u64, Problem> {
    let request = owner(tx, id).await?;
    tx.lock_request(&request.tenant, id).await?;
    let chunk = i64::try_from(limits::CHUNK_PEOPLE_MAX).unwrap_or(i64::MAX);
    let due = data::offer::due_of(tx, id, cx.now, chunk).await?;
    let scene = Scene { tenant: &request.tenant, ..Scene::of_domain(cx) };
    offers::end(tx, &scene, &due, offer::Cause::Lapse, false).await?;
    Ok(due.len() as u64)
}

/// Nobody answered a question in time.
async fn lapse(tx: &mut Tx, cx: &DomainContext<'_>, ask: &Ask) -> Result<u64, Problem> {
    let request = owner(tx, ask.request).await?;
    tx.lock_request(&request.tenant, ask.request).await?;
    let scene = Scene { tenant: &request.tenant, ..Scene::of_domain(cx) };
    let open = data::ask::open(tx, ask.id).await?.filter(|open| open.expires_at <= cx.now);
    asks::end(tx, &scene, open.as_slice(), ask::State::Expired).await?;
    Ok(1)
}

/// Closes a request whose service begins; whoever was still asked need not answer any more.
async fn close(tx: &mut Tx, cx: &DomainContext<'_>, id: RequestId) -> Result<u64, Problem> {
    let owner = owner(tx, id).await?;
    let scene = Scene { tenant: &owner.tenant, ..Scene::of_domain(cx) };
    let mut request = requests::lock(tx, &owner.tenant, id).await?;
    let open = data::offer::pending_of_request(tx, id).await?;
    offers::end(tx, &scene, &open, offer::Cause::Called, false).await?;
    let asked = data::ask::open_of_request(tx, id).await?;
    asks::end(tx, &scene, &asked, ask::State::Withdrawn).await?;
    requests::change(tx, &scene, &mut request, request::Cause::Close).await?;
    Ok(1 + open.len() as u64)
}

async fn tell(tx: &mut Tx, cx: &DomainContext<'_>, id: RequestId) -> Result<u64, Problem> {
    let owner = owner(tx, id).await?;
    let scene = Scene { tenant: &owner.tenant, ..Scene::of_domain(cx) };
    let request = requests::lock(tx, &owner.tenant, id).await?;
    let told = offers::tell(tx, &scene, &request, limits::CHUNK_PEOPLE_MAX).await?;
    Ok(told.len().max(1) as u64)
}

async fn owner(tx: &mut Tx, id: RequestId) -> Result<request::Request, Problem> {
    data::request::by_id(tx, id).await?.ok_or_else(|| requests::unknown(id))
}

/// An offer lives from the instant at which its invitation may leave.
pub(super) async fn sends_moved(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    causes: &[(String, Option<Uuid>)],
) -> Result<(), Problem> {
    data::offer::postpone(tx, &offers_of(causes, &[letter::cause::OFFER]), cx.now).await?;
    Ok(data::ask::postpone(tx, &asks_of(causes), cx.now).await?)
}

fn asks_of(causes: &[(String, Option<Uuid>)]) -> Vec<AskId> {
    let asks = causes.iter().filter(|(kind, _)| kind == letter::cause::ASK);
    asks.filter_map(|(_, id)| id.map(AskId::from_uuid)).collect()
}

fn offers_of(causes: &[(String, Option<Uuid>)], kinds: &[&str]) -> Vec<OfferId> {
    let offers = causes.iter().filter(|(kind, _)| kinds.contains(&kind.as_str()));
    offers.filter_map(|(_, id)| id.map(OfferId::from_uuid)).collect()
}

/// Whether the reasons of queued messages still stand.
pub(super) async fn causes_open(
    tx: &mut Tx,
    causes: &[(String, Option<Uuid>)],
) -> Result<Vec<bool>, Problem> {
    let of_offers = [letter::cause::OFFER, letter::cause::REMINDER];
    let open = data::offer::still_open(tx, &offers_of(causes, &of_offers)).await?;
    let mut answers = Vec::with_capacity(causes.len());
    for (kind, id) in causes {
        answers.push(match (kind.as_str(), id) {
            (letter::cause::OFFER | letter::cause::REMINDER, Some(id)) => {
                open.contains(&OfferId::from_uuid(*id))
            }
            (letter::cause::ASK, Some(id)) => {
                data::ask::open(tx, AskId::from_uuid(*id)).await?.is_some()
            }
            (letter::cause::REQUEST, Some(id)) => {
                let request = data::request::by_id(tx, RequestId::from_uuid(*id)).await?;
                request.is_some_and(|request| request.status.is_live())
            }
            _ => true,
        });
    }
    Ok(answers)
}
