//! The way to the carriers, behind one small trait, and a loopback that needs none.

mod loopback;

use async_trait::async_trait;

pub use loopback::{Loopback, SentMessage};

use crate::base::{MessageId, Timestamp};
use crate::store::NewInbound;

/// A text to be handed to a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendRequest {
    /// Our id: the provider keeps it, so that it can be asked about this very message.
    pub id: MessageId,
    /// The number.
    pub to: String,
    /// The number it comes from.
    pub from: String,
    /// The text.
    pub body: String,
    /// When it is handed over.
    pub at: Timestamp,
    /// The socket's time-out.
    pub deadline: Timestamp,
}

/// What the provider says of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendAnswer {
    /// It has it, under this reference.
    Accepted {
        /// The provider's id.
        reference: String,
    },
    /// It refuses it, with this code; nothing was sent.
    Refused {
        /// The provider's code, such as `21610`.
        code: String,
        /// True where the same text may be taken later.
        later: bool,
    },
    /// Not a byte was written: it is surely not sent.
    NotSent {
        /// Why.
        reason: String,
    },
    /// Bytes were written and no answer was read: it may be sent or not.
    Unknown {
        /// Why.
        reason: String,
    },
}

/// A provider of text messages.
#[async_trait]
pub trait Gateway: Send + Sync {
    /// Its name; with a provider's id it deduplicates inbound messages.
    fn name(&self) -> &'static str;

    /// Hands one text over. Never called twice for one attempt.
    async fn send(&self, send: &SendRequest) -> SendAnswer;

    /// What became of a message of ours: its reference if the provider has it, `None` if it surely
    /// has not, an error if the provider cannot tell now.
    async fn look_up(&self, id: MessageId) -> Result<Option<String>, String>;

    /// Whether the provider can be reached, for readiness and `doctor`.
    async fn status(&self) -> Result<(), String>;

    /// Inbound messages since an instant: what webhooks may have missed.
    async fn inbound_since(&self, since: Timestamp) -> Result<Vec<NewInbound>, String>;
}
