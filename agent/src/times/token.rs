//! A text as words, digits and marks in lower case, each with its place in the text.

use std::ops::Range;

/// What a token consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Letters; apostrophes inside are left out: `oclock`.
    Word,
    /// ASCII digits.
    Digits,
    /// One character of any other sort; `\n` for a line break.
    Mark,
}

/// A word, a run of digits, or a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// Its characters in lower case.
    pub(crate) text: String,
    /// Its place in the text.
    pub(crate) bytes: Range<usize>,
    /// Whether no space separates it from the token before.
    pub(crate) glued: bool,
    /// Whether it ends in `'s`.
    pub(crate) possessive: bool,
}

/// Cuts a text into tokens. "a.m." becomes the word `am`.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut glued = false;
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        let end = start + c.len_utf8();
        if c.is_whitespace() && c != '\n' {
            glued = false;
            continue;
        }
        let next = chars.peek().map(|(_, next)| *next);
        let kind = kind(c);
        let last = out.last_mut().filter(|last| glued && last.kind != Kind::Mark);
        if let Some(last) = last {
            // "presidents' day"
            if is_apostrophe(c) && last.kind == Kind::Word {
                if next.is_some_and(char::is_alphabetic) {
                    last.bytes.end = end;
                }
                continue;
            }
            if last.kind == kind {
                last.text.extend(c.to_lowercase());
                last.bytes.end = end;
                continue;
            }
        }
        let text = c.to_lowercase().collect();
        out.push(Token { kind, text, bytes: start..end, glued, possessive: false });
        glued = true;
    }
    for token in &mut out {
        let stem = text[token.bytes.clone()].strip_suffix(['s', 'S']);
        token.possessive = stem.is_some_and(|stem| stem.ends_with(is_apostrophe));
    }
    join_halves(out)
}

fn kind(c: char) -> Kind {
    if c.is_ascii_digit() {
        Kind::Digits
    } else if c.is_alphabetic() {
        Kind::Word
    } else {
        Kind::Mark
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | '`')
}

/// Joins "a.m." and "p. m." into one word.
fn join_halves(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        let dotted = out.len() >= 2
            && token.text == "m"
            && out[out.len() - 1].text == "."
            && out[out.len() - 1].glued
            && matches!(out[out.len() - 2].text.as_str(), "a" | "p");
        if !dotted {
            out.push(token);
            continue;
        }
        out.pop();
        let Some(half) = out.last_mut() else { continue };
        half.text.push('m');
        half.bytes.end = token.bytes.end;
        if let Some(dot) = rest.next_if(|next| next.glued && next.text == ".") {
            half.bytes.end = dot.bytes.end;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_words_digits_and_marks() {
        let cases = [
            ("9am", "9 +am"),
            ("5 p.m. sharp", "5 pm sharp"),
            ("5.30p.m.", "5 +. +30 +pm"),
            ("Nine O’Clock", "nine oclock"),
            ("Mother's Day", "mothers' day"),
            ("don't", "dont"),
            ("10/12, noon", "10 +/ +12 +, noon"),
            ("7-9pm\nok", "7 +- +9 +pm +\n +ok"),
            ("ÜBER 👍", "über 👍"),
            ("'tis", "' +tis"),
            ("", ""),
        ];
        for (text, expected) in cases {
            let shown: Vec<String> = tokens(text)
                .iter()
                .map(|token| {
                    let glued = if token.glued { "+" } else { "" };
                    let possessive = if token.possessive { "'" } else { "" };
                    format!("{glued}{}{possessive}", token.text)
                })
                .collect();
            assert_eq!(shown.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn tokens_know_their_place() {
        let text = "ÜBER 9:30 p.m. ok";
        let places: Vec<&str> =
            tokens(text).iter().map(|token| &text[token.bytes.clone()]).collect();
        assert_eq!(places, ["ÜBER", "9", ":", "30", "p.m.", "ok"]);
    }
}
