//! The rules about replies with one meaning. They hold in every wording that they name, whatever
//! the classifier has learned.

use super::{ReplyLabel, ReplyPrompt, opt_out};

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
    "im driving and",
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
    ("hearted", Reaction::Yes),
    ("👍", Reaction::Yes),
    ("❤", Reaction::Yes),
    ("👎", Reaction::No),
    ("❓", Reaction::Question),
    ("😂", Reaction::Nothing),
    ("‼", Reaction::Nothing),
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
    if let Some(label) = alone(whole.trim_end_matches(" ?"), context) {
        return Some(label);
    }
    if let Some(label) = reaction(words, context) {
        return Some(label);
    }
    if opt_out::is_part(&said) {
        return Some(ReplyLabel::OptOut);
    }
    AUTOMATIC.iter().any(|start| whole.starts_with(start)).then_some(ReplyLabel::Tentative)
}

/// Returns what a text does that has no more words than these.
fn alone(whole: &str, context: ReplyPrompt) -> Option<ReplyLabel> {
    match (whole, context) {
        ("yes", ReplyPrompt::None) => Some(ReplyLabel::OptIn),
        ("yes", _) => Some(ReplyLabel::Accept),
        _ if opt_out::is_all(whole) => Some(ReplyLabel::OptOut),
        _ if OPT_IN_ALONE.contains(&whole) => Some(ReplyLabel::OptIn),
        _ if HELP_ALONE.contains(&whole) => Some(ReplyLabel::Help),
        _ => None,
    }
}

/// Reads what a phone reports about a reaction: `Liked “Can you help?”`.
fn reaction(words: &[&str], context: ReplyPrompt) -> Option<ReplyLabel> {
    let quoted = words.iter().position(|word| *word == "\"")?;
    let head = words[..quoted].join(" ");
    let head = head.trim_end_matches(" |");
    if head == "removed a like from" || head == "removed a heart from" {
        return Some(ReplyLabel::CancelLater);
    }
    let head = head.strip_prefix("reacted ").unwrap_or(head);
    let head = head.strip_prefix("with ").unwrap_or(head);
    let head = head.strip_suffix(" to").unwrap_or(head);
    let (_, reaction) = REACTIONS.iter().find(|(word, _)| *word == head)?;
    Some(match (reaction, context) {
        (Reaction::Nothing, _) | (_, ReplyPrompt::None) => ReplyLabel::Unrelated,
        (Reaction::Yes, _) => ReplyLabel::Accept,
        (Reaction::No, ReplyPrompt::Reminder) => ReplyLabel::CancelLater,
        (Reaction::No, _) => ReplyLabel::Decline,
        (Reaction::Question, _) => ReplyLabel::Question,
    })
}
