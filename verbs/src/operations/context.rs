//! The context of an operation: tenant, time, settings,
//! and the run or inbound message that it belongs to.

use abide_engine::base::{MessageId, RunId, Timestamp};
use abide_engine::domain::DomainContext;
use abide_engine::policy::Settings;
use abide_engine::store::About;
use abide_engine::template::Templates;
use abide_engine::verb::CallContext;

/// The context of an operation.
#[derive(Clone, Copy)]
pub struct OperationContext<'a> {
    /// The tenant.
    pub tenant: &'a str,
    /// The current instant.
    pub now: Timestamp,
    /// The tenant's settings.
    pub settings: &'a Settings,
    /// The message templates.
    pub templates: &'a Templates,
    /// The run and the call that messages and ledger events are attributed to.
    pub about: About,
    /// The inbound message that the operation answers. An answer may be sent at any hour.
    pub inbound: Option<MessageId>,
}

impl<'a> OperationContext<'a> {
    /// Returns the context of a verb's call.
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

    /// Returns the context of an operation outside any run.
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

    /// Returns the same context in answer to an inbound message.
    #[must_use]
    pub fn answering(self, inbound: MessageId) -> Self {
        Self { inbound: Some(inbound), ..self }
    }

    /// Returns the same context for a message to a person who did not write, so that quiet hours apply.
    #[must_use]
    pub fn unasked(self) -> Self {
        Self { inbound: None, ..self }
    }

    /// Returns the same context attributed to a run.
    #[must_use]
    pub fn on_behalf_of(self, run: Option<RunId>) -> Self {
        Self { about: About::run(run), ..self }
    }
}
