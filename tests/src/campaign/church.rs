//! A church with its engine, which can be killed and reopened on the same database.

use std::path::PathBuf;
use std::sync::Arc;

use abide_engine::base::{Problem, RunId, Timestamp, Value};
use abide_engine::clock::VirtualClock;
use abide_engine::diagnostic::Severity::Error;
use abide_engine::domain::StartRun;
use abide_engine::driver::DriveMode;
use abide_engine::facade::{
    Direction, Engine, EngineConfig, InboundMessage, MessageFilter, MessageView, Received, RunView,
    StrandedRuns,
};
use abide_engine::gateway::{Gateway, Loopback};
use abide_engine::library::Sources;
use abide_engine::model::ModelConfig;
use abide_engine::policy::Settings;
use abide_engine::run::Control;
use abide_engine::store::{Address, Durability, FaultHooks, MessageState, Migration, tx_closure};
use abide_engine::verb::Verbs;
use abide_simulator::domains;
use abide_trade::files::FileStore;
use serde_json::json;

use crate::engines;
use crate::outside::Outside;
use crate::postgres::TestDb;
use crate::statements::no_faults;

/// Start time of the church service that the tests find people for.
pub(crate) const SERVICE: &str = "2025-10-05T09:00:00-05:00";
/// Start time of every test: Tuesday 10:00 in Chicago.
pub(crate) const START: &str = "2025-09-30T10:00:00-05:00";
/// Phone number of Pat, who has the office `staff`.
pub(crate) const PAT: &str = "+15125550100";

/// Builds the goal of filling the nursery with `count` people.
pub(crate) fn goal(count: u32) -> Value {
    json!({ "kind": "FillRole", "role": "nursery", "count": count, "time": SERVICE })
}

/// Builds an inbound message as a gateway delivers it.
pub(crate) fn message(id: &str, from: &str, body: &str) -> InboundMessage {
    InboundMessage {
        id: id.to_owned(),
        from: from.to_owned(),
        to: "+15125550000".to_owned(),
        body: body.to_owned(),
        received_at: None,
    }
}

/// Declares a test that runs on a fresh database of each kind. `with SETUP` gives the setup of the church.
macro_rules! on_both {
    ($name:ident, $story:expr) => {
        crate::campaign::church::on_both!($name, with crate::campaign::church::Setup::default(), $story);
    };
    ($name:ident, with $setup:expr, $story:expr) => {
        #[tokio::test]
        async fn $name() {
            for database in crate::postgres::databases() {
                eprintln!("on {database}");
                let church = crate::campaign::church::Church::with(database, $setup).await;
                $story(church).await;
            }
        }
    };
}
pub(crate) use on_both;

/// Content, settings and environment that a church is opened with.
pub(crate) struct Setup {
    pub(crate) sources: Sources,
    pub(crate) verbs: Verbs,
    /// The files that the verbs and the routes store.
    pub(crate) files: FileStore,
    pub(crate) settings: Value,
    pub(crate) drive_mode: DriveMode,
    pub(crate) faults: Arc<dyn FaultHooks>,
    pub(crate) migrations: Vec<Migration>,
    pub(crate) stranded_runs: StrandedRuns,
    /// The language model; `None` for none.
    pub(crate) model: Option<ModelConfig>,
    /// Builds the gateway. The gateway passes messages on to the loopback provider,
    /// which the test inspects.
    pub(crate) gateway: fn(Loopback, Arc<VirtualClock>) -> Arc<dyn Gateway>,
}

impl Default for Setup {
    fn default() -> Self {
        let files = FileStore::in_memory();
        Self {
            sources: Sources::builtin(),
            verbs: domains::verbs(files.clone()),
            files,
            settings: json!({}),
            drive_mode: DriveMode::InLine,
            faults: no_faults(),
            migrations: domains::migrations(),
            stranded_runs: StrandedRuns::Ignore,
            model: None,
            gateway: |provider, _| Arc::new(provider),
        }
    }
}

impl Setup {
    /// Builds a setup with these process settings. All other settings have their defaults.
    pub(crate) fn settings(settings: Value) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Builds a setup that keeps its files in this folder.
    pub(crate) fn files_in(folder: impl Into<PathBuf>) -> Self {
        let files = FileStore::in_folder(folder);
        Self { verbs: domains::verbs(files.clone()), files, ..Self::default() }
    }

    /// Adds a method.
    pub(crate) fn method(mut self, name: &str, text: impl Into<String>) -> Self {
        self.sources.methods.insert(format!("{name}.yaml"), text.into());
        self
    }
}

/// A church and the process that serves it.
pub(crate) struct Church {
    pub(crate) engine: Option<Engine>,
    pub(crate) provider: Loopback,
    /// The outside systems that tools call.
    pub(crate) outside: Outside,
    clock: Arc<VirtualClock>,
    setup: Setup,
    /// Number of messages that people have sent to the church.
    texts: u64,
    /// Number of processes that were started so far.
    lives: u64,
    database: TestDb,
}

impl Church {
    /// Opens a church on a new database that contains the demo church.
    pub(crate) async fn with(database: TestDb, setup: Setup) -> Self {
        let _ = tracing_subscriber::fmt().with_env_filter("warn").with_test_writer().try_init();
        let start: Timestamp = START.parse().expect("an instant");
        let mut church = Self {
            engine: None,
            provider: Loopback::in_memory(),
            outside: Outside::default(),
            clock: Arc::new(VirtualClock::starting_at(start)),
            setup,
            texts: 0,
            lives: 0,
            database,
        };
        engines::migrate(&church.config()).await;
        church.start_process().await;
        church
            .engine()
            .write(tx_closure(move |tx| {
                Box::pin(async move {
                    let now = tx.now();
                    abide_verbs::api::seed::seed(tx, "default", now).await
                })
            }))
            .await
            .expect("seeded");
        church
    }

    fn config(&self) -> EngineConfig {
        let library = engines::library(&self.setup.sources);
        let errors: Vec<_> = library.findings().iter().filter(|f| f.severity == Error).collect();
        assert!(errors.is_empty(), "{errors:#?}");
        let settings = Settings::default().overridden(&self.setup.settings).expect("settings");
        EngineConfig {
            migrations: self.setup.migrations.clone(),
            durability: Durability::SimulatorOnly,
            settings,
            virtual_clock: Some(self.clock.clone()),
            adapters: self.outside.adapters(),
            model: self.setup.model.clone(),
            gateway: (self.setup.gateway)(self.provider.clone(), self.clock.clone()),
            verbs: self.setup.verbs.clone(),
            drive_mode: self.setup.drive_mode,
            faults: Arc::clone(&self.setup.faults),
            stranded_runs: self.setup.stranded_runs,
            ..engines::config(self.database.url(), library, self.clock.clone(), 7 + self.lives)
        }
    }

    async fn start_process(&mut self) {
        self.engine = Some(self.open_another().await);
        self.engine().tick().await.expect("settled");
    }

    /// Migrates the database to a newer schema, as a newer program does.
    pub(crate) async fn migrate_to(&self, next: Migration) {
        let mut config = self.config();
        config.migrations.push(next);
        engines::migrate(&config).await;
    }

    /// Ends the process by dropping its engine, without a clean stop.
    pub(crate) fn stop_process(&mut self) {
        self.engine = None;
    }

    /// Returns the setup with which the next process starts, so that the test can change it.
    pub(crate) const fn setup(&mut self) -> &mut Setup {
        &mut self.setup
    }

    /// Opens the database in a new process. Returns the problem if that fails.
    pub(crate) async fn open(&mut self) -> Result<Engine, Problem> {
        self.lives += 1;
        Engine::open(self.config()).await
    }

    /// Opens one more process on the same database and the same provider.
    pub(crate) async fn open_another(&mut self) -> Engine {
        self.lives += 1;
        Engine::open(self.config()).await.expect("opened")
    }

    /// Ends the process, changes the database by SQL, and opens the database in a new process.
    /// Returns the problem if opening fails.
    pub(crate) async fn reopen_after(&mut self, sql: &'static str) -> Result<Engine, Problem> {
        self.engine = None;
        self.database.execute(sql).await;
        self.lives += 1;
        Engine::open(self.config()).await
    }

    /// Returns the engine of the running process.
    pub(crate) fn engine(&self) -> &Engine {
        self.engine.as_ref().expect("alive")
    }

    /// Crashes the process, which loses everything in memory, and starts a new process.
    pub(crate) async fn crash(&mut self) {
        self.engine = None;
        self.start_process().await;
    }

    /// Changes content, settings or verbs, and replaces the process by a new one that uses the changes.
    pub(crate) async fn reopen_with(&mut self, change: impl FnOnce(&mut Setup)) {
        change(&mut self.setup);
        self.crash().await;
    }

    /// Starts a run of a method for the tenant `default`.
    pub(crate) async fn start(&self, method: &str, goal: Value) -> Result<RunView, Problem> {
        let wanted = StartRun { method: method.to_owned(), goal, ..StartRun::default() };
        self.engine().start_run("default", wanted).await
    }

    /// Starts a run of `fill_roles` that finds `count` people for the nursery.
    pub(crate) async fn fill(&self, count: u32) -> RunView {
        self.start("fill_roles", goal(count)).await.expect("started")
    }

    /// Returns the phone number of the volunteer whose name begins with this letter: A is Ana.
    pub(crate) fn phone(letter: char) -> String {
        let number = u32::from(letter) - u32::from('A') + 1;
        format!("+1512555{:04}", 100 + number)
    }

    /// Returns the files of the church.
    pub(crate) fn files(&self) -> FileStore {
        self.setup.files.clone()
    }

    /// Returns the test's database.
    pub(crate) fn database(&self) -> &TestDb {
        &self.database
    }

    /// Receives a message from a phone number, as if a gateway had delivered it.
    pub(crate) async fn text(&mut self, from: &str, body: &str) -> Received {
        self.texts += 1;
        let message = message(&format!("SM{}", self.texts), from, body);
        self.engine().receive("default", message).await.expect("received")
    }

    /// Receives the same message from each of the volunteers whose names begin with these letters.
    pub(crate) async fn say(&mut self, letters: &str, body: &str) {
        for letter in letters.chars() {
            self.text(&Self::phone(letter), body).await;
        }
    }

    /// Gives an order to a run, such as pause, resume or cancel.
    pub(crate) async fn control(&self, run: RunId, control: Control) -> Result<RunView, Problem> {
        self.engine().control("default", run, control).await
    }

    /// Moves the clock forward and does everything that falls due.
    pub(crate) async fn advance(&self, span: &str) {
        let span = span.parse().expect("a duration");
        self.engine().advance(self.engine().now() + span).await.expect("advanced");
    }

    /// Returns the clock of the process.
    pub(crate) fn clock(&self) -> Arc<VirtualClock> {
        Arc::clone(&self.clock)
    }

    /// Moves the clock forward without doing what falls due.
    pub(crate) fn move_clock(&self, span: &str) {
        let span = span.parse().expect("a duration");
        self.clock.set(self.engine().now() + span);
    }

    pub(crate) async fn run(&self, run: RunId) -> RunView {
        self.engine().run("default", run).await.expect("a run")
    }

    /// Returns the outbound messages to a number, oldest first.
    pub(crate) async fn messages(&self, to: &str) -> Vec<MessageView> {
        let filter = MessageFilter {
            to: Some(to.to_owned()),
            direction: Some(Direction::Outbound),
            limit: 200,
            ..MessageFilter::default()
        };
        let page = self.engine().messages("default", &filter).await.expect("messages");
        page.items.into_iter().rev().collect()
    }

    /// Counts the messages of this template that were sent to a number.
    pub(crate) async fn sent(&self, to: &str, kind: &str) -> usize {
        let messages = self.messages(to).await;
        messages
            .iter()
            .filter(|m| m.kind.as_deref() == Some(kind) && m.state == MessageState::Sent)
            .count()
    }

    /// Adds `count` people with this role to the directory.
    pub(crate) async fn add_people(&self, count: usize, role: &str) {
        let people: Vec<Value> = (0..count)
            .map(|n| json!({ "name": format!("P{n}"), "phone": format!("+17132{n:06}"), "roles": [role] }))
            .collect();
        engines::put_people(self.engine(), "default", people.into()).await.expect("added");
    }

    /// Returns the current value of a variable of a run.
    pub(crate) async fn var(&self, run: RunId, name: &str) -> Value {
        let vars = self.run(run).await.vars.expect("variables");
        vars.get(name).cloned().unwrap_or(Value::Null)
    }

    /// Waits until the whole event log can be read.
    pub(crate) async fn wait_until_log_is_readable(&self) {
        self.database.wait_until_log_is_readable().await;
    }

    /// Returns the address of the database.
    pub(crate) fn address(&self) -> Address {
        Address::parse(self.database.url())
    }

    /// Executes SQL on a separate connection, without the engine.
    pub(crate) async fn execute(&self, sql: &'static str) {
        self.database.execute(sql).await;
    }

    /// Queries one number on a separate connection, without the engine.
    pub(crate) async fn number(&self, sql: &'static str) -> i64 {
        self.database.number(sql).await
    }

    /// Checks that the audit reports nothing, and that the provider received no message twice.
    pub(crate) async fn assert_consistent(&self) {
        let report = self.engine().audit().await.expect("audited");
        assert_eq!(report.breaches, vec![], "after {} events", report.events);
        let mut seen = std::collections::BTreeSet::new();
        for message in self.provider.sent() {
            assert!(seen.insert(message.id), "sent twice: {message:?}");
        }
    }

    /// Returns the receipts of a run, one for each call.
    pub(crate) async fn receipts(&self, run: RunId) -> Vec<Value> {
        self.engine().receipts("default", run).await.expect("receipts")
    }
}
