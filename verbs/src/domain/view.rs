//! The view of a message: the sender's open asks, and all other data on which the interpretation
//! of the message may depend. If the view has another digest when the message is applied,
//! the interpretation is no longer valid.

use std::collections::BTreeMap;

use abide_agent::mention::{Mentions, mentions};
use abide_engine::base::{
    ApprovalId, AskId, OfferId, PersonId, Problem, RequestId, Timestamp, Value,
};
use abide_engine::domain::DomainContext;
use abide_engine::store::{ApprovalState, InboundRow, Tx};
use abide_engine::template::Language;
use jiff::Zoned;
use jiff::civil::{Time, Weekday};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::{church_words, rule};
use crate::assignment::AssignmentState;
use crate::data;
use crate::data::assignment::OpenAssignment;
use crate::data::question::ClarificationKind;
use crate::directory;
use crate::offer::OfferState;
use crate::operations::time_zone;
use crate::request::Request;
use crate::service::Service;

/// The data on which the interpretation of a message may depend.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct View {
    /// The people with the sender's number.
    pub senders: Vec<PossibleSender>,
    /// The offers, questions, places and waitlist ranks of the senders for future services.
    /// If the message names some of these asks, the list contains only the named asks.
    pub asks: Vec<SenderAsk>,
    /// Whether `asks` contains only the asks that the message names, and not all asks.
    pub narrowed: bool,
    /// The newest clarifying question that waits for an answer from the senders.
    pub question: Option<OpenClarification>,
    /// What the senders may approve or refuse, the earliest first; for a while also what is decided already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<SenderApproval>,
    /// The church's time zone.
    pub zone: String,
    /// The church's weekly services.
    pub services: Vec<KnownService>,
    /// The roles of the tenant's people, if a sender is staff.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
    /// The requests for future services, the earliest first, if a sender is staff.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<LiveRequest>,
}

/// Maximum number of requests and of roles that a view holds. Nobody speaks of more at a time.
const REQUESTS_MAX: i64 = 30;
const ROLES_MAX: i64 = 100;

/// A request for a service that has not begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LiveRequest {
    pub id: RequestId,
    pub time: Timestamp,
    /// The people wanted, by role.
    pub targets: BTreeMap<String, i64>,
}

impl LiveRequest {
    /// Returns the number of people wanted in a role.
    pub(super) fn target(&self, role: &str) -> i64 {
        self.targets.get(role).copied().unwrap_or(0)
    }
}

/// A weekly service, on the clock of the church.
///
/// The first three fields keep their order: a view that an earlier version stored has them as a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownService {
    /// The day of the week: 1 is Monday, 7 is Sunday.
    pub weekday: i64,
    /// The time at which the service begins, in minutes since midnight.
    pub minute: i64,
    pub name: String,
    /// What people call the service besides its name.
    #[serde(default)]
    pub aliases: Vec<String>,
}

/// A person with the sender's number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PossibleSender {
    pub person: PersonId,
    pub name: String,
    pub staff: bool,
    /// The language of the texts to the person, if it is not the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
}

/// Something that a sender may approve or refuse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SenderApproval {
    /// The sender, who holds the role whose turn it is.
    pub person: PersonId,
    pub id: ApprovalId,
    /// What would happen, in words.
    pub what: String,
    pub state: ApprovalState,
}

/// Something that a message from a person may refer to: an offer or a question to the person, or a place
/// or waitlist rank of the person. All of these count as asks here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SenderAsk {
    pub person: PersonId,
    pub request: RequestId,
    pub role: String,
    pub time: Timestamp,
    pub standing: Standing,
    /// The newest offer to the person for the role; `None` if there was none.
    pub offer: Option<OfferId>,
    /// The id of the question, if the ask is a question that a run asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<AskId>,
}

/// The state of an offer, place, waitlist rank or question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Standing {
    /// An offer or question is waiting for an answer.
    Open,
    /// The person has a place.
    Place,
    /// The person is on the waitlist.
    Waiting,
    /// The offer has ended, but the request is still live.
    Past,
    /// The request is cancelled or closed.
    Over,
}

/// A clarifying question that waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct OpenClarification {
    pub person: PersonId,
    pub kind: ClarificationKind,
    pub about: Value,
}

impl KnownService {
    /// Returns the day of the week; `None` if the stored number stands for no day.
    pub(super) fn day(&self) -> Option<Weekday> {
        Weekday::from_monday_one_offset(i8::try_from(self.weekday).ok()?).ok()
    }

    /// Returns the time at which the service begins; `None` if the stored number is no time of a day.
    pub(super) fn clock(&self) -> Option<Time> {
        let hour = i8::try_from(self.minute / 60).ok()?;
        let minute = i8::try_from(self.minute % 60).ok()?;
        Time::new(hour, minute, 0, 0).ok()
    }
}

impl View {
    /// Parses a view from the JSON that [`Self::to_value`] returned.
    pub(super) fn from_value(value: &Value) -> Result<Self, Problem> {
        serde_json::from_value(value.clone())
            .map_err(|e| Problem::bug(format!("the asks of a message cannot be read: {e}")))
    }

    pub(super) fn to_value(&self) -> Result<Value, Problem> {
        serde_json::to_value(self)
            .map_err(|e| Problem::bug(format!("asks cannot be written as JSON: {e}")))
    }

    /// Returns the church's time zone; UTC if the zone database of this machine lacks it.
    pub(super) fn time_zone(&self) -> TimeZone {
        TimeZone::get(&self.zone).unwrap_or(TimeZone::UTC)
    }

    /// Returns the first sender who may start a run by sending a message: staff or a supervisor.
    /// Returns `None` if no sender may.
    pub(super) fn staff(&self) -> Option<&PossibleSender> {
        self.senders.iter().find(|sender| sender.staff)
    }

    /// Returns the indexes of the asks that a text names by person, role or time. If it names none of them,
    /// returns all.
    pub(super) fn named_asks(&self, named: &Mentions) -> Vec<usize> {
        let name_of = |person: PersonId| {
            let found = self.senders.iter().find(|sender| sender.person == person);
            found.map_or("", |sender| sender.name.as_str())
        };
        let tests: [&dyn Fn(&SenderAsk) -> bool; 3] = [
            &|ask| self.senders.len() > 1 && named.person(name_of(ask.person)),
            &|ask| named.role(&ask.role),
            &|ask| named.time(ask.time),
        ];
        let mut kept: Vec<usize> = (0..self.asks.len()).collect();
        for test in tests {
            if kept.iter().any(|ask| test(&self.asks[*ask])) {
                kept.retain(|ask| test(&self.asks[*ask]));
            }
        }
        kept
    }

    /// Keeps only the asks that the message names. If it names none of them, keeps all.
    fn narrow(&mut self, named: &Mentions) {
        let kept = self.named_asks(named);
        self.narrowed = kept.len() < self.asks.len();
        self.asks = kept.into_iter().map(|ask| self.asks[ask].clone()).collect();
    }
}

/// Loads the view of a message.
pub(super) async fn load(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    inbound: &InboundRow,
) -> Result<View, Problem> {
    // A service is a future service if it had not begun when the message was received,
    // even if it has begun by the time at which the message is applied.
    let then = inbound.received_at;
    let people = data::person::by_contacts(tx, cx.tenant, &[inbound.sender]).await?;
    let ids: Vec<_> = people.iter().map(|person| person.id).collect();
    let assignments = data::assignment::future_assignments(tx, &ids, then).await?;
    let question = data::question::open(tx, &ids, cx.now).await?;
    let questions = questions(tx, then, &ids).await?;
    let approvals = rule::approvals_of(tx, cx, &people).await?;
    let zone = time_zone::name(cx.settings).to_owned();
    let services = data::service::list(tx, cx.tenant).await?;
    let is_office = |role: &String| directory::ACTING.contains(&role.as_str());
    let is_staff = people.iter().any(|person| person.roles.iter().any(is_office));
    let (mut roles, mut requests) = (Vec::new(), Vec::new());
    if is_staff {
        roles = data::person::roles(tx, cx.tenant, ROLES_MAX).await?;
        let live = data::request::ahead(tx, cx.tenant, then, REQUESTS_MAX).await?;
        requests = live.into_iter().map(live_request).collect();
    }
    let mut view = View {
        senders: people
            .into_iter()
            .map(|person| PossibleSender {
                person: person.id,
                staff: person.roles.iter().any(is_office),
                language: Some(person.language()).filter(|it| *it != Language::English),
                name: person.name,
            })
            .collect(),
        asks: assignments.iter().map(ask).chain(questions).collect(),
        narrowed: false,
        question: question.map(|q| OpenClarification {
            person: q.person,
            kind: q.kind,
            about: q.about,
        }),
        approvals,
        zone,
        services: Vec::new(),
        roles,
        requests,
    };
    let zone = view.time_zone();
    view.services =
        services.into_iter().map(|service| known_service(service, &zone, then)).collect();
    if view.asks.len() > 1 {
        let church = church_words::of(&view);
        let received_at = then.to_jiff().to_zoned(church.zone.clone());
        let named = mentions(&inbound.body, &received_at, &church);
        view.narrow(&named);
    }
    Ok(view)
}

/// Returns a service on the clock of the church. The day and time of a service with a time zone of its own are
/// those of the first such service after the time `then`.
fn known_service(service: Service, church: &TimeZone, then: Timestamp) -> KnownService {
    let Service { key, aliases, time_zone, .. } = service;
    let own = time_zone.and_then(|name| TimeZone::get(&name).ok());
    let known = KnownService {
        weekday: key.weekday.number(),
        minute: key.time.minute,
        name: key.name,
        aliases,
    };
    match own.and_then(|own| next_begin(&known, own, then)) {
        Some(begins) => {
            let begins = begins.with_time_zone(church.clone());
            KnownService {
                weekday: begins.weekday().to_monday_one_offset().into(),
                minute: i64::from(begins.hour()) * 60 + i64::from(begins.minute()),
                ..known
            }
        }
        None => known,
    }
}

/// Returns when a service begins for the first time after the day of `then`, in the time zone of the service.
fn next_begin(service: &KnownService, zone: TimeZone, then: Timestamp) -> Option<Zoned> {
    let today = then.to_jiff().to_zoned(zone.clone()).date();
    let date = today.nth_weekday(1, service.day()?).ok()?;
    date.to_datetime(service.clock()?).to_zoned(zone).ok()
}

fn live_request(request: Request) -> LiveRequest {
    let targets = request.targets.iter().map(|(role, n)| (role.to_owned(), n)).collect();
    LiveRequest { id: request.id, time: request.service_time, targets }
}

/// Returns the open questions of runs to these people, for services that begin after this time.
async fn questions(
    tx: &mut Tx,
    then: Timestamp,
    people: &[PersonId],
) -> Result<Vec<SenderAsk>, Problem> {
    let mut questions = Vec::new();
    for open in data::ask::open_of_people(tx, people).await? {
        let request = data::request::by_id(tx, open.request).await?;
        let Some(request) = request.filter(|request| request.service_time > then) else {
            continue;
        };
        questions.push(SenderAsk {
            person: open.person,
            request: open.request,
            role: open.about,
            time: request.service_time,
            standing: if request.status.is_live() { Standing::Open } else { Standing::Over },
            offer: None,
            question: Some(open.id),
        });
    }
    Ok(questions)
}

fn ask(open: &OpenAssignment) -> SenderAsk {
    let pending = open.newest_offer.is_some_and(|offer| offer.state == OfferState::Pending);
    let standing = match open.assignment.state {
        _ if !open.status.is_live() => Standing::Over,
        AssignmentState::Accepted => Standing::Place,
        AssignmentState::Waitlisted => Standing::Waiting,
        _ if pending => Standing::Open,
        _ => Standing::Past,
    };
    SenderAsk {
        person: open.assignment.person,
        request: open.assignment.request,
        role: open.assignment.role.clone(),
        time: open.service_time,
        standing,
        offer: open.newest_offer.map(|offer| offer.id),
        question: None,
    }
}
