//! The engine that the benchmark measures. It has its own database and runs as in a real process.

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
use super::verbs::{CELL, VerbTimes, adapters, verbs};
use crate::open::WORKERS;

/// The tenant whose runs are measured.
pub(super) const TENANT: &str = "bench";

/// An engine that works on runs until it is closed.
pub(super) struct BenchEngine {
    pub(super) engine: Engine,
    pub(super) times: Arc<VerbTimes>,
    stop: watch::Sender<bool>,
    serving: JoinHandle<()>,
}

impl BenchEngine {
    /// Opens the engine and starts its driver.
    pub(super) async fn open(address: &Address) -> Result<Self, Problem> {
        let times = Arc::new(VerbTimes::default());
        let engine = Engine::open(EngineConfig {
            address: address.clone(),
            migrations: abide_simulator::domains::migrations(),
            durability: Durability::Full,
            library: content::library()?,
            settings: Settings::default(),
            clock: Arc::new(SystemClock),
            database_clock: None,
            virtual_clock: None,
            ids: Arc::new(IdSource::seeded(crate::random::fresh_seed())),
            gateway: Arc::new(Loopback::in_memory()),
            adapters: adapters(&times),
            model: None,
            domain: Arc::new(NoDomain),
            verbs: verbs(&times),
            drive_mode: DriveMode::Tasks(WORKERS),
            faults: Arc::new(NoFaults),
            tenants: vec![TENANT.to_owned()],
            stranded_runs: StrandedRuns::Ignore,
            preview: None,
        })
        .await?;
        let (stop, shutdown) = watch::channel(false);
        let served = engine.clone();
        let serving = tokio::spawn(async move { served.serve(shutdown).await });
        Ok(Self { engine, times, stop, serving })
    }

    /// Closes the engine: stops the driver after its current work is done, and releases the database.
    pub(super) async fn close(self) {
        self.stop.send_replace(true);
        let _ = self.serving.await;
    }

    /// Starts a run of `method` with `goal`.
    pub(super) async fn start(&self, method: &str, goal: Value) -> Result<RunId, Problem> {
        start(&self.engine, method, goal).await
    }

    /// Closes a gate. A run that reaches the gate afterwards waits until the gate is opened.
    pub(super) async fn close_gate(&self, gate: RequestId) -> Result<(), Problem> {
        self.add_to_tally(gate, Tally { open: 1, ..Tally::default() }).await
    }

    /// Opens a gate: one commit wakes all runs that wait for the gate.
    pub(super) async fn open_gate(&self, gate: RequestId) -> Result<(), Problem> {
        self.add_to_tally(gate, Tally { yes: 1, ..Tally::default() }).await
    }

    async fn add_to_tally(&self, gate: RequestId, by: Tally) -> Result<(), Problem> {
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

/// Returns the goal of a run that waits until the gate is opened, or until the timeout has passed.
pub(super) fn gate_goal(gate: RequestId, timeout: &str) -> Value {
    json!({ "gate": gate, "timeout": timeout })
}
