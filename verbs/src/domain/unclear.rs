//! Handles messages that are not clear: asks back, or shows them to staff.

use abide_agent::reply::ReplyLabel;
use abide_engine::base::{PersonId, Problem, Value};
use abide_engine::domain::{Applied, HandledAs};
use abide_engine::store::Tx;
use serde_json::json;

use super::handler::{MessageHandler, done};
use super::view::SenderAsk;
use crate::data::question::ClarificationKind;
use crate::inbox::Reason;

/// What is kept with the question of what a message means, once its sender has got our examples.
const EXPLAINED: &str = "explained";

impl MessageHandler<'_> {
    pub(super) async fn ask_which(
        &self,
        tx: &mut Tx,
        asks: &[SenderAsk],
        label: Option<ReplyLabel>,
    ) -> Result<Applied, Problem> {
        let Some(first) = asks.first() else { return self.unmatched(tx).await };
        let about = json!({ "label": label.map(ReplyLabel::as_str) });
        self.ask_clarification(tx, first.person, ClarificationKind::Which, about).await?;
        let several = asks.iter().any(|ask| ask.person != first.person);
        let described = |ask: &SenderAsk| {
            let mut entry = json!({"role": ask.role, "time": ask.time.to_string()});
            if several {
                entry["who"] = self.first_name(ask.person).into();
            }
            entry
        };
        let list: Vec<_> = asks.iter().map(described).collect();
        self.answer(tx, first.person, "clarify", &json!({"asks": list})).await?;
        Ok(done(HandledAs::Ambiguous))
    }

    /// Asks the sender to write more clearly, once within `QUESTION_SPAN`.
    /// Puts the next unclear message within that time in the inbox of staff instead,
    /// so that abide and an automatic responder do not keep answering each other.
    pub(super) async fn ask_again(
        &self,
        tx: &mut Tx,
        person: PersonId,
    ) -> Result<Applied, Problem> {
        if self.waits_for(ClarificationKind::Again) {
            self.to_inbox(tx, Some(person), Reason::Unclear).await?;
            return Ok(done(HandledAs::Unmatched));
        }
        self.ask_clarification(tx, person, ClarificationKind::Again, Value::Null).await?;
        self.answer(tx, person, "clarify", &json!({})).await?;
        Ok(done(HandledAs::Ambiguous))
    }

    /// Asks a member of staff to write more clearly. If the next message is not clear either, shows it to staff and
    /// explains once, with examples, what we can do.
    pub(super) async fn not_understood(&self, tx: &mut Tx) -> Result<Applied, Problem> {
        let Some(person) = self.view.staff().map(|staff| staff.person) else {
            return self.unmatched(tx).await;
        };
        if !self.waits_for(ClarificationKind::Again) {
            return self.ask_again(tx, person).await;
        }
        let explained = self.view.question.as_ref().is_some_and(|it| it.about == EXPLAINED);
        if !explained {
            self.ask_clarification(tx, person, ClarificationKind::Again, EXPLAINED.into()).await?;
            self.answer(tx, person, "staff_examples", &json!({})).await?;
        }
        self.to_inbox(tx, Some(person), Reason::Unclear).await?;
        Ok(done(HandledAs::Unmatched))
    }

    /// Puts the message in the inbox of staff.
    /// Sends the sender a neutral answer, at most once within `QUESTION_SPAN`.
    pub(super) async fn unmatched(&self, tx: &mut Tx) -> Result<Applied, Problem> {
        let person = self.view.senders.first().map(|sender| sender.person);
        self.to_inbox(tx, person, Reason::Unmatched).await?;
        if let Some(person) = person.filter(|_| !self.waits_for(ClarificationKind::Unmatched)) {
            self.ask_clarification(tx, person, ClarificationKind::Unmatched, Value::Null).await?;
            self.answer(tx, person, "unmatched", &json!({})).await?;
        }
        Ok(done(HandledAs::Unmatched))
    }
}
