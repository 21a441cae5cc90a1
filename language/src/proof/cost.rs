//! What the messages cost: segments, as carriers bill them, of each template's longest example.

use serde::Serialize;

use super::amount::Bound;
use crate::base::limits;
use crate::template::Templates;

/// What all messages cost at most.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cost {
    /// Segments of all messages.
    pub segments: Bound,
    /// The price of one, if it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// Both multiplied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
}

impl Cost {
    pub(super) fn of(segments: Bound, price: Option<f64>) -> Self {
        let at_most = price.zip(segments.at_most).map(|(price, n)| rounded(price * n as f64));
        Self { segments, price, at_most }
    }
}

/// To a hundredth of the smallest coin: sums of prices such as 0.0079 have digits that mean nothing.
fn rounded(cost: f64) -> f64 {
    (cost * 10_000.0).round() / 10_000.0
}

/// Segments of the longest example of a template; of one that is not known, the most that carriers
/// take.
pub(super) fn segments(templates: &Templates, template: Option<&str>) -> u64 {
    let longest = template.and_then(|name| templates.get(name)).and_then(|template| {
        let examples = [true, false].map(|optional| template.example(optional));
        let rendered = examples.iter().filter_map(|example| template.render(example).ok());
        rendered.map(|rendered| rendered.segments().segments).max()
    });
    longest.unwrap_or(limits::MESSAGE_SEGMENTS_MAX) as u64
}
