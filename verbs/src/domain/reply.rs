//! Applies what volunteers answer: yes, no, perhaps, and not after all.

use abide_agent::reply::ReplyLabel;
use abide_engine::base::{PersonId, Problem, Value};
use abide_engine::domain::Applied;
use abide_engine::store::Tx;
use serde_json::json;

use super::handler::{MessageHandler, done};
use super::view::SenderAsk;
use crate::assignment;
use crate::data;
use crate::data::assignment::HeldElsewhere;
use crate::inbox::Reason;
use crate::offer::{Offer, OfferCause, OfferState};
use crate::operations::messages::{self, MessageDraft};
use crate::operations::offers::Notice;
use crate::operations::places::{self, ClaimResult, PlaceClaim, PlaceRelease};
use crate::operations::{OperationContext, offers, requests};

impl MessageHandler<'_> {
    pub(super) async fn accept(&self, tx: &mut Tx, ask: &SenderAsk) -> Result<Applied, Problem> {
        if let Some(question) = ask.question {
            return self.answer_question(tx, question, ReplyLabel::Accept).await;
        }
        let Some(offer) = self.open_offer(tx, ask).await? else {
            return self.revive(tx, ask).await;
        };
        if !offers::in_time(&self.context, self.inbound.received_at, offer.expires_at) {
            offers::end(tx, &self.context, &[offer], OfferCause::Lapse, Notice::None).await?;
            return self.revive(tx, ask).await;
        }
        let context = self.context.on_behalf_of(offer.run);
        if let Some(held) = self.clash(tx, ask).await? {
            offers::end(tx, &context, std::slice::from_ref(&offer), OfferCause::No, Notice::None)
                .await?;
            self.placed_elsewhere(tx, ask.person, &held).await?;
            return Ok(Applied { run: offer.run, ..done(self.answered()) });
        }
        offers::end(tx, &context, std::slice::from_ref(&offer), OfferCause::Yes, Notice::None)
            .await?;
        self.place(tx, &context, ask, &offer).await
    }

    /// Applies a yes to an offer that has ended, as a new offer that is accepted at once.
    pub(super) async fn revive(&self, tx: &mut Tx, ask: &SenderAsk) -> Result<Applied, Problem> {
        // The sender gets an answer to the yes,
        // so no notice about the withdrawn old offer is sent any more.
        data::offer::mark_notified(tx, ask.offer.as_slice()).await?;
        if let Some(held) = self.clash(tx, ask).await? {
            self.placed_elsewhere(tx, ask.person, &held).await?;
            return Ok(done(self.answered()));
        }
        let (person, role) = (ask.person, ask.role.as_str());
        let offer = offers::accept_late(tx, &self.context, ask.request, person, role).await?;
        self.place(tx, &self.context, ask, &offer).await
    }

    async fn place(
        &self,
        tx: &mut Tx,
        context: &OperationContext<'_>,
        ask: &SenderAsk,
        offer: &Offer,
    ) -> Result<Applied, Problem> {
        let mut request = requests::lock(tx, context.tenant, ask.request).await?;
        let claim = PlaceClaim {
            person: ask.person,
            role: &ask.role,
            received_at: self.inbound.received_at,
        };
        let template = match places::claim(tx, context, &mut request, claim).await? {
            ClaimResult::Placed => Some("confirmed"),
            ClaimResult::Waitlisted => Some("waitlisted"),
            ClaimResult::Unchanged(_) | ClaimResult::Elsewhere(_) | ClaimResult::Clash(_) => None,
        };
        if let Some(template) = template {
            let draft = MessageDraft::about_offer(ask.person, ask.request, offer.ordinal)
                .answering(self.inbound.id);
            let about = messages::role_variables(&request, &ask.role);
            messages::send(tx, context, template, &[draft], &about).await?;
        }
        Ok(Applied { run: offer.run, ..done(self.answered()) })
    }

    /// Returns the place that the person holds in another service that overlaps the one that they say yes to.
    async fn clash(&self, tx: &mut Tx, ask: &SenderAsk) -> Result<Option<HeldElsewhere>, Problem> {
        let request = requests::lock(tx, self.context.tenant, ask.request).await?;
        data::person::lock(tx, &[ask.person]).await?;
        Ok(data::assignment::clash(tx, &request, ask.person).await?)
    }

    /// Tells a person who says yes that they have a place in another service at that time.
    pub(super) async fn placed_elsewhere(
        &self,
        tx: &mut Tx,
        person: PersonId,
        held: &HeldElsewhere,
    ) -> Result<(), Problem> {
        let vars = json!({ "role": held.role, "time": held.time.to_string() });
        self.answer(tx, person, "placed_elsewhere", &vars).await
    }

    pub(super) async fn decline(&self, tx: &mut Tx, ask: &SenderAsk) -> Result<Applied, Problem> {
        if let Some(question) = ask.question {
            return self.answer_question(tx, question, ReplyLabel::Decline).await;
        }
        let Some(offer) = self.open_offer(tx, ask).await? else {
            return Ok(done(self.answered()));
        };
        let run = offer.run;
        let context = self.context.on_behalf_of(run);
        offers::end(tx, &context, &[offer], OfferCause::No, Notice::None).await?;
        Ok(Applied { run, ..done(self.answered()) })
    }

    /// Releases a person's place or waitlist rank. If a place becomes free, the first person on the waitlist
    /// moves up, and the message in which the person gave up the place is put in the inbox of staff.
    pub(super) async fn release(&self, tx: &mut Tx, ask: &SenderAsk) -> Result<Applied, Problem> {
        let mut request = requests::lock(tx, self.context.tenant, ask.request).await?;
        let wanted = PlaceRelease::of(ask.person, &ask.role);
        let released = places::release(tx, &self.context, &mut request, wanted).await?;
        if released.is_some_and(|released| released.was == assignment::AssignmentState::Accepted) {
            self.to_inbox_about(tx, ask, Reason::GaveUpPlace).await?;
        }
        let run = match ask.offer {
            Some(id) => data::offer::by_id(tx, id).await?.and_then(|offer| offer.run),
            None => None,
        };
        Ok(Applied { run, ..done(self.answered()) })
    }

    pub(super) async fn too_late(&self, tx: &mut Tx, ask: &SenderAsk) -> Result<Applied, Problem> {
        let draft = MessageDraft {
            request: Some(ask.request),
            ..MessageDraft::answer(ask.person, self.inbound.id)
        };
        let about = json!({"role": ask.role, "time": ask.time.to_string()});
        messages::send(tx, &self.context, "cancelled", &[draft], &about).await?;
        Ok(done(self.answered()))
    }

    /// Keeps an offer or a question open whose answer depends on something, and says once that there is time.
    pub(super) async fn keep_open(
        &self,
        tx: &mut Tx,
        ask: &SenderAsk,
        label: ReplyLabel,
    ) -> Result<Applied, Problem> {
        let depends = label == ReplyLabel::Conditional;
        let vars = json!({
            "role": ask.role, "time": ask.time.to_string(), "depends": depends,
        });
        self.tell_once(tx, ask, "take_your_time", &vars).await
    }

    /// Tells staff that somebody may not be able to keep a place, and says once that we count on them until then.
    pub(super) async fn doubt(&self, tx: &mut Tx, ask: &SenderAsk) -> Result<Applied, Problem> {
        self.to_inbox_about(tx, ask, Reason::PlaceInDoubt).await?;
        let vars = json!({ "role": ask.role, "time": ask.time.to_string() });
        self.tell_once(tx, ask, "place_in_doubt", &vars).await
    }

    /// Answers the sender, but not a second time about the same request: the message may come from a machine.
    async fn tell_once(
        &self,
        tx: &mut Tx,
        ask: &SenderAsk,
        template: &str,
        vars: &Value,
    ) -> Result<Applied, Problem> {
        let draft =
            MessageDraft::about_offer(ask.person, ask.request, 1).answering(self.inbound.id);
        messages::send(tx, &self.context, template, &[draft], vars).await?;
        Ok(done(self.answered()))
    }

    /// Returns the offer that the ask is about; `None` if there is none or if the offer has ended.
    async fn open_offer(&self, tx: &mut Tx, ask: &SenderAsk) -> Result<Option<Offer>, Problem> {
        let Some(id) = ask.offer else { return Ok(None) };
        let offer = data::offer::by_id(tx, id).await?;
        Ok(offer.filter(|offer| offer.state == OfferState::Pending))
    }
}
