//! Computes the cost of the messages. Carriers bill segments, so each
//! message counts with the segments of the longest example of its template.

use serde::Serialize;

use super::amount::Bound;
use crate::base::{Value, limits};
use crate::contract::Contract;
use crate::template::Templates;

/// An upper bound of the cost of all messages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cost {
    /// Number of segments of all messages.
    pub segments: Bound,
    /// Price of one segment, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// Number of segments times price; `None` if either of them is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
}

impl Cost {
    pub(super) fn of(segments: Bound, price: Option<f64>) -> Self {
        let at_most = price.zip(segments.at_most).map(|(price, n)| rounded(price * n as f64));
        Self { segments, price, at_most }
    }
}

/// Returns what a call costs at most, in the currency of the tenant: what its contract says, and the price
/// of the messages that it sends. A message counts with the segments of the longest example of its template.
#[must_use]
pub fn of_call(
    contract: &Contract,
    templates: &Templates,
    args: &Value,
    segment_price: Option<f64>,
) -> f64 {
    let own = contract.cost.unwrap_or(0.0);
    let (Some(sends), Some(price)) = (&contract.sends, segment_price) else { return own };
    let recipients = match &args[&sends.to] {
        Value::Array(people) => people.len(),
        Value::Null => 0,
        _ => 1,
    };
    let named = sends.template.as_ref().and_then(|name| args[name].as_str());
    let each = segments(templates, named.or(sends.default_template.as_deref()));
    rounded(own + price * recipients as f64 * each as f64)
}

/// Rounds to a hundredth of a cent. Products of prices such as 0.0079 have more digits than are meaningful.
fn rounded(cost: f64) -> f64 {
    (cost * 10_000.0).round() / 10_000.0
}

/// Returns the number of segments of the longest example of a template.
/// For an unknown template, returns the maximum that a carrier accepts.
pub(super) fn segments(templates: &Templates, template: Option<&str>) -> u64 {
    let longest = template.and_then(|name| templates.get(name)).and_then(|template| {
        let examples = [true, false].map(|optional| template.example(optional));
        let rendered = examples.iter().filter_map(|example| template.render(example).ok());
        rendered.map(|rendered| rendered.segments().segments).max()
    });
    longest.unwrap_or(limits::MESSAGE_SEGMENTS_MAX) as u64
}
