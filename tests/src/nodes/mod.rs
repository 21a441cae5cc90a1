//! Several processes on one database, which communicate through its tables alone.

mod asleep;
mod clock;
mod crossing;
mod halves;
mod late;
mod leaving;
mod poison;
mod several;

use std::sync::Arc;
use std::time::Duration;

use abide_engine::base::IdSource;
use abide_engine::clock::Clock;
use abide_engine::driver::DriveMode;
use abide_engine::facade::{Engine, EngineConfig, StrandedRuns};
use abide_engine::gateway::Loopback;
use abide_engine::library::{Library, Sources};
use abide_engine::policy::Settings;
use abide_engine::store::{Address, Durability, NoFaults, Store};
use abide_verbs::ChurchDomain;
use serde_json::json;

/// Maximum time for a heartbeat, a crash or a return to rest. It takes a few leases of a second each; the
/// rest is slack for a loaded machine.
const WITHIN: Duration = Duration::from_secs(60);

/// Builds the configuration of an engine in a process of its own, with short leases and these methods.
fn config(
    url: &str,
    (clock, seed): (Arc<dyn Clock>, u64),
    methods: &[(&str, &str)],
) -> EngineConfig {
    let mut sources = Sources::builtin();
    for (name, text) in methods {
        sources.methods.insert(format!("{name}.yaml"), (*text).to_owned());
    }
    let settings = json!({"node_lease": "1s", "poll_interval": "1s"});
    EngineConfig {
        address: Address::parse(url),
        migrations: abide_verbs::migrations(),
        durability: Durability::Full,
        library: Library::compile(sources),
        settings: Settings::default().overridden(&settings).expect("settings"),
        clock,
        database_clock: None,
        virtual_clock: None,
        ids: Arc::new(IdSource::seeded(seed)),
        gateway: Arc::new(Loopback::in_memory()),
        domain: Arc::new(ChurchDomain::default()),
        verbs: abide_verbs::verb::all(),
        drive_mode: DriveMode::Tasks(4),
        faults: Arc::new(NoFaults),
        tenants: vec!["default".to_owned()],
        stranded_runs: StrandedRuns::Ignore,
    }
}

/// Migrates the database and opens the engine.
async fn open(config: EngineConfig) -> Engine {
    let ids = Arc::clone(&config.ids);
    Store::migrate(&config.store_options(ids)).await.expect("migrated");
    Engine::open(config).await.expect("opened")
}

/// Polls until `is_so` returns true; `what` describes it in the panic message.
async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let looking = async {
        let mut looks = tokio::time::interval(Duration::from_millis(20));
        while !is_so().await {
            looks.tick().await;
        }
    };
    assert!(tokio::time::timeout(WITHIN, looking).await.is_ok(), "never: {what}");
}
