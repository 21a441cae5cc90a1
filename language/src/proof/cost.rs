//! Computes the cost of the messages. Carriers bill segments, so each
//! message counts with the segments of the longest example of its template.

use serde::Serialize;

use super::amount::Bound;
use crate::base::limits;
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
