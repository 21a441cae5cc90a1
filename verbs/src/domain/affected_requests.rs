//! Determines which requests may change when a message is applied. The engine locks these requests
//! together, sorted by id, before it applies the message.

use std::collections::BTreeSet;

use abide_engine::base::{Problem, RequestId, Value};
use abide_engine::domain::{DomainContext, OpenAsks};
use abide_engine::policy::CarrierWord;
use abide_engine::store::{InboundRow, Tx};

use super::decide::{Decision, decided};
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
    if let (_, Decision::Start(reading)) = decided(asks, meaning)?
        && let Some(time) = reading.time
    {
        // The message starts a run. If a request for the service that the message names
        // exists already, the run changes that request.
        let joined = data::request::live_at(tx, cx.tenant, "", time).await?;
        concerned.extend(joined.map(|request| request.id));
    }
    Ok(concerned.into_iter().collect())
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
