//! The interface to providers of text messages, and a loopback provider that needs no carrier.

mod loopback;
mod script;

use async_trait::async_trait;

pub use loopback::{Loopback, SentMessage};
pub use script::{LookupBehaviour, Reaction, Script, ScriptRule};

use crate::base::{MessageId, Timestamp};
use crate::store::NewInbound;

/// A message to hand over to a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendRequest {
    /// The engine's id of the message. The provider stores it, so that the message can be looked up.
    pub id: MessageId,
    /// Tenant that sends the message. A provider may distinguish tenants by number or by account.
    pub tenant: String,
    /// Number of the recipient.
    pub to: String,
    /// Number of the tenant from which the message is sent.
    pub from: String,
    /// Text of the message.
    pub body: String,
    /// Time at which the message is handed over.
    pub at: Timestamp,
    /// Time until which the provider's answer is awaited.
    pub deadline: Timestamp,
}

/// The provider's answer to a message that was handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendAnswer {
    /// The provider accepted the message.
    Accepted {
        /// The provider's id of the message.
        reference: String,
    },
    /// The provider refused the message; nothing was sent.
    Refused {
        /// The provider's code, such as `21610`.
        code: String,
        /// Whether the provider may accept the same message later.
        later: bool,
    },
    /// No byte was written, so the message was certainly not sent.
    NotSent {
        /// Reason, for logs.
        reason: String,
    },
    /// Bytes were written and no answer was read, so the message may or may not have been sent.
    Unknown {
        /// Reason, for logs.
        reason: String,
    },
}

/// A message of which it is unknown whether the provider received it,
/// with the data that a provider can find it by: the engine's id if the provider stores ids,
/// else the time and the recipient. Each recipient is sent one message at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookupRequest {
    /// The engine's id of the message.
    pub id: MessageId,
    /// Tenant that sent the message.
    pub tenant: String,
    /// Number of the recipient.
    pub to: String,
    /// Text of the message.
    pub body: String,
    /// Latest time, by the database's clock, at which the provider can have been called; `None` if unknown.
    pub called_by: Option<Timestamp>,
}

/// A provider's answer to a lookup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookupAnswer {
    /// The provider received the message.
    Received {
        /// The provider's id of the message.
        reference: String,
    },
    /// The provider did not receive the message and will not receive it any more.
    NotReceived,
    /// The provider cannot tell now. The engine asks again later, for up to a day.
    CannotTellYet {
        /// Reason, for logs.
        reason: String,
    },
    /// The provider can never tell. The message is not sent again, and staff are informed.
    CanNeverTell {
        /// Reason, for logs.
        reason: String,
    },
}

/// Why a provider returned no inbound messages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GatewayError {
    /// The provider did not answer in time.
    #[error("the provider did not answer in time")]
    TimedOut,
    /// The provider could not be reached, or answered with an error.
    #[error("{reason}")]
    Unavailable {
        /// Reason, for logs.
        reason: String,
    },
}

/// A provider of text messages.
#[async_trait]
pub trait Gateway: Send + Sync {
    /// Returns the provider's name.
    /// The name together with the provider's message id deduplicates inbound messages.
    fn name(&self) -> &'static str;

    /// Hands over one message. Called at most once per attempt.
    async fn send(&self, send: &SendRequest) -> SendAnswer;

    /// Asks whether the provider received a message whose call may or may not have reached it.
    async fn look_up(&self, lookup: &LookupRequest) -> LookupAnswer;

    /// Returns the inbound messages since an instant, to recover messages whose webhook was missed.
    async fn inbound_since(&self, since: Timestamp) -> Result<Vec<NewInbound>, GatewayError>;
}
