//! Reads which letters are asked for.

use unicode_segmentation::UnicodeSegmentation;

use crate::obligations::letters::LetterKind;
use crate::obligations::read::clause::Clause;
use crate::obligations::read::token::Kind;

/// What is counted: letters, or all of a kind.
pub(super) struct Wanted<'t> {
    pub(super) letters: Vec<String>,
    pub(super) kind: Option<LetterKind>,
    /// Whether it can be nothing but a letter: it is quoted, called a letter or has an apostrophe.
    pub(super) is_clear: bool,
    /// Whether it is called a letter, and which one is not said: "how many times does the letter appear".
    pub(super) is_singular: bool,
    pub(super) rest: Clause<'t>,
}

/// A letter, and the number of its tokens.
pub(super) struct Letter {
    pub(super) text: String,
    pub(super) tokens: usize,
    pub(super) is_clear: bool,
}

/// Reads one or several letters, or a kind of letters.
pub(super) fn wanted(clause: Clause<'_>) -> Option<Wanted<'_>> {
    let kinds = [
        ("vowels|vowel", LetterKind::Vowel),
        ("consonants|consonant", LetterKind::Consonant),
        ("words", LetterKind::Word),
    ];
    for (words, kind) in kinds {
        if let Some(rest) = clause.after(words) {
            return Some(Wanted {
                letters: Vec::new(),
                kind: Some(kind),
                is_clear: true,
                is_singular: false,
                rest,
            });
        }
    }
    let called = clause.after("letter|letters|character|characters");
    let rest = called.unwrap_or(clause);
    let is_plural = rest.word(0) == "s" && rest.is_glued(0);
    let mut rest = if is_plural { rest.from(1) } else { rest }.past(":");
    let mut letters = Vec::new();
    let mut is_clear = called.is_some();
    while let Some(letter) = letter(rest) {
        letters.push(letter.text);
        is_clear |= letter.is_clear;
        rest = rest.from(letter.tokens);
        let next = rest.past(",").past("and|or|&|plus").past("letter");
        if next.len() == rest.len() || self::letter(next).is_none() {
            break;
        }
        rest = next;
    }
    match (letters.is_empty(), called) {
        (true, Some(rest)) => {
            let is_singular = clause.starts("letter|character") > 0;
            Some(Wanted {
                letters,
                kind: Some(LetterKind::Letter),
                is_clear: true,
                is_singular,
                rest,
            })
        }
        (true, None) => None,
        (false, _) => Some(Wanted { letters, kind: None, is_clear, is_singular: false, rest }),
    }
}

/// Reads a letter: "r", "r's", "Rs", "'r'", "'r's".
pub(super) fn letter(clause: Clause<'_>) -> Option<Letter> {
    let token = clause.token(0)?;
    let written = clause.until(1).unquoted();
    let graphemes: Vec<&str> = written.graphemes(true).collect();
    let has_plural = clause.word(1) == "s" && clause.is_glued(1);
    let quoted = token.kind == Kind::Quoted;
    if !quoted && token.kind != Kind::Word {
        return None;
    }
    let is_clear = quoted || written.contains(['\'', '’', '‘', '`']);
    let letter = match graphemes[..] {
        [letter] => letter,
        [letter, "s" | "S"] | [letter, "'" | "’" | "`" | "‘", "s" | "S"] => letter,
        _ => return None,
    };
    let is_letter = letter.chars().all(|c| c.is_alphabetic() || !c.is_ascii());
    is_letter.then(|| Letter {
        text: letter.to_lowercase(),
        tokens: 1 + usize::from(has_plural),
        is_clear,
    })
}

/// Asks for all letters.
pub(super) fn every_letter(rest: Clause<'_>) -> Wanted<'_> {
    Wanted { letters: Vec::new(), kind: None, is_clear: true, is_singular: false, rest }
}

/// Reads a clause that is nothing but a letter.
pub(in crate::obligations::read) fn letter_alone(clause: Clause<'_>) -> Option<String> {
    let wanted = wanted(clause.past("the"))?;
    let is_alone = wanted.rest.trimmed().is_empty() && wanted.letters.len() == 1;
    wanted.letters.into_iter().next().filter(|_| is_alone)
}
