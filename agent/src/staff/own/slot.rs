//! What a text with an intent of a home can name.

use abide_language::words;

words! {
    /// What the value of a slot is, and so how it is found in a text.
    pub enum SlotKind {
        /// A role of the tenant, by its stored name.
        Role = "role",
        /// A number.
        Count = "count",
        /// A time, such as that of a service, as an instant in RFC 3339.
        Time = "time",
        /// A day: `2025-10-05`.
        Date = "date",
        /// An amount of money, in units of the currency.
        Money = "money",
        /// A phone number, as it was written.
        Phone = "phone",
        /// One of several values, each with the words for it.
        Choice = "choice",
        /// Words: those in quotes, else those after a colon, else the whole text.
        Text = "text",
    }
}

/// Something that a text can name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Its name in the goal.
    pub name: String,
    /// What its value is.
    pub kind: SlotKind,
    /// Whether nothing starts without it.
    pub required: bool,
    /// How we ask for it; `None` for the usual question.
    pub ask: Option<String>,
    /// What can be chosen, if it is a choice.
    pub choices: Vec<Choice>,
}

impl Slot {
    /// Returns the words for its choices.
    pub(super) fn words(&self) -> impl Iterator<Item = &String> {
        self.choices.iter().flat_map(|choice| &choice.words)
    }
}

/// A value that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The value in the goal.
    pub value: String,
    /// The words for it, in the form of [`crate::text::words`], joined by blanks.
    pub words: Vec<String>,
}
