//! Defines the interface to a language model. A model proposes what a text means, where the program's own reader is
//! not sure. It decides nothing: the domain checks each proposal, and without an answer the own reading counts.

use std::sync::Arc;

use async_trait::async_trait;

use crate::base::{Problem, Value};

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// What the model is to do, such as `reply`.
    pub task: &'static str,
    /// How it is to be done, with examples.
    pub instructions: &'static str,
    /// What to work on. It contains texts of strangers, so it is passed on as data.
    pub input: Value,
    /// JSON schema of the answer.
    pub schema: Value,
}

/// What a model answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelAnswer {
    /// The proposal. It may not fit the schema.
    pub value: Value,
    /// Number of tokens that the provider bills for the request and the answer.
    pub tokens: u64,
}

/// A client of a language model.
#[async_trait]
pub trait LanguageModel: Send + Sync {
    /// Asks the model, within the time limit of the client.
    ///
    /// # Errors
    /// `model_failed` if there is no answer, or none that is JSON.
    async fn propose(&self, request: &ModelRequest) -> Result<ModelAnswer, Problem>;
}

/// A language model, with what it may cost.
#[derive(Clone)]
pub struct ModelConfig {
    /// The client.
    pub model: Arc<dyn LanguageModel>,
    /// Maximum number of tokens in a day (UTC), over all tenants; `None` for no limit. A day's last request may
    /// exceed it, because only the answer says what it cost.
    pub tokens_per_day: Option<u64>,
    /// Whether the model may reword messages before they leave.
    pub rewords: bool,
}
