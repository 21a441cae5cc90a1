//! Plays a scenario until no work is left,
//! and collects the state of the database and the provider, so that two simulations can be compared.

use std::collections::BTreeMap;
use std::sync::Arc;

use abide_engine::base::{Problem, RequestId, Span, Value};
use abide_engine::facade::{Direction, Engine, MessageFilter, MessageView, RunView};
use abide_engine::gateway::SentMessage;
use abide_engine::store::{CommitParts, RunFilter};
use abide_engine::transaction;
use abide_verbs::api::people::PersonView;
use abide_verbs::data;
use abide_verbs::data::request::RequestFilter;
use serde_json::json;

use super::checks::list_people;
use super::command::TENANT;
use super::comparable::{ComparableState, LineSubject};
use super::observe::unless_crashed;
use super::{PlayOptions, Player};
use crate::scenario::Scenario;

/// Time for which the simulation continues after the last scenario step, so that pending
/// work ends. For example, if the provider does not answer a request to send a message, the
/// engine looks the message up after ten seconds and sends it again half a minute later.
const REST: Span = Span::from_secs(300);
/// Maximum number of rows that one query returns.
const PAGE: usize = 500;

/// The result of a simulation that was played until no work was left.
pub(crate) struct EndState {
    /// The state that the simulation leaves.
    pub(crate) state: ComparableState,
    /// The kinds of rows in each commit, in the order of the commits.
    pub(crate) commits: Vec<CommitParts>,
    /// Number of process crashes.
    pub(crate) crashes: u64,
}

/// Plays a scenario until no work is left. Writes no story and checks no expectations.
///
/// # Errors
/// Returns the errors of [`super::simulate`].
pub(crate) async fn play_to_end_state(
    scenario: &Scenario,
    options: &PlayOptions<'_>,
) -> Result<EndState, Problem> {
    let mut player = Player::new(scenario, options)?;
    player.silent = true;
    let left = player.play_to_rest().await;
    player.stop();
    Ok(EndState { state: left?, commits: player.commits, crashes: player.totals.crashes })
}

impl Player<'_> {
    async fn play_to_rest(&mut self) -> Result<ComparableState, Problem> {
        self.play().await?;
        self.advance_to(self.last_instant() + REST).await?;
        if let Some(until) = self.process.down_until() {
            self.advance_to(until).await?;
        }
        let left = loop {
            let left = self
                .ask_process(|engine| async move { DatabaseContent::read(&engine).await })
                .await;
            match unless_crashed(left)? {
                Some(left) => break left,
                // The process crashed after its last work.
                // The simulator notices a crash only when it asks the process for something.
                None => {
                    self.crash(Span::ZERO);
                    self.advance_to(self.now()).await?;
                }
            }
        };
        self.audit = self.breaches().await?;
        Ok(left.state(&self.environment.provider.sent(), &self.audit))
    }
}

/// Everything in the database that people or programs can see.
struct DatabaseContent {
    people: Vec<PersonView>,
    requests: Vec<Request>,
    runs: Vec<RunView>,
    receipts: Vec<Value>,
    messages: Vec<MessageView>,
}

/// A request with its offers and assignments.
struct Request {
    id: RequestId,
    view: Value,
    offers: Vec<Value>,
    places: Vec<Value>,
}

impl DatabaseContent {
    async fn read(engine: &Arc<Engine>) -> Result<Self, Problem> {
        let read = transaction!(|tx| list_people(tx, TENANT).await);
        let people = engine.read(read).await?;
        let read = transaction!(|tx| {
            let filter = RequestFilter { limit: PAGE as i64, ..RequestFilter::default() };
            let mut found = Vec::new();
            for request in data::request::list(tx, TENANT, &filter).await? {
                found.push(request_of(tx, &request).await?);
            }
            Ok(found)
        });
        let requests = engine.read(read).await?;
        let runs = runs(engine, TENANT).await?;
        let mut receipts = Vec::new();
        for run in &runs {
            let own = engine.receipts(TENANT, run.id).await?;
            let id = json!(run.id);
            receipts.extend(own.into_iter().filter(|receipt| receipt.get("run_id") == Some(&id)));
        }
        Ok(Self { people, requests, runs, receipts, messages: messages(engine, TENANT).await? })
    }

    /// Converts the content to a state in which names replace
    /// the random ids of people, requests, runs and messages.
    fn state(self, sent: &[SentMessage], audit: &[String]) -> ComparableState {
        let mut state = ComparableState::default();
        for person in &self.people {
            state.name(person.id, format!("{} {}", person.name, person.phone));
        }
        for (nth, request) in self.requests.iter().enumerate() {
            state.name(request.id, format!("request {}", nth + 1));
        }
        name_runs(&self.runs, &mut state);
        for message in
            self.messages.iter().filter(|message| message.direction == Direction::Outbound)
        {
            let key = message.idempotency_key.as_deref().unwrap_or_default();
            let key = state.with_names(key);
            state.name(message.id, format!("message {key}"));
        }
        for run in &self.runs {
            state.add(LineSubject::Run, &run.id.to_string(), &run_view(run));
        }
        for request in &self.requests {
            let id = request.id.to_string();
            state.add(LineSubject::Request, &id, &request.view);
            request.offers.iter().for_each(|offer| state.add(LineSubject::Offer, &id, offer));
            request.places.iter().for_each(|place| state.add(LineSubject::Place, &id, place));
        }
        let mut calls: BTreeMap<String, usize> = BTreeMap::new();
        for receipt in &self.receipts {
            let run = receipt.get("run_id").and_then(Value::as_str).unwrap_or_default();
            let nth = calls.entry(run.to_owned()).or_default();
            *nth += 1;
            let view = receipt_view(receipt);
            state.add(LineSubject::Receipt, &format!("{run}, call {nth}"), &view);
        }
        for message in &self.messages {
            state.add(LineSubject::Message, message.direction.as_str(), &message_view(message));
        }
        for message in sent {
            let sent = json!({"to": message.to, "body": message.body, "message": message.id});
            state.add(LineSubject::Sent, "the provider", &sent);
        }
        for breach in audit {
            state.add(LineSubject::Breach, "the audit", &json!(breach));
        }
        state
    }
}

async fn request_of(
    tx: &mut abide_engine::store::Tx,
    request: &abide_verbs::request::Request,
) -> Result<Request, Problem> {
    let offers = data::audit::offers_of(tx, request.id).await?.into_values();
    let places = data::audit::assignments_of(tx, request.id).await?;
    let offer = |offer: data::audit::OfferRow| {
        let state = offer.state.as_str();
        json!({"person": offer.person, "role": offer.role, "wave": offer.wave, "state": state})
    };
    let place = |((person, role), place): (_, data::audit::AssignmentRow)| json!({"person": person, "role": role, "state": place.state.as_str(), "seat": place.seat});
    Ok(Request {
        id: request.id,
        view: json!({
            "service_time": request.service_time.to_string(),
            "campus": request.campus,
            "targets": request.targets.to_value(),
            "status": request.status.as_str(),
            "version": request.version,
        }),
        offers: offers.map(offer).collect(),
        places: places.into_iter().map(place).collect(),
    })
}

/// Returns all runs of a tenant with all details, oldest first.
pub(super) async fn runs(engine: &Engine, tenant: &str) -> Result<Vec<RunView>, Problem> {
    let mut runs = Vec::new();
    let mut before = None;
    loop {
        let filter = RunFilter { before, limit: PAGE, ..RunFilter::default() };
        let page = engine.runs(tenant, &filter).await?;
        before = page.items.last().map(|run| run.id);
        for run in page.items {
            runs.push(engine.run(tenant, run.id).await?);
        }
        if page.next_cursor.is_none() {
            runs.reverse();
            return Ok(runs);
        }
    }
}

pub(super) async fn messages(engine: &Engine, tenant: &str) -> Result<Vec<MessageView>, Problem> {
    let mut messages = Vec::new();
    let mut before = None;
    loop {
        let filter = MessageFilter { before, limit: PAGE, ..MessageFilter::default() };
        let page = engine.messages(tenant, &filter).await?;
        before = page.items.last().map(|message| message.id);
        messages.extend(page.items);
        if page.next_cursor.is_none() {
            return Ok(messages);
        }
    }
}

/// Names each run by its method and a number, for example `fill_roles 1`.
/// The name of a child run starts with the name of its parent.
fn name_runs(runs: &[RunView], state: &mut ComparableState) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for run in runs {
        let kind = match run.parent_id {
            Some(parent) => format!("{}/{}", state.with_names(&parent.to_string()), run.method),
            None => run.method.clone(),
        };
        let nth = counts.entry(kind.clone()).or_default();
        *nth += 1;
        state.name(run.id, format!("{kind} {nth}"));
    }
}

/// Returns the members of a run that are compared between end states: all except the sentence that
/// describes the run's wait.
fn run_view(run: &RunView) -> Value {
    let mut view = json!(run);
    if let Some(Value::Object(wait)) = view.get_mut("waiting_on") {
        wait.remove("why");
    }
    view
}

/// Returns the members of a receipt that are compared between end states: all except how often an outside
/// system was called. A process that restarts during the call makes it again if it was not made.
fn receipt_view(receipt: &Value) -> Value {
    let mut view = receipt.clone();
    let calls = view.pointer_mut("/effects/external_calls").and_then(Value::as_array_mut);
    for call in calls.into_iter().flatten().filter_map(Value::as_object_mut) {
        call.remove("tries");
    }
    view
}

/// Returns the members of a message that are compared between end states: all except the members about
/// attempts to send the message. Attempts may differ, because a process that restarts while a message is
/// being sent asks the provider about the message and continues.
fn message_view(message: &MessageView) -> Value {
    let mut view = json!(message);
    if let Value::Object(members) = &mut view {
        for differs in ["attempts", "sent_at", "error"] {
            members.remove(differs);
        }
    }
    view
}
