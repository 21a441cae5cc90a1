//! Opening the engine on the database that is meant, by the clock that it goes by.

use std::sync::Arc;

use abide_engine::base::id::IdSource;
use abide_engine::base::{Problem, Timestamp};
use abide_engine::clock::{Clock, SystemClock, VirtualClock};
use abide_engine::driver::Pace;
use abide_engine::facade::{Engine, EngineConfig, Misfits};
use abide_engine::policy::Settings;
use abide_engine::store::{Address, Durability, NoFaults};

use crate::{database, library};

/// What an engine is opened for.
pub(crate) struct Opening<'a> {
    /// Which database.
    pub(crate) address: Address,
    /// The folder whose content extends the built-in one.
    pub(crate) home: Option<&'a std::path::Path>,
    /// The process's settings.
    pub(crate) settings: &'a Settings,
    /// How due runs are worked on.
    pub(crate) pace: Pace,
    /// A tenant that is made if it is missing, beside the default one.
    pub(crate) tenant: &'a str,
    /// What becomes of live runs that this program cannot carry on.
    pub(crate) misfits: Misfits,
}

impl Opening<'_> {
    /// Opens by the machine's clock.
    ///
    /// # Errors
    /// `clock_is_virtual` where the database goes by a clock of its own, and those of the engine.
    pub(crate) async fn real(&self) -> Result<Engine, Problem> {
        let engine = self.open(Arc::new(SystemClock), None).await?;
        match engine.kept_virtual_now().await? {
            None => Ok(engine),
            Some(now) => {
                let message = format!("this database goes by a virtual clock, which shows {now}");
                Err(Problem::caller("clock_is_virtual", message)
                    .with_hint("start it with `--clock virtual`, or name another database"))
            }
        }
    }

    /// Opens by a clock that stands still: where it stood last, else at `first`, else now.
    pub(crate) async fn virtual_from(&self, first: Option<Timestamp>) -> Result<Engine, Problem> {
        let first = first.unwrap_or_else(|| SystemClock.now());
        let clock = Arc::new(VirtualClock::starting_at(first));
        let engine = self.open(clock.clone(), Some(clock.clone())).await?;
        match engine.kept_virtual_now().await? {
            Some(kept) => clock.set(kept),
            None => engine.keep_virtual_now().await?,
        }
        Ok(engine)
    }

    /// Opens by whatever clock the database goes by.
    pub(crate) async fn as_it_goes(&self) -> Result<Engine, Problem> {
        match self.real().await {
            Err(problem) if problem.code == "clock_is_virtual" => self.virtual_from(None).await,
            opened => opened,
        }
    }

    async fn open(
        &self,
        clock: Arc<dyn Clock>,
        virtual_clock: Option<Arc<VirtualClock>>,
    ) -> Result<Engine, Problem> {
        let mut tenants = vec![crate::http::TENANT_DEFAULT.to_owned()];
        if self.tenant != crate::http::TENANT_DEFAULT {
            tenants.push(self.tenant.to_owned());
        }
        Engine::open(EngineConfig {
            address: self.address.clone(),
            migrations: abide_verbs::migrations(),
            durability: Durability::Full,
            library: library::load(self.home)?,
            settings: self.settings.clone(),
            clock,
            database_clock: None,
            virtual_clock,
            ids: Arc::new(IdSource::seeded(crate::fresh_seed())),
            gateway: Arc::new(database::loopback(&self.address)),
            domain: Arc::new(abide_verbs::ChurchDomain::default()),
            verbs: abide_verbs::verb::all(),
            pace: self.pace,
            faults: Arc::new(NoFaults),
            tenants,
            misfits: self.misfits,
        })
        .await
    }
}
