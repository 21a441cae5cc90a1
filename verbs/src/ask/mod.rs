//! A question that a run asks one person with the verb `ask`.

use abide_engine::base::{AskId, PersonId, RequestId, RunId, Timestamp};

use crate::transition::words;

words! {
    /// The state of a question.
    pub enum AskState {
        /// Not answered yet.
        Open = "open",
        /// The answer was yes.
        Yes = "yes",
        /// The answer was no.
        No = "no",
        /// Not answered in time.
        Expired = "expired",
        /// ClaimResult back: replaced by a newer question, ended with its run or request, or dropped when the
        /// person opted out.
        Withdrawn = "withdrawn",
    }
}

/// A question as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// Its id.
    pub id: AskId,
    /// The request it is about.
    pub request: RequestId,
    /// The person asked.
    pub person: PersonId,
    /// The template of its text.
    pub template: String,
    /// What it is about, as named in a clarifying question.
    pub about: String,
    /// The role in which a yes gives the person a place, if any.
    pub gives: Option<String>,
    /// How many times this person has been asked with this template in the request, this time included.
    pub ordinal: i64,
    /// The run that receives the answer.
    pub run: RunId,
    /// The name of the signal that carries the answer.
    pub signal: String,
    /// The first instant at which policy permits the text to be sent.
    pub planned_at: Timestamp,
    /// From this instant on, an answer is late.
    pub expires_at: Timestamp,
}
