//! Where and for whom something happens at the desk.

use abide_engine::base::{CallId, MessageId, RunId, Timestamp};
use abide_engine::domain::DomainContext;
use abide_engine::policy::Settings;
use abide_engine::template::Templates;
use abide_engine::verb::CallContext;

/// What everything at the desk needs to know about the moment.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// Whose church.
    pub tenant: &'a str,
    /// The instant at which it happens.
    pub now: Timestamp,
    /// What the operator chose.
    pub settings: &'a Settings,
    /// What may be said.
    pub templates: &'a Templates,
    /// On whose account: the run and the call.
    pub account: (Option<RunId>, Option<CallId>),
    /// The message that it answers: such an answer may go at any hour.
    pub inbound: Option<MessageId>,
}

impl<'a> Scene<'a> {
    /// Inside a verb's call.
    #[must_use]
    pub fn of_call(cx: &CallContext<'a>) -> Self {
        Self {
            tenant: cx.tenant,
            now: cx.now,
            settings: cx.settings,
            templates: cx.templates,
            account: (Some(cx.run), Some(cx.call)),
            inbound: None,
        }
    }

    /// Outside any run.
    #[must_use]
    pub fn of_domain(cx: &DomainContext<'a>) -> Self {
        Self {
            tenant: cx.tenant,
            now: cx.now,
            settings: cx.settings,
            templates: cx.templates,
            account: (None, None),
            inbound: None,
        }
    }

    /// The same, in answer to a message.
    #[must_use]
    pub fn answering(self, inbound: MessageId) -> Self {
        Self { inbound: Some(inbound), ..self }
    }

    /// The same, towards somebody who did not write: they are not texted in quiet hours.
    #[must_use]
    pub fn unasked(self) -> Self {
        Self { inbound: None, ..self }
    }

    /// The same, on a run's account.
    #[must_use]
    pub fn on_account_of(self, run: Option<RunId>) -> Self {
        Self { account: (run, None), ..self }
    }
}
