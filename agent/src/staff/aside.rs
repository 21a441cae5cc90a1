//! Services that a text speaks of and does not mean: "we're good at 11 but need 3 ushers at 9", "not
//! the 11, the 9".

use std::ops::Range;

use super::said::Said;
use super::token::Token;

/// Words that say that a service has all it needs.
const SETTLED: &[&str] =
    &["good", "fine", "covered", "full", "set", "ok", "okay", "done", "filled", "great"];
/// Words between a service and one of them.
const IS: &[&str] = &["is", "are", "looks", "s", "all", "already", "were", "im"];
/// Words between one of them, or "not", and a service.
const AT: &[&str] = &["at", "for", "on", "the", "in", "during"];

/// Takes out of a text the services that it does not mean, if it names another.
pub(super) fn apply(tokens: &mut Vec<Token>) {
    let services: Vec<usize> = (0..tokens.len()).filter(|at| is_service(&tokens[*at])).collect();
    let aside: Vec<Range<usize>> = services.iter().filter_map(|at| aside(tokens, *at)).collect();
    if aside.len() == services.len() {
        return;
    }
    for range in aside.into_iter().rev() {
        tokens.drain(range);
    }
}

fn is_service(token: &Token) -> bool {
    token.time().is_some_and(Said::is_service)
}

/// Returns how many little words stand before a token.
fn little(tokens: &[Token], at: usize) -> usize {
    tokens[..at].iter().rev().take_while(|it| it.is_any(AT)).count()
}

/// Returns what speaks of a service that is not meant.
fn aside(tokens: &[Token], at: usize) -> Option<Range<usize>> {
    let start = at - little(tokens, at);
    let before = start.checked_sub(1).map(|at| &tokens[at]);
    if before.is_some_and(|it| it.is_any(&["not"])) {
        return Some(start - 1..at + 1);
    }
    if before.is_some_and(|it| it.is_any(SETTLED)) {
        let verbs = tokens[..start - 1].iter().rev().take_while(|it| it.is_any(IS)).count();
        return (verbs > 0).then_some(start - 1 - verbs..at + 1);
    }
    let verbs = tokens[at + 1..].iter().take_while(|it| it.is_any(IS)).count();
    let settled = tokens.get(at + 1 + verbs).is_some_and(|it| it.is_any(SETTLED));
    (verbs > 0 && settled).then_some(start..at + verbs + 2)
}
