//! Computes the status, offers and assignments of a request from its ledger events,
//! so that the audit can compare them with the tables.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::{OfferId, PersonId, Problem, RequestId, StreamId, TypedId, Value};
use abide_engine::domain::{Breach, Fold};
use abide_engine::store::{LedgerRow, Tx};
use async_trait::async_trait;

use crate::assignment;
use crate::data;
use crate::data::audit::{AssignmentRow, OfferRow};
use crate::event::ChurchEventKind;
use crate::offer::OfferState;

/// Maximum number of differences that the audit reports for one request.
const LISTED: usize = 20;

/// The state of a request according to its events.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct RequestFold {
    status: Option<(String, i64)>,
    offers: BTreeMap<OfferId, OfferRow>,
    places: BTreeMap<(PersonId, String), AssignmentRow>,
    /// Sequence numbers of the events whose bodies cannot be read.
    /// The check of the hash chain does not find such events.
    unread: Vec<i64>,
}

#[async_trait]
impl Fold for RequestFold {
    fn add(&mut self, event: &LedgerRow) {
        let kind = ChurchEventKind::parse(event.kind.as_str());
        if kind.is_some_and(|kind| self.read(kind, &event.body).is_none()) {
            self.unread.push(event.seq);
        }
    }

    async fn compare(&self, tx: &mut Tx, stream: StreamId) -> Result<Vec<Breach>, Problem> {
        let request = RequestId::from_uuid(stream.uuid());
        let Some(stored) = data::request::by_id(tx, request).await? else { return Ok(Vec::new()) };
        let stored = Self {
            status: Some((stored.status.as_str().to_owned(), stored.version)),
            offers: data::audit::offers_of(tx, request).await?,
            places: data::audit::assignments_of(tx, request).await?,
            unread: Vec::new(),
        };
        let differences = self.differences(&stored).into_iter().take(LISTED);
        let breaches = differences.map(|detail| Breach {
            rule: "ledger_differs".to_owned(),
            detail: format!("{request}: {detail}"),
        });
        Ok(breaches.collect())
    }
}

impl RequestFold {
    /// Applies an event. Returns `None` if the event's body cannot be read.
    fn read(&mut self, kind: ChurchEventKind, body: &Value) -> Option<()> {
        use ChurchEventKind as Kind;
        match kind {
            Kind::Request => self.request(body),
            Kind::Offered => self.offered(body),
            Kind::Offers => self.ended(body),
            Kind::Assignment => self.assignment(body),
            // The audit does not check questions. The other kinds occur only in the tenant's own stream.
            Kind::Ask | Kind::CapacitySet | Kind::InboxClosed => Some(()),
            Kind::InboxAnswered | Kind::InboxAssigned => Some(()),
            Kind::ThreadTakenOver | Kind::ThreadHandedBack => Some(()),
            Kind::FactWritten | Kind::FactRetired => Some(()),
            Kind::ServiceWritten | Kind::ServiceRemoved => Some(()),
        }
    }

    fn request(&mut self, body: &Value) -> Option<()> {
        self.status = Some((text(body, "became")?, body["version"].as_i64()?));
        Some(())
    }

    /// Adds offers, and an invited assignment for each open offer. An offer that begins as accepted
    /// adds no assignment: a separate event adds the place. Returns `None` if the body cannot be read.
    fn offered(&mut self, body: &Value) -> Option<()> {
        let (role, wave) = (text(body, "role")?, body["wave"].as_i64()?);
        let state = OfferState::parse(body["became"].as_str()?)?;
        for pair in body["offers"].as_array()? {
            let (offer, person) = (id(&pair[0])?, id(&pair[1])?);
            let row = OfferRow { person, role: role.clone(), wave, state };
            self.offers.insert(offer, row);
            if state == OfferState::Pending {
                let invited =
                    AssignmentRow { state: assignment::AssignmentState::Invited, seat: None };
                self.places.insert((person, role.clone()), invited);
            }
        }
        Some(())
    }

    /// Ends offers. Unless the offers were accepted, also changes the assignments that are still invited.
    /// Returns `None` if the body cannot be read.
    fn ended(&mut self, body: &Value) -> Option<()> {
        let became = OfferState::parse(body["became"].as_str()?)?;
        let left = match became {
            OfferState::Accepted => None,
            OfferState::Declined => Some(assignment::AssignmentState::Declined),
            _ => Some(assignment::AssignmentState::Cancelled),
        };
        for offer in body["offers"].as_array()? {
            let row = self.offers.get_mut(&id(offer)?)?; // an unknown offer makes the event unreadable
            row.state = became;
            let place = self.places.get_mut(&(row.person, row.role.clone()));
            let invited =
                |place: &&mut AssignmentRow| place.state == assignment::AssignmentState::Invited;
            if let (Some(place), Some(left)) = (place.filter(invited), left) {
                place.state = left;
            }
        }
        Some(())
    }

    fn assignment(&mut self, body: &Value) -> Option<()> {
        let became = assignment::AssignmentState::parse(body["became"].as_str()?)?;
        let place = AssignmentRow { state: became, seat: body["seat"].as_i64() };
        self.places.insert((id(&body["person"])?, text(body, "role")?), place);
        Some(())
    }

    /// Describes each difference between this state and the state that the tables store.
    fn differences(&self, stored: &Self) -> Vec<String> {
        let unread = self.unread.iter().map(|seq| format!("event {seq} cannot be read"));
        let mut found: Vec<String> = unread.collect();
        if self.status != stored.status {
            found.push(format!("it is {:?}, but its events say {:?}", stored.status, self.status));
        }
        found.extend(differ(&self.offers, &stored.offers, |offer| format!("offer {offer}")));
        found.extend(differ(&self.places, &stored.places, |(person, role)| {
            format!("{person} for `{role}`")
        }));
        found
    }
}

/// Describes each entry that differs between two maps, or is missing in one of them.
fn differ<'a, K: Ord, V: PartialEq + std::fmt::Debug>(
    expected: &'a BTreeMap<K, V>,
    stored: &'a BTreeMap<K, V>,
    named: impl Fn(&K) -> String + 'a,
) -> impl Iterator<Item = String> + 'a {
    let keys: BTreeSet<&K> = expected.keys().chain(stored.keys()).collect();
    keys.into_iter().filter(|key| expected.get(key) != stored.get(key)).map(move |key| {
        format!(
            "{} is {:?}, but its events say {:?}",
            named(key),
            stored.get(key),
            expected.get(key)
        )
    })
}

fn text(body: &Value, name: &str) -> Option<String> {
    body[name].as_str().map(str::to_owned)
}

fn id<T: TypedId>(value: &Value) -> Option<T> {
    value.as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::assignment::AssignmentState as Place;

    const OFFER: &str = "ofr_00000000000000000000000000000001";
    const PERSON: &str = "per_00000000000000000000000000000002";

    fn fold(bodies: &[(ChurchEventKind, Value)]) -> RequestFold {
        let mut fold = RequestFold::default();
        for (kind, body) in bodies {
            if fold.read(*kind, body).is_none() {
                fold.unread.push(0);
            }
        }
        fold
    }

    fn asked(became: &str) -> (ChurchEventKind, Value) {
        let offers = json!([[OFFER, PERSON]]);
        (
            ChurchEventKind::Offered,
            json!({"role": "nursery", "wave": 1, "became": became, "offers": offers}),
        )
    }

    fn ended(became: &str) -> (ChurchEventKind, Value) {
        (ChurchEventKind::Offers, json!({"cause": "no", "became": became, "offers": [OFFER]}))
    }

    fn place(fold: &RequestFold) -> Option<Place> {
        fold.places.values().next().map(|place| place.state)
    }

    #[test]
    fn an_invitation_goes_with_its_offer() {
        let cases = [
            ("declined", Place::Declined),
            ("expired", Place::Cancelled),
            ("withdrawn", Place::Cancelled),
            ("accepted", Place::Invited), // the place comes with another event
        ];
        assert_eq!(place(&fold(&[asked("pending")])), Some(Place::Invited));
        assert_eq!(place(&fold(&[asked("accepted")])), None);
        for (became, expected) in cases {
            let fold = fold(&[asked("pending"), ended(became)]);
            assert_eq!((place(&fold), fold.unread.len()), (Some(expected), 0), "{became}");
        }
    }

    #[test]
    fn a_place_taken_is_not_lost_by_an_old_offer() {
        let body = json!({"person": PERSON, "role": "nursery", "became": "accepted", "seat": 1});
        let fold = fold(&[asked("pending"), (ChurchEventKind::Assignment, body), ended("expired")]);
        assert_eq!(place(&fold), Some(Place::Accepted));
    }

    #[test]
    fn every_difference_is_named() {
        let expected = fold(&[
            (ChurchEventKind::Request, json!({"became": "open", "version": 1})),
            asked("pending"),
            ended("declined"),
        ]);
        assert_eq!(expected.differences(&expected.clone()), [] as [&str; 0]);
        let stored = fold(&[(ChurchEventKind::Request, json!({"became": "filled", "version": 1}))]);
        let found = expected.differences(&stored).join("; ");
        for named in ["`filled`", OFFER, PERSON, "Declined"] {
            assert!(found.replace("\"filled\"", "`filled`").contains(named), "{named}: {found}");
        }
        let strange = fold(&[ended("declined"), (ChurchEventKind::Assignment, json!({}))]);
        assert_eq!(strange.unread.len(), 2, "unreadable events are reported");
    }
}
