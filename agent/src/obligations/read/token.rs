//! A text as words, numbers, quotations and marks, each with its place in the text.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::spelling::RESPELLED;

/// What a token consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, with the apostrophes inside.
    Word,
    /// Digits, perhaps with a decimal point and thousands separators.
    Number,
    /// A text in quotation marks.
    Quoted,
    /// One character of any other sort.
    Mark,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// What it says: a word in lower case without accents and apostrophes, and spelled correctly; a number without
    /// separators; a mark in its plainest form. A quotation says nothing.
    pub(super) text: String,
    /// Its place in the text, with its quotation marks.
    pub(super) bytes: Range<usize>,
    /// Its place in the text, without its quotation marks.
    pub(super) inner: Range<usize>,
    /// Whether no space separates it from the token before.
    pub(super) is_glued: bool,
}

/// Words before a full stop that does not end a sentence.
const ABBREVIATIONS: &[&str] = &["st", "mr", "mrs", "ms", "dr", "vs", "mt", "ft", "jr", "sr"];

/// Returns a text with wide and keycap digits and signs as plain ones: "２＋２" is "2+2".
pub(super) fn narrow(text: &str) -> String {
    let plain = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '➕' => '+',
        '➖' => '-',
        '✖' => '*',
        '➗' => '/',
        other => other,
    };
    text.chars().filter(|c| !matches!(c, '\u{fe0f}' | '\u{20e3}')).map(plain).collect()
}

/// Cuts a text into tokens.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    let mut is_glued = false;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() && c != '\n' {
            at += c.len_utf8();
            is_glued = false;
            continue;
        }
        if c == '-' && is_between_letters(text, at) {
            at += 1;
            continue;
        }
        let after_letter = is_glued && text[..at].ends_with(char::is_alphanumeric);
        let token = quoted(text, at, after_letter)
            .or_else(|| number(text, at, after_letter))
            .or_else(|| word(text, at))
            .unwrap_or_else(|| mark(c, at));
        at = token.bytes.end;
        tokens.push(Token { is_glued, ..token });
        is_glued = true;
    }
    tokens
}

/// Whether a hyphen joins two words: "double-check", "twenty-two".
fn is_between_letters(text: &str, at: usize) -> bool {
    text[..at].ends_with(char::is_alphabetic) && text[at + 1..].starts_with(char::is_alphabetic)
}

fn token(kind: Kind, text: String, bytes: Range<usize>) -> Token {
    Token { kind, text, inner: bytes.clone(), bytes, is_glued: false }
}

/// Reads a text in quotation marks. A single quotation mark after a letter is an apostrophe.
fn quoted(text: &str, at: usize, after_letter: bool) -> Option<Token> {
    let open = text[at..].chars().next()?;
    let closers: &[char] = match open {
        '"' => &['"', '”'],
        '“' | '„' => &['”', '“', '"'],
        '«' => &['»'],
        '\'' | '‘' | '`' if !after_letter => &['\'', '’', '`'],
        _ => return None,
    };
    let start = at + open.len_utf8();
    let is_single = matches!(open, '\'' | '‘' | '`');
    let ends = |(end, _): &(usize, &str)| {
        let rest = text[start + end..].chars().nth(1);
        // The apostrophe in "it's" ends no quotation, but that in "'r's" does.
        let is_apostrophe = is_single && *end > 1 && rest.is_some_and(char::is_alphabetic);
        !is_apostrophe && *end > 0
    };
    let (end, close) = text[start..].match_indices(closers).find(ends)?;
    let end = start + end;
    let bytes = at..end + close.len();
    Some(Token { inner: start..end, ..token(Kind::Quoted, String::new(), bytes) })
}

/// Reads a number: "1,000", "2.50", ".75".
fn number(text: &str, at: usize, after_letter: bool) -> Option<Token> {
    let rest = &text[at..];
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut length = digits(rest);
    if length == 0 && after_letter {
        return None;
    }
    while length > 0 && rest[length..].starts_with(',') && digits(&rest[length + 1..]) == 3 {
        length += 4;
    }
    let decimals = if rest[length..].starts_with('.') { digits(&rest[length + 1..]) } else { 0 };
    if decimals > 0 {
        length += 1 + decimals;
    }
    let shown = rest[..length].replace(',', "");
    let shown = if shown.starts_with('.') { format!("0{shown}") } else { shown };
    (length > 0).then(|| token(Kind::Number, shown, at..at + length))
}

fn word(text: &str, at: usize) -> Option<Token> {
    let rest = &text[at..];
    let mut end = 0;
    for (ix, c) in rest.char_indices() {
        let next = rest[ix + c.len_utf8()..].chars().next();
        let inside = is_apostrophe(c) && end > 0 && next.is_some_and(char::is_alphabetic);
        if !(c.is_alphabetic() || inside || (is_combining_mark(c) && end > 0)) {
            break;
        }
        end = ix + c.len_utf8();
    }
    if end == 0 {
        return None;
    }
    let plain = plain(&rest[..end]);
    if ABBREVIATIONS.contains(&plain.as_str()) && rest[end..].starts_with('.') {
        end += 1;
    }
    let right = RESPELLED.iter().find(|(wrong, _)| *wrong == plain);
    let shown = right.map_or(plain, |(_, right)| (*right).to_owned());
    Some(token(Kind::Word, shown, at..at + end))
}

fn mark(c: char, at: usize) -> Token {
    let plain = match c {
        '−' | '–' | '—' => '-',
        '×' | '·' | '⋅' | '✕' | '∗' => '*',
        '÷' => '/',
        '¿' => '?',
        other => other,
    };
    token(Kind::Mark, plain.to_string(), at..at + c.len_utf8())
}

/// Returns a word in lower case, without accents and apostrophes.
pub(super) fn plain(word: &str) -> String {
    let letters = word.nfd().filter(|c| !is_combining_mark(*c) && !is_apostrophe(*c));
    letters.flat_map(char::to_lowercase).collect()
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | '`' | '´')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_words_numbers_quotations_and_marks() {
        let cases = [
            ("What's 2+2?", "whats 2 + 2 ?"),
            ("1,000.50 − .75 and 4, 9", "1000.50 - 0.75 and 4 , 9"),
            ("how many r’s in “a b's c”", "how many rs in <a b's c>"),
            ("'r's in 'it's here'", "<r> s in <it's here>"),
            ("the boys' 'hats'", "the boys ' <hats>"),
            ("St. Paul. José", "st paul . jose"),
            ("9x14 12am", "9 x 14 12 am"),
            ("www.wow.com", "www . wow . com"),
            ("wats teh color", "whats the colour"),
            ("5 × 6 ÷ 2", "5 * 6 / 2"),
            ("\"open", "\" open"),
            ("double-check twenty-two - x 3-2", "double check twenty two - x 3 - 2"),
            ("", ""),
        ];
        for (text, expected) in cases {
            let shown: Vec<String> = tokens(text)
                .into_iter()
                .map(|token| match token.kind {
                    Kind::Quoted => format!("<{}>", &text[token.inner]),
                    _ => token.text,
                })
                .collect();
            assert_eq!(shown.join(" "), expected, "{text}");
        }
    }
}
