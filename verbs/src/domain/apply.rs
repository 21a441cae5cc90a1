//! Applies the decision about an inbound message while its request is locked, and answers the sender.

use abide_engine::base::{PersonId, Problem, Span, Value};
use abide_engine::domain::{Applied, DomainContext, HandledAs, OpenAsks};
use abide_engine::policy::CarrierWord;
use abide_engine::store::{InboundRow, Tx};
use serde_json::json;

use super::decide::{Decision, decided};
use super::handler::{MessageHandler, done};
use super::staff;
use super::view::SenderAsk;
use crate::assignment;
use crate::data;
use crate::data::question::ClarificationKind;
use crate::inbox::Reason;
use crate::offer::{Offer, OfferCause, OfferState};
use crate::operations::messages::{self, MessageDraft};
use crate::operations::offers::Notice;
use crate::operations::places::{self, ClaimResult, PlaceClaim, PlaceRelease};
use crate::operations::{OperationContext, offers, requests};
use crate::reader::{Label, Reading};

pub(super) async fn apply(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    inbound: &InboundRow,
    asks: &OpenAsks,
    meaning: &Value,
) -> Result<Applied, Problem> {
    let (view, decision) = decided(asks, meaning)?;
    let context = OperationContext::of_domain(cx).answering(inbound.id);
    let handler = MessageHandler { context, inbound, view };
    let applied = match (inbound.carrier_word, &decision) {
        (Some(CarrierWord::OptIn), _) => done(HandledAs::OptIn),
        (Some(CarrierWord::Help), _) => handler.help(tx).await?,
        (
            Some(CarrierWord::Yes),
            Decision::Unmatched | Decision::NotUnderstood | Decision::Unknown,
        ) => handler.opt_in(tx).await?,
        _ => handler.act(tx, decision).await?,
    };
    handler.close_question(tx, applied.handled_as).await?;
    Ok(applied)
}

impl MessageHandler<'_> {
    async fn act(&self, tx: &mut Tx, decision: Decision) -> Result<Applied, Problem> {
        match decision {
            Decision::Accept(ask) => self.accept(tx, &ask).await,
            Decision::Decline(ask) => self.decline(tx, &ask).await,
            Decision::Release(ask) => self.release(tx, &ask).await,
            Decision::Revive(ask) => self.revive(tx, &ask).await,
            Decision::TooLate(ask) => self.too_late(tx, &ask).await,
            Decision::Ignore(_) => Ok(done(self.answered())),
            Decision::AskWhich(asks, label) => self.ask_which(tx, &asks, label).await,
            Decision::Unclear(ask) => self.ask_again(tx, ask.person).await,
            Decision::Rule(approval, decision) => self.rule(tx, &approval, decision).await,
            Decision::RuledBefore(approval) => self.ruled_before(tx, &approval).await,
            Decision::AskWhichApproval(approvals, decision) => {
                self.ask_which_approval(tx, &approvals, decision).await
            }
            Decision::Start(reading) => staff::start(tx, self, &reading).await,
            Decision::AskForMissing(reading) => staff::ask_back(tx, self, &reading).await,
            Decision::NotUnderstood => self.not_understood(tx).await,
            Decision::Unmatched => self.unmatched(tx).await,
            Decision::Unknown => {
                self.to_inbox(tx, None, Reason::UnknownSender).await?;
                Ok(done(HandledAs::UnknownSender))
            }
        }
    }

    /// Answers a message that asks for help, if the sender is in the directory.
    async fn help(&self, tx: &mut Tx) -> Result<Applied, Problem> {
        if let Some(sender) = self.view.senders.first() {
            self.answer(tx, sender.person, "help", &json!({})).await?;
        }
        Ok(done(HandledAs::Help))
    }

    /// Renews the sender's consent to receive messages: carriers require this for a yes that answers
    /// no question. A STOP that was received at the same instant as the yes takes precedence,
    /// because the STOP may have been stored after the yes.
    async fn opt_in(&self, tx: &mut Tx) -> Result<Applied, Problem> {
        let (sender, received_at) = (self.inbound.sender, self.inbound.received_at);
        tx.unsuppress(self.context.tenant, sender, received_at - Span::from_micros(1)).await?;
        Ok(done(HandledAs::OptIn))
    }

    async fn accept(&self, tx: &mut Tx, ask: &SenderAsk) -> Result<Applied, Problem> {
        if let Some(question) = ask.question {
            return self.answer_question(tx, question, Label::Accept).await;
        }
        let Some(offer) = self.open_offer(tx, ask).await? else {
            return self.revive(tx, ask).await;
        };
        if !offers::in_time(&self.context, self.inbound.received_at, offer.expires_at) {
            offers::end(tx, &self.context, &[offer], OfferCause::Lapse, Notice::None).await?;
            return self.revive(tx, ask).await;
        }
        let context = self.context.on_behalf_of(offer.run);
        offers::end(tx, &context, std::slice::from_ref(&offer), OfferCause::Yes, Notice::None)
            .await?;
        self.place(tx, &context, ask, &offer).await
    }

    /// Applies a yes to an offer that has ended, as a new offer that is accepted at once.
    async fn revive(&self, tx: &mut Tx, ask: &SenderAsk) -> Result<Applied, Problem> {
        // The sender gets an answer to the yes,
        // so no notice about the withdrawn old offer is sent any more.
        data::offer::mark_notified(tx, ask.offer.as_slice()).await?;
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
            ClaimResult::Unchanged(_) | ClaimResult::Elsewhere(_) => None,
        };
        if let Some(template) = template {
            let draft = MessageDraft::about_offer(ask.person, ask.request, offer.ordinal)
                .answering(self.inbound.id);
            let about = messages::role_variables(&request, &ask.role);
            messages::send(tx, context, template, &[draft], &about).await?;
        }
        Ok(Applied { run: offer.run, ..done(self.answered()) })
    }

    async fn decline(&self, tx: &mut Tx, ask: &SenderAsk) -> Result<Applied, Problem> {
        if let Some(question) = ask.question {
            return self.answer_question(tx, question, Label::Decline).await;
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
    async fn release(&self, tx: &mut Tx, ask: &SenderAsk) -> Result<Applied, Problem> {
        let mut request = requests::lock(tx, self.context.tenant, ask.request).await?;
        let wanted = PlaceRelease::of(ask.person, &ask.role);
        let released = places::release(tx, &self.context, &mut request, wanted).await?;
        if released.is_some_and(|released| released.was == assignment::AssignmentState::Accepted) {
            self.to_inbox(tx, Some(ask.person), Reason::GaveUpPlace).await?;
        }
        let run = match ask.offer {
            Some(id) => data::offer::by_id(tx, id).await?.and_then(|offer| offer.run),
            None => None,
        };
        Ok(Applied { run, ..done(self.answered()) })
    }

    async fn too_late(&self, tx: &mut Tx, ask: &SenderAsk) -> Result<Applied, Problem> {
        let draft = MessageDraft {
            request: Some(ask.request),
            ..MessageDraft::answer(ask.person, self.inbound.id)
        };
        let about = json!({"role": ask.role, "time": ask.time.to_string()});
        messages::send(tx, &self.context, "cancelled", &[draft], &about).await?;
        Ok(done(self.answered()))
    }

    async fn ask_which(
        &self,
        tx: &mut Tx,
        asks: &[SenderAsk],
        label: Label,
    ) -> Result<Applied, Problem> {
        let Some(first) = asks.first() else { return self.unmatched(tx).await };
        let about = Reading { label, confidence: 1.0 }.to_value();
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
    async fn ask_again(&self, tx: &mut Tx, person: PersonId) -> Result<Applied, Problem> {
        if self.waits_for(ClarificationKind::Again) {
            self.to_inbox(tx, Some(person), Reason::Unclear).await?;
            return Ok(done(HandledAs::Unmatched));
        }
        self.ask_clarification(tx, person, ClarificationKind::Again, Value::Null).await?;
        self.answer(tx, person, "clarify", &json!({})).await?;
        Ok(done(HandledAs::Ambiguous))
    }

    async fn not_understood(&self, tx: &mut Tx) -> Result<Applied, Problem> {
        match self.view.staff().map(|staff| staff.person) {
            Some(person) => self.ask_again(tx, person).await,
            None => self.unmatched(tx).await,
        }
    }

    /// Puts the message in the inbox of staff.
    /// Sends the sender a neutral answer, at most once within `QUESTION_SPAN`.
    async fn unmatched(&self, tx: &mut Tx) -> Result<Applied, Problem> {
        let person = self.view.senders.first().map(|sender| sender.person);
        self.to_inbox(tx, person, Reason::Unmatched).await?;
        if let Some(person) = person.filter(|_| !self.waits_for(ClarificationKind::Unmatched)) {
            self.ask_clarification(tx, person, ClarificationKind::Unmatched, Value::Null).await?;
            self.answer(tx, person, "unmatched", &json!({})).await?;
        }
        Ok(done(HandledAs::Unmatched))
    }

    /// Returns the offer that the ask is about; `None` if there is none or if the offer has ended.
    async fn open_offer(&self, tx: &mut Tx, ask: &SenderAsk) -> Result<Option<Offer>, Problem> {
        let Some(id) = ask.offer else { return Ok(None) };
        let offer = data::offer::by_id(tx, id).await?;
        Ok(offer.filter(|offer| offer.state == OfferState::Pending))
    }

    /// Removes the clarifying question that the sender was asked, if the message was understood.
    async fn close_question(&self, tx: &mut Tx, handled_as: HandledAs) -> Result<(), Problem> {
        let understood = !matches!(
            handled_as,
            HandledAs::Ambiguous | HandledAs::Unmatched | HandledAs::UnknownSender
        );
        match &self.view.question {
            Some(question) if understood && question.kind != ClarificationKind::Unmatched => {
                Ok(data::question::remove(tx, question.person, question.kind).await?)
            }
            _ => Ok(()),
        }
    }
}
