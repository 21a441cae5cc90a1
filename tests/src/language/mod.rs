//! What methods can say, run on both databases, with the process killed on the way.

mod awaits;
mod blocks;
mod branches;
mod children;
mod undo;

use abide_engine::base::{RunId, Value};
use serde_json::json;

use crate::campaign::church::Church;
use crate::campaign::probe::probed;

/// A church that knows this method, and the probes.
fn method(text: &str) -> crate::campaign::church::Setup {
    probed(&[("m", text)])
}

/// Starts the method `m`.
async fn start(church: &Church) -> RunId {
    church.start("m", json!({ "kind": "Test" })).await.expect("started").id
}

/// A variable of a run as it stands.
async fn var(church: &Church, run: RunId, name: &str) -> Value {
    let vars = church.run(run).await.vars.expect("variables");
    vars.get(name).cloned().unwrap_or(Value::Null)
}

/// The run's status and, once it is completed, its outcome.
async fn end(church: &Church, run: RunId) -> String {
    let view = church.run(run).await;
    match view.outcome {
        Some(outcome) => outcome,
        None => match view.error {
            Some(error) => format!("{} {}", view.status, error["code"].as_str().unwrap_or("")),
            None => view.status,
        },
    }
}

/// Sends a run a message from outside.
async fn signal(church: &Church, run: RunId, name: &str, data: Value) {
    church.engine().signal(("default", run), name, &data, None).await.expect("sent");
}
