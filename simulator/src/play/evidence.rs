//! Plays a scenario under faults, then ends the faults and waits until no work is left.
//! The result is the evidence on which the laws of the swarm are checked.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::sync::Arc;

use abide_engine::base::{
    CallId, EventId, MessageId, OfferId, PersonId, Problem, RunId, Span, StreamId, Timestamp,
};
use abide_engine::facade::{Engine, MessageView, RunView};
use abide_engine::gateway::SentMessage;
use abide_engine::policy::Settings;
use abide_engine::run::Control;
use abide_engine::store::{LedgerRow, MessageState, NewInbound, RunFilter, Tx};
use abide_engine::transaction;
use abide_verbs::api::people::PersonView;
use abide_verbs::data;
use abide_verbs::data::inbox::InboxFilter;
use abide_verbs::data::request::RequestFilter;
use abide_verbs::directory::SUPERVISOR;
use jiff::tz::TimeZone;
use serde_json::json;

use super::checks::list_people;
use super::command::{CommandFromStep, EngineCommand, StepRef};
use super::end_state::{messages, runs};
use super::journal::JournalEntry;
use super::judgement::JudgementEvidence;
use super::nodes::{CLOCKS_DIFFER, LEASE};
use super::observe::unless_crashed;
use super::provider::SendBegin;
use super::{PlayOptions, Player};
use crate::scenario::{Scenario, StepKind};

/// Maximum simulated time from the end of the faults until no work is left (`RECOVERY_MAX`),
/// and the interval at which the simulator checks whether work is left (`CHECK_EVERY`).
const RECOVERY_MAX: Span = Span::from_secs(365 * 86_400);
const CHECK_EVERY: Span = Span::from_secs(3 * 86_400);
/// A limit on messages per month, or per person and week, that no scenario reaches.
const ENOUGH: u64 = 1_000_000;
/// Maximum number of rows that one query returns.
const PAGE: usize = 500;
/// Maximum time by which work may be overdue at the end of the simulation.
/// The faults end earlier than the simulation, so no fault delays this work.
const LATE_MAX: Span = Span::from_secs(3_600);

/// The result of a simulation under faults.
pub(crate) struct SimulationEvidence {
    /// The evidence of each tenant, with the scenario's own tenant first.
    pub(crate) tenants: Vec<TenantEvidence>,
    /// Broken invariants that were found in inspected commits.
    pub(crate) broken: Vec<String>,
    /// Broken invariants that the audit found at the end.
    pub(crate) audit: Vec<String>,
    /// The tenants whose work was overdue at the end, each with the time since which the work has been due.
    pub(crate) overdue: Vec<(String, Timestamp)>,
    /// Number of commits that began, in all processes together.
    pub(crate) commits: u64,
    /// Number of process crashes.
    pub(crate) crashes: u64,
}

/// The evidence about one tenant, on which most laws are checked.
pub(crate) struct TenantEvidence {
    /// The tenant's id.
    pub(crate) tenant: Arc<str>,
    /// The messages from the tenant that the provider accepted, oldest first.
    pub(crate) sent: Vec<AcceptedMessage>,
    /// How often outside systems carried out each call of the tenant; other calls are missing.
    pub(crate) outside: BTreeMap<CallId, u32>,
    /// The messages to the tenant that the provider received from people.
    /// A repeated message is listed once.
    pub(crate) heard: Vec<NewInbound>,
    /// The log of this tenant: messages from people, commands
    /// to the processes, and answers of the processes.
    pub(crate) journal: Vec<JournalEntry>,
    /// The tenant's settings at the start.
    pub(crate) settings: Settings,
    /// The tenant's time zone.
    pub(crate) zone: TimeZone,
    /// The time zones of the tenant's people, by phone number. People who share a number may live in several zones.
    pub(crate) zones_of_people: BTreeMap<String, Vec<TimeZone>>,
    /// Maximum time by which two timestamps of the tenant may be out of order.
    /// On a database server, commits overlap and the clocks of nodes differ.
    /// Also, a scenario step may have set the wall clock back.
    pub(crate) clock_tolerance: Span,
    /// The phone numbers of the tenant's people.
    pub(crate) phones: BTreeMap<PersonId, String>,
    /// The tenant's message records, inbound and outbound.
    pub(crate) messages: Vec<MessageView>,
    /// The ids of the inbound messages that are or were in the tenant's inbox of staff.
    pub(crate) inbox: Vec<MessageId>,
    /// All runs of the tenant.
    pub(crate) runs: Vec<RunView>,
    /// All offers of the tenant.
    pub(crate) offers: BTreeMap<OfferId, OfferEnds>,
    /// What the judgement has stored.
    pub(crate) judgement: JudgementEvidence,
    /// The phone numbers of the people who are supervisors at the end.
    pub(crate) supervisors: BTreeSet<String>,
    /// All events in the tenant's ledgers, oldest first.
    pub(crate) events: Vec<LedgerRow>,
}

impl TenantEvidence {
    /// The time zones of the people with this phone number; that of the tenant if nobody has it.
    pub(crate) fn zones_at(&self, phone: &str) -> &[TimeZone] {
        self.zones_of_people.get(phone).map_or(std::slice::from_ref(&self.zone), Vec::as_slice)
    }
}

/// A message that the provider accepted.
#[derive(Debug, Clone)]
pub(crate) struct AcceptedMessage {
    /// The position of the message among all messages that the provider accepted, from 0.
    pub(crate) nth: usize,
    /// When a process began to hand it over; `None` for a message from before the simulation.
    pub(crate) begin: Option<SendBegin>,
    pub(crate) message: SentMessage,
}

/// The person to whom an offer was made, the offer's expiry, and when the service begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OfferEnds {
    pub(crate) person: PersonId,
    pub(crate) expires_at: Timestamp,
    pub(crate) service_at: Timestamp,
}

/// Plays a scenario to its end, ends all faults, and lets time pass until every
/// run has ended or should have ended.
///
/// # Errors
/// Returns the errors of [`super::simulate`], and any problem that a process reports as a bug.
pub(crate) async fn collect_evidence(
    scenario: &Scenario,
    options: &PlayOptions<'_>,
) -> Result<SimulationEvidence, Problem> {
    let mut player = Player::new(scenario, options)?;
    player.silent = options.on_line.is_none();
    let played = player.play_and_recover().await;
    player.stop();
    let mut played = played?;
    played.broken = player.broken;
    played.commits = player.totals.commits;
    played.crashes = player.totals.crashes;
    Ok(played)
}

impl Player<'_> {
    async fn play_and_recover(&mut self) -> Result<SimulationEvidence, Problem> {
        self.play().await?;
        let faults_end = self.options.faults.as_ref().and_then(|mix| mix.lasts);
        let faults_over = self.last_instant().max(self.wall(faults_end.unwrap_or(Span::ZERO)));
        self.advance_to(faults_over).await?;
        self.scheduled.clear();
        self.environment.faults.disable();
        self.release_everything().await?;
        let ends = self.now() + RECOVERY_MAX;
        while self.now() < ends && self.is_busy().await? {
            self.advance_to(self.now() + CHECK_EVERY).await?;
        }
        let (audit, overdue) = (self.breaches().await?, self.overdue().await?);
        let entries = self.journal.take();
        let mut tenants = Vec::new();
        for tenant in self.environment.tenants.clone() {
            tenants.push(self.evidence_of(&tenant, &entries).await?);
        }
        Ok(SimulationEvidence {
            tenants,
            audit,
            overdue,
            broken: Vec::new(),
            commits: 0,
            crashes: 0,
        })
    }

    async fn evidence_of(
        &self,
        tenant: &Arc<str>,
        entries: &[JournalEntry],
    ) -> Result<TenantEvidence, Problem> {
        let owned = Arc::clone(tenant);
        let read = self
            .ask_process(move |engine| async move { TenantContent::read(&engine, &owned).await })
            .await;
        let left = unless_crashed(read)?
            .ok_or_else(|| Problem::bug("the process crashed after all faults had ended"))?;
        let provider = &self.environment.provider;
        let sent = provider.sent().into_iter().enumerate();
        let sent = sent.filter(|(_, message)| provider.sender(message.id).as_ref() == Some(tenant));
        let heard = provider.inbound_texts().into_iter().filter(|heard| heard.tenant == *tenant);
        let journal = entries.iter().filter(|entry| entry.tenant == *tenant);
        let other_tenant = self.scenario.other_tenants.iter().find(|other| other.tenant == *tenant);
        let zone = other_tenant.map_or(&self.scenario.zone, |other| &other.zone);
        let zone = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
        let settings = match other_tenant {
            Some(other) => {
                let changes = other.config.clone().into_iter().collect();
                self.environment.settings.overridden(&abide_engine::base::Value::Object(changes))?
            }
            None => self.environment.settings.clone(),
        };
        Ok(TenantEvidence {
            tenant: Arc::clone(tenant),
            sent: sent
                .map(|(nth, message)| {
                    let begin = provider.request(message.id);
                    AcceptedMessage { nth, begin, message }
                })
                .collect(),
            outside: self.environment.outside.done_for(tenant),
            heard: heard.map(|heard| heard.message).collect(),
            journal: journal.cloned().collect(),
            settings,
            zones_of_people: zones_of_people(&left.people, &zone),
            zone,
            clock_tolerance: self.went_back
                + if self.environment.is_on_server() { CLOCKS_DIFFER } else { Span::ZERO },
            phones: phones(&left.people),
            supervisors: supervisors(&left.people),
            messages: left.messages,
            inbox: left.inbox,
            runs: left.runs,
            offers: left.offers,
            judgement: left.judgement,
            events: left.events,
        })
    }

    /// If the process is down, waits until it runs again. Then stops the other nodes,
    /// and resumes all tenants and runs.
    async fn release_everything(&mut self) -> Result<(), Problem> {
        if let Some(until) = self.process.down_until() {
            self.advance_to(until).await?;
        }
        self.finish_pending().await?;
        self.stop_nodes();
        let tenants = self.environment.tenants.clone();
        let step = StepRef::none(StepKind::Resume.as_str());
        let order = |tenant, command| CommandFromStep::new(tenant, command, step);
        for tenant in &tenants {
            self.send_command(order(tenant, EngineCommand::Tenant { paused: false })).await?;
            // While the simulation waits until no work is left, a weekly schedule may start further runs.
            // If the messages of these runs exceeded a limit in every month or week, some messages would
            // never leave. So raise the limits.
            let enough = json!({ "messages_per_month": ENOUGH, "per_person_per_week": ENOUGH });
            self.send_command(order(tenant, EngineCommand::Configure(enough))).await?;
        }
        // The engine takes over runs of the stopped nodes when the leases of these nodes end.
        // Orders to these runs take effect only after the engine has taken over the runs.
        self.advance_to(self.now() + LEASE + LEASE).await?;
        for tenant in &tenants {
            for run in self.paused(tenant).await? {
                self.send_command(order(tenant, EngineCommand::Control(run, Control::Resume)))
                    .await?;
            }
        }
        Ok(())
    }

    async fn paused(&mut self, tenant: &Arc<str>) -> Result<Vec<RunId>, Problem> {
        let filter =
            RunFilter { status: Some("paused".to_owned()), limit: PAGE, ..RunFilter::default() };
        let tenant = Arc::clone(tenant);
        let page = self
            .ask_process(move |engine| async move { engine.runs(&tenant, &filter).await })
            .await;
        let paused = unless_crashed(page)?.map(|page| page.items).unwrap_or_default();
        Ok(paused.into_iter().map(|run| run.id).collect())
    }

    /// Whether work is left: a live run, a message that has not left, or a postponed command.
    async fn is_busy(&mut self) -> Result<bool, Problem> {
        let tenants = self.environment.tenants.clone();
        let read = self
            .ask_process(move |engine| async move {
                for tenant in tenants {
                    if is_busy(&engine, &tenant).await? {
                        return Ok(true);
                    }
                }
                Ok(false)
            })
            .await;
        Ok(unless_crashed(read)?.unwrap_or(true) || self.next_postponed().is_some())
    }

    /// Returns the tenants with work that is overdue, each with the time since which its work has been due.
    async fn overdue(&self) -> Result<Vec<(String, Timestamp)>, Problem> {
        let read =
            transaction!([domain = self.environment.domain()], |tx| domain.next_due(tx).await);
        let due = self.ask_process(move |engine| async move { engine.read(read).await }).await;
        let late = self.now() - LATE_MAX;
        let due = unless_crashed(due)?.unwrap_or_default().into_iter();
        Ok(due.filter(|(_, at)| *at < late).collect())
    }
}

async fn is_busy(engine: &Engine, tenant: &str) -> Result<bool, Problem> {
    let on_its_way = |message: &MessageView| {
        use MessageState::{Queued, Sending, Stored, Unknown};
        matches!(message.state, Queued | Sending | Unknown | Stored)
    };
    Ok(runs(engine, tenant).await?.iter().any(RunView::is_live)
        || messages(engine, tenant).await?.iter().any(on_its_way))
}

/// The rows of the database about one tenant, from which [`TenantEvidence`] is built.
struct TenantContent {
    people: Vec<PersonView>,
    messages: Vec<MessageView>,
    inbox: Vec<MessageId>,
    runs: Vec<RunView>,
    offers: BTreeMap<OfferId, OfferEnds>,
    judgement: JudgementEvidence,
    events: Vec<LedgerRow>,
}

impl TenantContent {
    async fn read(engine: &Engine, tenant: &Arc<str>) -> Result<Self, Problem> {
        let read = transaction!([tenant = Arc::clone(tenant)], |tx| {
            let people = list_people(tx, &tenant).await?;
            Ok((people, offers(tx, &tenant).await?, inbox(tx, &tenant).await?))
        });
        let (people, offers, inbox) = engine.read(read).await?;
        Ok(Self {
            people,
            messages: messages(engine, tenant).await?,
            inbox,
            runs: runs(engine, tenant).await?,
            offers,
            judgement: JudgementEvidence::read(engine, tenant).await?,
            events: events(engine, tenant).await?,
        })
    }
}

fn phones(people: &[PersonView]) -> BTreeMap<PersonId, String> {
    people.iter().map(|person| (person.id, person.phone.clone())).collect()
}

fn supervisors(people: &[PersonView]) -> BTreeSet<String> {
    let is_supervisor = |person: &&PersonView| person.roles.iter().any(|it| it == SUPERVISOR);
    people.iter().filter(is_supervisor).map(|person| person.phone.clone()).collect()
}

/// Returns the time zones of people by phone number: their own ones, or that of the tenant.
fn zones_of_people(people: &[PersonView], tenant: &TimeZone) -> BTreeMap<String, Vec<TimeZone>> {
    let mut zones: BTreeMap<String, Vec<TimeZone>> = BTreeMap::new();
    for person in people {
        let own = person.time_zone.as_deref().and_then(|zone| TimeZone::get(zone).ok());
        zones.entry(person.phone.clone()).or_default().push(own.unwrap_or_else(|| tenant.clone()));
    }
    zones
}

async fn offers(tx: &mut Tx, tenant: &str) -> Result<BTreeMap<OfferId, OfferEnds>, Problem> {
    let filter = RequestFilter { limit: PAGE as i64, ..RequestFilter::default() };
    let mut offers = BTreeMap::new();
    for request in data::request::list(tx, tenant, &filter).await? {
        let deadlines = data::audit::deadlines_of(tx, request.id).await?.into_iter();
        let service_at = request.service_time;
        let ends = |(person, expires_at)| OfferEnds { person, expires_at, service_at };
        offers.extend(deadlines.map(|(id, deadline)| (id, ends(deadline))));
    }
    Ok(offers)
}

/// Returns the ids of the inbound messages that are or were in the inbox of staff.
async fn inbox(tx: &mut Tx, tenant: &str) -> Result<Vec<MessageId>, Problem> {
    let (mut found, mut before) = (Vec::new(), None);
    loop {
        let filter = InboxFilter { state: None, before, limit: PAGE as i64 };
        let rows = data::inbox::list(tx, tenant, filter).await?;
        before = rows.last().map(|row| row.message);
        found.extend(rows.iter().map(|row| row.message));
        if rows.len() < PAGE {
            return Ok(found);
        }
    }
}

/// Returns all events in a tenant's ledgers, oldest first.
async fn events(engine: &Engine, tenant: &str) -> Result<Vec<LedgerRow>, Problem> {
    let (mut events, mut before) = (Vec::new(), None);
    loop {
        let page = engine.tenant_events(tenant, before, PAGE).await?;
        before = page.items.last().map(|event| event.id);
        events.extend(page.items);
        if page.next_cursor.is_none() {
            return Ok(in_order(events));
        }
    }
}

/// Merges the events of all streams in the order of their ids, but keeps the order within each stream.
/// The ids in a stream may be out of order, because the clocks of the nodes that write to it may differ.
fn in_order(events: Vec<LedgerRow>) -> Vec<LedgerRow> {
    let count = events.len();
    let mut streams: BTreeMap<StreamId, Vec<LedgerRow>> = BTreeMap::new();
    for event in events {
        streams.entry(event.stream).or_default().push(event);
    }
    // Sort in reverse, so that the first event of a stream can be popped from the end.
    streams.values_mut().for_each(|stream| stream.sort_by_key(|event| Reverse(event.seq)));
    let mut heads: BinaryHeap<Reverse<(EventId, StreamId)>> =
        streams.iter().filter_map(|(id, stream)| Some(Reverse((stream.last()?.id, *id)))).collect();
    let mut ordered = Vec::with_capacity(count);
    while let Some(Reverse((_, id))) = heads.pop() {
        let stream = streams.entry(id).or_default();
        ordered.extend(stream.pop());
        heads.extend(stream.last().map(|next| Reverse((next.id, id))));
    }
    ordered
}
