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
use std::time::Duration;

use abide_engine::clock::Clock;
use abide_engine::driver::DriveMode;
use abide_engine::facade::EngineConfig;
use abide_engine::library::{Library, Sources};
use abide_engine::policy::Settings;
use serde_json::json;

use crate::engines;

/// Maximum time to wait until a condition holds. On an idle machine, it holds after a few leases of one
/// second. The remaining time is slack for a busy machine.
const WITHIN: Duration = Duration::from_secs(60);

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
        ..engines::config(url, Library::compile(sources), clock, seed)
    }
}

/// Polls until the function `is_so` returns true. If that takes too long, panics with a message that
/// contains `what`, the description of the awaited condition.
async fn wait_until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let polling = async {
        let mut polls = tokio::time::interval(Duration::from_millis(20));
        while !is_so().await {
            polls.tick().await;
        }
    };
    assert!(tokio::time::timeout(WITHIN, polling).await.is_ok(), "never: {what}");
}
