//! The words of a reply: those of a text, with what people write in several ways written in one.

use super::heard;
use crate::text::words as words_of;

/// The first percentage that promises rather than gives odds.
const CERTAIN_FROM: u32 = 100;
/// The beginnings of negated words, as they are when the apostrophe has become a space: "don t".
const NEGATED: &[&str] = &[
    "can", "don", "won", "isn", "aren", "doesn", "didn", "couldn", "wouldn", "shouldn", "wasn",
    "weren", "haven", "hasn", "hadn",
];
/// Two words that are also written as one.
const JOINED: &[([&str; 2], &str)] = &[
    (["can", "not"], "cant"),
    (["do", "not"], "dont"),
    (["will", "not"], "wont"),
    (["does", "not"], "doesnt"),
    (["did", "not"], "didnt"),
    (["could", "not"], "couldnt"),
    (["would", "not"], "wouldnt"),
    (["should", "not"], "shouldnt"),
    (["is", "not"], "isnt"),
    (["i", "am"], "im"),
    (["i", "m"], "im"),
    (["i", "will"], "ill"),
    (["i", "ll"], "ill"),
    (["i", "ve"], "ive"),
    (["i", "would"], "id"),
];
/// Words that are also written shorter.
const SHORT: &[(&str, &str)] = &[
    ("u", "you"),
    ("ur", "your"),
    ("r", "are"),
    ("cannot", "cant"),
    ("cnt", "cant"),
    ("dnt", "dont"),
    ("pls", "please"),
    ("plz", "please"),
    ("pleas", "please"),
    ("thx", "thanks"),
    ("thnx", "thanks"),
    ("thanx", "thanks"),
    ("ty", "thanks"),
    ("txt", "text"),
    ("txts", "texts"),
    ("msg", "message"),
    ("msgs", "messages"),
    ("tmrw", "tomorrow"),
    ("tmw", "tomorrow"),
    ("tomorow", "tomorrow"),
    ("gonna", "going"),
    ("gotta", "got"),
    ("wanna", "want"),
    ("w", "with"),
    ("bc", "because"),
    ("cuz", "because"),
    ("tho", "though"),
    ("b4", "before"),
    ("ppl", "people"),
    ("sry", "sorry"),
    ("srry", "sorry"),
];

/// How the signatures begin that phones add.
const SIGNED: [&str; 3] = ["sent", "from", "my"];
/// What the signature of a phone names next.
const PHONES: &[&str] = &[
    "iphone",
    "ipad",
    "phone",
    "samsung",
    "galaxy",
    "android",
    "pixel",
    "verizon",
    "tmobile",
    "att",
    "mobile",
    "cell",
    "motorola",
    "lg",
    "blackberry",
    "smartphone",
    "work",
];

/// Returns the words of a reply. A percentage is the word `#odds`, or `#certain` from 100 on.
pub(super) fn spoken(text: &str) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for word in words_of(&with_odds(text)) {
        let short = SHORT.iter().find(|(short, _)| *short == word);
        let word = short.map_or(word, |(_, long)| (*long).to_owned());
        let Some(last) = said.last_mut() else {
            said.push(word);
            continue;
        };
        let joined = JOINED.iter().find(|(pair, _)| pair[0] == last && pair[1] == word);
        if let Some((_, joined)) = joined {
            *last = (*joined).to_owned();
        } else if word == "t" && NEGATED.contains(&last.as_str()) {
            last.push('t');
        } else {
            said.push(word);
        }
    }
    heard::correct(&mut said);
    said.truncate(signed_from(&said).unwrap_or(said.len()));
    said.into_iter().map(marked_odds).collect()
}

/// Returns where the signature of a phone begins, which says nothing: "Sent from my iPhone".
fn signed_from(said: &[String]) -> Option<usize> {
    let signs = |four: &[String]| four[..3] == SIGNED && PHONES.contains(&four[3].as_str());
    said.windows(SIGNED.len() + 1).position(signs).filter(|at| *at > 0)
}

/// The words that stand for a percentage while a text is split.
const ODDS: &str = "xxodds";
const SURE: &str = "xxsure";

fn marked_odds(word: String) -> String {
    match word.as_str() {
        ODDS => "#odds".to_owned(),
        SURE => "#certain".to_owned(),
        _ => word,
    }
}

/// Returns a text with a word for each percentage, whose sign is no word otherwise.
fn with_odds(text: &str) -> String {
    let mut parts = text.split('%').peekable();
    let mut changed = String::new();
    while let Some(part) = parts.next() {
        let before = part.trim_end();
        let number = before.trim_end_matches(|c: char| c.is_ascii_digit());
        let percent = before.get(number.len()..).and_then(|digits| digits.parse::<u32>().ok());
        match percent {
            Some(percent) if parts.peek().is_some() => {
                changed.push_str(number);
                let word = if percent >= CERTAIN_FROM { SURE } else { ODDS };
                changed.extend([" ", word, " "]);
            }
            _ => changed.push_str(part),
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_written_in_one_way() {
        let cases = [
            ("I can not come", "i cant come"),
            ("i don t know", "i dont know"),
            ("I am in, u know", "im in | you know"),
            ("80% yes", "#odds yes"),
            ("110 % yes!", "#certain yes !"),
            ("5 percent, no %", "5 percent | no"),
            ("Yes\n\nSent from my iPhone\nMike", "yes |"),
            ("flowers sent from my sister", "flowers sent from my sister"),
        ];
        for (text, expected) in cases {
            assert_eq!(spoken(text).join(" "), expected, "{text}");
        }
    }
}
