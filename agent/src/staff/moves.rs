//! People who move: from one role to another, or from one service to another.

use super::said::Said;
use super::token::Token;

/// Words that move people and set no total.
const TRANSFERS: &[&str] = &[
    "move",
    "moving",
    "shift",
    "swap",
    "transfer",
    "borrow",
    "trade",
    "steal",
    "pasa",
    "mueve",
    "mover",
    "loan",
    "lend",
    "spare",
    "divert",
    "reassign",
    "reallocate",
    "slide",
];
/// Words between a role and the one to which its people move.
const BETWEEN: &[&str] = &[
    "over", "to", "into", "the", "a", "an", "be", "as", "help", "with", "need", "needs", "should",
    "go", "can", "could", "move",
];
/// Verbs of a role that has people for another.
const GIVES: &[&str] = &["give", "lend", "loan", "spare"];
/// Words for the people who move.
const PEOPLE: &[&str] = &["people", "person", "ppl", "folks", "volunteers", "of", "them", "em"];
/// How far before "from" the number of those who move stands.
const FROM_REACH: usize = 3;

/// Whether a clause has a word that moves people and sets no total.
pub(super) fn transfers(tokens: &[Token]) -> bool {
    tokens.iter().any(|it| it.is_any(TRANSFERS))
}

/// Whether a role gets people of another: "give nursery one of the ushers", "convert 2 ushers to
/// greeters", "take one from nursery and add it to kids".
pub(super) fn gives(tokens: &[Token]) -> bool {
    let given = tokens.windows(2).any(|it| it[0].is_any(GIVES) && it[1].role().is_some());
    let from = tokens.iter().position(|it| it.is_any(GIVES)).is_some_and(|at| {
        let (before, after) = tokens.split_at(at);
        before.iter().any(|it| it.role().is_some()) && is_sent_on(after)
    });
    given || from || (0..tokens.len()).any(|at| becomes(tokens, at) || is_taken(tokens, at))
}

/// Whether a number of people goes to a role: "send 2 to kids".
pub(super) fn is_sent_on(tokens: &[Token]) -> bool {
    let Some(at) = tokens.iter().position(|it| it.amount().is_some()) else { return false };
    let mut rest = tokens[at + 1..].iter().skip_while(|it| it.is_any(PEOPLE));
    rest.next().is_some_and(|it| it.is_any(&["to", "over", "for", "into"]))
        && rest.find(|it| !it.is_any(&["to", "the"])).is_some_and(|it| it.role().is_some())
}

/// Whether the people of a role become those of another.
fn becomes(tokens: &[Token], at: usize) -> bool {
    let Some(role) = tokens[at].role() else { return false };
    let between = tokens[at + 1..].iter().take_while(|it| it.is_any(BETWEEN)).count();
    let to = tokens[at + 1..at + 1 + between].iter().any(|it| it.is_any(&["to", "into", "a"]));
    to && tokens.get(at + 1 + between).and_then(Token::role).is_some_and(|other| other != role)
}

/// Whether a number of people is taken from a role: "two from ushers".
fn is_taken(tokens: &[Token], at: usize) -> bool {
    let from = tokens[at].is_any(&["from", "off"]);
    let role = tokens[at + 1..].iter().take(2).any(|it| it.role().is_some());
    let start = at.saturating_sub(FROM_REACH);
    from && role && tokens[start..at].iter().any(|it| it.amount().is_some())
}

/// Whether people of one role move to another service: "move 2 ushers from 9 to 11".
pub(super) fn moves_service(tokens: &[Token]) -> bool {
    let mut roles = tokens.iter().filter_map(Token::role);
    let first = roles.next();
    first.is_some()
        && roles.all(|role| Some(role) == first)
        && (is_sent(tokens) || (has_some_of(tokens) && services(tokens) > 1))
}

fn services(tokens: &[Token]) -> usize {
    tokens.iter().filter(|it| it.time().is_some_and(Said::is_service)).count()
}

/// Whether a word that moves people stands before a number of them and the service to which they
/// go.
fn is_sent(tokens: &[Token]) -> bool {
    let mut rest = tokens.iter().skip_while(|it| !it.is_any(TRANSFERS)).skip(1);
    let counted = rest.next().is_some_and(|it| it.amount().is_some() || it.is_any(&["a", "an"]));
    let rest: Vec<&Token> = rest.collect();
    let mut after = rest.iter().skip_while(|it| {
        it.is_any(&["of", "the", "my", "our"]) || it.time().is_some_and(Said::is_service)
    });
    let role = after.next().is_some_and(|it| it.role().is_some());
    let to = rest.iter().any(|it| it.time().is_some_and(Said::is_range))
        || rest.windows(2).any(|it| {
            it[0].is_any(&["to", "over", "from"]) && it[1].time().is_some_and(Said::is_service)
        });
    counted && role && to
}

/// Whether a clause speaks of some of the people of a role: "one of the ushers", "one of the 9am
/// ushers".
pub(super) fn has_some_of(tokens: &[Token]) -> bool {
    (0..tokens.len()).any(|at| {
        let mut rest = tokens[at..].iter();
        let counted = rest.next().is_some_and(|it| it.amount().is_some())
            && rest.next().is_some_and(|it| it.is_any(&["of"]))
            && rest
                .next()
                .is_some_and(|it| it.is_any(&["the", "our", "my", "your", "those", "these"]));
        let mut rest = rest.skip_while(|it| it.time().is_some());
        counted && rest.next().is_some_and(|it| it.role().is_some())
    })
}
