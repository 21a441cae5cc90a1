//! What people did with earlier offers.

use std::collections::BTreeMap;

use abide_engine::base::{PersonId, RequestId, Timestamp};
use abide_engine::response::{AskResult, ResponseHistory};

use super::{OfferCause, OfferState};

/// An offer, as far as it says how the person answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastOffer {
    /// The person asked.
    pub person: PersonId,
    /// The request that needed the person.
    pub request: RequestId,
    /// Whether the row records a yes to an earlier offer that had ended already: no invitation belongs to it.
    pub is_late_yes: bool,
    /// The state of the offer.
    pub state: OfferState,
    /// Why the offer ended.
    pub cause: Option<OfferCause>,
    /// When the invitation was sent, at the earliest.
    pub planned_at: Timestamp,
    /// When the offer ended.
    pub ended_at: Option<Timestamp>,
}

impl PastOffer {
    /// Returns what the person did; `None` if the offer does not say: it is open, the invitation did not arrive, or the
    /// offer was taken back before the person answered.
    fn result(&self) -> Option<AskResult> {
        let after = self.ended_at? - self.planned_at;
        match (self.state, self.cause) {
            (OfferState::Accepted, _) => Some(AskResult::Accepted(after)),
            (OfferState::Declined, _) => Some(AskResult::Declined(after)),
            // An opt-out is no answer to what was asked.
            (OfferState::Expired, _) | (_, Some(OfferCause::OptedOut)) => Some(AskResult::Silent),
            (OfferState::Pending | OfferState::Withdrawn | OfferState::Undeliverable, _) => None,
        }
    }
}

/// Returns the history of each person. `offers` are in the order in which they were made.
#[must_use]
pub fn histories(offers: &[PastOffer]) -> BTreeMap<PersonId, ResponseHistory> {
    let mut asks: BTreeMap<PersonId, Vec<PastAsk>> = BTreeMap::new();
    for offer in offers {
        let asked = asks.entry(offer.person).or_default();
        if !offer.is_late_yes {
            let (request, planned_at) = (offer.request, offer.planned_at);
            asked.push(PastAsk { request, planned_at, result: offer.result() });
            continue;
        }
        // A late yes answers the person's last offer in the request, if nothing else did.
        let last = asked.iter_mut().rev().find(|ask| ask.request == offer.request);
        let unanswered = |ask: &&mut PastAsk| matches!(ask.result, None | Some(AskResult::Silent));
        if let (Some(ask), Some(at)) = (last.filter(unanswered), offer.ended_at) {
            ask.result = Some(AskResult::Accepted(at - ask.planned_at));
        }
    }
    let history =
        |asks: Vec<PastAsk>| ResponseHistory::of(asks.iter().filter_map(|ask| ask.result));
    let all = asks.into_iter().map(|(person, asks)| (person, history(asks)));
    all.filter(|(_, history)| history.asked() > 0).collect()
}

/// One offer with an invitation.
struct PastAsk {
    request: RequestId,
    planned_at: Timestamp,
    result: Option<AskResult>,
}

#[cfg(test)]
mod tests {
    use abide_engine::base::{Span, TypedId as _};
    use uuid::Uuid;

    use super::*;

    fn offer(request: u128, state: OfferState, cause: Option<OfferCause>, ended: i64) -> PastOffer {
        PastOffer {
            person: PersonId::from_uuid(Uuid::from_u128(1)),
            request: RequestId::from_uuid(Uuid::from_u128(request)),
            is_late_yes: false,
            state,
            cause,
            planned_at: Timestamp::EPOCH,
            ended_at: (ended > 0).then(|| Timestamp::EPOCH + Span::from_secs(ended)),
        }
    }

    fn history(offers: &[PastOffer]) -> Option<ResponseHistory> {
        histories(offers).into_values().next()
    }

    #[test]
    fn only_offers_that_the_person_could_answer_count() {
        let offers = [
            offer(1, OfferState::Accepted, Some(OfferCause::Yes), 60),
            offer(2, OfferState::Declined, Some(OfferCause::No), 120),
            offer(3, OfferState::Expired, Some(OfferCause::Lapse), 9_000),
            offer(4, OfferState::Withdrawn, Some(OfferCause::OptedOut), 30),
            offer(5, OfferState::Withdrawn, Some(OfferCause::Filled), 30),
            offer(6, OfferState::Withdrawn, Some(OfferCause::CalledOff), 30),
            offer(7, OfferState::Undeliverable, Some(OfferCause::Bounced), 30),
            offer(8, OfferState::Pending, None, 0),
        ];
        let history = history(&offers).expect("a history");
        assert_eq!((history.asked(), history.answered(), history.accepted()), (4, 2, 1));
        assert_eq!(history.p90(), Some(Span::from_secs(120)));
    }

    #[test]
    fn a_late_yes_answers_the_offer_before_it() {
        let late = |request| PastOffer {
            is_late_yes: true,
            ..offer(request, OfferState::Accepted, Some(OfferCause::Yes), 7_200)
        };
        let lapsed = offer(1, OfferState::Expired, Some(OfferCause::Lapse), 3_600);
        let history_of = |offers: &[PastOffer]| {
            history(offers).map(|it| (it.asked(), it.accepted(), it.median()))
        };
        let two_hours = Some(Span::from_secs(7_200));
        assert_eq!(history_of(&[lapsed.clone(), late(1)]), Some((1, 1, two_hours)));
        let filled = offer(1, OfferState::Withdrawn, Some(OfferCause::Filled), 3_600);
        assert_eq!(history_of(&[filled, late(1)]), Some((1, 1, two_hours)));
        let no = offer(1, OfferState::Declined, Some(OfferCause::No), 60);
        let declined = history_of(&[no, late(1)]);
        assert_eq!(declined, Some((1, 0, Some(Span::from_secs(60)))), "it was answered before");
        assert_eq!(history_of(&[late(2)]), None, "the offer is too old to count");
        assert_eq!(history_of(&[lapsed, late(2)]), Some((1, 0, None)));
    }
}
