//! What a message is about, in the words of its sender.

use std::ops::Range;

use super::token::{Token, joined};
use super::{dishes, lexicon};

/// Most words of a topic. More would repeat the message.
const WORDS_MAX: usize = 4;
/// Most words before the name of a dish that belong to it: "spicy chicken biryani".
const DISH_BEFORE_MAX: usize = 2;
/// Words that connect two words of a topic.
const JOINS: &[&str] = &["of", "and", "&"];

/// Returns the dish that a message names, with the words that say which.
pub(super) fn dish(tokens: &[Token<'_>]) -> Option<String> {
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let (at, length) = (0..words.len()).find_map(|at| {
        let length = dishes::dish(&words[at..]);
        (length > 0).then_some((at, length))
    })?;
    let belongs = |ix: &usize| tokens[*ix].is_content() && !tokens[*ix].ends;
    let before = (0..at).rev().take(DISH_BEFORE_MAX).take_while(belongs).count();
    Some(joined(&tokens[at - before..at + length]))
}

/// Returns the meal or the place to eat that a message names.
pub(super) fn meal(tokens: &[Token<'_>]) -> Option<String> {
    tokens.iter().find(|token| lexicon::is_meal(&token.word)).map(|token| token.word.clone())
}

/// Returns what a message is about: what follows the word that says what to do, or precedes it; without such a word,
/// its longest run of words that mean something.
pub(super) fn subject(tokens: &[Token<'_>]) -> Option<String> {
    let mut runs = runs(tokens);
    runs.retain(|run| !refers_back(tokens, run));
    let anchor = tokens.iter().position(Token::is_anchor);
    let run = match anchor {
        Some(anchor) => {
            let after = runs.iter().find(|run| run.start > anchor);
            after.or_else(|| runs.iter().rev().find(|run| run.end <= anchor))
        }
        None => runs.iter().rev().max_by_key(|run| run.len()),
    };
    let run = run?.clone();
    let mut end = run.end.min(run.start + WORDS_MAX);
    while end > run.start && tokens[end - 1].is_any(JOINS) {
        end -= 1;
    }
    Some(joined(&tokens[run.start..end]))
}

/// Whether words only choose among things named earlier: "the red one".
fn refers_back(tokens: &[Token<'_>], run: &Range<usize>) -> bool {
    let next = tokens.get(run.end).filter(|_| !tokens[run.end - 1].ends);
    next.is_some_and(|next| next.is_any(&["one", "ones"]))
}

/// Returns the runs of words that mean something, within a clause each.
fn runs(tokens: &[Token<'_>]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in (0..tokens.len()).filter(|at| tokens[*at].is_content()) {
        let open = |end: usize| !tokens[end - 1].ends;
        match runs.last_mut() {
            Some(run) if run.end == at && open(at) => run.end = at + 1,
            Some(run)
                if run.end + 1 == at
                    && tokens[at - 1].is_any(JOINS)
                    && open(at)
                    && open(run.end) =>
            {
                run.end = at + 1;
            }
            _ => runs.push(at..at + 1),
        }
    }
    runs
}
