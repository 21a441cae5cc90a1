//! A text as tokens: its words with their places, and the marks that end a clause.

use std::ops::Range;

/// Maximum number of characters of a text that are read: more than any message of staff has.
pub(super) const CHARS_MAX: usize = 4_000;
/// Maximum number of tokens of a text.
const TOKENS_MAX: usize = 800;
/// Marks that stand around words.
const AROUND: &[char] = &[
    '"', '\'', '“', '”', '‘', '’', '(', ')', '[', ']', '{', '}', '*', '•', '`', ',', '.', ';', ':',
    '!', '?', '…', '-', '–', '—', '>', '<', '|', '~',
];
/// Words that end with "s" after an apostrophe and name nobody: "let's", "what's".
const SHORTENED: &[&str] = &[
    "it",
    "let",
    "what",
    "that",
    "here",
    "how",
    "there",
    "he",
    "she",
    "who",
    "where",
    "when",
    "everything",
    "everyone",
    "nothing",
    "why",
    "one",
];

/// What stands after a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stop {
    /// Nothing.
    None,
    /// A comma, or a dash.
    Comma,
    /// A colon.
    Colon,
    /// The end of a sentence or of a line.
    Sentence,
}

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// The word in lower case, without apostrophes and without the ending of a possessive.
    pub(super) word: String,
    /// The bytes of the text.
    pub(super) bytes: Range<usize>,
    /// Whether it begins with a capital letter.
    pub(super) capital: bool,
    /// Whether something belongs to it: "Sarah's".
    pub(super) possessive: bool,
    /// What stands after it.
    pub(super) stop: Stop,
    /// Whether a question mark stands after it.
    pub(super) asks: bool,
    /// Whether it stands in quotes.
    pub(super) quoted: bool,
}

impl Token {
    /// Whether it is one of these words.
    pub(super) fn is(&self, words: &[&str]) -> bool {
        words.contains(&self.word.as_str())
    }

    /// Whether it consists of digits.
    pub(super) fn is_number(&self) -> bool {
        !self.word.is_empty() && self.word.bytes().all(|byte| byte.is_ascii_digit())
    }
}

/// Returns the beginning of a text that is read.
pub(super) fn beginning(text: &str) -> &str {
    text.char_indices().nth(CHARS_MAX).map_or(text, |(at, _)| &text[..at])
}

/// Returns the tokens of a text.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let text = beginning(text);
    let mut found: Vec<Token> = Vec::new();
    let mut quoted = false;
    for chunk in chunks(text) {
        if found.len() >= TOKENS_MAX {
            break;
        }
        let said = &text[chunk.clone()];
        let opens = said.starts_with(['"', '“']);
        quoted |= opens;
        push(text, &chunk, quoted, &mut found);
        let tail = &said[usize::from(said.starts_with('"'))..];
        if quoted && (said.contains('”') || tail.contains('"')) {
            quoted = false;
        }
        let line_ends = text[chunk.end..].chars().take_while(|c| c.is_whitespace());
        if line_ends.into_iter().any(|c| c == '\n')
            && let Some(last) = found.last_mut()
        {
            last.stop = Stop::Sentence;
        }
    }
    found
}

/// Adds the word of a chunk, or a mark that stands alone to the word before it.
fn push(text: &str, chunk: &Range<usize>, quoted: bool, found: &mut Vec<Token>) {
    let said = &text[chunk.clone()];
    if said == "&" || said == "+" {
        found.push(word_of("and", chunk.clone(), quoted));
        return;
    }
    let start = said.len() - said.trim_start_matches(AROUND).len();
    let core = said[start..].trim_end_matches(AROUND);
    let (stop, asks) = (stop_of(&said[start + core.len()..]), said.ends_with(['?', '¿']));
    if core.is_empty() {
        if let Some(last) = found.last_mut() {
            last.stop = last.stop.max(stop_of(said));
            last.asks |= asks;
        }
        return;
    }
    let bytes = chunk.start + start..chunk.start + start + core.len();
    let (stem, possessive) = stem_of(core);
    let letter = |c: char| !matches!(c, '\'' | '’' | '‘' | '`');
    let word: String = stem.chars().filter(|c| letter(*c)).flat_map(char::to_lowercase).collect();
    let bytes = if possessive { bytes.start..bytes.start + stem.len() } else { bytes };
    let capital = core.starts_with(char::is_uppercase);
    found.push(Token { word, bytes, capital, possessive, stop, asks, quoted });
}

fn word_of(word: &str, bytes: Range<usize>, quoted: bool) -> Token {
    Token {
        word: word.to_owned(),
        bytes,
        capital: false,
        possessive: false,
        stop: Stop::None,
        asks: false,
        quoted,
    }
}

/// Returns a word without the ending of a possessive, and whether it has one.
fn stem_of(word: &str) -> (&str, bool) {
    let stem = ["'s", "’s", "'S"].into_iter().find_map(|end| word.strip_suffix(end));
    match stem {
        Some(stem) if !SHORTENED.contains(&stem.to_lowercase().as_str()) => (stem, true),
        _ => (word, false),
    }
}

fn stop_of(marks: &str) -> Stop {
    let one = |c: char| match c {
        '.' | ';' | '!' | '?' | '…' => Stop::Sentence,
        ':' => Stop::Colon,
        ',' | '-' | '–' | '—' | '(' | ')' => Stop::Comma,
        _ => Stop::None,
    };
    marks.chars().map(one).max().unwrap_or(Stop::None)
}

/// Returns the parts of a text between blanks. Marks between letters separate words too: "lead:Sarah", "yes,no".
fn chunks(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    for (ix, &(at, c)) in chars.iter().enumerate() {
        let digit = |ix: Option<usize>| {
            ix.and_then(|ix| chars.get(ix)).is_some_and(|(_, c)| c.is_ascii_digit())
        };
        let in_number = digit(ix.checked_sub(1)) && digit(Some(ix + 1));
        let splits = match c {
            _ if c.is_whitespace() => true,
            ',' if in_number => three_digits(&chars[ix + 1..]).is_none(),
            ',' | ';' | '—' | '–' | '…' => true,
            ':' => !in_number && chars.get(ix + 1).is_none_or(|(_, c)| *c != '/'),
            '/' => !in_number && !text[..at].ends_with([':', '/']) && !is_address(text, at),
            _ => false,
        };
        if !splits {
            start.get_or_insert(at);
            continue;
        }
        let end = if c.is_whitespace() || c == '/' { at } else { at + c.len_utf8() };
        let from = start.take().unwrap_or(at);
        if end > from {
            found.push(from..end);
        }
    }
    if let Some(from) = start {
        found.push(from..text.len());
    }
    found
}

/// Whether exactly three digits follow, as in "1,250".
fn three_digits(chars: &[(usize, char)]) -> Option<()> {
    let digits = chars.iter().take_while(|(_, c)| c.is_ascii_digit()).count();
    (digits == 3).then_some(())
}

/// Whether a slash is part of a web address.
fn is_address(text: &str, at: usize) -> bool {
    let start = text[..at].rfind(char::is_whitespace).map_or(0, |at| at + 1);
    text[start..].starts_with("http") || text[start..].starts_with("www.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_into_words() {
        let cases = [
            ("finalise abc123, and email it.", "finalise abc123, and email it."),
            ("new lead:Sarah 0400 123 456 in Clayton", "new lead: sarah 0400 123 456 in clayton"),
            ("that's $1,250.50 for Tom's roof", "thats $1,250.50 for tom roof"),
            ("Ben,Tom & Joe — don't", "ben, tom and joe, dont"),
            ("9:30am/10am a@b.co", "9:30am 10am a@b.co"),
            ("", ""),
        ];
        for (text, expected) in cases {
            let shown: Vec<String> = tokens(text)
                .iter()
                .map(|token| {
                    let mark = match token.stop {
                        Stop::None => "",
                        Stop::Comma => ",",
                        Stop::Colon => ":",
                        Stop::Sentence => ".",
                    };
                    format!("{}{mark}", token.word)
                })
                .collect();
            assert_eq!(shown.join(" "), expected, "{text}");
        }
    }
}
