//! A question that a run asked one person.

use abide_engine::base::{AskId, PersonId, RequestId, RunId, Timestamp};

use crate::transition::words;

words! {
    /// The state of a question.
    pub enum State {
        /// It waits for its answer.
        Open = "open",
        /// The answer was yes.
        Yes = "yes",
        /// The answer was no.
        No = "no",
        /// Nobody answered in time.
        Expired = "expired",
        /// It was taken back: by a newer one, by an order, or with its request.
        Withdrawn = "withdrawn",
    }
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// Its id.
    pub id: AskId,
    /// The request it is about.
    pub request: RequestId,
    /// Who was asked.
    pub person: PersonId,
    /// The template that asked it.
    pub template: String,
    /// What it is about, in the words in which we ask back.
    pub about: String,
    /// The role in which a yes gives a place.
    pub gives: Option<String>,
    /// How often this person was asked this in the request, with this time.
    pub ordinal: i64,
    /// The run that hears of the answer.
    pub run: RunId,
    /// The name under which it hears of it.
    pub signal: String,
    /// The first instant at which policy lets the text leave.
    pub planned_at: Timestamp,
    /// From then on an answer is late.
    pub expires_at: Timestamp,
}
