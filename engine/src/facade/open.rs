//! Opens an engine: locks the database file, opens the store, stores the library and builds the driver.

use std::sync::{Arc, Mutex};

use super::engine::Engine;
use super::preview::{CopyPlayer, PreviewConfig};
use crate::adapter::Adapters;
use crate::base::id::IdSource;
use crate::base::{Problem, limits};
use crate::boxed;
use crate::clock::{Clock, VirtualClock};
use crate::domain::Domain;
use crate::driver::{Bells, Core, CoreConfig, DriveMode, Stranded, check_names};
use crate::gateway::Gateway;
use crate::library::Library;
use crate::model::ModelConfig;
use crate::policy::Settings;
use crate::store::{
    Address, DriverLock, Durability, FaultHooks, MethodRef, Migration, Store, StoreOptions, Tx,
};
use crate::transaction;
use crate::verb::Verbs;

/// Configuration with which an engine is opened.
pub struct EngineConfig {
    /// Address of the database.
    pub address: Address,
    /// Migrations of the engine and of the domain, sorted by number.
    pub migrations: Vec<Migration>,
    /// How durable commits are: [`Durability::Full`], except in the simulator.
    pub durability: Durability,
    /// Methods, templates and contracts that new runs start with, unless a version is published.
    pub library: Library,
    /// Settings of the process; each tenant may override them.
    pub settings: Settings,
    /// The clock that the engine reads.
    pub clock: Arc<dyn Clock>,
    /// Replaces the database's own clock in a simulation; see [`StoreOptions::database_clock`].
    pub database_clock: Option<Arc<dyn Clock>>,
    /// The same clock as `clock` if that clock is virtual, otherwise `None`. [`Engine::advance`] moves
    /// this clock forward.
    pub virtual_clock: Option<Arc<VirtualClock>>,
    /// Generator of new ids.
    pub ids: Arc<IdSource>,
    /// The gateway that sends and lists text messages.
    pub gateway: Arc<dyn Gateway>,
    /// The adapters that make calls to outside systems.
    pub adapters: Adapters,
    /// The language model that is asked where the own reader is not sure; `None` for none.
    pub model: Option<ModelConfig>,
    /// Implementation of the domain, such as churches.
    pub domain: Arc<dyn Domain>,
    /// Implementations of the verbs.
    pub verbs: Verbs,
    /// Whether due runs are driven by the caller or by tasks.
    pub drive_mode: DriveMode,
    /// Faults that a test injects.
    pub faults: Arc<dyn FaultHooks>,
    /// Tenants that are created if they do not exist.
    pub tenants: Vec<String>,
    /// How to handle live runs that this program cannot continue.
    pub stranded_runs: StrandedRuns,
    /// What is needed to play shadow runs; `None` in a process that refuses them.
    pub preview: Option<PreviewConfig>,
}

/// How to handle live runs that this program cannot continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrandedRuns {
    /// If there are live runs that this program cannot continue, do not open the engine.
    Refuse,
    /// Mark each run that this program cannot continue as stuck, so that people see it. Drive the others.
    Hold,
    /// Do not look for live runs that this program cannot continue, because the program runs only for a
    /// moment.
    Ignore,
}

impl EngineConfig {
    /// Returns the options for opening the store.
    /// The commands `migrate` and `doctor` use them to open the store without an engine.
    #[must_use]
    pub fn store_options(&self, ids: Arc<IdSource>) -> StoreOptions {
        // Only one process uses a database whose clock is virtual. That process uses the virtual clock
        // in place of the database's own clock too, so the two clocks cannot differ.
        let virtual_clock = || self.virtual_clock.clone().map(|clock| clock as Arc<dyn Clock>);
        StoreOptions {
            address: self.address.clone(),
            migrations: self.migrations.clone(),
            durability: self.durability,
            clock: Arc::clone(&self.clock),
            database_clock: self.database_clock.clone().or_else(virtual_clock),
            ids,
            faults: Arc::clone(&self.faults),
            queue_max: limits::WRITER_QUEUE_MAX,
        }
    }
}

impl Engine {
    /// Opens the database, creates the configured tenants and stores missed messages.
    ///
    /// # Errors
    /// `database_in_use` if another process drives the SQLite file; `schema_outdated`, `schema_newer`,
    /// `database_unreachable` and `database_damaged`; `runs_stranded` under [`StrandedRuns::Refuse`];
    /// `handler_missing` and `contract_missing`; `settings_invalid` for a domain that the program lacks.
    #[boxed]
    pub async fn open(config: EngineConfig) -> Result<Self, Problem> {
        let lock = match config.address.file() {
            Some(path) => {
                create_folder(path)?;
                Some(Arc::new(Mutex::new(DriverLock::take(path)?)))
            }
            None => None,
        };
        let ids = Arc::clone(&config.ids);
        let bells = Arc::new(Bells::default());
        let rung = Arc::clone(&bells);
        let options = config.store_options(Arc::clone(&ids));
        let store = Store::open(options, Arc::new(move |due| rung.ring_for_commit(due))).await?;
        config.verbs.check(&config.library.contracts)?;
        check_names(&config.library, &config.settings)?;
        let library = Arc::new(config.library);
        create_tenants(&store, &config.tenants, &library).await?;
        let migrations = config.migrations;
        let previewer = config.preview.map(|config| CopyPlayer { config, migrations });
        let core = Core::new(CoreConfig {
            store,
            clock: config.clock,
            virtual_time: config.virtual_clock.is_some(),
            ids,
            verbs: config.verbs,
            domain: config.domain,
            gateway: config.gateway,
            adapters: config.adapters,
            model: config.model,
            previewer: previewer.map(|player| Arc::new(player) as _),
            drive_mode: config.drive_mode,
            bells,
            library,
            settings: config.settings,
        });
        let (virtual_clock, advancing) = (config.virtual_clock, Arc::default());
        let engine = Self { core: Arc::new(core), lock, virtual_clock, advancing };
        engine.check_stranded_runs(config.stranded_runs).await?;
        if let Some(tenant) = config.tenants.first() {
            engine.store_missed_messages(tenant).await?;
        }
        Ok(engine)
    }
}

impl Engine {
    /// Looks for live runs that this program cannot continue, and handles them as `policy` says.
    async fn check_stranded_runs(&self, policy: StrandedRuns) -> Result<(), Problem> {
        if policy == StrandedRuns::Ignore {
            return Ok(());
        }
        let core = Arc::clone(&self.core);
        let read = transaction!([core], |tx| core.stranded(tx).await);
        let stranded = self.core.store.read(read).await?;
        for group in &stranded {
            tracing::error!(method = %group.method, runs = group.runs, "cannot continue these runs: {}", group.why);
        }
        match stranded.first() {
            Some(first) if policy == StrandedRuns::Refuse => Err(refusal(&stranded, first)),
            _ => self.core.park_stranded().await,
        }
    }
}

fn refusal(stranded: &[Stranded], first: &Stranded) -> Problem {
    let runs: i64 = stranded.iter().map(|group| group.runs).sum();
    let message = format!(
        "this program cannot continue {runs} live runs, among them those of `{}`: {}",
        first.method, first.why
    );
    Problem::operator("runs_stranded", message).with_hint(
        "start the program that they began with, or add `--hold` to park them and drive the others",
    )
}

/// Creates the tenants that do not exist,
/// and stores the methods of the library as versions for every tenant.
async fn create_tenants(
    store: &Store,
    tenants: &[String],
    library: &Arc<Library>,
) -> Result<(), Problem> {
    let task = transaction!([tenants = tenants.to_vec(), library = Arc::clone(library)], |tx| {
        for tenant in &tenants {
            tx.ensure_tenant(tenant).await?;
        }
        for tenant in tx.tenants().await? {
            store_methods(tx, &tenant, &library).await?;
        }
        Ok(())
    });
    store.write(task).await
}

/// Stores each method of the library as a version that belongs to the tenant,
/// unless the tenant has an identical version. If the tenant has deleted that version, restores it.
async fn store_methods(tx: &mut Tx, tenant: &str, library: &Library) -> Result<(), Problem> {
    let known = tx.known_bundles(tenant).await?;
    for (name, bundle) in &library.methods {
        if !known.contains(&(name.clone(), bundle.digest)) {
            let method = MethodRef { tenant, method: name };
            let definitions = || library.definitions(bundle);
            let version = tx.store_bundle(method, bundle.digest, definitions).await?;
            tx.restore_version(method, version).await?;
        }
    }
    Ok(())
}

fn create_folder(path: &std::path::Path) -> Result<(), Problem> {
    let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(|e| {
        Problem::operator("database_unreachable", format!("cannot create `{}`", folder.display()))
            .with_detail(e.to_string())
    })
}
