//! Applies the answer to a question that a run asked: sends the answer to the run as a signal.
//! If the template promises a place for a yes, and the answer is yes, also gives the person the place.

use abide_agent::reply::ReplyLabel;
use abide_engine::base::{AskId, Problem};
use abide_engine::domain::Applied;
use abide_engine::store::{SignalKind, Tx};
use serde_json::json;

use super::handler::{MessageHandler, done};
use crate::ask::{Ask, AskState};
use crate::data;
use crate::operations::messages::{self, MessageDraft};
use crate::operations::places::{self, ClaimResult, PlaceClaim};
use crate::operations::{asks, offers, requests};

impl MessageHandler<'_> {
    /// Ends an open question with the given answer. If the answer is late, the question expires instead.
    /// Does nothing if the question has ended already.
    pub(super) async fn answer_question(
        &self,
        tx: &mut Tx,
        id: AskId,
        label: ReplyLabel,
    ) -> Result<Applied, Problem> {
        let Some(ask) = data::ask::open(tx, id).await? else { return Ok(done(self.answered())) };
        let one = std::slice::from_ref(&ask);
        if !offers::in_time(&self.context, self.inbound.received_at, ask.expires_at) {
            asks::end(tx, &self.context, one, AskState::Expired).await?;
            return Ok(done(self.answered()));
        }
        let yes = label == ReplyLabel::Accept;
        let context = self.context.on_behalf_of(Some(ask.run));
        asks::end(tx, &context, one, if yes { AskState::Yes } else { AskState::No }).await?;
        if let (true, Some(role)) = (yes, &ask.gives) {
            self.give(tx, &ask, role).await?;
        }
        // Leave the body of the message out of the signal: it is personal data,
        // which is stored only where it can be erased.
        let heard = json!({
            "person": ask.person,
            "label": label.as_str(),
            "message": self.inbound.id,
            "at": self.inbound.received_at.to_string(),
        });
        let key = ask.id.to_string();
        tx.signal(ask.run, SignalKind::Named(&ask.signal), Some(&key), &heard).await?;
        Ok(Applied { run: Some(ask.run), ..done(self.answered()) })
    }

    /// Gives the person a place, or a rank on the waitlist if every place is taken. Notifies the person.
    async fn give(&self, tx: &mut Tx, ask: &Ask, role: &str) -> Result<(), Problem> {
        let context = self.context.on_behalf_of(Some(ask.run));
        let mut request = requests::lock(tx, context.tenant, ask.request).await?;
        let received_at = self.inbound.received_at;
        let claim = PlaceClaim { person: ask.person, role, received_at };
        let template = match places::claim(tx, &context, &mut request, claim).await? {
            ClaimResult::Placed => "confirmed",
            ClaimResult::Waitlisted => "waitlisted",
            ClaimResult::Clash(held) => return self.placed_elsewhere(tx, ask.person, &held).await,
            ClaimResult::Unchanged(_) | ClaimResult::Elsewhere(_) => return Ok(()),
        };
        let draft = MessageDraft {
            request: Some(ask.request),
            ..MessageDraft::answer(ask.person, self.inbound.id)
        };
        messages::send(tx, &context, template, &[draft], &messages::role_variables(&request, role))
            .await?;
        Ok(())
    }
}
