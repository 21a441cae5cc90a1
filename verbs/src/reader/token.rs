//! A text as plain words: lower case, without apostrophes, with the breaks between clauses kept.

/// A word, a pictogram, or the end of a clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// Letters and digits, lower case; a clock time such as `9:30` or `9am` and a date such as
    /// `10/12` stay one word.
    Word(String),
    /// The end of a clause; true for a question mark.
    Break(bool),
}

impl Token {
    /// The word, if it is one.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Break(_) => None,
        }
    }
}

/// Cuts a text into tokens.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = text.to_lowercase().chars().collect();
    for (ix, &c) in chars.iter().enumerate() {
        let digits_around = word.ends_with(|c: char| c.is_ascii_digit())
            && chars.get(ix + 1).is_some_and(char::is_ascii_digit);
        match c {
            '\'' | '’' | '‘' | '`' | '\u{fe0f}' | '\u{200d}' | '\u{1f3fb}'..='\u{1f3ff}' => {}
            ':' | '/' if digits_around => word.push(c),
            _ if c.is_alphanumeric() => word.push(c),
            _ => {
                flush(&mut word, &mut out);
                match c {
                    '.' | '!' | ',' | ';' | '\n' | '…' | ':' | '(' | ')' | '—' | '–' => {
                        out.push(Token::Break(false));
                    }
                    '?' => out.push(Token::Break(true)),
                    _ if c.is_ascii() || c.is_whitespace() => {}
                    _ => out.push(Token::Word(c.to_string())),
                }
            }
        }
    }
    flush(&mut word, &mut out);
    out
}

fn flush(word: &mut String, out: &mut Vec<Token>) {
    if !word.is_empty() {
        out.push(Token::Word(std::mem::take(word)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_words_and_breaks() {
        let cases = [
            ("I'm in!", "im in |"),
            ("Sure, happy to", "sure | happy to"),
            ("9:30am on 10/12?", "9:30am on 10/12 ?"),
            ("👍🏽", "👍"),
            ("can’t — sorry", "cant | sorry"),
            ("at 9: nursery", "at 9 | nursery"),
            ("", ""),
        ];
        for (text, expected) in cases {
            let shown: Vec<_> = tokens(text)
                .into_iter()
                .map(|token| match token {
                    Token::Word(word) => word,
                    Token::Break(question) => if question { "?" } else { "|" }.to_owned(),
                })
                .collect();
            assert_eq!(shown.join(" "), expected, "{text}");
        }
    }
}
