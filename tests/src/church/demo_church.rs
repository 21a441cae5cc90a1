//! The demo church in which the tests of this folder run.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use abide_engine::base::{MessageId, Problem, RequestId, RunId, Timestamp};
use abide_engine::clock::VirtualClock;
use abide_engine::domain::StartRun;
use abide_engine::facade::{
    Direction, Engine, EngineConfig, InboundMessage, MessageFilter, Page, RunView,
};
use abide_engine::gateway::Loopback;
use abide_engine::library::{Library, Sources};
use abide_engine::store::{Durability, MessageState, RunFilter, tx_closure};
use abide_verbs::api::requests::{NewRequest, RequestPatch, RequestView};
use abide_verbs::api::services::{self, ServiceQuery, ServiceView};
use abide_verbs::api::{TenantContext, capacity, inbox, kb, people, requests, seed};
use serde_json::{Value, json};

use crate::engines;
use crate::postgres::{TestDb, databases};

/// Start time of the church service in every test that names no other service: Sunday 09:00.
pub(super) const NINE_AM: &str = "2025-10-05T09:00:00-05:00";
/// Start time of the second service on the same Sunday: 11:00.
pub(super) const ELEVEN_AM: &str = "2025-10-05T11:00:00-05:00";
/// Start time of every test: Tuesday 10:00.
const START_TIME: &str = "2025-09-30T10:00:00-05:00";
const TENANT: &str = "default";

/// The demo church with an engine, a virtual clock and a loopback provider.
pub(super) struct DemoChurch {
    pub(super) db: TestDb,
    pub(super) engine: Engine,
    pub(super) provider: Loopback,
    texts: AtomicU32,
}

/// The writer of the facts of the tests.
fn author() -> kb::Author {
    kb::Author { name: "Pat".to_owned(), id: "operator".to_owned() }
}

/// Runs a test on each database.
pub(super) fn on_both<F: Future<Output = ()>>(story: impl Fn(DemoChurch) -> F) {
    on_both_with(&[], story);
}

/// Runs a test on each database with these additional methods, given as file names and YAML sources.
pub(super) fn on_both_with<F: Future<Output = ()>>(
    methods: &[(&str, &str)],
    story: impl Fn(DemoChurch) -> F,
) {
    on_both_of(with_methods(methods), story);
}

/// Runs a test on each database with this content, and checks that it has no findings.
pub(super) fn on_both_of<F: Future<Output = ()>>(
    sources: Sources,
    story: impl Fn(DemoChurch) -> F,
) {
    let library = engines::library(&sources);
    assert!(library.findings().is_empty(), "{:#?}", library.findings());
    for db in databases() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async { story(DemoChurch::open(db, library.clone()).await).await });
    }
}

/// Returns the shipped content together with these methods.
fn with_methods(methods: &[(&str, &str)]) -> Sources {
    let mut sources = Sources::builtin();
    let own = methods.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    sources.methods.extend(own);
    sources
}

/// Parses a time in RFC 3339 format.
pub(super) fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

impl DemoChurch {
    async fn open(db: TestDb, library: Library) -> Self {
        let clock = Arc::new(VirtualClock::starting_at(at(START_TIME)));
        let provider = Loopback::in_memory();
        let engine = engines::open(EngineConfig {
            durability: Durability::SimulatorOnly,
            virtual_clock: Some(clock.clone()),
            gateway: Arc::new(provider.clone()),
            ..engines::config(db.url(), library, clock, 7)
        })
        .await;
        let church = Self { db, engine, provider, texts: AtomicU32::new(0) };
        let now = church.engine.now();
        let seeding = tx_closure(move |tx| Box::pin(seed::seed(tx, TENANT, now)));
        church.engine.write(seeding).await.expect("seeds");
        church
    }

    /// Moves the clock to `time`: a time of day `HH:MM` on the first day, or a time in RFC 3339 format.
    pub(super) async fn advance_to(&self, time: &str) {
        let instant =
            if time.len() == 5 { format!("2025-09-30T{time}:00-05:00") } else { time.to_owned() };
        self.engine.advance(at(&instant)).await.expect("advances");
    }

    /// Starts a run that finds `count` people for a role at the service at nine.
    pub(super) async fn fill(&self, role: &str, count: i64) -> RunView {
        self.try_fill(role, NINE_AM, count).await.expect("starts")
    }

    pub(super) async fn try_fill(
        &self,
        role: &str,
        time: &str,
        count: i64,
    ) -> Result<RunView, Problem> {
        let goal = json!({"kind": "FillRole", "role": role, "count": count, "time": time});
        let wanted = StartRun { method: "fill_roles".to_owned(), goal, ..StartRun::default() };
        let run = self.engine.start_run(TENANT, wanted).await?;
        self.engine.tick().await?;
        Ok(run)
    }

    /// Starts a run, drives all runs until nothing is due, and returns the started run.
    pub(super) async fn start(&self, method: &str, goal: Value) -> RunView {
        let wanted = StartRun { method: method.to_owned(), goal, ..StartRun::default() };
        let run = self.engine.start_run(TENANT, wanted).await.expect("starts");
        self.engine.tick().await.expect("ticks");
        self.run(run.id).await
    }

    /// Returns the results of a verb's calls in a run, in the sequence of the calls.
    /// For a failed call, returns its error code.
    pub(super) async fn results(&self, run: RunId, verb: &str) -> Vec<Value> {
        let receipts = self.engine.receipts(TENANT, run).await.expect("receipts");
        let receipts = receipts.into_iter().filter(|receipt| receipt["tool"] == verb);
        receipts
            .map(|receipt| match receipt.get("error") {
                Some(error) => error["code"].clone(),
                None => receipt["result"].clone(),
            })
            .collect()
    }

    /// Returns the id of a person of the demo church.
    pub(super) async fn id_of(&self, name: &str) -> Value {
        let query = people::PeopleQuery { q: Some(name.to_owned()), ..Default::default() };
        json!(self.people_page(query).await.items.first().map(|person| person.id))
    }

    /// Receives a message from a person of the demo church, and returns how it was handled.
    pub(super) async fn say(&self, name: &str, text: &str) -> String {
        let id = format!("SM{}", self.texts.fetch_add(1, Ordering::Relaxed));
        self.receive(&id, name, text, None).await.1
    }

    /// Receives a message whose id at the provider is `id`.
    /// Returns whether the message is a duplicate, and how it was handled.
    pub(super) async fn receive(
        &self,
        id: &str,
        name: &str,
        text: &str,
        received_at: Option<Timestamp>,
    ) -> (bool, String) {
        let message = InboundMessage {
            id: id.to_owned(),
            from: phone(name),
            to: "+15125550199".to_owned(),
            body: text.to_owned(),
            received_at,
        };
        let received = self.engine.receive(TENANT, message).await.expect("is taken");
        self.engine.tick().await.expect("ticks");
        (received.duplicate, received.handled_as.to_string())
    }

    /// Receives the same message from each of these people, a minute apart.
    pub(super) async fn each_says(&self, names: &[&str], text: &str) {
        for name in names {
            let next = self.engine.now() + abide_engine::base::Span::from_secs(60);
            self.engine.advance(next).await.expect("advances");
            self.say(name, text).await;
        }
    }

    /// Returns the kinds of the messages to a person, oldest first. If a message's key has a suffix,
    /// the kind includes the suffix: `invite`, `invite~2`.
    pub(super) async fn kinds_to(&self, name: &str) -> Vec<String> {
        let filter =
            MessageFilter { to: Some(phone(name)), limit: 200, ..MessageFilter::default() };
        let mut found = self.engine.messages(TENANT, &filter).await.expect("lists").items;
        found.reverse();
        found
            .into_iter()
            .filter(|message| {
                message.direction == Direction::Outbound && message.state == MessageState::Sent
            })
            .map(|message| {
                let key = message.idempotency_key.unwrap_or_default();
                let kind = key.rsplit(':').next().unwrap_or_default().to_owned();
                // A key may end in the id of the answered message.
                // That id differs from run to run, so it is removed.
                kind.split("~msg_").next().unwrap_or_default().to_owned()
            })
            .collect()
    }

    /// Returns the bodies of the messages to a person that the provider received.
    pub(super) fn texts_to(&self, name: &str) -> Vec<String> {
        let to = phone(name);
        self.provider.sent().into_iter().filter(|m| m.to == to).map(|m| m.body).collect()
    }

    /// Returns the first runs of the tenant.
    pub(super) async fn runs(&self) -> Vec<RunView> {
        let first = RunFilter { limit: 10, ..RunFilter::default() };
        self.engine.runs(TENANT, &first).await.expect("runs").items
    }

    pub(super) async fn run(&self, run: RunId) -> RunView {
        self.engine.run(TENANT, run).await.expect("a run")
    }

    pub(super) async fn request(&self, id: RequestId) -> RequestView {
        self.as_staff(move |tx, caller| {
            Box::pin(async move { requests::get(tx, &caller.context(), id).await })
        })
        .await
        .expect("a request")
    }

    pub(super) async fn new_request(&self, time: &str, targets: Value) -> RequestView {
        let new = NewRequest { service_time: time.to_owned(), targets, campus: None };
        self.as_staff(move |tx, caller| {
            let new = new.clone();
            Box::pin(async move { requests::create(tx, &caller.context(), &new).await })
        })
        .await
        .expect("is made")
    }

    pub(super) async fn change_request(
        &self,
        id: RequestId,
        patch: RequestPatch,
    ) -> Result<RequestView, Problem> {
        let changed = self
            .as_staff(move |tx, caller| {
                let patch = patch.clone();
                Box::pin(async move { requests::patch(tx, &caller.context(), id, &patch).await })
            })
            .await;
        self.engine.tick().await?;
        changed
    }

    pub(super) async fn cancel_request(&self, id: RequestId) -> Result<RequestView, Problem> {
        let cancelled = self
            .as_staff(move |tx, caller| {
                Box::pin(async move { requests::cancel(tx, &caller.context(), id).await })
            })
            .await;
        self.engine.tick().await?;
        cancelled
    }

    /// Adds or changes people.
    pub(super) async fn put_people(
        &self,
        inputs: Value,
    ) -> Result<Vec<people::PersonView>, Problem> {
        engines::put_people(&self.engine, TENANT, inputs).await
    }

    /// Returns the requests that match a query.
    pub(super) async fn find_requests(&self, query: requests::RequestQuery) -> Vec<RequestView> {
        self.as_staff(move |tx, caller| {
            let query = query.clone();
            Box::pin(async move { requests::list(tx, &caller.context(), &query).await })
        })
        .await
        .expect("lists")
        .items
    }

    pub(super) async fn set_capacity(&self, key: &'static str, total: i64) {
        self.as_staff(move |tx, caller| {
            let new = capacity::NewCapacity { total };
            Box::pin(async move { capacity::set(tx, &caller.context(), key, &new).await })
        })
        .await
        .expect("is set");
    }

    pub(super) async fn put_fact(&self, id: &'static str, fact: kb::NewFact) {
        self.as_staff(move |tx, caller| {
            let fact = fact.clone();
            Box::pin(async move { kb::put(tx, &caller.context(), id, &fact, &author()).await })
        })
        .await
        .expect("is written");
    }

    pub(super) async fn retire_fact(&self, id: &'static str) {
        self.as_staff(move |tx, caller| {
            Box::pin(async move { kb::retire(tx, &caller.context(), id, &author()).await })
        })
        .await
        .expect("is retired");
    }

    /// Writes a weekly service, given as the API takes it.
    pub(super) async fn put_service(&self, service: Value) {
        self.as_staff(move |tx, caller| {
            let service = serde_json::from_value(service.clone()).expect("a service");
            Box::pin(async move { services::put(tx, &caller.context(), &service, &author()).await })
        })
        .await
        .expect("is written");
    }

    /// Removes the weekly services with this name.
    pub(super) async fn remove_service(
        &self,
        name: &'static str,
    ) -> Result<Page<ServiceView>, Problem> {
        self.as_staff(move |tx, caller| {
            let query = ServiceQuery { name: name.to_owned(), ..ServiceQuery::default() };
            Box::pin(
                async move { services::remove(tx, &caller.context(), &query, &author()).await },
            )
        })
        .await
    }

    /// Returns a page of the directory.
    pub(super) async fn people_page(&self, query: people::PeopleQuery) -> Page<people::PersonView> {
        let task = tx_closure(move |tx| {
            let query = query.clone();
            Box::pin(async move { people::list(tx, TENANT, &query).await })
        });
        self.engine.read(task).await.expect("lists")
    }

    /// Returns the messages of the staff inbox that are in this state, newest first.
    pub(super) async fn inbox(&self, state: &str) -> Vec<inbox::InboxView> {
        let query = inbox::InboxQuery { state: Some(state.to_owned()), ..Default::default() };
        self.inbox_page(query).await.items
    }

    /// Returns a page of the inbox of staff.
    pub(super) async fn inbox_page(&self, query: inbox::InboxQuery) -> Page<inbox::InboxView> {
        let task = tx_closure(move |tx| {
            let query = query.clone();
            Box::pin(async move { inbox::list(tx, TENANT, &query).await })
        });
        self.engine.read(task).await.expect("lists")
    }

    /// Closes a message in the inbox of staff.
    pub(super) async fn close_message(&self, id: MessageId) -> Result<inbox::InboxView, Problem> {
        let task =
            tx_closure(move |tx| Box::pin(async move { inbox::close(tx, TENANT, id).await }));
        self.engine.write(task).await
    }

    /// Answers a message in the inbox of staff.
    pub(super) async fn answer_message(
        &self,
        id: MessageId,
        text: &'static str,
    ) -> Result<inbox::InboxView, Problem> {
        let answered = self
            .as_staff(move |tx, caller| {
                let new = inbox::NewAnswer { text: text.to_owned() };
                Box::pin(
                    async move { inbox::answer(tx, &caller.context(), id, &new, &author()).await },
                )
            })
            .await;
        self.engine.tick().await?;
        answered
    }

    /// Assigns a message in the inbox of staff.
    pub(super) async fn assign_message(
        &self,
        id: MessageId,
        person: &'static str,
    ) -> Result<inbox::InboxView, Problem> {
        self.as_staff(move |tx, caller| {
            let new = inbox::NewAssignee { person: person.to_owned() };
            Box::pin(async move { inbox::assign(tx, &caller.context(), id, &new, &author()).await })
        })
        .await
    }

    /// Takes over the thread of a message in the inbox of staff.
    pub(super) async fn take_over(&self, id: MessageId) -> Result<inbox::InboxView, Problem> {
        self.change_thread(id, inbox::ThreadChange::TakeOver).await
    }

    /// Hands back the thread of a message in the inbox of staff.
    pub(super) async fn hand_back(&self, id: MessageId) -> Result<inbox::InboxView, Problem> {
        self.change_thread(id, inbox::ThreadChange::HandBack).await
    }

    async fn change_thread(
        &self,
        id: MessageId,
        change: inbox::ThreadChange,
    ) -> Result<inbox::InboxView, Problem> {
        self.as_staff(move |tx, caller| {
            Box::pin(async move {
                inbox::change_thread(tx, &caller.context(), id, change, &author()).await
            })
        })
        .await
    }

    /// Executes a transaction on behalf of a staff member.
    async fn as_staff<T, F>(&self, act: F) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: for<'a> Fn(
                &'a mut abide_engine::store::Tx,
                &'a TenantContext,
            )
                -> std::pin::Pin<Box<dyn Future<Output = Result<T, Problem>> + Send + 'a>>
            + Send
            + Sync
            + 'static,
    {
        let caller = Arc::new(TenantContext::load(&self.engine, TENANT).await?);
        let act = Arc::new(act);
        let task = tx_closure(move |tx| {
            let (caller, act) = (caller.clone(), act.clone());
            Box::pin(async move { act(tx, &caller).await })
        });
        self.engine.write(task).await
    }

    /// Returns how many people of a role are in each state, without empty states: `accepted 4, declined 1`.
    pub(super) async fn counts(&self, id: RequestId, role: &str) -> String {
        let counts = self.request(id).await.counts;
        let none = BTreeMap::new();
        let states = counts.get(role).unwrap_or(&none);
        let shown: Vec<_> = states
            .iter()
            .filter(|(_, n)| **n > 0)
            .map(|(state, n)| format!("{state} {n}"))
            .collect();
        shown.join(", ")
    }

    /// Checks that the audit reports nothing.
    pub(super) async fn assert_consistent(&self) {
        let report = self.engine.audit().await.expect("an audit");
        assert!(report.is_clean(), "{}: {:#?}", self.db, report.breaches);
    }
}

/// Returns the phone number of a person of the demo church. Returns any other string unchanged.
fn phone(name: &str) -> String {
    const NAMES: [&str; 14] = [
        "Pat", "Ana", "Ben", "Carla", "Dana", "Eli", "Fay", "Gus", "Hana", "Ivan", "Joy", "Kim",
        "Lee", "Ruth",
    ];
    match NAMES.iter().position(|known| *known == name) {
        Some(ix) => format!("+151255501{ix:02}"),
        None => name.to_owned(),
    }
}
