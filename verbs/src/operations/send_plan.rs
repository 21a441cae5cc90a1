//! Plans the send times of *unasked* messages, which no action of their recipients caused,
//! within the limit per minute and the weekly limit per person.

use std::collections::BTreeMap;

use abide_engine::base::{PersonId, Problem, Timestamp};
use abide_engine::policy::{FanOutRate, weekly_limit};
use abide_engine::store::Tx;

use super::OperationContext;
use super::sender::SenderProfile;
use crate::data::person::Person;

/// The limits on unasked messages, with the send times that are already taken.
#[derive(Debug)]
pub struct SendPlan {
    rate_limit: FanOutRate,
    per_week: Option<u64>,
    texts: BTreeMap<PersonId, Vec<Timestamp>>,
}

impl SendPlan {
    /// Loads the send times that are already taken, as far as they matter for messages to these people.
    /// Reads nothing if there are no people or no limits.
    ///
    /// # Errors
    /// Returns errors from the store.
    pub async fn load(
        tx: &mut Tx,
        context: &OperationContext<'_>,
        people: &[PersonId],
    ) -> Result<Self, Problem> {
        let (rate, per_week) =
            (context.settings.fan_out_per_minute, context.settings.per_person_per_week);
        let taken = match rate.filter(|_| !people.is_empty()) {
            Some(rate) => {
                tx.unasked_from(context.tenant, context.now - FanOutRate::min_gap(rate)).await?
            }
            None => Vec::new(),
        };
        let texts = match per_week.filter(|_| !people.is_empty()) {
            Some(_) => tx.unasked_to(people, context.now - weekly_limit::WEEK).await?,
            None => BTreeMap::new(),
        };
        let instants = |texts: Vec<(Timestamp, _)>| texts.into_iter().map(|(at, _)| at).collect();
        let texts = texts.into_iter().map(|(person, texts)| (person, instants(texts))).collect();
        Ok(Self { rate_limit: FanOutRate::new(rate, taken), per_week, texts })
    }

    /// Returns the first instant at which quiet hours and all limits permit another unasked message
    /// to the person, and marks that instant as taken.
    pub fn reserve(
        &mut self,
        context: &OperationContext<'_>,
        profile: &SenderProfile,
        person: &Person,
    ) -> Timestamp {
        let texts = self.texts.entry(person.id).or_default();
        let mut at = context.now;
        loop {
            let rested = weekly_limit::permitted(at, texts, self.per_week);
            let awake = profile.permitted(context, person, rested);
            let free = self.rate_limit.next_free(awake);
            if free == at {
                break;
            }
            at = free;
        }
        self.rate_limit.occupy(at);
        texts.insert(texts.partition_point(|other| *other <= at), at);
        at
    }
}
