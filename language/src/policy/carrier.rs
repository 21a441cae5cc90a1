//! Carrier keywords: single words, such as STOP and HELP,
//! to which carriers and the law give a fixed meaning.

crate::words! {
    /// The effect of a message that consists of one carrier keyword, or that opts out in other words.
    ///
    /// The effect is applied before any other interpretation of the message.
    pub enum CarrierWord {
        /// Opts the number out: no message of any kind may be sent to it.
        OptOut = "opt_out",
        /// Opts the number in: messages may be sent to it again.
        OptIn = "opt_in",
        /// Asks who the sender of our messages is.
        Help = "help",
        /// Accepts the last open ask; without an open ask, it opts the number in.
        Yes = "yes",
    }
}

/// Name of the template that confirms an opt-out.
///
/// The template is sent in answer to the message that opted out.
/// No other message may go to an opted-out number.
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
    /// Returns the effect of a message that is a single carrier keyword and nothing else.
    ///
    /// Case, surrounding white space and trailing punctuation are ignored.
    /// `cancel my spot` is not a keyword.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let word = text.trim_start().trim_end_matches(|c: char| c.is_whitespace() || closes(c));
        WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, does)| *does)
    }
}

/// Whether the character `c` can end a sentence: ASCII punctuation, and the
/// characters with which phones replace ASCII punctuation.
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
