//! What a text says about something that its sender was asked to approve: yes, no, and about which.

use serde::{Deserialize, Serialize};

use crate::number::number;
use crate::reply::{self, ReplyLabel, ReplyPrompt};
use crate::text::words as words_of;
use crate::words;

/// Words of a longer story, which decides nothing.
const WORDS_MAX: usize = 16;
/// The least confidence with which a yes or a no that does not say `approve` decides an approval.
const CLEAR_FROM: f32 = 0.85;
/// Marks between the words.
const MARKS: &[&str] = &["|", "!", "?", "\""];
/// How far a "not" reaches, in tokens.
const NEGATION_REACH: usize = 3;
/// The highest number by which a text can name one of several approvals.
const WHICH_MAX: usize = 20;

/// Words that approve by themselves.
const APPROVE: &[&str] = &[
    "approve",
    "approved",
    "approving",
    "authorise",
    "authorised",
    "authorize",
    "authorized",
    "allow",
    "allowed",
    "permit",
    "permitted",
];
/// Two words that approve together.
const APPROVE_TOGETHER: &[[&str; 2]] = &[
    ["go", "ahead"],
    ["do", "it"],
    ["send", "it"],
    ["send", "them"],
    ["ok", "to"],
    ["okay", "to"],
    ["fine", "to"],
    ["text", "them"],
];
/// Words that refuse by themselves.
const DENY: &[&str] = &[
    "deny",
    "denied",
    "reject",
    "rejected",
    "refuse",
    "refused",
    "disapprove",
    "disapproved",
    "veto",
    "decline",
    "declined",
];
/// Words that turn an approval into a refusal.
const NOT: &[&str] = &["not", "dont", "never", "cannot", "cant", "wont"];
/// Words of a condition, a delay or a question, after which nothing is decided.
const OPEN: &[&str] = &[
    "if", "unless", "until", "maybe", "perhaps", "wait", "later", "after", "when", "once", "but",
    "only", "who", "what", "why", "how", "which", "should", "could", "depends", "unsure", "except",
    "instead",
];

words! {
    /// What a text decides about an approval.
    pub enum RulingWord {
        /// The call may happen.
        Approve = "approve",
        /// It may not.
        Deny = "deny",
    }
}

/// What a text says about an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulingReading {
    /// What it decides; `None` if it only says which approval it means.
    pub decision: Option<RulingWord>,
    /// Whether it can mean nothing but an approval: it says `approve` and not only `yes`.
    pub explicit: bool,
    /// The number of the approval that it means, from 1; `None` if it names none.
    pub which: Option<usize>,
}

/// Reads a text as the answer to a request for an approval. Returns `None` if it decides nothing for certain.
#[must_use]
pub fn read(text: &str) -> Option<RulingReading> {
    let all = words_of(text);
    let words: Vec<&str> =
        all.iter().map(String::as_str).filter(|word| !MARKS.contains(word)).collect();
    let doubtful = words.iter().any(|word| OPEN.contains(word)) || all.iter().any(|w| w == "?");
    if words.is_empty() || words.len() > WORDS_MAX || doubtful {
        return None;
    }
    let mut numbers =
        words.iter().filter_map(|word| number(word)).filter_map(|n| usize::try_from(n).ok());
    let which = numbers.next().filter(|n| (1..=WHICH_MAX).contains(n));
    if numbers.next().is_some() {
        return None; // two numbers: it is not clear which
    }
    let amended = words.windows(2).any(|pair| pair[0] == "for" && number(pair[1]).is_some());
    if amended {
        return None; // "approve for 30" wants something else than what was shown
    }
    let explicit = explicit(&words);
    if let Some(decision) = explicit {
        return Some(RulingReading { decision: Some(decision), explicit: true, which });
    }
    let only_a_number = words.len() == 1 && which.is_some();
    let plain = if only_a_number { None } else { plain(&without_number(text)) };
    (plain.is_some() || only_a_number).then_some(RulingReading {
        decision: plain,
        explicit: false,
        which,
    })
}

/// Returns what a plain yes or no decides. An approval needs a clear one.
fn plain(text: &str) -> Option<RulingWord> {
    let reading = reply::read(text, ReplyPrompt::Invite);
    match reading.label {
        _ if reading.confidence < CLEAR_FROM => None,
        ReplyLabel::Accept => Some(RulingWord::Approve),
        ReplyLabel::Decline | ReplyLabel::CancelLater => Some(RulingWord::Deny),
        _ => None,
    }
}

/// Returns what the words say that can mean nothing but an approval; `None` if there are none, or if they
/// contradict each other.
fn explicit(words: &[&str]) -> Option<RulingWord> {
    let negated = |at: usize| {
        words[at.saturating_sub(NEGATION_REACH)..at]
            .iter()
            .any(|word| NOT.contains(word) || *word == "no")
    };
    let mut found = None;
    for (at, word) in words.iter().enumerate() {
        let pair = words.get(at + 1).map(|next| [*word, *next]);
        let approves =
            APPROVE.contains(word) || pair.is_some_and(|pair| APPROVE_TOGETHER.contains(&pair));
        let said = match (approves, DENY.contains(word)) {
            (true, _) if negated(at) => RulingWord::Deny,
            (true, _) => RulingWord::Approve,
            (_, true) if negated(at) => return None, // "don't deny it" is no clear yes
            (_, true) => RulingWord::Deny,
            _ => continue,
        };
        match found {
            Some(before) if before != said => return None,
            _ => found = Some(said),
        }
    }
    found
}

/// Returns a text without its numbers: "yes 2" is a yes.
fn without_number(text: &str) -> String {
    let kept = text.split_whitespace().filter(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        number(&word).is_none()
    });
    kept.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `what | text | text …`: `approve!` and `deny!` can mean nothing but an approval.
    const ANSWERS: &str = "
        approve! | approve | Approved. | APPROVE | go ahead | Go ahead please | ok, do it | ok to text all 60 | yes send it | I approve | approved!
        deny!    | deny | Denied | reject | please don't send it | do not approve | not approved | no, don't go ahead | veto
        approve  | yes | Yes please | ok | sure | 👍 | sounds good
        deny     | no | nope | No thanks | not this week | 👎
        approve! 2 | approve 2 | Approved: 2 | go ahead with 2
        nothing  | approve if Tom agrees | should I approve? | wait | maybe | approve later | who is this for? | don't deny it
        nothing  | hello | thanks | approve for 30 | approve deny | fill 5 nursery | approve 1 and 2
    ";

    #[test]
    fn a_text_decides_only_what_it_says_for_certain() {
        let mut wrong = Vec::new();
        for line in ANSWERS.lines().filter(|line| !line.trim().is_empty()) {
            let mut cells = line.split('|').map(str::trim);
            let wanted = cells.next().expect("a label");
            for text in cells {
                let found = match read(text) {
                    None | Some(RulingReading { decision: None, .. }) => "nothing".to_owned(),
                    Some(RulingReading { decision: Some(decision), explicit, which }) => {
                        let which = which.map(|n| format!(" {n}")).unwrap_or_default();
                        format!("{decision}{}{which}", if explicit { "!" } else { "" })
                    }
                };
                if found != wanted {
                    wrong.push(format!("{text:?}: {found}, expected {wanted}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_number_alone_says_which() {
        let which = |text| read(text).map(|reading| (reading.decision, reading.which));
        assert_eq!(which("2"), Some((None, Some(2))));
        assert_eq!(which("yes 2"), Some((Some(RulingWord::Approve), Some(2))));
        assert_eq!(which("no 1"), Some((Some(RulingWord::Deny), Some(1))));
        assert_eq!(which("555"), None);
    }
}
