//! Opening the engine on a database, with the clock that the database uses.

use std::sync::Arc;

use abide_adapters::{ModelSettings, Secrets};
use abide_engine::archive::ArchiveConfig;
use abide_engine::base::id::IdSource;
use abide_engine::base::{Problem, Timestamp};
use abide_engine::clock::{Clock, SystemClock, VirtualClock};
use abide_engine::driver::DriveMode;
use abide_engine::facade::{Engine, EngineConfig, StrandedRuns};
use abide_engine::model::ModelConfig;
use abide_engine::policy::Settings;
use abide_engine::store::{Address, Durability, NoFaults};
use abide_judgement::obligations::ToolAdapters;
use abide_simulator::domains;
use abide_trade::files::FileStore;

use crate::archive_folder::ArchiveFolder;
use crate::cli::SmsKind;
use crate::gateway::gateway;
use crate::{database, intents, library};

/// Default for the maximum number of runs that one process works on at a time. A run at work takes some kilobytes, and many
/// runs share each flush of the disk.
pub(crate) const WORKERS: usize = 256;

/// Options to open the engine.
pub(crate) struct OpenOptions<'a> {
    /// Address of the database.
    pub(crate) address: Address,
    /// Home folder, whose content extends the built-in content.
    pub(crate) home: Option<&'a std::path::Path>,
    /// Files that tools store.
    pub(crate) files: FileStore,
    /// Folder of archives; `None` for the default one.
    pub(crate) archives: Option<&'a std::path::Path>,
    /// Settings of the process.
    pub(crate) settings: &'a Settings,
    /// The language model; `None` for none.
    pub(crate) model: Option<&'a ModelSettings>,
    /// How the engine drives due runs: in line or in tasks.
    pub(crate) drive_mode: DriveMode,
    /// Tenant to create if it does not exist. The default tenant is created, too.
    pub(crate) tenant: &'a str,
    /// What to do with live runs that this program cannot continue.
    pub(crate) stranded_runs: StrandedRuns,
    /// Gateway that carries messages.
    pub(crate) sms: SmsKind,
}

impl OpenOptions<'_> {
    /// Opens the engine with the machine's clock.
    ///
    /// # Errors
    /// `clock_is_virtual` if the database uses a virtual clock, or an error of [`Engine::open`].
    pub(crate) async fn open_with_system_clock(&self) -> Result<Engine, Problem> {
        let engine = self.open(Arc::new(SystemClock), None).await?;
        match engine.stored_virtual_now().await? {
            None => Ok(engine),
            Some(now) => {
                let message = format!("this database uses a virtual clock, which is at {now}");
                Err(Problem::caller("clock_is_virtual", message)
                    .with_hint("add `--clock virtual`, or use another database"))
            }
        }
    }

    /// Opens the engine with a virtual clock. The clock starts at the time stored in the database. If the
    /// database stores no time, the clock starts at the given time, or else at the current time.
    pub(crate) async fn open_with_virtual_clock(
        &self,
        first: Option<Timestamp>,
    ) -> Result<Engine, Problem> {
        let first = first.unwrap_or_else(|| SystemClock.now());
        let clock = Arc::new(VirtualClock::starting_at(first));
        let engine = self.open(clock.clone(), Some(clock.clone())).await?;
        match engine.stored_virtual_now().await? {
            Some(kept) => clock.set(kept),
            None => engine.store_virtual_now().await?,
        }
        Ok(engine)
    }

    /// Opens the engine with the clock that the database uses.
    pub(crate) async fn open_with_stored_clock(&self) -> Result<Engine, Problem> {
        match self.open_with_system_clock().await {
            Err(problem) if problem.code == "clock_is_virtual" => {
                self.open_with_virtual_clock(None).await
            }
            opened => opened,
        }
    }

    async fn open(
        &self,
        clock: Arc<dyn Clock>,
        virtual_clock: Option<Arc<VirtualClock>>,
    ) -> Result<Engine, Problem> {
        let mut tenants = vec![crate::api_request::TENANT_DEFAULT.to_owned()];
        if self.tenant != crate::api_request::TENANT_DEFAULT {
            tenants.push(self.tenant.to_owned());
        }
        let secrets = Secrets::from_environment();
        let model = match self.model {
            Some(model) => Some(ModelConfig {
                model: Arc::new(model.client(&secrets)?),
                tokens_per_day: model.tokens_per_day,
                rewords: model.rewords,
            }),
            None => None,
        };
        let library = library::load(self.home)?;
        let intents = intents::load(&library, self.home)?;
        if matches!(self.drive_mode, DriveMode::Tasks(_)) && !intents.is_builtin() {
            // Training takes seconds, and nobody who texts shall wait for it.
            intents.classifier();
        }
        let operator = intents::load_operator(&library, self.home)?;
        if !operator.is_builtin() {
            domains::share_operator_intents(&library, operator);
        }
        ToolAdapters::load(library.adapters(), &library.contracts)?;
        let domain = domains::church(intents, &library, self.files.clone());
        let engine = Engine::open(EngineConfig {
            address: self.address.clone(),
            migrations: domains::migrations(),
            durability: Durability::Full,
            library,
            settings: self.settings.clone(),
            clock,
            database_clock: None,
            virtual_clock,
            ids: Arc::new(IdSource::seeded(crate::random::fresh_seed())),
            gateway: gateway(self.sms, &self.address)?,
            adapters: abide_adapters::all(&secrets),
            model,
            domain,
            verbs: domains::verbs(self.files.clone()),
            drive_mode: self.drive_mode,
            faults: Arc::new(NoFaults),
            tenants,
            stranded_runs: self.stranded_runs,
            preview: Some(domains::preview()),
        })
        .await?;
        let folder = database::archive_folder(self.archives, &self.address);
        engine.archive_into(ArchiveConfig {
            files: Arc::new(ArchiveFolder::new(&folder)),
            groups: domains::archived_groups(),
        });
        Ok(engine)
    }
}
