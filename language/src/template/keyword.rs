//! Finds templates that ask people to send a keyword.
//!
//! People answer in their own words, so they need no keyword. A keyword can even do harm: a
//! reply that is only `CANCEL`, `END` or `QUIT` opts the number out, and the carrier then blocks
//! all messages to it. A volunteer who does what such a template asks can no longer be reached.

use std::ops::Range;

/// Words such as "reply" that ask for a word: the word that follows is a word to send.
const ASKING: [&str; 8] = ["reply", "text", "txt", "answer", "respond", "send", "type", "press"];
/// Words that may ask for a word to send but are also ordinary English. After such
/// a word, only words in quotes and keywords in capitals count as words to send.
const ASKING_LOOSELY: [&str; 5] = ["say", "write", "message", "use", "enter"];
/// Words that may occur between a word such as "reply" and the keyword.
const FILLERS: [&str; 14] = [
    "back", "with", "by", "just", "only", "the", "word", "a", "an", "us", "either", "this", "to",
    "please",
];
/// Keywords that services commonly ask people to send.
const KEYWORDS: [&str; 27] = [
    "yes",
    "no",
    "y",
    "n",
    "ok",
    "okay",
    "stop",
    "stopall",
    "start",
    "unstop",
    "help",
    "info",
    "cancel",
    "end",
    "quit",
    "revoke",
    "optout",
    "unsubscribe",
    "confirm",
    "accept",
    "decline",
    "status",
    "fill",
    "join",
    "in",
    "out",
    "c",
];
/// Words that may follow the keyword in a sentence that asks people to send it.
const FOLLOWING: [&str; 18] = [
    "to", "for", "if", "or", "and", "when", "whenever", "any", "anytime", "at", "now", "back",
    "please", "by", "before", "with", "so", "in",
];
/// Words that carriers treat as an opt-out. No message may suggest such a word,
/// neither in upper case nor in lower case.
const OPT_OUT: [&str; 8] =
    ["stop", "stopall", "unsubscribe", "cancel", "end", "quit", "revoke", "optout"];

/// A word that the template asks people to send, and its byte range in the template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Keyword {
    pub word: String,
    pub range: Range<usize>,
}

/// Returns the first word that `text` asks people to send, in any of the usual wordings.
pub(super) fn keyword(text: &str) -> Option<Keyword> {
    let tokens = tokens(text);
    (0..tokens.len()).find_map(|index| {
        let token = &tokens[index];
        let asked = shouted(&tokens, index)
            || quoted_opt_out(token)
            || after_asking(&tokens, index)
            || paired(&tokens, index);
        asked.then(|| Keyword { word: token.text.to_owned(), range: token.range.clone() })
    })
}

/// Returns the source with all tags replaced by blanks. The words outside tags keep their offsets.
pub(super) fn prose(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(open) = rest.find("{{") {
        out.push_str(&rest[..open]);
        let tag = &rest[open..];
        let close = if tag.starts_with("{{!--") { "--}}" } else { "}}" };
        let end = tag.find(close).map_or(tag.len(), |at| at + close.len());
        out.extend(tag[..end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        rest = &tag[end..];
    }
    out.push_str(rest);
    out
}

struct Token<'a> {
    text: &'a str,
    lower: String,
    range: Range<usize>,
    quoted: bool,
    /// Whether a sentence or line ends between the previous token and this token.
    starts_sentence: bool,
    /// Whether only a slash separates the previous token from this token.
    slashed: bool,
}

impl Token<'_> {
    fn is_keyword(&self) -> bool {
        KEYWORDS.contains(&self.lower.as_str())
    }

    fn is_capitals(&self) -> bool {
        self.text.chars().any(char::is_alphabetic) && !self.text.chars().any(char::is_lowercase)
    }

    fn is_digits(&self) -> bool {
        self.text.chars().all(|c| c.is_ascii_digit())
    }
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut end_before = 0;
    let mut rest = 0;
    while let Some(start) = text[rest..].find(char::is_alphanumeric).map(|at| rest + at) {
        let word = |c: char| c.is_alphanumeric() || c == '\'' || c == '’';
        let length = text[start..].find(|c| !word(c)).unwrap_or(text.len() - start);
        let within = text[start..start + length].trim_end_matches(['\'', '’']);
        let range = start..start + within.len();
        let between = &text[end_before..start];
        let quote = |c: char| matches!(c, '"' | '\'' | '“' | '”' | '‘' | '’' | '*');
        tokens.push(Token {
            text: within,
            lower: within.to_lowercase(),
            quoted: between.ends_with(quote) && text[range.end..].starts_with(quote),
            starts_sentence: between.contains(['.', '!', '?', ';', '\n']),
            slashed: between == "/",
            range: range.clone(),
        });
        end_before = range.end;
        rest = start + length;
    }
    tokens
}

/// Whether a token is a keyword in capitals, such as `STOP`, `YES` or `HELP`.
/// People read such a word as a command, anywhere in a message.
fn shouted(tokens: &[Token<'_>], index: usize) -> bool {
    let token = &tokens[index];
    token.text.chars().count() > 1 && token.is_capitals() && token.is_keyword()
}

/// Whether a token is a quoted opt-out word (`"cancel"`), in upper or lower case.
fn quoted_opt_out(token: &Token<'_>) -> bool {
    token.quoted && OPT_OUT.contains(&token.lower.as_str())
}

/// Whether a word before the token, such as "reply", asks people to send the token:
/// `reply yes`, `text back with "in"`, `answer Y`, `reply 1`, `say "YES"`.
fn after_asking(tokens: &[Token<'_>], index: usize) -> bool {
    let token = &tokens[index];
    let mut before = index;
    while before > 0 && !tokens[before].starts_sentence {
        before -= 1;
        let verb = tokens[before].lower.as_str();
        let typed = token.quoted || token.is_digits() || (token.is_capitals() && token.text != "I");
        if ASKING.contains(&verb) {
            let named = token.is_keyword() && !FILLERS.contains(&token.lower.as_str());
            return (typed || named) && !is_ordinary(tokens, index);
        }
        if ASKING_LOOSELY.contains(&verb) {
            return typed && (token.quoted || token.is_keyword());
        }
        let between = &tokens[before];
        if !FILLERS.contains(&verb) || between.is_keyword() {
            return false;
        }
    }
    false
}

/// Whether the token is part of an ordinary sentence: `reply no later than`, `text in the morning`,
/// `reply to confirm`. A word in quotes or capitals is meant to be typed, even in such a sentence.
fn is_ordinary(tokens: &[Token<'_>], index: usize) -> bool {
    let token = &tokens[index];
    if token.quoted || token.is_capitals() {
        return false;
    }
    let infinitive = index > 0 && tokens[index - 1].lower == "to";
    let next = tokens.get(index + 1).filter(|next| !next.starts_sentence);
    infinitive || next.is_some_and(|next| !FOLLOWING.contains(&next.lower.as_str()))
}

/// Whether the token offers a choice of answers: `Y/N`, `Y or N`, `yes/no`, `Y for yes`.
fn paired(tokens: &[Token<'_>], index: usize) -> bool {
    let token = &tokens[index];
    let short = |token: &Token<'_>| {
        matches!(token.lower.as_str(), "yes" | "no") || matches!(token.text, "Y" | "N")
    };
    let letter = |token: &Token<'_>| matches!(token.text, "Y" | "N");
    let (next, after) = (tokens.get(index + 1), tokens.get(index + 2));
    if short(token) && next.is_some_and(|next| next.slashed && short(next)) {
        return true;
    }
    letter(token)
        && next.is_some_and(|next| matches!(next.lower.as_str(), "or" | "for" | "if" | "to"))
        && after.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_for_a_keyword_is_found_in_every_usual_wording() {
        for (text, word) in [
            ("Reply YES to confirm", "YES"),
            ("Please reply yes if you can", "yes"),
            ("Just text back with the word in", "in"),
            ("Text STOP to opt out", "STOP"),
            ("text stop any time", "stop"),
            ("Answer Y or N", "Y"),
            ("Can you come? Y/N", "Y"),
            ("Can you come (yes/no)?", "yes"),
            ("YES to accept, NO to decline", "YES"),
            ("Respond with \"accept\"", "accept"),
            ("Reply 1 for nursery", "1"),
            ("Press 2 to decline", "2"),
            ("Say \"yes\" and we'll note it", "yes"),
            ("Send CANCEL if plans change", "CANCEL"),
            ("To withdraw, type quit", "quit"),
            ("Need out? Just say 'cancel'.", "cancel"),
            ("Reply: YES", "YES"),
            ("Reply with ACCEPT", "ACCEPT"),
            ("Text NURSERY to join", "NURSERY"),
            ("All done? END", "END"),
            ("Reply\nYES", "YES"),
            ("Or QUIT at any time", "QUIT"),
            ("Reply 'C' to confirm", "C"),
            ("Reply 1 for nursery, 2 for cafe", "1"),
            ("Answer yes by Friday", "yes"),
            ("Text stop whenever you like", "stop"),
        ] {
            assert_eq!(keyword(text).map(|found| found.word).as_deref(), Some(word), "{text}");
        }
    }

    #[test]
    fn plain_english_is_left_alone() {
        for text in [
            "Could you help in the nursery? Just tell us either way.",
            "The service was cancelled. We won't need you in the end.",
            "If you need to cancel, let us know and we'll find somebody.",
            "Please reply no later than Friday.",
            "Thanks for saying yes! See you at the end of the month.",
            "Reply in your own words.",
            "Text us with any question.",
            "Please answer. No pressure at all.",
            "I'll text 12 volunteers for 5 places.",
            "Please reply to confirm, or text us to cancel.",
            "We'll send a status update. Answer in as few words as you like.",
            "Send us a message if we can help with anything.",
            "We said no to 3 of them.",
            "You can stop by the cafe, or start early.",
            "Let us know whether you can say yes to this.",
            "Reply when you can; yes or no is fine with us.",
            "A note to staff: I asked 5 people.",
            "",
        ] {
            assert_eq!(keyword(text), None, "{text}");
        }
    }

    #[test]
    fn prose_keeps_offsets_and_lines() {
        let source = "Reply {{! YES }}é {{#if a}}\nYES{{/if}}";
        let prose = prose(source);
        assert_eq!(prose.len(), source.len());
        let found = keyword(&prose).expect("a keyword");
        assert_eq!(&source[found.range], "YES");
    }
}
