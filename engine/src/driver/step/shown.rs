//! Says what a call would do and cost, for a person who is to approve it.

use serde_json::json;

use super::context::Step;
use crate::base::{Value, text};
use crate::contract::Contract;
use crate::proof;

/// Maximum length of the arguments in a request for an approval. A person reads them on a phone.
const SHOWN_MAX: usize = 200;
/// Returns one of several calls as a person is shown it.
pub(super) fn shown(step_id: &str, contract: &Contract, args: &Value) -> Value {
    json!({ "step_id": step_id, "tool": contract.name, "input": args })
}

/// Returns what a call costs at most, in the currency of the tenant.
pub(super) fn cost_of(step: &Step<'_>, contract: &Contract, args: &Value) -> f64 {
    let (templates, price) = (&step.live.bundle.templates, step.live.settings.segment_price);
    proof::cost_of_call(contract, templates, args, price)
}

/// Says in a few words what a call would do.
pub(super) fn what(contract: &Contract, args: &Value) -> String {
    format!("call {} ({})", contract.name, named(args))
}

/// Formats arguments as `amount 521.13, method card`.
fn named(args: &Value) -> String {
    let members = args.as_object().into_iter().flatten();
    let shown: Vec<String> = members
        .map(|(name, value)| match value.as_str() {
            Some(text) => format!("{name} {text}"),
            None => format!("{name} {value}"),
        })
        .collect();
    text::shortened(&shown.join(", "), SHOWN_MAX)
}
