//! Reads the examples in `intents/`, from which classifiers are trained.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::classify::TrainingExample;

/// The contexts of a reply: what its sender last got from us.
pub const CONTEXTS: [&str; 4] = ["invite", "transfer_question", "reminder", "none"];
/// The key of the examples that read the same in every context.
const ANY: &str = "any";

/// The files of the intents of staff, in the sequence of their names.
pub const STAFF: [&str; 12] = [
    include_str!("../../intents/staff/approve.yaml"),
    include_str!("../../intents/staff/cancel_event.yaml"),
    include_str!("../../intents/staff/fill_role.yaml"),
    include_str!("../../intents/staff/increase_target.yaml"),
    include_str!("../../intents/staff/list.yaml"),
    include_str!("../../intents/staff/pause.yaml"),
    include_str!("../../intents/staff/rebalance.yaml"),
    include_str!("../../intents/staff/reduce_target.yaml"),
    include_str!("../../intents/staff/reject.yaml"),
    include_str!("../../intents/staff/resume.yaml"),
    include_str!("../../intents/staff/status.yaml"),
    include_str!("../../intents/staff/unrelated.yaml"),
];

/// A file of a label of replies.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LabelFile {
    label: String,
    #[serde(rename = "description")]
    _description: String,
    examples: BTreeMap<String, Vec<String>>,
}

/// A file of an intent of staff.
#[derive(Debug, Deserialize)]
struct IntentFile {
    intent: String,
    examples: Vec<String>,
}

/// Reads the examples of a label of replies. An example of any context stands for all of them.
///
/// # Errors
/// A sentence that says what is wrong with the file.
pub fn of_label(yaml: &str) -> Result<Vec<TrainingExample>, String> {
    let file: LabelFile = serde_yaml::from_str(yaml).map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for (context, texts) in &file.examples {
        let contexts: &[&str] = match CONTEXTS.iter().find(|known| *known == context) {
            Some(known) => std::slice::from_ref(known),
            None if context == ANY => &CONTEXTS,
            None => return Err(format!("there is no context `{context}`")),
        };
        for text in texts {
            all.extend(contexts.iter().map(|context| TrainingExample {
                text: text.clone(),
                context: (*context).to_owned(),
                label: file.label.clone(),
            }));
        }
    }
    Ok(all)
}

/// Reads the examples of an intent of staff.
///
/// # Errors
/// A sentence that says what is wrong with the file.
pub fn of_intent(yaml: &str) -> Result<Vec<TrainingExample>, String> {
    let file: IntentFile = serde_yaml::from_str(yaml).map_err(|error| error.to_string())?;
    let example =
        |text: String| TrainingExample { text, context: String::new(), label: file.intent.clone() };
    Ok(file.examples.into_iter().map(example).collect())
}
