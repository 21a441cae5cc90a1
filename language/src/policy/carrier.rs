//! The lone words to which carriers give a meaning in law.

use serde::{Deserialize, Serialize};

/// What a lone carrier word does. It is obeyed before anything else reads the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CarrierWord {
    /// Nothing may be sent to this number any more, in every context.
    OptOut,
    /// Messages may be sent again.
    OptIn,
    /// The sender wants to know who we are.
    Help,
    /// Accepts what was asked last; with nothing asked, an opt-in.
    Yes,
}

/// The template that confirms an opt-out: in answer to the text that asked for it, it is the only one that
/// goes to a number which nothing may be sent to.
pub const OPT_OUT_CONFIRMED: &str = "opted_out";

const WORDS: [(&str, CarrierWord); 13] = [
    ("STOP", CarrierWord::OptOut),
    ("STOPALL", CarrierWord::OptOut),
    ("UNSUBSCRIBE", CarrierWord::OptOut),
    ("CANCEL", CarrierWord::OptOut),
    ("END", CarrierWord::OptOut),
    ("QUIT", CarrierWord::OptOut),
    ("REVOKE", CarrierWord::OptOut),
    ("OPTOUT", CarrierWord::OptOut),
    ("START", CarrierWord::OptIn),
    ("UNSTOP", CarrierWord::OptIn),
    ("HELP", CarrierWord::Help),
    ("INFO", CarrierWord::Help),
    ("YES", CarrierWord::Yes),
];

impl CarrierWord {
    /// The meaning of a text that is one carrier word and nothing else: in any case, with spaces
    /// around it and punctuation behind it. `cancel my spot` has none.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let word = text.trim_start().trim_end_matches(|c: char| c.is_whitespace() || closes(c));
        WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, does)| *does)
    }

    /// As it is stored and reported.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OptOut => "opt_out",
            Self::OptIn => "opt_in",
            Self::Help => "help",
            Self::Yes => "yes",
        }
    }
}

/// Punctuation that may close a sentence, also as phones autocorrect it.
fn closes(c: char) -> bool {
    c.is_ascii_punctuation() || matches!(c, '…' | '。' | '！' | '？' | '’' | '”' | '»' | '–' | '—')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(texts: &[&str], expect: Option<CarrierWord>) {
        for text in texts {
            assert_eq!(CarrierWord::of(text), expect, "{text:?}");
        }
    }

    #[test]
    fn lone_words_are_obeyed_in_any_case_and_with_closing_punctuation() {
        let out = [
            "STOP",
            "stop",
            "Stop.",
            " StOp !! ",
            "stop…",
            "STOP\n",
            "stopall",
            "UNSUBSCRIBE",
            "Cancel",
            "end.",
            "quit",
            "revoke",
            "OptOut",
            "\u{a0}stop\u{a0}",
        ];
        check(&out, Some(CarrierWord::OptOut));
        check(&["start", "UNSTOP!"], Some(CarrierWord::OptIn));
        check(&["help?", "Info"], Some(CarrierWord::Help));
        check(&["yes", "Yes!!!", "YES."], Some(CarrierWord::Yes));
    }

    #[test]
    fn words_among_others_are_left_to_understanding() {
        check(
            &[
                "cancel my spot",
                "please stop",
                "STOP PLEASE",
                "opt out",
                "yes please",
                "stopp",
                "",
                "!",
                "¡stop",
                "s.t.o.p",
                "no",
                "yes 👍",
                "the end",
            ],
            None,
        );
    }

    #[test]
    fn the_stored_names_are_those_of_the_serialised_form() {
        for (_, word) in WORDS {
            let stored = serde_json::to_value(word).expect("serialises");
            assert_eq!(stored, word.as_str());
        }
    }
}
