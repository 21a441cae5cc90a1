//! A text as words: lower case, without accents and apostrophes, with marks and pictograms as words of their own.

/// Maximum number of characters of a text that are read. A text message has at most 1,600.
pub const CHARS_MAX: usize = 2_000;

/// Returns the words of a text. A question mark, an exclamation mark and each pictogram is a word; other marks
/// end a clause, which is the word `|`.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = text.chars().take(CHARS_MAX).flat_map(char::to_lowercase).collect();
    for (ix, &c) in chars.iter().enumerate() {
        let c = plain(c);
        let inside = word.ends_with(|c: char| c.is_ascii_digit())
            && chars.get(ix + 1).is_some_and(char::is_ascii_digit);
        match c {
            '\'' | '’' | '‘' | '`' | '´' | '\u{fe0f}' | '\u{200d}' | '\u{1f3fb}'..='\u{1f3ff}' =>
                {}
            ':' | '/' | '.' if inside => word.push(c),
            _ if c.is_alphanumeric() => push_letter(&mut word, c),
            _ => {
                finish(&mut word, &mut words);
                match c {
                    '?' | '¿' => mark(&mut words, "?"),
                    '!' | '¡' => mark(&mut words, "!"),
                    '.' | ',' | ';' | '\n' | '…' | ':' | '(' | ')' | '—' | '–' | '-' => {
                        mark(&mut words, "|");
                    }
                    '"' | '“' | '”' => mark(&mut words, "\""),
                    _ if c.is_ascii() || c.is_whitespace() => {}
                    _ => words.push(c.to_string()),
                }
            }
        }
    }
    finish(&mut word, &mut words);
    words
}

/// Returns words with a blank before and after them, for [`has`].
#[must_use]
pub fn padded(words: &str) -> String {
    format!(" {words} ")
}

/// Whether a text whose words are padded contains these words, each of them whole.
#[must_use]
pub fn has(padded_text: &str, words: &str) -> bool {
    let (text, words) = (padded_text.as_bytes(), words.as_bytes());
    text.windows(words.len() + 2)
        .any(|part| matches!(part, [b' ', inner @ .., b' '] if inner == words))
}

/// Adds a letter, but no more than two of the same in turn: "yesssss" is "yess".
fn push_letter(word: &mut String, c: char) {
    let twice = word.chars().rev().take(2).filter(|last| *last == c).count() == 2;
    if !twice || c.is_ascii_digit() {
        word.push(c);
    }
}

fn finish(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

/// Adds a mark, once where it stands several times in turn.
fn mark(words: &mut Vec<String>, mark: &str) {
    if words.last().is_none_or(|last| last != mark) {
        words.push(mark.to_owned());
    }
}

/// Returns a letter without its accent.
const fn plain(c: char) -> char {
    match c {
        'á' | 'à' | 'ä' | 'â' | 'ã' => 'a',
        'é' | 'è' | 'ë' | 'ê' => 'e',
        'í' | 'ì' | 'ï' | 'î' => 'i',
        'ó' | 'ò' | 'ö' | 'ô' | 'õ' => 'o',
        'ú' | 'ù' | 'ü' | 'û' => 'u',
        'ñ' => 'n',
        'ç' => 'c',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_words_and_marks() {
        let cases = [
            ("I'm in!!", "im in !"),
            ("Sure, happy to", "sure | happy to"),
            ("9:30am on 10/12?", "9:30am on 10/12 ?"),
            ("👍🏽👍", "👍 👍"),
            ("No más — sorry", "no mas | sorry"),
            ("yesssss", "yess"),
            ("Liked “Can you?”", "liked \" can you ? \""),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn only_whole_words_are_found() {
        let cases = [
            ("stop texting me", "stop texting me", true),
            ("please stop texting me now", "stop texting me", true),
            ("stop texting men", "stop texting me", false),
            ("nonstop texting me", "stop texting me", false),
            ("aa a a", "a a", true), // the first match is no whole word, and the second overlaps it
            ("no más", "más", true),
            ("no", "no more texts", false),
            ("", "no", false),
        ];
        for (text, words, expected) in cases {
            assert_eq!(has(&padded(text), words), expected, "`{words}` in `{text}`");
        }
    }
}
