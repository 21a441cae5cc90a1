//! Loads the views of messages. What the database knows of all senders is read together, with a number of statements that
//! does not depend on the number of messages.

use std::collections::BTreeMap;

use abide_agent::mention::mentions;
use abide_engine::base::{PersonId, Problem, RequestId, Timestamp};
use abide_engine::domain::DomainContext;
use abide_engine::store::{ApprovalRow, InboundRow, Tx};
use abide_engine::template::Language;
use jiff::Zoned;
use jiff::tz::TimeZone;

use super::view::{
    KnownService, LiveRequest, OpenClarification, PossibleSender, SenderAsk, Standing, View,
};
use super::{church_words, rule};
use crate::ask::Ask;
use crate::assignment::AssignmentState;
use crate::data;
use crate::data::assignment::OpenAssignment;
use crate::data::person::Person;
use crate::data::question::ClarifyingQuestion;
use crate::directory;
use crate::offer::OfferState;
use crate::operations::time_zone;
use crate::request::Request;
use crate::service::Service;

/// Maximum number of requests and of roles that a view holds. Nobody speaks of more at a time.
const REQUESTS_MAX: i64 = 30;
const ROLES_MAX: i64 = 100;

/// Loads the views of messages, in the order of the messages.
pub(super) async fn views(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    messages: &[&InboundRow],
) -> Result<Vec<View>, Problem> {
    let known = Known::load(tx, cx, messages).await?;
    let mut views = Vec::with_capacity(messages.len());
    for message in messages {
        let staff = match known.is_staff(message) {
            true => Some(StaffView::load(tx, cx, message).await?),
            false => None,
        };
        views.push(known.view_of(cx, message, staff));
    }
    Ok(views)
}

/// What the database knows of the senders of some messages.
struct Known {
    people: Vec<Person>,
    assignments: Vec<OpenAssignment>,
    /// Their open clarifying questions, the newest first.
    clarifications: Vec<ClarifyingQuestion>,
    /// The open questions that runs asked them.
    asks: Vec<Ask>,
    /// The requests of `asks`.
    requests: BTreeMap<RequestId, Request>,
    /// What they might approve or refuse, the earliest first.
    approvals: Vec<ApprovalRow>,
    services: Vec<Service>,
}

/// What staff speak of, beside what they can answer.
struct StaffView {
    roles: Vec<String>,
    requests: Vec<LiveRequest>,
}

impl StaffView {
    async fn load(
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        message: &InboundRow,
    ) -> Result<Self, Problem> {
        let roles = data::person::roles(tx, cx.tenant, ROLES_MAX).await?;
        let live = data::request::ahead(tx, cx.tenant, message.received_at, REQUESTS_MAX).await?;
        Ok(Self { roles, requests: live.into_iter().map(live_request).collect() })
    }
}

impl Known {
    async fn load(
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        messages: &[&InboundRow],
    ) -> Result<Self, Problem> {
        let mut contacts: Vec<_> = messages.iter().map(|message| message.sender).collect();
        contacts.sort_unstable();
        contacts.dedup();
        let people = data::person::by_contacts(tx, cx.tenant, &contacts).await?;
        let ids: Vec<_> = people.iter().map(|person| person.id).collect();
        let earliest = messages.iter().map(|message| message.received_at).min();
        let since = earliest.unwrap_or(cx.now);
        let asks = data::ask::open_of_people(tx, &ids).await?;
        let requests: Vec<_> = asks.iter().map(|ask| ask.request).collect();
        Ok(Self {
            assignments: data::assignment::future_assignments(tx, &ids, since).await?,
            clarifications: data::question::open(tx, &ids, cx.now).await?,
            requests: data::request::by_ids(tx, &requests).await?,
            asks,
            approvals: rule::recent_approvals(tx, cx, &people).await?,
            services: data::service::list(tx, cx.tenant).await?,
            people,
        })
    }

    fn senders<'a>(&'a self, message: &InboundRow) -> impl Iterator<Item = &'a Person> {
        let contact = message.sender;
        self.people.iter().filter(move |person| person.contact == contact)
    }

    fn is_staff(&self, message: &InboundRow) -> bool {
        self.senders(message).any(is_staff)
    }

    /// Returns the view of a message. A service is a future service if it had not begun when the message was received,
    /// even if it has begun by the time at which the message is applied.
    fn view_of(
        &self,
        cx: &DomainContext<'_>,
        message: &InboundRow,
        staff: Option<StaffView>,
    ) -> View {
        let then = message.received_at;
        let people: Vec<&Person> = self.senders(message).collect();
        let is_sender = |id: PersonId| people.iter().any(|person| person.id == id);
        let assignments = self
            .assignments
            .iter()
            .filter(|open| is_sender(open.assignment.person) && open.service_time > then);
        let asks = self.asks.iter().filter(|ask| is_sender(ask.person));
        let asks = asks.filter_map(|open| self.question(open, then));
        let question = self.clarifications.iter().find(|question| is_sender(question.person));
        let zone = time_zone::name(cx.settings).to_owned();
        let (roles, requests) =
            staff.map_or_else(Default::default, |staff| (staff.roles, staff.requests));
        let mut view = View {
            asks: assignments.map(ask).chain(asks).collect(),
            narrowed: false,
            question: question.map(|question| OpenClarification {
                person: question.person,
                kind: question.kind,
                about: question.about.clone(),
            }),
            approvals: rule::approvals_of(&self.approvals, cx.now, &people),
            senders: people.into_iter().map(possible_sender).collect(),
            zone,
            services: Vec::new(),
            roles,
            requests,
        };
        let zone = view.time_zone();
        let services = self.services.iter().cloned();
        view.services = services.map(|service| known_service(service, &zone, then)).collect();
        if view.asks.len() > 1 {
            let church = church_words::of(&view);
            let received_at = then.to_jiff().to_zoned(church.zone.clone());
            let named = mentions(&message.body, &received_at, &church);
            view.narrow(&named);
        }
        view
    }

    /// Returns the ask for an open question of a run, if it is about a service that begins after this time.
    fn question(&self, open: &Ask, then: Timestamp) -> Option<SenderAsk> {
        let request = self.requests.get(&open.request)?;
        let ask = SenderAsk {
            person: open.person,
            request: open.request,
            role: open.about.clone(),
            time: request.service_time,
            standing: if request.status.is_live() { Standing::Open } else { Standing::Over },
            offer: None,
            question: Some(open.id),
        };
        (request.service_time > then).then_some(ask)
    }
}

fn is_staff(person: &Person) -> bool {
    person.roles.iter().any(|role| directory::ACTING.contains(&role.as_str()))
}

fn possible_sender(person: &Person) -> PossibleSender {
    PossibleSender {
        person: person.id,
        staff: is_staff(person),
        language: Some(person.language()).filter(|language| *language != Language::English),
        name: person.name.clone(),
    }
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
