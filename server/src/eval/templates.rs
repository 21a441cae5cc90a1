//! `{template, data?, partials?, escape?}` → `{text}` or `{error}`: Handlebars templates.

use std::collections::BTreeMap;

use abide_engine::base::Value;
use abide_engine::template::{Escape, eval_template};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
pub(super) struct Input {
    template: String,
    #[serde(default)]
    data: Value,
    #[serde(default)]
    partials: Option<BTreeMap<String, String>>,
    #[serde(default)]
    escape: Option<Escape>,
}

#[derive(Serialize)]
pub(super) struct Output {
    text: String,
}

pub(super) fn eval(input: Input) -> Result<Output, String> {
    let partials = input.partials.unwrap_or_default();
    let escape = input.escape.unwrap_or_default();
    eval_template(&input.template, &input.data, &partials, escape).map(|text| Output { text })
}
