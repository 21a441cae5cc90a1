//! The way to the carriers, behind one small trait, and a loopback that needs none.

mod loopback;
mod script;

use async_trait::async_trait;

pub use loopback::{Loopback, SentMessage};
pub use script::{LookUp, Reaction, Rule, Script};

use crate::base::{MessageId, Timestamp};
use crate::store::NewInbound;

/// A text to be handed to a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendRequest {
    /// Our id: the provider keeps it, so that it can be asked about this very message.
    pub id: MessageId,
    /// Whose text it is: a provider may know the tenants by their numbers, or by accounts of their own.
    pub tenant: String,
    /// The number.
    pub to: String,
    /// The tenant's number that it comes from.
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

/// A text of which nobody knows what became of it, with all that a provider may go by to find it: our id
/// where it keeps that, else the recipient, who is sent one text at a time, and the time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sought {
    /// Our id.
    pub id: MessageId,
    /// Whose text it is.
    pub tenant: String,
    /// The number that it was sent to.
    pub to: String,
    /// The text.
    pub body: String,
    /// The provider was called by then, by the database's clock, if it was called.
    pub called_by: Option<Timestamp>,
}

/// What a provider says of a text that is sought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It has it, under this reference.
    HasIt {
        /// The provider's id.
        reference: String,
    },
    /// It surely has it not, and will not have it.
    HasItNot,
    /// It cannot tell now, and is asked again later, for up to a day.
    NotNow {
        /// Why.
        reason: String,
    },
    /// It can never tell. The text is not sent again; staff see it.
    CanNeverTell {
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

    /// What became of a message of ours whose call may or may not have reached the provider.
    async fn look_up(&self, sought: &Sought) -> Found;

    /// Whether the provider can be reached, for readiness and `doctor`.
    async fn status(&self) -> Result<(), String>;

    /// Inbound messages since an instant: what webhooks may have missed.
    async fn inbound_since(&self, since: Timestamp) -> Result<Vec<NewInbound>, String>;
}
