//! Ends what people were asked who can no longer answer, because they opted out or because staff talk to them instead.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::{PersonId, Problem, RequestId, RunId, TypedId as _};
use abide_engine::store::Tx;
use uuid::Uuid;

use super::offers::Notice;
use super::{OperationContext, asks, offers};
use crate::ask::Ask;
use crate::data;
use crate::offer::{Offer, OfferCause};

/// The open offers and questions to some people, before their requests are locked.
pub struct OpenToPeople {
    people: Vec<PersonId>,
    asked: Vec<Ask>,
    offers: BTreeMap<RequestId, Vec<Offer>>,
}

impl OpenToPeople {
    /// Reads what these people were asked and may still answer.
    ///
    /// # Errors
    /// Returns errors from the store.
    pub async fn load(tx: &mut Tx, people: Vec<PersonId>) -> Result<Self, Problem> {
        let asked = data::ask::open_of_people(tx, &people).await?;
        let mut offers: BTreeMap<RequestId, Vec<Offer>> = BTreeMap::new();
        for ask in &asked {
            offers.entry(ask.request).or_default();
        }
        for offer in data::offer::pending_of_people(tx, &people).await? {
            offers.entry(offer.request).or_default().push(offer);
        }
        Ok(Self { people, asked, offers })
    }

    /// Returns the keys of the requests to lock before [`OpenToPeople::withdraw`].
    #[must_use]
    pub fn keys(&self) -> Vec<Uuid> {
        self.offers.keys().map(|request| request.uuid()).collect()
    }

    /// Whether nothing is open.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.offers.is_empty()
    }

    /// Returns the run that asked; `None` if no run did, or several.
    #[must_use]
    pub fn run(&self) -> Option<RunId> {
        let of_offers = self.offers.values().flatten().filter_map(|offer| offer.run);
        let runs: BTreeSet<RunId> = of_offers.chain(self.asked.iter().map(|ask| ask.run)).collect();
        let mut runs = runs.into_iter();
        runs.next().filter(|_| runs.next().is_none())
    }

    /// Withdraws what is still open. The caller has locked the requests.
    ///
    /// # Errors
    /// Returns errors from the store.
    pub async fn withdraw(
        self,
        tx: &mut Tx,
        context: &OperationContext<'_>,
        cause: OfferCause,
    ) -> Result<(), Problem> {
        for (request, seen) in self.offers {
            let mut open =
                data::offer::pending_of_request_people(tx, request, &self.people).await?;
            open.retain(|offer| seen.iter().any(|known| known.id == offer.id));
            offers::end(tx, context, &open, cause, Notice::None).await?;
            let seen =
                |ask: &Ask| ask.request == request && self.asked.iter().any(|a| a.id == ask.id);
            asks::withdraw(tx, context, &self.people, seen).await?;
        }
        Ok(())
    }
}
