//! Erasure of personal data: what is known about a person, and how it is taken out of a text.
//!
//! Rows of people and the texts of their messages are erased where they are stored. But names, numbers and words
//! also get into other texts: a summary for staff, the input of a call, the journal of a conversation. A
//! [`Redactor`] finds them there and puts [`ERASED`] in their place.

mod numbers;
mod redactor;

use serde::{Deserialize, Serialize};

pub use redactor::{Redactor, WORDS_MAX};

/// What stands in a text in place of personal data that was erased.
pub const ERASED: &str = "[erased]";

/// What is known about a person, as it may occur in texts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonalData {
    /// The full name, and those parts of it that nobody else's name has.
    pub names: Vec<String>,
    /// Phone numbers in E.164.
    pub phones: Vec<String>,
    /// Email addresses, and other texts that only the person has.
    pub addresses: Vec<String>,
    /// Texts that the person wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
}
