//! Opening: the lock, the store, the library, the driver.

use std::sync::{Arc, Mutex};

use super::Engine;
use crate::base::id::IdSource;
use crate::base::{Clock, Problem, VirtualClock, limits};
use crate::domain::Domain;
use crate::driver::{Bells, Core, Pace, Parts};
use crate::gateway::Gateway;
use crate::library::Library;
use crate::policy::Settings;
use crate::store::{Address, DriverLock, Durability, Faults, Migration, Options, Store, Tx, work};
use crate::verb::Verbs;

/// What an engine is opened with.
pub struct EngineConfig {
    /// Which database.
    pub address: Address,
    /// All migrations, the engine's and the domain's, in order.
    pub migrations: Vec<Migration>,
    /// Full, except inside the simulator.
    pub durability: Durability,
    /// What new runs may start.
    pub library: Library,
    /// The process's settings.
    pub settings: Settings,
    /// The domain's clock.
    pub clock: Arc<dyn Clock>,
    /// The same clock where it is virtual: `advance` moves it.
    pub virtual_clock: Option<Arc<VirtualClock>>,
    /// The seed of ids.
    pub seed: u64,
    /// The way to the carriers.
    pub gateway: Arc<dyn Gateway>,
    /// The domain.
    pub domain: Arc<dyn Domain>,
    /// The verbs.
    pub verbs: Verbs,
    /// How due runs are worked on.
    pub pace: Pace,
    /// Crashes that a test asks for.
    pub faults: Arc<dyn Faults>,
    /// Tenants that are made if they are missing.
    pub tenants: Vec<String>,
}

impl EngineConfig {
    /// How the store is opened, also without an engine (`migrate`, `doctor`).
    #[must_use]
    pub fn store_options(&self, ids: Arc<IdSource>) -> Options {
        Options {
            address: self.address.clone(),
            migrations: self.migrations.clone(),
            durability: self.durability,
            clock: Arc::clone(&self.clock),
            ids,
            faults: Arc::clone(&self.faults),
            room: limits::WRITER_QUEUE_MAX,
        }
    }
}

impl Engine {
    /// Opens the database and makes the engine ready to work.
    ///
    /// # Errors
    /// `database_in_use` if another process drives this embedded file, `schema_outdated` and
    /// `schema_newer`, `database_unreachable`, `database_damaged`.
    pub async fn open(config: EngineConfig) -> Result<Self, Problem> {
        let lock = match config.address.file() {
            Some(path) => {
                make_folder(path)?;
                Some(Arc::new(Mutex::new(DriverLock::take(path)?)))
            }
            None => None,
        };
        let ids = Arc::new(IdSource::seeded(config.seed));
        let bells = Arc::new(Bells::default());
        let rung = Arc::clone(&bells);
        let options = config.store_options(Arc::clone(&ids));
        let store = Store::open(options, Arc::new(move |stirred| rung.stir(stirred))).await?;
        let library = Arc::new(config.library);
        make_tenants(&store, (&config.tenants, &library)).await?;
        let core = Core::new(Parts {
            store,
            clock: config.clock,
            virtual_time: config.virtual_clock.is_some(),
            ids,
            verbs: config.verbs,
            domain: config.domain,
            gateway: config.gateway,
            pace: config.pace,
            bells,
            library,
            settings: config.settings,
        });
        let engine = Self { core: Arc::new(core), lock, virtual_clock: config.virtual_clock };
        if let Some(tenant) = config.tenants.first() {
            engine.catch_up(tenant).await?;
        }
        Ok(engine)
    }
}

/// Makes the tenants that are missing. What the files say is a version of each of their methods.
async fn make_tenants(
    store: &Store,
    (tenants, library): (&[String], &Arc<Library>),
) -> Result<(), Problem> {
    let (tenants, library) = (tenants.to_vec(), Arc::clone(library));
    let task = work(move |tx| {
        let (tenants, library) = (tenants.clone(), Arc::clone(&library));
        Box::pin(async move {
            for tenant in &tenants {
                tx.ensure_tenant(tenant).await?;
            }
            for tenant in tx.tenants().await? {
                keep_methods(tx, &tenant, &library).await?;
            }
            Ok(())
        })
    });
    store.write(false, task).await
}

async fn keep_methods(tx: &mut Tx, tenant: &str, library: &Library) -> Result<(), Problem> {
    let known = tx.known_bundles(tenant).await?;
    for (name, bundle) in &library.methods {
        if !known.contains(&(name.clone(), bundle.digest)) {
            let definitions = library.definitions(bundle);
            let version = tx.keep_bundle(tenant, (name, bundle.digest), &definitions).await?;
            tx.delete_version((tenant, name), (version, false)).await?;
        }
    }
    Ok(())
}

fn make_folder(path: &std::path::Path) -> Result<(), Problem> {
    let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(|e| {
        Problem::operator("database_unreachable", format!("cannot make `{}`", folder.display()))
            .with_detail(e.to_string())
    })
}
