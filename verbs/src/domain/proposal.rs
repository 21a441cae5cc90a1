//! What a language model is asked about a message, and what its proposal may change. A model decides nothing: it may
//! name a label, or words of the text that our own reader then reads. It never decides about an opt-out, about
//! danger or about an approval, and a yes that our own reader takes for a no is asked back.

use abide_agent::reply::{self, ReplyLabel, ReplyPrompt};
use abide_agent::staff::StaffIntent;
use abide_engine::base::Value;
use abide_engine::model::ModelRequest;
use serde::Deserialize;
use serde_json::json;

use super::decide::prompt;
use super::meaning::{Meaning, MessageText, wish_in};
use super::view::View;
use super::wish::StaffWish;

/// The confidence with which a reading of our own is not doubted. Of the development set, hardly any reading
/// above it is wrong, and about one in five is below it.
const SURE: f32 = 0.9;
/// The least confidence with which a proposal counts.
const PROPOSAL_MIN: f64 = 0.6;
/// Maximum length of the texts that a model is shown, in characters. Nobody says more in one message about one thing.
const TEXT_MAX: usize = 1_000;

/// The labels that a model may propose.
const LABELS: [ReplyLabel; 8] = [
    ReplyLabel::Accept,
    ReplyLabel::Decline,
    ReplyLabel::Conditional,
    ReplyLabel::Tentative,
    ReplyLabel::Question,
    ReplyLabel::CancelLater,
    ReplyLabel::Help,
    ReplyLabel::Unrelated,
];

/// The intents that a model may propose, each with the words in which our own reader understands it. `{}` stand
/// for the count, the role and the time.
const INTENTS: [(StaffIntent, &str); 7] = [
    (StaffIntent::FillRole, "we need {count} {role} {time}"),
    (StaffIntent::IncreaseTarget, "we need {count} more {role} {time}"),
    (StaffIntent::ReduceTarget, "lower {role} to {count} {time}"),
    (StaffIntent::CancelEvent, "cancel {role} {time}"),
    (StaffIntent::Status, "how is {role} {time} going"),
    (StaffIntent::List, "who is on {role} {time}"),
    (StaffIntent::Unrelated, ""),
];

/// A proposal for a reply.
#[derive(Debug, Deserialize)]
struct ReplyProposal {
    label: ReplyLabel,
    confidence: f64,
}

/// A proposal for a request of staff. The slots are words of the text.
#[derive(Debug, Deserialize)]
struct StaffProposal {
    intent: StaffIntent,
    #[serde(default)]
    count: String,
    #[serde(default)]
    role: String,
    #[serde(default)]
    time: String,
    confidence: f64,
}

/// What is in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    Reply,
    Staff,
}

/// Returns what a model is to be asked; `None` if nothing is in doubt, or if nobody waits for the answer.
pub(super) fn request(text: &MessageText<'_>, view: &View, own: &Meaning) -> Option<ModelRequest> {
    let shown: String = text.body.chars().take(TEXT_MAX).collect();
    Some(match doubt(view, own)? {
        Doubt::Reply => ModelRequest {
            task: "reply",
            instructions: include_str!("../../../prompts/reply.md"),
            input: json!({ "text": shown, "asked": prompt(view).as_str() }),
            schema: json!({
                "type": "object",
                "required": ["label", "confidence"],
                "additionalProperties": false,
                "properties": {
                    "label": { "enum": LABELS.map(ReplyLabel::as_str) },
                    "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
                },
            }),
        },
        Doubt::Staff => ModelRequest {
            task: "staff",
            instructions: include_str!("../../../prompts/staff.md"),
            input: json!({ "text": shown, "roles": view.roles, "services": services(view) }),
            schema: json!({
                "type": "object",
                "required": ["intent", "confidence"],
                "additionalProperties": false,
                "properties": {
                    "intent": { "enum": INTENTS.map(|(intent, _)| intent.as_str()) },
                    "count": { "type": "string", "maxLength": 40 },
                    "role": { "type": "string", "maxLength": 60 },
                    "time": { "type": "string", "maxLength": 80 },
                    "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
                },
            }),
        },
    })
}

fn services(view: &View) -> Vec<&str> {
    view.services.iter().map(|service| &*service.name).collect()
}

/// Returns what is in doubt. A member of staff who was asked something may have answered, or want something.
fn doubt(view: &View, own: &Meaning) -> Option<Doubt> {
    let decided = own.is_grave || own.ruling.is_some() || own.label == Some(ReplyLabel::OptOut);
    if decided || !own.parts.is_empty() {
        return None;
    }
    let wants = own.staff.as_ref().is_some_and(StaffWish::is_understood);
    let is_asked = prompt(view) != ReplyPrompt::None;
    match own.staff {
        Some(_) if wants && own.staff_confidence >= SURE => None,
        Some(_) if !is_asked || wants || own.label.is_none() => Some(Doubt::Staff),
        _ if is_asked && own.confidence < SURE => Some(Doubt::Reply),
        _ => None,
    }
}

/// Returns the meaning of a message, given what a model proposes.
pub(super) fn merged(
    text: &MessageText<'_>,
    view: &View,
    own: Meaning,
    proposal: &Value,
) -> Meaning {
    match doubt(view, &own) {
        Some(Doubt::Reply) => with_label(text, view, own, proposal),
        Some(Doubt::Staff) => with_wish(text, view, own, proposal),
        None => own,
    }
}

fn with_label(text: &MessageText<'_>, view: &View, own: Meaning, proposal: &Value) -> Meaning {
    let Ok(ReplyProposal { label, confidence }) = ReplyProposal::deserialize(proposal) else {
        return own;
    };
    if confidence < PROPOSAL_MIN.max(text.settings.confidence_min) || !LABELS.contains(&label) {
        return own;
    }
    // What our own reader found most probable, whether it was sure or not.
    let first = reply::read(text.body, prompt(view)).label;
    let (yes, no) = ([ReplyLabel::Accept], [ReplyLabel::Decline, ReplyLabel::CancelLater]);
    let reversed = (yes.contains(&label) && no.contains(&first))
        || (no.contains(&label) && yes.contains(&first));
    // A label of ours that decides nothing is more careful than a proposal that decides.
    let decides = |label: ReplyLabel| yes.contains(&label) || no.contains(&label);
    let careful = own.label.is_some_and(|own| !decides(own)) && decides(label);
    match (reversed, careful, label) {
        (true, ..) => Meaning { label: None, ..own },
        (_, true, _) | (.., ReplyLabel::Unrelated) => own,
        _ => Meaning { label: Some(label), ..own },
    }
}

/// Reads the words that the model names as a request of staff. Words that the text does not contain are not read:
/// the model may choose among what was said, and add nothing.
fn with_wish(text: &MessageText<'_>, view: &View, own: Meaning, proposal: &Value) -> Meaning {
    let Ok(proposal) = StaffProposal::deserialize(proposal) else { return own };
    let StaffProposal { intent, count, role, time, confidence } = proposal;
    let said = spoken(text.body);
    let invented = [&count, &role, &time].into_iter().any(|words| !said.contains(&spoken(words)));
    let phrase = INTENTS.iter().find(|(known, _)| *known == intent).map(|(_, phrase)| *phrase);
    let unsure = confidence < PROPOSAL_MIN.max(text.settings.confidence_min);
    let Some(phrase) = phrase.filter(|phrase| !phrase.is_empty() && !invented && !unsure) else {
        return own;
    };
    let words = phrase.replace("{count}", &count).replace("{role}", &role).replace("{time}", &time);
    let wish = wish_in(&words, text, view);
    let is_meant = wish.intent == intent || wish.of == Some(intent);
    let contradicts =
        own.staff.as_ref().is_some_and(|own| own.is_understood() && own.intent != wish.intent);
    match (is_meant, contradicts) {
        (true, false) => Meaning { staff: Some(wish), ..own },
        (true, true) => Meaning { staff: Some(StaffWish::of(StaffIntent::Unrelated)), ..own },
        (false, _) => own,
    }
}

/// Returns a text in lower case with single spaces, for comparison.
fn spoken(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
