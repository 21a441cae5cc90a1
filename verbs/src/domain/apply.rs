//! Applies the decision about an inbound message while its request is locked, and answers the sender.

use abide_engine::base::{Problem, Span, Value};
use abide_engine::domain::{Applied, DomainContext, HandledAs, MessageMeaning};
use abide_engine::policy::CarrierWord;
use abide_engine::store::{InboundRow, Tx};
use abide_engine::template::Language;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::json;

use super::decide::{Decision, decided};
use super::handler::{MessageHandler, done};
use super::meaning::Meaning;
use super::staff;
use super::view::View;
use crate::data;
use crate::data::question::ClarificationKind;
use crate::inbox::Reason;
use crate::judge::{Judge, JudgedText};
use crate::operations::OperationContext;

pub(super) async fn apply(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    inbound: &InboundRow,
    reading: MessageMeaning<'_>,
    judge: &dyn Judge,
) -> Result<Applied, Problem> {
    let (view, decision) = decided(reading.asks, reading.meaning)?;
    let sender = view.senders.first().map(|sender| sender.person);
    let text = sender.map(|sender| JudgedText { inbound, sender });
    if let Some(applied) =
        judged(tx, cx, Beside { inbound, text, decision: &decision }, judge).await?
    {
        return Ok(applied);
    }
    let applied = decide_and_act(tx, cx, inbound, reading.meaning, Decided { view, decision });
    let applied = applied.await?;
    if let Some(text) = text.filter(|_| tells_something(applied.handled_as)) {
        judge.heard(tx, cx, text).await?;
    }
    Ok(applied)
}

/// A message that may be meant for something beside the church.
#[derive(Clone, Copy)]
struct Beside<'a> {
    inbound: &'a InboundRow,
    /// The message, if its sender is in the directory.
    text: Option<JudgedText<'a>>,
    decision: &'a Decision,
}

/// Lets the judge handle a text that the church does not understand: of staff, or of somebody outside.
async fn judged(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    beside: Beside<'_>,
    judge: &dyn Judge,
) -> Result<Option<Applied>, Problem> {
    let Beside { inbound, text, decision } = beside;
    let is_for_staff = match decision {
        Decision::NotUnderstood | Decision::Unmatched => true,
        Decision::Help | Decision::Question(None) => !super::has_church(cx), // words of the church
        _ => false,
    };
    let asks_nothing =
        matches!(decision, Decision::Unknown | Decision::Unmatched | Decision::Question(None));
    if !is_for_staff && !asks_nothing
        || data::thread::is_taken_over(tx, cx.tenant, inbound.sender).await?
    {
        return Ok(None);
    }
    let acting = data::person::acting(tx, cx.tenant).await?;
    let of_staff = text.filter(|text| acting.contains(&text.sender));
    match (of_staff, inbound.carrier_word) {
        (Some(text), None) if is_for_staff => {
            let applied = judge.staff_text(tx, cx, text).await?;
            if applied.is_some() {
                judge.heard(tx, cx, text).await?;
            }
            Ok(applied)
        }
        (None, word @ (None | Some(CarrierWord::Yes))) if asks_nothing => {
            let applied = judge.outside_text(tx, cx, inbound).await?;
            if word.is_some() && applied.is_some() {
                renew_consent(tx, cx.tenant, inbound).await?;
            }
            Ok(applied)
        }
        _ => Ok(None),
    }
}

/// Renews the sender's consent to receive messages. A STOP that was received at the same instant takes precedence,
/// because it may have been stored after this message.
async fn renew_consent(tx: &mut Tx, tenant: &str, inbound: &InboundRow) -> Result<(), Problem> {
    let before = inbound.received_at - Span::from_micros(1);
    tx.unsuppress(tenant, inbound.sender, before).await.map(drop).map_err(Problem::from)
}

/// Whether a message may say what the conversation is about. One that only answers an ask, or obeys a carrier's word,
/// does not.
fn tells_something(handled_as: HandledAs) -> bool {
    matches!(
        handled_as,
        HandledAs::StaffRequest
            | HandledAs::ClarificationAnswer
            | HandledAs::Question
            | HandledAs::Ambiguous
            | HandledAs::Unmatched
    )
}

/// What a message was decided to mean, with what its sender can answer.
struct Decided {
    view: View,
    decision: Decision,
}

async fn decide_and_act(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    inbound: &InboundRow,
    meaning: &Value,
    Decided { view, decision }: Decided,
) -> Result<Applied, Problem> {
    let context = OperationContext::of_domain(cx).answering(inbound.id);
    let is_taken_over = data::thread::is_taken_over(tx, cx.tenant, inbound.sender).await?;
    let handler = MessageHandler { context, inbound, view, is_taken_over };
    if is_taken_over && !always_counts(inbound.carrier_word, &decision) {
        return handler.leave_to_staff(tx).await;
    }
    handler.learn_language(tx, &Meaning::from_value(meaning)).await?;
    if inbound.carrier_word.is_some() || decision.is_an_answer() {
        handler.close_question(tx, &decision).await?;
    }
    match (inbound.carrier_word, &decision) {
        (Some(CarrierWord::OptIn), _) => Ok(done(HandledAs::OptIn)),
        (Some(CarrierWord::Help), _) => handler.help(tx).await,
        (word, decision) if opts_in(word, decision) => handler.opt_in(tx).await,
        _ => handler.act(tx, decision).await,
    }
}

/// Whether a message counts even if staff have taken over the thread with its sender: it opts the number in, asks
/// for help with the carriers' keyword, or says that somebody may be in danger.
fn always_counts(word: Option<CarrierWord>, decision: &Decision) -> bool {
    let is_of_carriers =
        matches!(word, Some(CarrierWord::OptOut | CarrierWord::OptIn | CarrierWord::Help));
    is_of_carriers || opts_in(word, decision) || *decision == Decision::Grave
}

/// Whether a message renews the sender's consent: it says so, or it is the word YES and answers nothing.
fn opts_in(word: Option<CarrierWord>, decision: &Decision) -> bool {
    match decision {
        Decision::OptIn => true,
        Decision::Unmatched | Decision::NotUnderstood | Decision::Unknown => {
            word == Some(CarrierWord::Yes)
        }
        _ => false,
    }
}

impl MessageHandler<'_> {
    /// Puts the message in the inbox, because staff have taken over the thread with its sender.
    async fn leave_to_staff(&self, tx: &mut Tx) -> Result<Applied, Problem> {
        let person = self.view.senders.first().map(|sender| sender.person);
        self.to_inbox(tx, person, Reason::TakenOver).await?;
        Ok(done(HandledAs::Unmatched))
    }

    /// Remembers the language of a text that is clearly in another language than the texts to its sender, unless
    /// several people share the number.
    async fn learn_language(&self, tx: &mut Tx, meaning: &Meaning) -> Result<(), Problem> {
        let [sender] = &self.view.senders[..] else { return Ok(()) };
        match meaning.language {
            Some(language) if language != sender.language.unwrap_or(Language::English) => {
                Ok(data::person::wrote_in(tx, sender.person, language).await?)
            }
            _ => Ok(()),
        }
    }

    async fn act(&self, tx: &mut Tx, decision: Decision) -> Result<Applied, Problem> {
        match decision {
            Decision::Accept(ask) => self.accept(tx, &ask).await,
            Decision::Decline(ask) => self.decline(tx, &ask).await,
            Decision::Release(ask) => self.release(tx, &ask).await,
            Decision::Revive(ask) => self.revive(tx, &ask).await,
            Decision::TooLate(ask) => self.too_late(tx, &ask).await,
            Decision::Ignore(_) => Ok(done(self.answered())),
            Decision::KeepOpen(ask, label) => self.keep_open(tx, &ask, label).await,
            Decision::Doubt(ask) => self.doubt(tx, &ask).await,
            Decision::Question(ask) => self.question(tx, ask.as_ref()).await,
            Decision::BesidesAsked(ask) => self.besides_asked(tx, &ask).await,
            Decision::Each(decisions) => self.each(tx, decisions).await,
            Decision::AskWhich(asks, label) => self.ask_which(tx, &asks, label).await,
            Decision::Unclear(ask) => self.ask_again(tx, ask.person).await,
            Decision::OptIn => self.opt_in(tx).await,
            Decision::Help => self.help(tx).await,
            Decision::Grave => self.grave(tx).await,
            Decision::Rule(approval, decision) => self.rule(tx, &approval, decision).await,
            Decision::RuledBefore(approval) => self.ruled_before(tx, &approval).await,
            Decision::AskWhichApproval(approvals, decision) => {
                self.ask_which_approval(tx, &approvals, decision).await
            }
            Decision::Obey(orders) => staff::obey(tx, self, &orders).await,
            Decision::Confirmed(order) => staff::confirmed(tx, self, &order).await,
            Decision::Start(start) => {
                Ok(Applied { starts: vec![*start], ..done(self.answered_staff()) })
            }
            Decision::Dropped => self.dropped(tx).await,
            Decision::NotUnderstood => self.not_understood(tx).await,
            Decision::Unmatched => self.unmatched(tx).await,
            Decision::Unknown => {
                self.to_inbox(tx, None, Reason::UnknownSender).await?;
                Ok(done(HandledAs::UnknownSender))
            }
        }
    }

    /// Carries out several decisions about one message, one after the other.
    fn each<'f>(
        &'f self,
        tx: &'f mut Tx,
        decisions: Vec<Decision>,
    ) -> BoxFuture<'f, Result<Applied, Problem>> {
        async move {
            let mut applied = done(self.answered());
            for decision in decisions {
                let one = self.act(tx, decision).await?;
                applied.run = applied.run.or(one.run);
            }
            Ok(applied)
        }
        .boxed()
    }

    /// Answers a message that asks for help, if the sender is in the directory.
    pub(super) async fn help(&self, tx: &mut Tx) -> Result<Applied, Problem> {
        if let Some(sender) = self.view.senders.first() {
            self.answer(tx, sender.person, "help", &json!({})).await?;
        }
        Ok(done(HandledAs::Help))
    }

    /// Renews the sender's consent to receive messages: carriers require this for a yes that answers no question.
    async fn opt_in(&self, tx: &mut Tx) -> Result<Applied, Problem> {
        renew_consent(tx, self.context.tenant, self.inbound).await?;
        Ok(done(HandledAs::OptIn))
    }

    /// Removes the question about a wish that a member of staff has taken back, and says so.
    async fn dropped(&self, tx: &mut Tx) -> Result<Applied, Problem> {
        if let Some(question) = &self.view.question {
            self.answer(tx, question.person, "dropped", &json!({})).await?;
        }
        Ok(done(HandledAs::ClarificationAnswer))
    }

    /// Removes the clarifying question that the sender was asked. What the message brings about may ask another one.
    /// The numbers of a list of approvals keep their meaning until another list is sent, but from now on a number
    /// alone decides nothing.
    async fn close_question(&self, tx: &mut Tx, decision: &Decision) -> Result<(), Problem> {
        let rules = matches!(decision, Decision::Rule(..) | Decision::RuledBefore(_));
        match &self.view.question {
            Some(question) if question.kind == ClarificationKind::Approval && rules => {
                let about = json!({ "approvals": question.about["approvals"] });
                self.ask_clarification(tx, question.person, question.kind, about).await
            }
            Some(question) if question.kind != ClarificationKind::Unmatched => {
                Ok(data::question::remove(tx, question.person, question.kind).await?)
            }
            _ => Ok(()),
        }
    }
}
