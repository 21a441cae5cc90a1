//! The clauses of a text that ask for different things: "cancel the ushers and get me 4 greeters".

use std::ops::Range;

use super::token::Token;

/// Words that join two requests.
const JOINS: &[&str] = &["|", "?", "!", "and", "also", "plus", "then", "but", "y"];
/// Words before the verb of a request.
const OPENERS: &[&str] = &[
    "and", "also", "please", "pls", "can", "could", "you", "u", "i", "we", "lets", "then", "oh",
    "hey", "will", "would", "so", "just", "|", "dont", "forget", "to", "while", "youre", "at",
    "it", "too", "tell", "me", "let", "know",
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

/// Returns the places at which another request may begin, each with the end of what stands before.
pub(super) fn starts(tokens: &[Token]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for at in 1..tokens.len() {
        if !tokens[at].is_any(JOINS) {
            continue;
        }
        let mut start = at + 1;
        while tokens.get(start).is_some_and(|it| it.is_any(OPENERS)) {
            start += 1;
        }
        let fresh = found.last().is_none_or(|last: &Range<usize>| last.end != start);
        if fresh && tokens.get(start).is_some_and(|it| it.is_any(STARTS)) {
            found.push(at..start);
        }
    }
    found
}
