//! A question to one person, asked by a run with the verb `ask`.

use abide_engine::base::{AskId, PersonId, RequestId, RunId, Timestamp};

use crate::transition::words;

words! {
    /// The state of a question.
    pub enum AskState {
        /// The person has not answered yet.
        Open = "open",
        /// The person said yes.
        Yes = "yes",
        /// The person said no.
        No = "no",
        /// The person did not answer in time.
        Expired = "expired",
        /// Withdrawn: replaced by a newer question, ended with its run or request,
        /// or dropped when the person opted out.
        Withdrawn = "withdrawn",
    }
}

/// A question as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The id of the question.
    pub id: AskId,
    /// The request that the question is about.
    pub request: RequestId,
    /// The person asked.
    pub person: PersonId,
    /// The template of the question's message.
    pub template: String,
    /// The subject of the question, as a clarifying question names it.
    pub about: String,
    /// The role in which a yes gives the person a place, if any.
    pub gives: Option<String>,
    /// How many times the person was asked with this template in this request, including this time.
    pub ordinal: i64,
    /// The run that receives the answer.
    pub run: RunId,
    /// The name of the signal that carries the answer.
    pub signal: String,
    /// The first instant at which policy permits the message to be sent.
    pub planned_at: Timestamp,
    /// The instant from which on an answer is late.
    pub expires_at: Timestamp,
}
