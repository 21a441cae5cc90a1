//! An inbound message that is being applied, and the functions with which its sender is answered.

use abide_engine::base::{PersonId, Problem, RunId, Span, Value};
use abide_engine::domain::{Applied, HandledAs};
use abide_engine::planted::PlantedFault;
use abide_engine::store::{InboundRow, Tx};

use super::view::{SenderAsk, View};
use crate::data;
use crate::data::inbox::InboxEntry;
use crate::data::question::{ClarificationKind, ClarifyingQuestion};
use crate::inbox::Reason;
use crate::operations::messages::{self, MessageDraft};
use crate::operations::{OperationContext, staff_inbox};

/// The time for which a clarifying question waits for its answer.
pub(super) const QUESTION_SPAN: Span = Span::from_secs(24 * 3600);

/// An inbound message that is being applied, with the sender's open offers and questions.
pub(super) struct MessageHandler<'a> {
    pub context: OperationContext<'a>,
    pub inbound: &'a InboundRow,
    pub view: View,
    /// Whether staff have taken over the thread with the sender, who then gets no automatic answer.
    pub is_taken_over: bool,
}

impl MessageHandler<'_> {
    /// Returns the first name of `person`, who is one of the people with the sender's phone number.
    pub(super) fn first_name(&self, person: PersonId) -> &str {
        let sender = self.view.senders.iter().find(|sender| sender.person == person);
        let name = sender.map_or("", |sender| sender.name.as_str());
        name.split_whitespace().next().unwrap_or(name)
    }

    /// Queues an answer to the inbound message. The answer may be sent at any hour.
    pub(super) async fn answer(
        &self,
        tx: &mut Tx,
        person: PersonId,
        template: &str,
        vars: &Value,
    ) -> Result<(), Problem> {
        let draft = MessageDraft::answer(person, self.inbound.id);
        messages::send(tx, &self.context, template, &[draft], vars).await.map(drop)
    }

    /// Records that the person was asked a clarifying question, which expires after [`QUESTION_SPAN`].
    pub(super) async fn ask_clarification(
        &self,
        tx: &mut Tx,
        person: PersonId,
        kind: ClarificationKind,
        about: Value,
    ) -> Result<(), Problem> {
        let now = self.context.now;
        let expires_at = now + QUESTION_SPAN;
        let question = ClarifyingQuestion { person, kind, about, expires_at };
        Ok(data::question::put(tx, self.context.tenant, &question, now).await?)
    }

    pub(super) async fn to_inbox(
        &self,
        tx: &mut Tx,
        person: Option<PersonId>,
        reason: Reason,
    ) -> Result<(), Problem> {
        if PlantedFault::UnmatchedNotShown.is_active() {
            return Ok(());
        }
        self.put_in_inbox(tx, person, reason, None).await
    }

    /// Puts the message in the inbox of staff. It is about what a volunteer was asked.
    pub(super) async fn to_inbox_about(
        &self,
        tx: &mut Tx,
        ask: &SenderAsk,
        reason: Reason,
    ) -> Result<(), Problem> {
        let offer = match ask.offer {
            Some(id) => data::offer::by_id(tx, id).await?,
            None => None,
        };
        let run = offer.and_then(|offer| offer.run);
        self.put_in_inbox(tx, Some(ask.person), reason, run).await
    }

    async fn put_in_inbox(
        &self,
        tx: &mut Tx,
        person: Option<PersonId>,
        reason: Reason,
        run: Option<RunId>,
    ) -> Result<(), Problem> {
        let entry = InboxEntry::of_message(self.inbound.id, self.inbound.received_at, reason);
        let entry = InboxEntry { person, run, ..entry };
        staff_inbox::put(tx, &self.context, &entry).await
    }

    /// Returns what the current message counts as, once it is understood: the answer to a clarifying
    /// question, or a reply to an ask.
    pub(super) fn answered(&self) -> HandledAs {
        if self.waits_for(ClarificationKind::Which)
            || self.waits_for(ClarificationKind::Staff)
            || self.waits_for(ClarificationKind::Confirm)
            || self.waits_for(ClarificationKind::Again)
            || self.waits_for(ClarificationKind::Method)
        {
            HandledAs::ClarificationAnswer
        } else {
            HandledAs::Reply
        }
    }

    /// Returns what a message of staff counts as, once it is understood: the answer to a clarifying question, or a
    /// request.
    pub(super) fn answered_staff(&self) -> HandledAs {
        match self.answered() {
            HandledAs::Reply => HandledAs::StaffRequest,
            other => other,
        }
    }

    /// Whether an open clarifying question of this kind waits for the sender's answer.
    pub(super) fn waits_for(&self, kind: ClarificationKind) -> bool {
        self.view.question.as_ref().is_some_and(|question| question.kind == kind)
    }
}

/// Returns the result for an applied message that starts no run and belongs to no run.
pub(super) fn done(handled_as: HandledAs) -> Applied {
    Applied { handled_as, run: None, starts: Vec::new() }
}
