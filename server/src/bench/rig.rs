//! The measured engine: on a database of its own, running as in a real process.

use std::sync::Arc;

use abide_engine::base::id::IdSource;
use abide_engine::base::{Problem, RequestId, RunId, Value};
use abide_engine::clock::SystemClock;
use abide_engine::domain::StartRun;
use abide_engine::driver::DriveMode;
use abide_engine::facade::{Engine, EngineConfig, StrandedRuns};
use abide_engine::gateway::Loopback;
use abide_engine::policy::Settings;
use abide_engine::store::{Address, Durability, NoFaults, Tally};
use abide_engine::transaction;
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::content;
use super::domain::NoDomain;
use super::verbs::{CELL, Seen, verbs};

/// The tenant whose runs are measured.
pub(super) const TENANT: &str = "bench";
/// Maximum number of runs worked on at a time: more than the maximum number of callers.
const WORKERS: usize = 256;

/// An engine that works on runs until it is closed.
pub(super) struct Rig {
    pub(super) engine: Engine,
    pub(super) seen: Arc<Seen>,
    stop: watch::Sender<bool>,
    serving: JoinHandle<()>,
}

impl Rig {
    /// Opens the engine and starts its driver.
    pub(super) async fn open(address: &Address) -> Result<Self, Problem> {
        let seen = Arc::new(Seen::default());
        let engine = Engine::open(EngineConfig {
            address: address.clone(),
            migrations: abide_verbs::migrations(),
            durability: Durability::Full,
            library: content::library()?,
            settings: Settings::default(),
            clock: Arc::new(SystemClock),
            database_clock: None,
            virtual_clock: None,
            ids: Arc::new(IdSource::seeded(crate::fresh_seed())),
            gateway: Arc::new(Loopback::in_memory()),
            domain: Arc::new(NoDomain),
            verbs: verbs(&seen),
            drive_mode: DriveMode::Tasks(WORKERS),
            faults: Arc::new(NoFaults),
            tenants: vec![TENANT.to_owned()],
            stranded_runs: StrandedRuns::Ignore,
        })
        .await?;
        let (stop, shutdown) = watch::channel(false);
        let served = engine.clone();
        let serving = tokio::spawn(async move { served.serve(shutdown).await });
        Ok(Self { engine, seen, stop, serving })
    }

    /// Stops the driver once its current work is done, and releases the database.
    pub(super) async fn close(self) {
        self.stop.send_replace(true);
        let _ = self.serving.await;
    }

    /// Starts a run of `method` with `goal`.
    pub(super) async fn start(&self, method: &str, goal: Value) -> Result<RunId, Problem> {
        start(&self.engine, method, goal).await
    }

    /// Shuts a gate: runs that reach it from now on wait.
    pub(super) async fn shut(&self, gate: RequestId) -> Result<(), Problem> {
        self.turn(gate, Tally { open: 1, ..Tally::default() }).await
    }

    /// Opens a gate: one commit wakes all runs that wait at it.
    pub(super) async fn unlock(&self, gate: RequestId) -> Result<(), Problem> {
        self.turn(gate, Tally { yes: 1, ..Tally::default() }).await
    }

    async fn turn(&self, gate: RequestId, by: Tally) -> Result<(), Problem> {
        let task = transaction!(|tx| {
            tx.lock_request(TENANT, gate).await?;
            Ok(tx.tally(gate, CELL, by).await?)
        });
        self.engine.write(task).await
    }
}

/// Starts a run of `method` with `goal` on `engine`.
pub(super) async fn start(engine: &Engine, method: &str, goal: Value) -> Result<RunId, Problem> {
    let wanted = StartRun { method: method.to_owned(), goal, ..StartRun::default() };
    Ok(engine.start(TENANT, wanted).await?.run)
}

/// Returns the goal of a run that waits at `gate`.
pub(super) fn at_gate(gate: RequestId, timeout: &str) -> Value {
    json!({ "gate": gate, "timeout": timeout })
}
