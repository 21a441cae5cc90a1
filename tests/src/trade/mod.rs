//! The tools of the trade, called from outside as staff and programs call them.

mod calendar;
mod generated;
mod inspections;
mod leads;
mod notes;
mod records;
mod reports;

use abide_engine::base::Value;
use abide_engine::facade::ToolCall;

use serde_json::json;

use crate::campaign::church::{Church, Setup};
use crate::tools::{call_of, receipt};

/// Builds the setup of a business in Australia.
pub(crate) fn australia() -> Setup {
    Setup::settings(json!({ "region": "AU" }))
}

/// Makes a call with the consent of the caller and returns its receipt.
pub(crate) async fn call(church: &Church, tool: &str, input: Value) -> Value {
    receipt(church, ToolCall { consented: true, ..call_of(tool, input) }).await
}

/// Makes a call that succeeds, and returns its result.
pub(crate) async fn done(church: &Church, tool: &str, input: Value) -> Value {
    let receipt = call(church, tool, input).await;
    assert_eq!(receipt["status"], "succeeded", "{receipt:#}");
    receipt["result"].clone()
}

/// Makes a call that fails, and returns the code and the message of its error.
pub(crate) async fn failed(church: &Church, tool: &str, input: Value) -> (String, String) {
    let receipt = call(church, tool, input).await;
    assert_eq!(receipt["status"], "failed", "{receipt:#}");
    let text = |member: &str| receipt["error"][member].as_str().unwrap_or_default().to_owned();
    (text("code"), text("message"))
}
