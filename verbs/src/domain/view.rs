//! The view of a message: the sender's open asks, and all other data on which the interpretation
//! of the message may depend. If the view has another digest when the message is applied,
//! the interpretation is no longer valid.

use abide_engine::base::{
    ApprovalId, AskId, OfferId, PersonId, Problem, RequestId, Timestamp, Value,
};
use abide_engine::domain::DomainContext;
use abide_engine::store::{ApprovalState, InboundRow, Tx};
use jiff::civil::{Time, Weekday};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::rule;
use crate::assignment::AssignmentState;
use crate::data;
use crate::data::assignment::OpenAssignment;
use crate::data::question::ClarificationKind;
use crate::directory;
use crate::offer::OfferState;
use crate::reader::when::Service;
use crate::reader::{Calendar, Mentions, mentions};

/// The data on which the interpretation of a message may depend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// The church's weekly services: weekday (1 is Monday), minute since midnight, name.
    pub services: Vec<(i64, i64, String)>,
}

/// A person with the sender's number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PossibleSender {
    pub person: PersonId,
    pub name: String,
    pub staff: bool,
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

    /// Returns the church's time zone and weekly services, in the form that the interpreter takes.
    pub(super) fn calendar(&self) -> Calendar {
        let services = self.services.iter().filter_map(|(weekday, minute, name)| {
            Some(Service {
                name: name.clone(),
                weekday: Weekday::from_monday_one_offset(i8::try_from(*weekday).ok()?).ok()?,
                at: Time::new(
                    i8::try_from(minute / 60).ok()?,
                    i8::try_from(minute % 60).ok()?,
                    0,
                    0,
                )
                .ok()?,
            })
        });
        let zone = TimeZone::get(&self.zone).unwrap_or(TimeZone::UTC);
        Calendar { zone, services: services.collect() }
    }

    /// Returns the first sender who may start a run by sending a message: staff or a supervisor.
    /// Returns `None` if no sender may.
    pub(super) fn staff(&self) -> Option<&PossibleSender> {
        self.senders.iter().find(|sender| sender.staff)
    }

    /// Keeps only the asks that the message names by person, role or time.
    /// If the message names none of the asks, keeps all.
    fn narrow(&mut self, named: &Mentions) {
        let name_of = |person: PersonId| {
            let found = self.senders.iter().find(|sender| sender.person == person);
            found.map_or("", |sender| sender.name.as_str())
        };
        let tests: [&dyn Fn(&SenderAsk) -> bool; 3] = [
            &|ask| self.senders.len() > 1 && named.person(name_of(ask.person)),
            &|ask| named.role(&ask.role),
            &|ask| named.time(ask.time),
        ];
        let mut kept = self.asks.clone();
        for test in tests {
            if kept.iter().any(test) {
                kept.retain(|ask| test(ask));
            }
        }
        self.narrowed = kept.len() < self.asks.len();
        self.asks = kept;
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
    let church = data::church::find(tx, cx.tenant).await?;
    let services = data::church::services(tx, cx.tenant).await?;
    let mut view = View {
        senders: people
            .into_iter()
            .map(|person| PossibleSender {
                person: person.id,
                name: person.name,
                staff: person
                    .roles
                    .iter()
                    .any(|role| role == directory::STAFF || role == directory::SUPERVISOR),
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
        zone: church.map_or_else(|| cx.settings.time_zone.clone(), |church| church.time_zone),
        services: services.into_iter().map(|s| (s.weekday, s.minute, s.name)).collect(),
    };
    let named = mentions(&inbound.body, inbound.received_at, &view.calendar());
    view.narrow(&named);
    Ok(view)
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
