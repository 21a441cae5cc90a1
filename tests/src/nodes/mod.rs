//! Several processes on one database. They communicate only through its tables.

mod asleep;
mod clock;
mod crossing;
mod halves;
mod late;
mod leaving;
mod poison;
mod several;

use std::sync::Arc;

use abide_engine::clock::Clock;
use abide_engine::driver::DriveMode;
use abide_engine::facade::EngineConfig;
use abide_engine::library::Sources;
use abide_engine::policy::Settings;
use serde_json::json;

use crate::engines;

/// Builds the configuration of an engine with short leases and these methods.
/// Each engine is a node of its own.
fn config(url: &str, clock: Arc<dyn Clock>, seed: u64, methods: &[(&str, &str)]) -> EngineConfig {
    let mut sources = Sources::builtin();
    for (name, text) in methods {
        sources.methods.insert(format!("{name}.yaml"), (*text).to_owned());
    }
    let settings = json!({"node_lease": "1s", "poll_interval": "1s"});
    EngineConfig {
        settings: Settings::default().overridden(&settings).expect("settings"),
        drive_mode: DriveMode::Tasks(4),
        ..engines::config(url, engines::library(&sources), clock, seed)
    }
}
