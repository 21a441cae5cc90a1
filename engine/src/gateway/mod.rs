//! The interface to providers of text messages, and a loopback provider that needs no carrier.

mod loopback;
mod script;

use async_trait::async_trait;

pub use loopback::{Loopback, SentMessage};
pub use script::{LookupBehaviour, Reaction, Script, ScriptRule};

use crate::base::{MessageId, Timestamp};
use crate::store::NewInbound;

/// A text to hand to a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendRequest {
    /// Our id of the message. The provider stores it, so that the message can be looked up.
    pub id: MessageId,
    /// Tenant that sends it. A provider may distinguish tenants by number or by account.
    pub tenant: String,
    /// Number of the recipient.
    pub to: String,
    /// Number of the tenant that it is sent from.
    pub from: String,
    /// Text of the message.
    pub body: String,
    /// Time at which it is handed over.
    pub at: Timestamp,
    /// Time until which the provider's answer is awaited.
    pub deadline: Timestamp,
}

/// The provider's answer to a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendAnswer {
    /// It accepted the text.
    Accepted {
        /// The provider's id of the message.
        reference: String,
    },
    /// It refused the text; nothing was sent.
    Refused {
        /// The provider's code, such as `21610`.
        code: String,
        /// Whether the provider may accept the same text later.
        later: bool,
    },
    /// No byte was written, so the text was certainly not sent.
    NotSent {
        /// Reason, for logs.
        reason: String,
    },
    /// Bytes were written and no answer was read, so the text may or may not have been sent.
    Unknown {
        /// Reason, for logs.
        reason: String,
    },
}

/// A text whose delivery to the provider is unknown, with what a provider can use to find it: our id if the
/// provider stores that, else the time and the recipient, who is sent one text at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookupRequest {
    /// Our id of the message.
    pub id: MessageId,
    /// Tenant that sent it.
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
    /// It received the text.
    Received {
        /// The provider's id of the message.
        reference: String,
    },
    /// It did not receive the text and will not receive it any more.
    NotReceived,
    /// It cannot tell now. It is asked again later, for up to a day.
    CannotTellYet {
        /// Reason, for logs.
        reason: String,
    },
    /// It can never tell. The text is not sent again, and staff are informed.
    CanNeverTell {
        /// Reason, for logs.
        reason: String,
    },
}

/// Why a provider returned no inbound messages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GatewayError {
    /// It did not answer in time.
    #[error("the provider did not answer in time")]
    TimedOut,
    /// It could not be reached, or answered with an error.
    #[error("{reason}")]
    Unavailable {
        /// Reason, for logs.
        reason: String,
    },
}

/// A provider of text messages.
#[async_trait]
pub trait Gateway: Send + Sync {
    /// Returns the provider's name. Together with the provider's message id it deduplicates inbound
    /// messages.
    fn name(&self) -> &'static str;

    /// Hands over one text. Called at most once per attempt.
    async fn send(&self, send: &SendRequest) -> SendAnswer;

    /// Asks whether the provider received a message whose call may or may not have reached it.
    async fn look_up(&self, lookup: &LookupRequest) -> LookupAnswer;

    /// Returns the inbound messages since an instant, to recover those whose webhook was missed.
    async fn inbound_since(&self, since: Timestamp) -> Result<Vec<NewInbound>, GatewayError>;
}
