//! Defines the interface to providers of text messages.

use async_trait::async_trait;

use crate::base::{MessageId, Timestamp};
use crate::erasure::Redactor;
use crate::store::NewInbound;

/// A request to a provider to send one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendRequest {
    /// The engine's id of the message. The provider stores it, so that the message can be looked up.
    pub id: MessageId,
    /// Tenant that sends the message. A provider may distinguish tenants by phone number or by account.
    pub tenant: String,
    /// Phone number of the recipient.
    pub to: String,
    /// The tenant's phone number from which the message is sent.
    pub from: String,
    /// Text of the message.
    pub body: String,
    /// Time at which the message is handed to the provider.
    pub at: Timestamp,
    /// Time until which the engine waits for the provider's answer.
    pub deadline: Timestamp,
}

/// The provider's answer to a [`SendRequest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendAnswer {
    /// The provider accepted the message.
    Accepted {
        /// The provider's id of the message.
        reference: String,
    },
    /// The provider refused the message; nothing was sent.
    Refused {
        /// The provider's error code, such as `21610`.
        code: String,
        /// Whether the provider may accept the same message later.
        later: bool,
    },
    /// No byte of the request was written, so the message was certainly not sent.
    NotSent {
        /// Reason, to be written to the log.
        reason: String,
    },
    /// Bytes of the request were written and no answer was read,
    /// so the message may or may not have been sent.
    Unknown {
        /// Reason, to be written to the log.
        reason: String,
    },
}

/// A question to a provider: whether it received a message. A provider that stores the engine's ids
/// finds the message by its id. Any other provider finds it by the time and the recipient,
/// because each recipient is sent only one message at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookupRequest {
    /// The engine's id of the message.
    pub id: MessageId,
    /// Tenant that sent the message.
    pub tenant: String,
    /// Phone number of the recipient.
    pub to: String,
    /// Text of the message.
    pub body: String,
    /// Latest time, by the database's clock, at which the request to send the message may have begun;
    /// `None` if unknown.
    pub called_by: Option<Timestamp>,
}

/// A provider's answer to a [`LookupRequest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookupAnswer {
    /// The provider received the message.
    Received {
        /// The provider's id of the message.
        reference: String,
    },
    /// The provider did not receive the message and will not receive it any more.
    NotReceived,
    /// The provider cannot tell now whether it received the message.
    /// The engine asks again later, for up to a day.
    CannotTellYet {
        /// Reason, to be written to the log.
        reason: String,
    },
    /// The provider can never tell whether it received the message.
    /// The engine does not send the message again, and informs staff.
    CanNeverTell {
        /// Reason, to be written to the log.
        reason: String,
    },
}

/// The reason why [`Gateway::inbound_since`] failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GatewayError {
    /// The provider did not answer in time.
    #[error("the provider did not answer in time")]
    TimedOut,
    /// The provider could not be reached, or answered with an error.
    #[error("{reason}")]
    Unavailable {
        /// Reason, to be written to the log.
        reason: String,
    },
}

/// A provider of text messages.
#[async_trait]
pub trait Gateway: Send + Sync {
    /// Returns the provider's name.
    /// The name together with the provider's message id deduplicates inbound messages.
    fn name(&self) -> &'static str;

    /// Sends one message. Called at most once per attempt.
    async fn send(&self, send: &SendRequest) -> SendAnswer;

    /// Asks the provider whether it received a message, after a request to send it had no clear result.
    async fn look_up(&self, lookup: &LookupRequest) -> LookupAnswer;

    /// Returns the inbound messages that the provider received at the instant `since` or later. The
    /// engine uses this function to recover messages whose webhook request was missed.
    async fn inbound_since(&self, since: Timestamp) -> Result<Vec<NewInbound>, GatewayError>;

    /// Takes a person's data out of the records that the gateway keeps on this machine. By default, it keeps none; what a
    /// provider keeps is a matter of the contract with it.
    ///
    /// # Errors
    /// Errors of the file with the records.
    fn erase(&self, _redactor: &Redactor) -> std::io::Result<()> {
        Ok(())
    }
}
