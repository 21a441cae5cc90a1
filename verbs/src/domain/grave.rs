//! Shows a message to staff at once, because somebody may be in danger.

use abide_engine::base::Problem;
use abide_engine::domain::{Applied, HandledAs};
use abide_engine::store::Tx;
use serde_json::json;

use super::handler::{MessageHandler, done};
use crate::data;
use crate::inbox::Reason;
use crate::operations::messages::{self, MessageDraft};

impl MessageHandler<'_> {
    /// Puts the message in the inbox, texts it to staff and supervisors at once and at any hour, and answers the
    /// sender with the tenant's words for a crisis, unless staff have taken over the thread.
    pub(super) async fn grave(&self, tx: &mut Tx) -> Result<Applied, Problem> {
        let sender = self.view.senders.first().map(|sender| sender.person);
        self.to_inbox(tx, sender, Reason::Grave).await?;
        let told = data::person::acting(tx, self.context.tenant).await?;
        let told = told.into_iter().filter(|person| Some(*person) != sender);
        let drafts: Vec<MessageDraft> =
            told.map(|person| MessageDraft::answer(person, self.inbound.id)).collect();
        let mut vars = json!({ "text": self.inbound.body });
        if let Some(sender) = sender {
            vars["who"] = json!(sender);
        }
        messages::send(tx, &self.context, "grave", &drafts, &vars).await?;
        if let Some(sender) = sender.filter(|_| !self.is_taken_over) {
            let vars = json!({ "text": self.context.settings.crisis_text });
            self.answer(tx, sender, "crisis", &vars).await?;
        }
        Ok(done(HandledAs::Unmatched))
    }
}
