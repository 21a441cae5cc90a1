//! Does what a message means, under the lock of its request, and answers the sender.

use abide_engine::base::{PersonId, Problem, Span, Timestamp, Value};
use abide_engine::domain::{Applied, Asks, DomainContext, HandledAs};
use abide_engine::planted::Planted;
use abide_engine::store::{InboundRow, Tx};
use serde_json::json;

use super::decide::{Decision, decided};
use super::staff;
use super::view::{Ask, View};
use crate::assignment;
use crate::data;
use crate::data::question::Question;
use crate::desk::letter::{self, Letter};
use crate::desk::places::{self, Claim, Leave, Taken};
use crate::desk::{Scene, offers, requests};
use crate::inbox::Reason;
use crate::offer::{Cause, Offer, State};
use crate::reader::{Label, Reading};

/// How long a clarifying question waits for its answer.
pub(super) const QUESTION_SPAN: Span = Span::from_secs(24 * 3600);

/// An inbound message that is being applied, with what is open for its sender.
pub(super) struct Desk<'a> {
    pub scene: Scene<'a>,
    pub inbound: &'a InboundRow,
    pub view: View,
}

pub(super) async fn apply(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    inbound: &InboundRow,
    (asks, meaning): (&Asks, &Value),
) -> Result<Applied, Problem> {
    let (view, decision) = decided(asks, meaning)?;
    let scene = Scene::of_domain(cx).answering(inbound.id);
    let desk = Desk { scene, inbound, view };
    let applied = match (inbound.carrier_word.as_deref(), &decision) {
        (Some("opt_in"), _) => done(HandledAs::OptIn),
        (Some("help"), _) => desk.help(tx).await?,
        (Some("yes"), Decision::Unmatched | Decision::Beyond | Decision::Unknown) => {
            desk.opt_in(tx).await?
        }
        _ => desk.act(tx, decision).await?,
    };
    desk.close_question(tx, applied.handled_as).await?;
    Ok(applied)
}

impl Desk<'_> {
    async fn act(&self, tx: &mut Tx, decision: Decision) -> Result<Applied, Problem> {
        match decision {
            Decision::Accept(ask) => self.accept(tx, &ask).await,
            Decision::Decline(ask) => self.decline(tx, &ask).await,
            Decision::Release(ask) => self.release(tx, &ask).await,
            Decision::Revive(ask) => self.revive(tx, &ask).await,
            Decision::TooLate(ask) => self.too_late(tx, &ask).await,
            Decision::Settled(_) => Ok(done(self.answered())),
            Decision::Which(asks, label) => self.ask_which(tx, &asks, label).await,
            Decision::Unclear(ask) => self.ask_again(tx, ask.person).await,
            Decision::Start(reading) => staff::start(tx, self, &reading).await,
            Decision::Missing(reading) => staff::ask_back(tx, self, &reading).await,
            Decision::Beyond => self.beyond(tx).await,
            Decision::Unmatched => self.unmatched(tx).await,
            Decision::Unknown => {
                self.to_inbox(tx, None, Reason::UnknownSender).await?;
                Ok(done(HandledAs::UnknownSender))
            }
        }
    }

    /// Answers a request for help, if the sender is in the directory.
    async fn help(&self, tx: &mut Tx) -> Result<Applied, Problem> {
        if let Some(sender) = self.view.senders.first() {
            self.answer(tx, sender.person, "help", &json!({})).await?;
        }
        Ok(done(HandledAs::Help))
    }

    /// Renews the consent to be texted, as carriers prescribe for a lone yes that answers nothing. The yes is
    /// applied some time after it was stored, so a STOP received at the same instant may have been stored
    /// after it; the STOP wins.
    async fn opt_in(&self, tx: &mut Tx) -> Result<Applied, Problem> {
        let (sender, received_at) = (self.inbound.sender, self.inbound.received_at);
        tx.free(self.scene.tenant, sender, received_at - Span::from_micros(1)).await?;
        Ok(done(HandledAs::OptIn))
    }

    async fn accept(&self, tx: &mut Tx, ask: &Ask) -> Result<Applied, Problem> {
        if let Some(question) = ask.question {
            return self.answer_question(tx, question, Label::Accept).await;
        }
        let Some(offer) = self.open_offer(tx, ask).await? else {
            return self.revive(tx, ask).await;
        };
        if !offers::in_time(&self.scene, self.inbound.received_at, offer.expires_at) {
            offers::end(tx, &self.scene, &[offer], Cause::Lapse, false).await?;
            return self.revive(tx, ask).await;
        }
        let scene = self.scene.on_account_of(offer.run);
        offers::end(tx, &scene, std::slice::from_ref(&offer), Cause::Yes, false).await?;
        self.place(tx, &scene, ask, &offer).await
    }

    /// Applies a yes to an offer that has ended, as a new offer that is accepted at once.
    async fn revive(&self, tx: &mut Tx, ask: &Ask) -> Result<Applied, Problem> {
        // The answer to their yes replaces the notice that the old offer was withdrawn.
        data::offer::told(tx, ask.offer.as_slice()).await?;
        let person = (ask.person, ask.role.as_str());
        let offer = offers::renew(tx, &self.scene, ask.request, person).await?;
        self.place(tx, &self.scene, ask, &offer).await
    }

    async fn place(
        &self,
        tx: &mut Tx,
        scene: &Scene<'_>,
        ask: &Ask,
        offer: &Offer,
    ) -> Result<Applied, Problem> {
        let mut request = requests::lock(tx, scene.tenant, ask.request).await?;
        let claim =
            Claim { person: ask.person, role: &ask.role, received_at: self.inbound.received_at };
        let template = match places::take(tx, scene, &mut request, claim).await? {
            Taken::Placed => Some("confirmed"),
            Taken::Waitlisted => Some("waitlisted"),
            Taken::Unchanged(_) | Taken::Elsewhere(_) => None,
        };
        if let Some(template) = template {
            let letter =
                Letter::about(ask.person, ask.request, offer.ordinal).answering(self.inbound.id);
            let about = letter::about(&request, &ask.role);
            letter::send(tx, scene, template, &[letter], &about).await?;
        }
        Ok(Applied { run: offer.run, ..done(self.answered()) })
    }

    async fn decline(&self, tx: &mut Tx, ask: &Ask) -> Result<Applied, Problem> {
        if let Some(question) = ask.question {
            return self.answer_question(tx, question, Label::Decline).await;
        }
        let Some(offer) = self.open_offer(tx, ask).await? else {
            return Ok(done(self.answered()));
        };
        let run = offer.run;
        let scene = self.scene.on_account_of(run);
        offers::end(tx, &scene, &[offer], Cause::No, false).await?;
        Ok(Applied { run, ..done(self.answered()) })
    }

    /// Releases a place or a rank on the waitlist. For a place, puts the message in the inbox of staff; the
    /// first person on the waitlist moves up.
    async fn release(&self, tx: &mut Tx, ask: &Ask) -> Result<Applied, Problem> {
        let mut request = requests::lock(tx, self.scene.tenant, ask.request).await?;
        let leave = Leave::release(ask.person, &ask.role);
        let left = places::leave(tx, &self.scene, &mut request, leave).await?;
        if left.is_some_and(|left| left.was == assignment::State::Accepted) {
            self.to_inbox(tx, Some(ask.person), Reason::GaveUpPlace).await?;
        }
        let run = match ask.offer {
            Some(id) => data::offer::by_id(tx, id).await?.and_then(|offer| offer.run),
            None => None,
        };
        Ok(Applied { run, ..done(self.answered()) })
    }

    async fn too_late(&self, tx: &mut Tx, ask: &Ask) -> Result<Applied, Problem> {
        let letter =
            Letter { request: Some(ask.request), ..Letter::answer(ask.person, self.inbound.id) };
        let about = json!({"role": ask.role, "time": ask.time.to_string()});
        letter::send(tx, &self.scene, "cancelled", &[letter], &about).await?;
        Ok(done(self.answered()))
    }

    async fn ask_which(&self, tx: &mut Tx, asks: &[Ask], label: Label) -> Result<Applied, Problem> {
        let Some(first) = asks.first() else { return self.unmatched(tx).await };
        let about = Reading { label, confidence: 1.0 }.to_value();
        self.question(tx, first.person, ("which", about)).await?;
        let several = asks.iter().any(|ask| ask.person != first.person);
        let told = |ask: &Ask| {
            let mut told = json!({"role": ask.role, "time": ask.time.to_string()});
            if several {
                told["who"] = self.first_name(ask.person).into();
            }
            told
        };
        let list: Vec<_> = asks.iter().map(told).collect();
        self.answer(tx, first.person, "clarify", &json!({"asks": list})).await?;
        Ok(done(HandledAs::Ambiguous))
    }

    /// Returns the first name of a person with the sender's number.
    fn first_name(&self, person: PersonId) -> &str {
        let sender = self.view.senders.iter().find(|sender| sender.person == person);
        let name = sender.map_or("", |sender| sender.name.as_str());
        name.split_whitespace().next().unwrap_or(name)
    }

    /// Asks the sender to write more clearly, once within [`QUESTION_SPAN`]. Another unclear text within that
    /// time goes to the inbox of staff, so that two machines never keep answering each other.
    async fn ask_again(&self, tx: &mut Tx, person: PersonId) -> Result<Applied, Problem> {
        if self.waits_for("again") {
            self.to_inbox(tx, Some(person), Reason::Unclear).await?;
            return Ok(done(HandledAs::Unmatched));
        }
        self.question(tx, person, ("again", Value::Null)).await?;
        self.answer(tx, person, "clarify", &json!({})).await?;
        Ok(done(HandledAs::Ambiguous))
    }

    async fn beyond(&self, tx: &mut Tx) -> Result<Applied, Problem> {
        match self.view.staff().map(|staff| staff.person) {
            Some(person) => self.ask_again(tx, person).await,
            None => self.unmatched(tx).await,
        }
    }

    /// Puts the message in the inbox of staff, and answers neutrally at most once within [`QUESTION_SPAN`].
    async fn unmatched(&self, tx: &mut Tx) -> Result<Applied, Problem> {
        let person = self.view.senders.first().map(|sender| sender.person);
        self.to_inbox(tx, person, Reason::Unmatched).await?;
        if let Some(person) = person.filter(|_| !self.waits_for("unmatched")) {
            self.question(tx, person, ("unmatched", Value::Null)).await?;
            self.answer(tx, person, "unmatched", &json!({})).await?;
        }
        Ok(done(HandledAs::Unmatched))
    }

    /// Returns the offer of an ask if it is still open.
    async fn open_offer(&self, tx: &mut Tx, ask: &Ask) -> Result<Option<Offer>, Problem> {
        let Some(id) = ask.offer else { return Ok(None) };
        let offer = data::offer::by_id(tx, id).await?;
        Ok(offer.filter(|offer| offer.state == State::Pending))
    }

    /// Answers the message, at any hour.
    pub(super) async fn answer(
        &self,
        tx: &mut Tx,
        person: PersonId,
        template: &str,
        vars: &Value,
    ) -> Result<(), Problem> {
        let letter = Letter::answer(person, self.inbound.id);
        letter::send(tx, &self.scene, template, &[letter], vars).await.map(drop)
    }

    /// Records a clarifying question, which waits for [`QUESTION_SPAN`].
    pub(super) async fn question(
        &self,
        tx: &mut Tx,
        person: PersonId,
        (kind, about): (&str, Value),
    ) -> Result<(), Problem> {
        let now = self.scene.now;
        let expires_at = now + QUESTION_SPAN;
        let question = Question { person, kind: kind.to_owned(), about, expires_at };
        Ok(data::question::put(tx, self.scene.tenant, &question, now).await?)
    }

    pub(super) async fn to_inbox(
        &self,
        tx: &mut Tx,
        person: Option<PersonId>,
        reason: Reason,
    ) -> Result<(), Problem> {
        if Planted::UnmatchedUnseen.is_in() {
            return Ok(());
        }
        let message: (_, Timestamp) = (self.inbound.id, self.inbound.received_at);
        Ok(data::inbox::put(tx, self.scene.tenant, message, person, reason).await?)
    }

    /// Returns how an understood message is handled: as the answer to a clarifying question, or as a reply
    /// to an ask.
    pub(super) fn answered(&self) -> HandledAs {
        if self.waits_for("which") || self.waits_for("staff") || self.waits_for("again") {
            HandledAs::ClarificationAnswer
        } else {
            HandledAs::Reply
        }
    }

    fn waits_for(&self, kind: &str) -> bool {
        self.view.question.as_ref().is_some_and(|question| question.kind == kind)
    }

    /// Removes the clarifying question once a message was understood.
    async fn close_question(&self, tx: &mut Tx, handled_as: HandledAs) -> Result<(), Problem> {
        let understood = !matches!(
            handled_as,
            HandledAs::Ambiguous | HandledAs::Unmatched | HandledAs::UnknownSender
        );
        match &self.view.question {
            Some(question) if understood && question.kind != "unmatched" => {
                Ok(data::question::remove(tx, question.person, &question.kind).await?)
            }
            _ => Ok(()),
        }
    }
}

pub(super) fn done(handled_as: HandledAs) -> Applied {
    Applied { handled_as, run: None, start: None }
}
