//! Lists wordings of each kind of answer, as people type them on phones.

/// Wordings of a yes.
pub(super) const YES: &[&str] = &[
    "Yes",
    "yes I can",
    "Sure, happy to!",
    "sure thing",
    "count me in",
    "I'll be there",
    "Yep",
    "ok I can do that",
    "Absolutely",
    "yes 👍",
];

/// Wordings of a no.
pub(super) const NO: &[&str] = &[
    "No",
    "Sorry, I can't",
    "can't make it this week, sorry",
    "Not this time",
    "no sorry",
    "I'm out of town",
    "Unfortunately not",
    "I won't be able to",
];

/// Wordings that ask for time or are unsure.
pub(super) const MAYBE: &[&str] = &[
    "let me check with my wife",
    "maybe, I'll know tomorrow",
    "probably, can I tell you later?",
    "50/50 right now",
];

/// Wordings that ask a question.
pub(super) const QUESTION: &[&str] =
    &["What time does it start?", "Who else is serving?", "How long would it be?", "which room?"];

/// Wordings of an opt-out. Carriers recognize each of them as a keyword.
pub(super) const STOP: &[&str] = &["STOP", "stop", "Unsubscribe"];

/// Wordings that take back a yes.
pub(super) const CHANGED_MIND: &[&str] = &[
    "Sorry, I can't make it after all",
    "something came up, I can't do it anymore",
    "I have to cancel, sorry",
];
