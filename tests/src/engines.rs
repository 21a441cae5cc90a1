//! Opens engines and stores in this process, on the database of a test.

use std::sync::{Arc, Mutex};

use abide_engine::base::limits::WRITER_QUEUE_MAX;
use abide_engine::base::{IdSource, Problem, RunId, Value};
use abide_engine::clock::Clock;
use abide_engine::domain::StartRun;
use abide_engine::driver::DriveMode;
use abide_engine::facade::{Engine, EngineConfig, StrandedRuns};
use abide_engine::gateway::Loopback;
use abide_engine::library::{Library, Sources};
use abide_engine::policy::Settings;
use abide_engine::run::RunStatus;
use abide_engine::store::{Address, Durability, Store, StoreOptions, tx_closure};
use abide_simulator::domains;
use abide_trade::files::FileStore;

use crate::outside::Outside;
use crate::statements::no_faults;
use abide_verbs::api::people::{self, PersonInput, PersonView};
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Number of libraries that are kept for the next tests.
const COMPILED_MAX: usize = 16;

/// Returns the options to open a store that injects no faults.
pub(crate) fn store_options(url: &str, clock: Arc<dyn Clock>, seed: u64) -> StoreOptions {
    StoreOptions {
        address: Address::parse(url),
        migrations: domains::migrations(),
        durability: Durability::Full,
        clock,
        database_clock: None,
        ids: Arc::new(IdSource::seeded(seed)),
        faults: no_faults(),
        queue_max: WRITER_QUEUE_MAX,
    }
}

/// Compiles sources, or returns what the same sources compiled to before: most tests open their engines with the
/// same content.
pub(crate) fn library(sources: &Sources) -> Library {
    static COMPILED: Mutex<Vec<(Sources, Library)>> = Mutex::new(Vec::new());
    let same = |(compiled, _): &&(Sources, Library)| compiled == sources;
    let known =
        COMPILED.lock().expect("no panic").iter().find(same).map(|(_, library)| library.clone());
    known.unwrap_or_else(|| {
        let library = Library::compile(sources.clone());
        let mut compiled = COMPILED.lock().expect("no panic");
        compiled.truncate(COMPILED_MAX - 1);
        compiled.insert(0, (sources.clone(), library.clone()));
        library
    })
}

/// Returns the configuration of an engine for churches, with its own loopback provider and without faults.
pub(crate) fn config(
    url: &str,
    library: Library,
    clock: Arc<dyn Clock>,
    seed: u64,
) -> EngineConfig {
    let domain = domains::church(domains::intents(&library), &library, FileStore::in_memory());
    EngineConfig {
        address: Address::parse(url),
        migrations: domains::migrations(),
        durability: Durability::Full,
        library,
        settings: Settings::default(),
        clock,
        database_clock: None,
        virtual_clock: None,
        ids: Arc::new(IdSource::seeded(seed)),
        gateway: Arc::new(Loopback::in_memory()),
        adapters: Outside::default().adapters(),
        model: None,
        domain,
        verbs: domains::verbs(FileStore::in_memory()),
        drive_mode: DriveMode::InLine,
        faults: no_faults(),
        tenants: vec!["default".to_owned()],
        stranded_runs: StrandedRuns::Ignore,
        preview: Some(domains::preview()),
    }
}

/// Creates or updates the tables that an engine needs.
pub(crate) async fn migrate(config: &EngineConfig) {
    let ids = Arc::new(IdSource::seeded(1));
    Store::migrate(&config.store_options(ids)).await.expect("migrated");
}

/// Migrates the database and opens the engine.
pub(crate) async fn open(config: EngineConfig) -> Engine {
    migrate(&config).await;
    Engine::open(config).await.expect("opened")
}

/// Starts a run of a method with an empty goal.
pub(crate) async fn start(engine: &Engine, method: &str) -> RunId {
    let wanted = StartRun { method: method.to_owned(), goal: json!({}), ..StartRun::default() };
    engine.start("default", wanted).await.expect("started").run
}

/// Adds or changes people of a tenant.
pub(crate) async fn put_people(
    engine: &Engine,
    tenant: &'static str,
    people: Value,
) -> Result<Vec<PersonView>, Problem> {
    let inputs: Vec<PersonInput> = serde_json::from_value(people).expect("people");
    let region = engine.settings(tenant).await?.region;
    let task = tx_closure(move |tx| {
        let inputs = inputs.clone();
        Box::pin(async move {
            let now = tx.now();
            people::upsert(tx, tenant, region, now, &inputs).await
        })
    });
    engine.write(task).await
}

/// Returns the status of a run.
pub(crate) async fn status(engine: &Engine, run: RunId) -> RunStatus {
    engine.run("default", run).await.expect("a run").status
}

/// Engines that work on runs in the background until they are stopped.
pub(crate) struct Serving {
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl Serving {
    /// Makes these engines work in the background from now on.
    pub(crate) fn begin<'a>(engines: impl IntoIterator<Item = &'a Engine>) -> Self {
        let (stop, stopping) = watch::channel(false);
        let mut tasks = JoinSet::new();
        for engine in engines {
            let (engine, stopping) = (engine.clone(), stopping.clone());
            tasks.spawn(async move { engine.serve(stopping).await });
        }
        Self { stop, tasks }
    }

    /// Asks the engines to stop, without waiting until they have stopped.
    pub(crate) fn ask_to_stop(&self) {
        self.stop.send_replace(true);
    }

    /// Asks the engines to stop, and waits until they have stopped.
    pub(crate) async fn stop(mut self) {
        self.ask_to_stop();
        while let Some(ended) = self.tasks.join_next().await {
            ended.expect("it ends");
        }
    }
}
