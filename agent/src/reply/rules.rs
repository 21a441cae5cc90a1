//! The rules about replies with one meaning. They hold in every wording that they name, whatever the classifier
//! has learned.

use super::{ReplyLabel, ReplyPrompt};

/// Texts that want no more texts, if they are all that is said. Carriers define the first ones.
const OPT_OUT_ALONE: &[&str] = &[
    "stop",
    "stopall",
    "stop all",
    "unsubscribe",
    "cancel",
    "end",
    "quit",
    "revoke",
    "optout",
    "opt out",
    "baja",
    "alto",
    "stop please",
    "please stop",
    "pls stop",
    "stop pls",
    "stop texting",
    "no mas",
    "parar",
    "stp",
    "stpo",
    "sotp",
    "stopp",
    "🛑",
    "unsub",
    "leave me alone",
    "arret",
    "detener",
    "cancelar",
];
/// Parts of a text that want no more texts.
const OPT_OUT_PARTS: &[&str] = &[
    "stop texting me",
    "stop messaging me",
    "quit texting me",
    "stop sending me",
    "quit sending me",
    "lose my number",
    "delete my number",
    "take me off this list",
    "take me off your list",
    "take me off the list",
    "off your text list",
    "remove me from this list",
    "remove me from your list",
    "remove my number",
    "take my number off",
    "unsubscribe me",
    "dont text me again",
    "do not text me again",
    "dont text me anymore",
    "do not text me anymore",
    "no more texts",
    "no more messages",
    "stop contacting me",
    "do not contact me",
    "dont contact me",
    "stop these texts",
    "stop the texts",
    "stop these messages",
    "opt me out",
    "opt out of",
    "no me manden mas",
    "no me escriban mas",
    "dejen de escribirme",
    "dejen de mandarme",
    "dejen de enviarme",
    "ya no me manden",
    "quitenme de",
    "sacame de la lista",
    "how do i unsubscribe",
    "how do i stop these",
    "how to unsubscribe",
    "how do i opt out",
    "want to opt out",
    "stop all texts",
    "stop all messages",
    "take me off these",
    "take me off all",
    "off of these lists",
    "off all of these",
];
/// Words before which an opt-out phrase says the opposite.
const OPT_OUT_DENIED: &[&str] = &["dont stop", "never stop", "do not stop", "didnt mean to stop"];
/// Texts that want texts again, if they are all that is said.
const OPT_IN_ALONE: &[&str] =
    &["start", "unstop", "resubscribe", "subscribe", "opt in", "optin", "start again"];
/// Texts that ask for help, if they are all that is said.
const HELP_ALONE: &[&str] =
    &["help", "info", "ayuda", "help me", "help please", "halp", "informacion"];
/// The beginnings of the texts that phones send by themselves.
const AUTOMATIC: &[&str] = &[
    "im driving with do not disturb",
    "i am driving with do not disturb",
    "im driving right now",
    "i am driving right now",
    "auto reply",
    "automatic reply",
    "autoreply",
    "out of office",
    "this is an automated",
    "im in a meeting",
    "sorry i cant talk right now",
    "i cant talk right now",
    "can i call you later",
    "ill call you back",
    "ill call you later",
];
/// The words with which phones report a reaction to one of our texts, and what the reaction does.
const REACTIONS: &[(&str, Reaction)] = &[
    ("liked", Reaction::Yes),
    ("loved", Reaction::Yes),
    ("disliked", Reaction::No),
    ("questioned", Reaction::Question),
    ("laughed at", Reaction::Nothing),
    ("emphasized", Reaction::Nothing),
];

#[derive(Clone, Copy)]
enum Reaction {
    Yes,
    No,
    Question,
    Nothing,
}

/// Returns what a reply does, if a rule says so.
pub(super) fn decide(words: &[&str], context: ReplyPrompt) -> Option<ReplyLabel> {
    let said: Vec<&str> =
        words.iter().copied().filter(|word| !matches!(*word, "|" | "!" | "\"")).collect();
    let whole = said.join(" ");
    if OPT_OUT_ALONE.contains(&whole.as_str()) {
        return Some(ReplyLabel::OptOut);
    }
    if OPT_IN_ALONE.contains(&whole.as_str()) {
        return Some(ReplyLabel::OptIn);
    }
    if HELP_ALONE.contains(&whole.as_str()) {
        return Some(ReplyLabel::Help);
    }
    if let Some(label) = reaction(words, context) {
        return Some(label);
    }
    let padded = format!(" {whole} ");
    let has = |part: &&str| padded.contains(&format!(" {part} "));
    if OPT_OUT_PARTS.iter().any(has) && !OPT_OUT_DENIED.iter().any(has) {
        return Some(ReplyLabel::OptOut);
    }
    AUTOMATIC.iter().any(|start| whole.starts_with(start)).then_some(ReplyLabel::Tentative)
}

/// Reads what a phone reports about a reaction: `Liked “Can you help?”`.
fn reaction(words: &[&str], context: ReplyPrompt) -> Option<ReplyLabel> {
    let quoted = words.iter().position(|word| *word == "\"")?;
    let head = words[..quoted].join(" ");
    let head = head.trim_end_matches(" |");
    if head == "removed a like from" || head == "removed a heart from" {
        return Some(ReplyLabel::CancelLater);
    }
    let (_, reaction) = REACTIONS.iter().find(|(word, _)| *word == head)?;
    Some(match (reaction, context) {
        (Reaction::Nothing, _) | (_, ReplyPrompt::None) => ReplyLabel::Unrelated,
        (Reaction::Yes, _) => ReplyLabel::Accept,
        (Reaction::No, ReplyPrompt::Reminder) => ReplyLabel::CancelLater,
        (Reaction::No, _) => ReplyLabel::Decline,
        (Reaction::Question, _) => ReplyLabel::Question,
    })
}
