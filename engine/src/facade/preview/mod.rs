//! Plays shadow runs in copies of the database, each with an engine of its own.
//!
//! ```text
//!  shadow run ─▶ rehearse its start ─▶ copy what the new run depends on ─▶ roll back
//!             ─▶ play the copy: virtual time, silent people, approvals given, outside systems pretended
//!             ─▶ collect messages, receipts and approvals ─▶ the driver records them with the run's end
//! ```
//! Nothing but the last part changes the database of the shadow run. A crash before that repeats everything.

mod collect;
mod outside;
mod play;
mod sample;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;

use super::engine::Engine;
use super::open::{EngineConfig, StrandedRuns};
use crate::base::{IdSource, Problem, RunId, TypedId as _};
use crate::clock::VirtualClock;
use crate::driver::{self, Core, DriveMode, Preview, Previewer};
use crate::gateway::Loopback;
use crate::store::{
    Address, CopiedTable, Durability, Migration, NoFaults, RunCopy, RunRef, RunRow, Store,
};
use crate::transaction;
use crate::verb::Verbs;

/// What a process needs to play shadow runs.
#[derive(Clone)]
pub struct PreviewConfig {
    /// Builds the verbs of a copy. They must have no effect outside its database: they must not store files
    /// where the verbs of real runs do.
    pub verbs: fn() -> Verbs,
    /// The tables of the domains that are copied.
    pub copied: &'static [CopiedTable],
    /// Where the copy is played.
    pub play_on: PreviewThread,
}

/// Where the copy of a shadow run is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreviewThread {
    /// In the task of the shadow run: meanwhile, the process goes on with its other work.
    Task,
    /// On a thread of its own, while the thread of the shadow run waits: meanwhile, nothing else happens. So a
    /// simulation decides by itself in which order things happen, however long the copy takes.
    Own,
}

/// Plays shadow runs in copies of the database.
pub(super) struct CopyPlayer {
    pub(super) config: PreviewConfig,
    pub(super) migrations: Vec<Migration>,
}

/// The copy of a database in which a shadow run has just started for real.
struct Rehearsed {
    /// The shadow run.
    shadow: RunRow,
    /// The run in the copy.
    run: RunId,
    copy: RunCopy,
}

#[async_trait]
impl Previewer for CopyPlayer {
    async fn preview(&self, core: &Arc<Core>, run: RunId) -> Result<Preview, Problem> {
        let rehearsed = self.rehearse(core, run).await?;
        let played = match self.config.play_on {
            PreviewThread::Task => self.play(core, rehearsed).await?,
            PreviewThread::Own => self.play_apart(core, rehearsed)?,
        };
        Ok(collect::with_own_ids(played, &core.ids, core.now()))
    }
}

impl CopyPlayer {
    /// Plays the copy of a run that has started, and collects what the run has done.
    async fn play(&self, core: &Core, rehearsed: Rehearsed) -> Result<Preview, Problem> {
        let Rehearsed { shadow, run, copy } = rehearsed;
        // The folder is deleted when this function returns.
        let folder = tempfile::tempdir().map_err(|error| no_folder(&error))?;
        let engine = self.open(core, shadow.id, folder.path(), copy).await?;
        let approvals = play::to_end(&engine, &shadow.tenant, run).await?;
        collect::collect(&engine, &shadow, run, approvals).await
    }

    /// Does the same on a thread of its own, and blocks until it has ended.
    fn play_apart(&self, core: &Core, rehearsed: Rehearsed) -> Result<Preview, Problem> {
        let play = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| Problem::bug(error.to_string()))?;
            runtime.block_on(self.play(core, rehearsed))
        };
        std::thread::scope(|scope| scope.spawn(play).join())
            .unwrap_or_else(|_| Err(Problem::bug("the player of a shadow run panicked")))
    }

    /// Starts the run for real, copies it with everything that it depends on, and rolls the start back.
    async fn rehearse(&self, core: &Arc<Core>, run: RunId) -> Result<Rehearsed, Problem> {
        let copied = self.config.copied;
        let task = transaction!([core = Arc::clone(core)], |tx| {
            let missing = || Problem::bug("a run is gone");
            let shadow = tx.run(run).await?.ok_or_else(missing)?;
            let beside = shadow.parsed_state()?.shadow.and_then(|shadow| shadow.beside);
            let run = driver::rehearse(&core, tx, &shadow).await?;
            let started = RunRef { tenant: &shadow.tenant, run };
            let copy = tx.copy_run(started, copied).await?.ok_or_else(missing)?;
            tx.roll_back();
            let copy = match beside {
                Some(real) => copy.without(real),
                None => copy,
            };
            Ok(Rehearsed { shadow, run, copy })
        });
        core.store.write(task).await
    }

    /// Writes the copy into a new file, and opens an engine on it. The engine has the library, the settings and
    /// the domain of `core`, but a clock and a gateway of its own.
    async fn open(
        &self,
        core: &Core,
        shadow: RunId,
        folder: &Path,
        copy: RunCopy,
    ) -> Result<Engine, Problem> {
        let clock = Arc::new(VirtualClock::starting_at(core.now()));
        let library = core.library();
        // The ids of a source never go back. Those of the copy are of later times.
        let ids = Arc::new(IdSource::seeded(shadow.uuid().as_u64_pair().1));
        let config = EngineConfig {
            address: Address::Sqlite(folder.join("copy.db")),
            migrations: self.migrations.clone(),
            durability: Durability::SimulatorOnly,
            library: (*library).clone(),
            settings: core.own_settings().clone(),
            clock: Arc::clone(&clock) as _,
            database_clock: None,
            virtual_clock: Some(clock),
            ids: Arc::clone(&ids),
            gateway: Arc::new(Loopback::in_memory()),
            adapters: outside::pretended(&core.adapters, &library),
            model: None, // nobody answers in a copy
            domain: Arc::clone(&core.domain),
            verbs: (self.config.verbs)(),
            drive_mode: DriveMode::InLine,
            faults: Arc::new(NoFaults),
            tenants: Vec::new(),
            stranded_runs: StrandedRuns::Ignore,
            preview: None,
        };
        let options = config.store_options(ids);
        Store::migrate(&options).await?;
        let (store, copy) = (Store::open(options, Arc::new(|_| {})).await?, Arc::new(copy));
        let put = transaction!([copy], |tx| Ok(tx.put_copy(&copy).await?));
        store.write(put).await?;
        drop(store);
        Engine::open(config).await
    }
}

fn no_folder(error: &std::io::Error) -> Problem {
    Problem::operator("simulator_unavailable", "a temporary database cannot be created")
        .with_detail(error.to_string())
        .with_hint("free space in the temporary folder, or name another in `TMPDIR`")
}
