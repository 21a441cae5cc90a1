//! Determines which requests may change when a message is applied. The engine locks these requests
//! together, sorted by id, before it applies the message.

use std::collections::BTreeSet;

use abide_engine::base::{Problem, RequestId, Value};
use abide_engine::domain::{DomainContext, OpenAsks};
use abide_engine::policy::CarrierWord;
use abide_engine::store::{InboundRow, Tx};

use super::decide::{Decision, decided};
use super::order::Order;
use crate::data;

/// Returns the requests that may change when this message is applied, sorted by id.
pub(super) async fn of(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    inbound: &InboundRow,
    asks: &OpenAsks,
    meaning: &Value,
) -> Result<Vec<RequestId>, Problem> {
    if inbound.carrier_word == Some(CarrierWord::OptOut) {
        return everything_open(tx, cx, inbound).await;
    }
    let mut concerned: BTreeSet<RequestId> = asks.request.into_iter().collect();
    match decided(asks, meaning)?.1 {
        Decision::Obey(orders) => {
            for order in &orders {
                concerned.extend(of_order(tx, cx, order).await?);
            }
        }
        Decision::Confirmed(order) => concerned.extend(of_order(tx, cx, &order).await?),
        Decision::Start(start) => {
            let time = start.goal.get("time").and_then(Value::as_str);
            let joined = match time.and_then(|time| time.parse().ok()) {
                Some(time) => data::request::live_at(tx, cx.tenant, "", time).await?,
                None => None,
            };
            concerned.extend(start.request.or(joined.map(|request| request.id)));
        }
        Decision::KeepOpen(ask, _) | Decision::Doubt(ask) => {
            concerned.insert(ask.request);
        }
        Decision::Each(decisions) => concerned.extend(decisions.iter().filter_map(of_one)),
        _ => {}
    }
    Ok(concerned.into_iter().collect())
}

/// Returns the request that one of several decisions about a message changes.
fn of_one(decision: &Decision) -> Option<RequestId> {
    match decision {
        Decision::Accept(ask) | Decision::Decline(ask) => Some(ask.request),
        _ => None,
    }
}

/// Returns the requests that an order of staff changes.
async fn of_order(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    order: &Order,
) -> Result<Vec<RequestId>, Problem> {
    Ok(match order {
        // A request for the service that the order names may exist already.
        Order::Fill(order) => {
            let joined = data::request::live_at(tx, cx.tenant, "", order.time).await?;
            joined.into_iter().map(|request| request.id).collect()
        }
        Order::Own(wish) => match wish.own.as_ref().and_then(|own| own.service()) {
            Some(time) => {
                let joined = data::request::live_at(tx, cx.tenant, "", time).await?;
                joined.into_iter().map(|request| request.id).collect()
            }
            None => Vec::new(),
        },
        Order::Retarget(order) => vec![order.request.id],
        Order::Cancel(order) => order.requests.iter().map(|request| request.id).collect(),
        Order::Hold { requests, .. } => requests.iter().map(|request| request.id).collect(),
        Order::Report(_) | Order::AskBack(_) | Order::NoSuchRequest(_) => Vec::new(),
    })
}

/// Returns the requests of all open offers and questions to people with the sender's number.
/// An opt-out ends all these offers and questions.
async fn everything_open(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    inbound: &InboundRow,
) -> Result<Vec<RequestId>, Problem> {
    let people = data::person::by_contacts(tx, cx.tenant, &[inbound.sender]).await?;
    let ids: Vec<_> = people.iter().map(|person| person.id).collect();
    let asked = data::ask::open_of_people(tx, &ids).await?;
    let offered = data::offer::pending_of_people(tx, &ids).await?;
    let requests = asked.iter().map(|ask| ask.request);
    let requests: BTreeSet<_> = requests.chain(offered.iter().map(|offer| offer.request)).collect();
    Ok(requests.into_iter().collect())
}
