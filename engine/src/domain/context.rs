//! What the engine passes to the functions of a domain.

use crate::base::{Digest, RequestId, Timestamp, Value};
use crate::policy::Settings;
use crate::store::InboundRow;
use crate::template::Templates;

/// The context that the engine passes to a function of [`Domain`](super::Domain).
pub struct DomainContext<'a> {
    /// Id of the tenant.
    pub tenant: &'a str,
    /// Time at which the engine calls the function.
    pub now: Timestamp,
    /// Settings of the tenant.
    pub settings: &'a Settings,
    /// Current templates, for messages that belong to no run.
    pub templates: &'a Templates,
}

/// The open asks of the sender of an inbound message.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenAsks {
    /// Digest of everything that an interpretation of the message depends on.
    pub digest: Digest,
    /// Request that the message is about, if any.
    pub request: Option<RequestId>,
    /// Data that [`Domain::interpret`](super::Domain::interpret) uses to interpret the message.
    pub view: Value,
}

impl OpenAsks {
    /// Returns what is open for the sender of a message in a domain that asks nobody anything.
    #[must_use]
    pub fn none() -> Self {
        Self { digest: Digest::of_value(&Value::Null), request: None, view: Value::Null }
    }
}

/// An interpretation of an inbound message.
#[derive(Debug, Clone, Copy)]
pub struct MessageMeaning<'a> {
    /// Asks that were open for the sender when the message was interpreted.
    pub asks: &'a OpenAsks,
    /// Meaning of the message as an answer to the asks.
    pub meaning: &'a Value,
}

/// An inbound message, and how it was interpreted.
#[derive(Debug, Clone, Copy)]
pub struct InterpretedMessage<'a> {
    /// The message.
    pub inbound: &'a InboundRow,
    /// What it means.
    pub reading: MessageMeaning<'a>,
}
