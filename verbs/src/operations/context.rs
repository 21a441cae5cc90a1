//! The context in which an operation works: the tenant, the time, the settings,
//! and the run or inbound message on whose behalf it works.

use abide_engine::base::{MessageId, RunId, Timestamp};
use abide_engine::domain::DomainContext;
use abide_engine::policy::Settings;
use abide_engine::store::About;
use abide_engine::template::Templates;
use abide_engine::verb::CallContext;

/// The context in which an operation works. Cheap to copy.
#[derive(Clone, Copy)]
pub struct OperationContext<'a> {
    /// The id of the tenant.
    pub tenant: &'a str,
    /// The time at which the operation is carried out.
    pub now: Timestamp,
    /// The tenant's settings.
    pub settings: &'a Settings,
    /// The templates from which messages are rendered.
    pub templates: &'a Templates,
    /// The run and the call that messages and ledger events name as their origin.
    pub about: About,
    /// The inbound message that the operation answers; `None` if it answers none.
    /// An answer may be sent in quiet hours.
    pub inbound: Option<MessageId>,
}

impl<'a> OperationContext<'a> {
    /// Returns the context for a call of a verb.
    #[must_use]
    pub fn of_call(cx: &CallContext<'a>) -> Self {
        Self {
            tenant: cx.tenant,
            now: cx.now,
            settings: cx.settings,
            templates: cx.templates,
            about: About { run: Some(cx.run), call: Some(cx.call) },
            inbound: None,
        }
    }

    /// Returns the context for an operation that belongs to no run.
    #[must_use]
    pub fn of_domain(cx: &DomainContext<'a>) -> Self {
        Self {
            tenant: cx.tenant,
            now: cx.now,
            settings: cx.settings,
            templates: cx.templates,
            about: About::default(),
            inbound: None,
        }
    }

    /// Returns this context for an operation that answers an inbound message.
    #[must_use]
    pub fn answering(self, inbound: MessageId) -> Self {
        Self { inbound: Some(inbound), ..self }
    }

    /// Returns this context for messages to people who did not write, so that quiet hours apply.
    #[must_use]
    pub fn unasked(self) -> Self {
        Self { inbound: None, ..self }
    }

    /// Returns this context with this run as the origin of messages and ledger events;
    /// `None` means that they have no run as their origin.
    #[must_use]
    pub fn on_behalf_of(self, run: Option<RunId>) -> Self {
        Self { about: About::run(run), ..self }
    }
}
