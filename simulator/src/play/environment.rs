//! Holds the state that all processes of a simulation share and that outlives each process.

use std::sync::Arc;

use abide_engine::base::id::IdSource;
use abide_engine::base::{Problem, Span, Timestamp, Value};
use abide_engine::clock::{Clock as _, VirtualClock};
use abide_engine::domain::Domain;
use abide_engine::driver::DriveMode;
use abide_engine::facade::{EngineConfig, PreviewConfig, PreviewThread, StrandedRuns};
use abide_engine::library::{Library, Sources};
use abide_engine::policy::{Region, Settings};
use abide_engine::store::{Address, Durability};
use abide_trade::files::FileStore;
use tempfile::TempDir;

use super::PlayOptions;
use super::command::TENANT;
use super::crash_switch::CrashSwitch;
use super::faults::{FaultInjector, FaultMix};
use super::judgement::Judgement;
use super::outside::{OutsideConnection, OutsideWorld};
use super::process::ProcessRole;
use super::provider::{Connection, Provider};
use crate::domains;
use crate::scenario::{DemoDirectory, Scenario};

/// Lease and poll interval of a process without other nodes: so long that neither has an effect.
const LEASE_ALONE: Span = Span::from_secs(90 * 86_400);
/// Number of runs that a process works on at the same time.
const WORKERS: usize = 8;

/// The state that all processes of a simulation share: the database, the methods and templates,
/// the settings, the clock and the provider.
pub(super) struct Environment {
    pub(super) clock: Arc<VirtualClock>,
    pub(super) provider: Arc<Provider>,
    /// The outside systems that tools call.
    pub(super) outside: Arc<OutsideWorld>,
    /// The files that tools store.
    files: FileStore,
    /// What the services of the judgement need.
    pub(super) judgement: Judgement,
    /// The compiled methods, templates and contracts, which are the same for each process.
    pub(super) library: Library,
    pub(super) settings: Settings,
    pub(super) domain: Arc<dyn Domain>,
    pub(super) faults: Arc<FaultInjector>,
    /// The source of ids, which all processes share so that later processes create higher ids.
    pub(super) ids: Arc<IdSource>,
    pub(super) address: Address,
    pub(super) tenant: Arc<str>,
    /// All tenants; the first one is the scenario's own tenant.
    pub(super) tenants: Vec<Arc<str>>,
    /// Whether the database already has its schema when the first process starts.
    pub(super) has_schema: bool,
    /// The temporary folder of the database, which is deleted when this value is dropped.
    _folder: Option<TempDir>,
}

impl Environment {
    pub(super) fn new(scenario: &Scenario, options: &PlayOptions<'_>) -> Result<Self, Problem> {
        let start_database =
            options.snapshot.map(|snapshot| &snapshot.start_database).or(options.start_database);
        let (address, folder) = match &options.db {
            Some(address) => (address.clone(), None),
            None => {
                let folder = tempfile::tempdir().map_err(|error| no_folder(&error))?;
                let file = folder.path().join("story.db");
                start_database.map_or(Ok(()), |start_database| start_database.copy_to(&file))?;
                (Address::Sqlite(file), Some(folder))
            }
        };
        let settings = match options.snapshot {
            Some(snapshot) => snapshot.settings.clone(),
            None => Settings {
                region: region_of(scenario),
                time_zone: scenario.zone.clone(),
                node_lease: LEASE_ALONE,
                poll_interval: LEASE_ALONE,
                ..Settings::default()
            },
        };
        let seed = options.seed.unwrap_or(scenario.seed);
        let clock = Arc::new(VirtualClock::starting_at(scenario.start));
        let mix = options.faults.clone().unwrap_or_else(|| FaultMix::without_faults(seed));
        let tenant: Arc<str> = options.snapshot.map_or(TENANT, |snapshot| &snapshot.tenant).into();
        let other_tenants = scenario.other_tenants.iter().map(|other_tenant| &other_tenant.tenant);
        let library = options.library.map_or_else(|| compile_library(options), Library::clone);
        let files = FileStore::in_memory();
        let mut environment = Self {
            faults: Arc::new(FaultInjector::of(&mix, &clock)),
            clock,
            provider: Arc::default(),
            outside: Arc::default(),
            files: files.clone(),
            judgement: Judgement::of(&library, files.clone()),
            ids: Arc::new(IdSource::seeded(seed)),
            domain: domains::church(domains::intents(&library), &library, files),
            library,
            settings,
            address,
            tenants: std::iter::once(&tenant).chain(other_tenants).cloned().collect(),
            tenant,
            has_schema: options.db.is_none() && start_database.is_some(),
            _folder: folder,
        };
        environment.configure(&scenario.config)?;
        Ok(environment)
    }

    /// Changes the settings that `changes` names, and keeps all other settings.
    pub(super) fn configure<'v>(
        &mut self,
        changes: impl IntoIterator<Item = (&'v String, &'v Value)>,
    ) -> Result<(), Problem> {
        let unfit = |error: serde_json::Error| {
            Problem::caller("settings_invalid", format!("the settings are invalid: {error}"))
        };
        let mut all = serde_json::to_value(&self.settings).map_err(unfit)?;
        if let Value::Object(members) = &mut all {
            members.extend(changes.into_iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        self.settings = serde_json::from_value(all).map_err(unfit)?;
        Ok(())
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(super) fn is_on_server(&self) -> bool {
        self.address.file().is_none()
    }

    pub(super) fn domain(&self) -> Arc<dyn Domain> {
        Arc::clone(&self.domain)
    }

    pub(super) fn config(&self, switch: &Arc<CrashSwitch>, role: ProcessRole) -> EngineConfig {
        EngineConfig {
            address: self.address.clone(),
            migrations: domains::migrations(),
            durability: Durability::SimulatorOnly,
            library: self.library.clone(),
            settings: self.settings.clone(),
            clock: Arc::clone(&self.clock) as _,
            database_clock: None,
            virtual_clock: Some(Arc::clone(&self.clock)),
            ids: Arc::clone(&self.ids),
            gateway: Arc::new(Connection {
                provider: Arc::clone(&self.provider),
                switch: Arc::clone(switch),
                faults: Arc::clone(&self.faults),
                clock: Arc::clone(&self.clock),
                role,
            }),
            adapters: OutsideConnection {
                world: Arc::clone(&self.outside),
                switch: Arc::clone(switch),
                faults: Arc::clone(&self.faults),
            }
            .adapters(),
            model: None,
            domain: Arc::clone(&self.domain),
            verbs: domains::verbs(self.files.clone()),
            drive_mode: DriveMode::Tasks(WORKERS),
            faults: Arc::clone(switch) as _,
            tenants: self.tenants.iter().map(|tenant| tenant.to_string()).collect(),
            stranded_runs: StrandedRuns::Ignore,
            preview: Some(PreviewConfig { play_on: PreviewThread::Own, ..domains::preview() }),
        }
    }
}

/// Returns the region of a scenario's tenant, unless its settings name one: that of its demo.
fn region_of(scenario: &Scenario) -> Region {
    match scenario.people.demo {
        Some(DemoDirectory::Trade) => Region::Au,
        Some(DemoDirectory::Church) | None => Settings::default().region,
    }
}

/// Compiles the methods, templates and other content of a simulation; by default the built-in content.
pub(crate) fn compile_library(options: &PlayOptions<'_>) -> Library {
    Library::compile(options.sources.clone().unwrap_or_else(Sources::builtin))
}

pub(super) fn no_folder(error: &std::io::Error) -> Problem {
    Problem::operator("simulator_unavailable", "a temporary database cannot be created")
        .with_detail(error.to_string())
        .with_hint("free space in the temporary folder, or name another in `TMPDIR`")
}
