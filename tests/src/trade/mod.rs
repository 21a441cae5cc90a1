//! The tools of the trade, called from outside as staff and programs call them.

mod calendar;
mod demo;
mod domains;
mod generated;
mod inspections;
mod invoices;
mod leads;
mod media;
mod notes;
mod payments;
mod quotes;
mod records;
mod reports;
mod sending;
mod texts;

use std::time::Duration;

use abide_engine::base::Value;
use abide_engine::driver::DriveMode;
use abide_engine::facade::ToolCall;

use serde_json::json;

use crate::campaign::church::{Church, Setup};
use crate::campaign::race;
use crate::engines::Serving;
use crate::tools::{call_of, receipt};

/// Maximum number of times that a test looks for the receipt of a call: 30 seconds in all.
const CHECKS_MAX: usize = 600;
/// Time to wait for a receipt before a test looks for it again.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Builds the setup of a business in Australia. The clock of the tests begins there on 1 October 2025.
pub(crate) fn australia() -> Setup {
    Setup::settings(json!({ "region": "AU", "time_zone": "Australia/Brisbane" }))
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

/// A call that a tool refuses.
pub(crate) struct Refusal {
    tool: &'static str,
    input: Value,
    code: &'static str,
    words: String,
}

/// Describes a call that a tool refuses with this code and with these words in its message.
pub(crate) fn refusal(
    tool: &'static str,
    input: Value,
    code: &'static str,
    words: impl Into<String>,
) -> Refusal {
    Refusal { tool, input, code, words: words.into() }
}

/// Makes the calls, and checks that each fails as described, with a hint.
pub(crate) async fn all_refused<const N: usize>(church: &Church, refusals: [Refusal; N]) {
    for Refusal { tool, input, code, words } in refusals {
        let receipt = call(church, tool, input).await;
        let error = &receipt["error"];
        let refused = (&receipt["status"], &error["code"]);
        assert_eq!(refused, (&json!("failed"), &json!(code)), "{receipt:#}");
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.contains(&words), "{tool}: `{message}` lacks `{words}`");
        assert!(error["hint"].is_string(), "{tool}: {error:#}");
    }
}

/// Makes calls at the same time, on two engines if the database is a server, and returns their receipts.
pub(crate) async fn at_once(church: &mut Church, calls: Vec<(&'static str, Value)>) -> Vec<Value> {
    church.reopen_with(|setup| setup.drive_mode = DriveMode::Tasks(8)).await;
    let engines = race::engines(church).await;
    let serving = Serving::begin(&engines);
    let mut tasks = Vec::new();
    for (nth, (tool, input)) in calls.into_iter().enumerate() {
        let engine = engines[nth % engines.len()].clone();
        tasks.push(tokio::spawn(async move {
            let call = ToolCall { consented: true, ..call_of(tool, input) };
            let id = engine.call_tool("default", call).await.expect("the call is made");
            // The other engine may finish the call, so look for the receipt again and again.
            for _ in 0..CHECKS_MAX {
                let call = engine.wait_for_call("default", id, CHECK_INTERVAL).await;
                if let Some(receipt) = call.expect("known").receipt {
                    return receipt;
                }
            }
            panic!("the call is not finished");
        }));
    }
    let mut receipts = Vec::new();
    for task in tasks {
        receipts.push(task.await.expect("no panic"));
    }
    serving.stop().await;
    drop(engines);
    church.reopen_with(|setup| setup.drive_mode = DriveMode::InLine).await;
    receipts
}

/// Returns the sums of a quote or an invoice.
pub(crate) fn sums(document: &Value) -> [&str; 3] {
    ["subtotal", "tax", "total"].map(|name| document[name].as_str().unwrap_or_default())
}

/// Returns the positions and the descriptions of lines.
pub(crate) fn listed(lines: &Value) -> Vec<String> {
    let lines = lines.as_array().expect("lines").iter();
    lines
        .map(|line| format!("{} {}", line["position"], line["description"].as_str().unwrap_or("?")))
        .collect()
}
