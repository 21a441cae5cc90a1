//! The constructs of the method language, run on both databases, with crashes between the steps.

mod awaits;
mod blocks;
mod branches;
mod children;
mod undo;

use abide_engine::base::{RunId, Value};
use abide_engine::store::RunRef;
use serde_json::json;

use crate::campaign::church::Church;
use crate::campaign::probe::probed;

/// Builds a setup with the test verbs and this method, which is named `m`.
fn method(text: &str) -> crate::campaign::church::Setup {
    probed(&[("m", text)])
}

/// Starts the method `m`.
async fn start(church: &Church) -> RunId {
    church.start("m", json!({ "kind": "Test" })).await.expect("started").id
}

/// Returns the outcome of a run. If the run has no outcome, returns its status and the code of its error.
async fn end(church: &Church, run: RunId) -> String {
    let view = church.run(run).await;
    match view.outcome {
        Some(outcome) => outcome.as_str().to_owned(),
        None => match view.error {
            Some(error) => format!("{} {}", view.status.as_str(), error.code),
            None => view.status.as_str().to_owned(),
        },
    }
}

/// Sends a signal to a run.
async fn signal(church: &Church, run: RunId, name: &str, data: Value) {
    church
        .engine()
        .signal(RunRef { tenant: "default", run }, name, &data, None)
        .await
        .expect("sent");
}
