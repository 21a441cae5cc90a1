//! A question that a run asks one person with the verb `ask`.

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
    /// The subject of the question. A clarifying question uses these words
    /// if the person's answer fits several questions.
    pub about: String,
    /// The role in which the person gets a place by answering yes; `None` if a yes gives no place.
    pub gives: Option<String>,
    /// How many questions with this template the person was asked in this request, including this one.
    pub ordinal: i64,
    /// The run that receives the answer.
    pub run: RunId,
    /// The name of the signal that carries the answer.
    pub signal: String,
    /// The earliest time at which policy permits the question's message to be sent.
    pub planned_at: Timestamp,
    /// The time at which the question expires. Answers after this time are late; for an answer
    /// at exactly this time, the setting `offer_boundary` decides.
    pub expires_at: Timestamp,
}
