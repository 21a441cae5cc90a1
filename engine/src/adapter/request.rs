//! What the adapters of the program can be asked to do. Verbs build these requests, adapters carry them out.

use serde::{Deserialize, Serialize};

use crate::base::Value;

/// Name of the adapter that hands emails to a mail server.
pub const SMTP: &str = "smtp";
/// Name of the adapter that posts events to the addresses of others.
pub const WEBHOOK: &str = "webhook";

/// An email to send. The answer is `{said}`: the reply of the mail server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EmailRequest {
    /// The recipient.
    pub to: String,
    /// Other people who receive the same email.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cc: Vec<String>,
    /// The subject.
    pub subject: String,
    /// The text.
    pub body: String,
}

/// An event to post. The answer is `{status_code, response}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WebhookRequest {
    /// The address.
    pub url: String,
    /// What happened, such as `quote.accepted`.
    pub event: String,
    /// The data of the event.
    pub data: Value,
}
