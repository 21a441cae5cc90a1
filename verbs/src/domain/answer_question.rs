//! Applies the answer to a question of a run: does what the template says, and signals the run.

use abide_engine::base::{AskId, Problem};
use abide_engine::domain::Applied;
use abide_engine::store::Tx;
use serde_json::json;

use super::apply::{Desk, done};
use crate::ask::{Ask, State};
use crate::data;
use crate::desk::letter::{self, Letter};
use crate::desk::places::{self, Claim, Taken};
use crate::desk::{asks, offers, requests};
use crate::reader::Label;

impl Desk<'_> {
    /// Ends a question by its answer. A question that has ended already stays as it is.
    pub(super) async fn answer_question(
        &self,
        tx: &mut Tx,
        id: AskId,
        label: Label,
    ) -> Result<Applied, Problem> {
        let Some(ask) = data::ask::open(tx, id).await? else { return Ok(done(self.answered())) };
        let one = std::slice::from_ref(&ask);
        if !offers::in_time(&self.scene, self.inbound.received_at, ask.expires_at) {
            asks::end(tx, &self.scene, one, State::Expired).await?;
            return Ok(done(self.answered()));
        }
        let yes = label == Label::Accept;
        let scene = self.scene.on_account_of(Some(ask.run));
        asks::end(tx, &scene, one, if yes { State::Yes } else { State::No }).await?;
        if let (true, Some(role)) = (yes, &ask.gives) {
            self.give(tx, &ask, role).await?;
        }
        // The signal leaves out the text itself, so that it stays only where it can be erased.
        let heard = json!({
            "person": ask.person,
            "label": label.as_str(),
            "message": self.inbound.id,
            "at": self.inbound.received_at.to_string(),
        });
        let key = ask.id.to_string();
        tx.signal(ask.run, "named", (Some(&ask.signal), Some(&key)), &heard).await?;
        Ok(Applied { run: Some(ask.run), ..done(self.answered()) })
    }

    /// Gives the person a place, or a rank on the waitlist if there is no room, and notifies them.
    async fn give(&self, tx: &mut Tx, ask: &Ask, role: &str) -> Result<(), Problem> {
        let scene = self.scene.on_account_of(Some(ask.run));
        let mut request = requests::lock(tx, scene.tenant, ask.request).await?;
        let received_at = self.inbound.received_at;
        let claim = Claim { person: ask.person, role, received_at };
        let template = match places::take(tx, &scene, &mut request, claim).await? {
            Taken::Placed => "confirmed",
            Taken::Waitlisted => "waitlisted",
            Taken::Unchanged(_) | Taken::Elsewhere(_) => return Ok(()),
        };
        let letter =
            Letter { request: Some(ask.request), ..Letter::answer(ask.person, self.inbound.id) };
        letter::send(tx, &scene, template, &[letter], &letter::about(&request, role)).await?;
        Ok(())
    }
}
