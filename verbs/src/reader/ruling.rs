//! What a text says about something that its sender was asked to approve: yes, no, and about which.

use abide_engine::base::Value;
use abide_engine::run::ApprovalDecision;
use serde::{Deserialize, Serialize};

use super::number::number;
use super::token::{Token, tokens};
use super::{Label, ReplyContext, reply};

/// Words of a longer story, which decides nothing.
const WORDS_MAX: usize = 16;
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

/// What a text says about an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulingReading {
    /// What it decides; `None` if it only says which approval it means.
    pub decision: Option<ApprovalDecision>,
    /// Whether it can mean nothing but an approval: it says `approve` and not only `yes`.
    pub explicit: bool,
    /// The number of the approval that it means, from 1; `None` if it names none.
    pub which: Option<usize>,
}

impl RulingReading {
    /// From what was stored with the message; `None` for anything else.
    #[must_use]
    pub fn from_value(value: &Value) -> Option<Self> {
        serde_json::from_value(value.clone()).ok()
    }
}

/// Reads a text as the answer to a request for an approval. Returns `None` if it decides nothing for certain.
#[must_use]
pub fn read(text: &str) -> Option<RulingReading> {
    let tokens = tokens(text);
    let words: Vec<&str> = tokens.iter().filter_map(Token::word).collect();
    let doubtful =
        words.iter().any(|word| OPEN.contains(word)) || tokens.contains(&Token::Break(true));
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
    let plain = match reply::read(&without_number(text), ReplyContext::Invite).label {
        Label::Accept => Some(ApprovalDecision::Approve),
        Label::Decline | Label::CancelLater => Some(ApprovalDecision::Deny),
        Label::Unclear => None,
    };
    let only_a_number = words.len() == 1 && which.is_some();
    (plain.is_some() || only_a_number).then_some(RulingReading {
        decision: plain,
        explicit: false,
        which,
    })
}

/// Returns what the words say that can mean nothing but an approval; `None` if there are none, or if they
/// contradict each other.
fn explicit(words: &[&str]) -> Option<ApprovalDecision> {
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
            (true, _) if negated(at) => ApprovalDecision::Deny,
            (true, _) => ApprovalDecision::Approve,
            (_, true) if negated(at) => return None, // "don't deny it" is no clear yes
            (_, true) => ApprovalDecision::Deny,
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
        assert_eq!(which("yes 2"), Some((Some(ApprovalDecision::Approve), Some(2))));
        assert_eq!(which("no 1"), Some((Some(ApprovalDecision::Deny), Some(1))));
        assert_eq!(which("555"), None);
    }
}
