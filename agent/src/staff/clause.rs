//! The clauses of a text that ask for different things: "cancel the ushers and get me 4 greeters".

use std::ops::Range;

use super::token::Token;

/// Words that join two requests.
const JOINS: &[&str] = &["|", "?", "!", "and", "also", "plus", "then", "but", "y"];
/// Words before the verb of a request.
const OPENERS: &[&str] = &[
    "and", "also", "please", "pls", "can", "could", "you", "u", "i", "we", "lets", "then", "oh",
    "hey", "will", "would", "so", "just", "|", "dont", "forget", "to", "while", "youre", "at",
    "it", "too", "tell", "me", "let", "know", "now",
];
/// Words with which a request of its own begins.
const STARTS: &[&str] = &[
    "need",
    "get",
    "find",
    "fill",
    "cancel",
    "how",
    "hows",
    "who",
    "whos",
    "status",
    "list",
    "show",
    "pause",
    "stop",
    "resume",
    "move",
    "add",
    "increase",
    "reduce",
    "drop",
    "cut",
    "lower",
    "raise",
    "bump",
    "scrap",
    "call",
    "scratch",
    "hold",
    "start",
    "which",
    "want",
    "recruit",
    "are",
    "did",
    "is",
    "swap",
    "take",
    "nix",
    "give",
    "quien",
    "cancela",
    "busca",
    "necesito",
    "necesitamos",
    "como",
    "trim",
    "kill",
    "rebalance",
    "approve",
    "send",
    "unpause",
    "shift",
    "whats",
    "what",
    "any",
    "elimina",
    "mueve",
    "baja",
    "sube",
];

/// A place at which another request may begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Boundary {
    /// The mark or the word that joins it to what stands before, up to its first word of meaning.
    pub(super) joint: Range<usize>,
    /// Whether it begins with a verb or a question of its own.
    pub(super) has_start: bool,
}

/// Returns the places at which another request may begin.
pub(super) fn boundaries(tokens: &[Token]) -> Vec<Boundary> {
    let mut found: Vec<Boundary> = Vec::new();
    for at in 1..tokens.len() {
        if !tokens[at].is_any(JOINS) {
            continue;
        }
        let mut end = at + 1;
        while tokens.get(end).is_some_and(|it| it.is_any(OPENERS)) {
            end += 1;
        }
        let rest = &tokens[at + 1..];
        let has_slots = rest.iter().any(|it| it.role().is_some())
            && rest.iter().any(|it| it.amount().is_some());
        let is_sentence = tokens[at].is_any(&["|", "!", "?"]) && has_slots;
        let has_start = tokens.get(end).is_some_and(|it| it.is_any(STARTS));
        let fresh = found.last().is_none_or(|last| last.joint.end != end);
        if fresh && (is_sentence || has_start) {
            found.push(Boundary { joint: at..end, has_start });
        }
    }
    found
}
