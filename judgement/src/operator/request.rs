//! What a caller asks of the operator.

use abide_engine::base::{Problem, Value};
use abide_engine::words;
use serde_json::Map;

/// Maximum number of characters of a message: what somebody dictates in a few minutes.
pub(super) const MESSAGE_CHARS_MAX: usize = 4_000;
/// Maximum number of bytes of a context as JSON: an inspection packet of a large roof fits.
pub(super) const CONTEXT_BYTES_MAX: usize = 256 << 10;
/// Maximum number of characters of a session's name.
pub(super) const SESSION_CHARS_MAX: usize = 200;

words! {
    /// How far the operator goes.
    pub enum OperatorMode {
        /// Classifies the message and plans. Nothing runs.
        Analyze = "analyze",
        /// The same, with a query for each tool that shows what a run has changed.
        Plan = "plan",
        /// Starts the plan, and does not wait.
        Enqueue = "enqueue",
        /// Starts the plan, and waits for its receipts.
        EnqueueAndWait = "enqueue_and_wait",
        /// The same. A plan of risk T2 or above needs an approval in every mode that runs it.
        Execute = "execute",
    }
}

impl OperatorMode {
    /// Whether the plan runs.
    #[must_use]
    pub const fn runs(self) -> bool {
        matches!(self, Self::Enqueue | Self::EnqueueAndWait | Self::Execute)
    }

    /// Whether the caller waits until the plan has run.
    #[must_use]
    pub const fn waits(self) -> bool {
        matches!(self, Self::EnqueueAndWait | Self::Execute)
    }
}

/// A message to the operator.
#[derive(Debug, Clone, PartialEq)]
pub struct OperatorRequest {
    /// What is wanted, in words.
    pub message: String,
    /// How far to go.
    pub mode: OperatorMode,
    /// Whether somebody who may approves the plan that this very call computes.
    pub consented: bool,
    /// What is known besides the message, such as `quote_id`.
    pub context: Map<String, Value>,
    /// The conversation that the message belongs to.
    pub session: Option<String>,
    /// A second request with the same key is the same request.
    pub key: Option<String>,
}

impl OperatorRequest {
    /// Checks the limits of a request.
    ///
    /// # Errors
    /// `message_invalid`, `context_too_large`, `session_invalid`.
    pub fn check(&self) -> Result<(), Problem> {
        let length = self.message.chars().count();
        if self.message.trim().is_empty() || length > MESSAGE_CHARS_MAX {
            let why = format!("a message has 1 to {MESSAGE_CHARS_MAX} characters, not {length}");
            return Err(Problem::caller("message_invalid", why).with_hint("say it in fewer words"));
        }
        let size = Value::Object(self.context.clone()).to_string().len();
        if size > CONTEXT_BYTES_MAX {
            let why = format!("a context has at most {CONTEXT_BYTES_MAX} bytes, not {size}");
            return Err(Problem::caller("context_too_large", why)
                .with_hint("store files with `media.create_asset`, and name them by their ids"));
        }
        let long = |name: &String| name.chars().count() > SESSION_CHARS_MAX || name.is_empty();
        if self.session.as_ref().is_some_and(long) {
            let why = format!("a session's name has 1 to {SESSION_CHARS_MAX} characters");
            return Err(Problem::caller("session_invalid", why).with_hint("use a shorter name"));
        }
        Ok(())
    }
}
