//! Applies plain answers together: a yes or a no to an open offer, which changes nothing but the offer, the places of one
//! request and the tallies. What is read and written of all answers is read and written with a few statements.
//! What any of them decides is the same as if each were applied alone.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::{MessageId, OfferId, PersonId, Problem, RunId};
use abide_engine::domain::{Applied, DomainContext, HandledAs, InterpretedMessage};
use abide_engine::policy::CarrierWord;
use abide_engine::store::{ContactId, Tx};
use abide_engine::template::Language;

use super::decide::{Decision, decided};
use super::handler::done;
use super::meaning::Meaning;
use super::view::SenderAsk;
use crate::assignment::{Assignment, AssignmentState};
use crate::data;
use crate::offer::{Offer, OfferCause, OfferState};
use crate::operations::claims::{Claimed, Claims, InvitedClaim};
use crate::operations::messages::{self, MessageDraft};
use crate::operations::offers::{self, Notice};
use crate::operations::{OperationContext, requests};
use crate::request::Request;

/// A yes or a no to an offer.
struct PlainAnswer<'a> {
    message: &'a InterpretedMessage<'a>,
    ask: SenderAsk,
    offer: OfferId,
    is_yes: bool,
}

/// A plain answer, with the offer that it ends.
struct Answer<'a> {
    plain: PlainAnswer<'a>,
    offer: Offer,
}

/// Whether a message may be applied together with others.
pub(super) fn is_plain(message: &InterpretedMessage<'_>) -> bool {
    plain(message).is_some()
}

/// Returns the answer that a message gives to an open offer. Returns `None` if applying the message does more than that: if
/// it also closes a question of ours, or tells us the language of its sender.
fn plain<'a>(message: &'a InterpretedMessage<'a>) -> Option<PlainAnswer<'a>> {
    if !matches!(message.inbound.carrier_word, None | Some(CarrierWord::Yes)) {
        return None;
    }
    let (view, decision) = decided(message.reading.asks, message.reading.meaning).ok()?;
    let (ask, is_yes) = match decision {
        Decision::Accept(ask) => (ask, true),
        Decision::Decline(ask) => (ask, false),
        _ => return None,
    };
    let language = Meaning::from_value(message.reading.meaning).language;
    let tells_language = |known: Option<Language>| {
        language.is_some_and(|language| language != known.unwrap_or(Language::English))
    };
    let does_more = view.question.is_some()
        || ask.question.is_some()
        || view.senders.iter().any(|sender| tells_language(sender.language));
    let offer = ask.offer.filter(|_| !does_more)?;
    Some(PlainAnswer { message, ask, offer, is_yes })
}

/// Applies the first of these messages, up to the first that is no plain answer after all. Returns what became of them.
pub(super) async fn apply(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    messages: &[InterpretedMessage<'_>],
) -> Result<Vec<Applied>, Problem> {
    let answers: Vec<PlainAnswer<'_>> = messages.iter().map_while(plain).collect();
    let Some(first) = answers.first() else { return Ok(Vec::new()) };
    let mut request = requests::load(tx, cx.tenant, first.ask.request).await?;
    let answers = Offered::load(tx, cx, &request, &answers).await?.answers(cx, &request, answers);
    let mut claims = load_claims(tx, &request, &answers).await?;
    end_offers(tx, cx, &answers).await?;
    let mut notices = Notices::default();
    for answer in answers.iter().filter(|answer| answer.plain.is_yes) {
        let (message, ask) = (answer.plain.message, &answer.plain.ask);
        let claim = InvitedClaim {
            person: ask.person,
            role: &ask.role,
            received_at: message.inbound.received_at,
        };
        let context = context_of(cx, answer);
        let claimed = claims.add(tx, &context, &mut request, claim).await?;
        notices.add(answer, claimed);
    }
    claims.write(tx, cx.tenant, &request, cx.now).await?;
    notices.send(tx, cx, &request).await?;
    let applied = |answer: &Answer<'_>| Applied { run: answer.offer.run, ..done(HandledAs::Reply) };
    Ok(answers.iter().map(applied).collect())
}

/// What the database knows of the offers that were answered, and of those who answered.
struct Offered {
    offers: BTreeMap<OfferId, Offer>,
    /// The numbers whose threads staff have taken over.
    taken_over: BTreeSet<ContactId>,
    /// The people among those who say yes who have a place in another service at that time.
    placed_elsewhere: BTreeSet<PersonId>,
    /// The assignments in the request of those who say yes.
    assignments: BTreeMap<PersonId, Vec<Assignment>>,
}

impl Offered {
    /// Locks the people who say yes, and reads what decides about the answers.
    async fn load(
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        request: &Request,
        answers: &[PlainAnswer<'_>],
    ) -> Result<Self, Problem> {
        let contacts: Vec<_> = answers.iter().map(|answer| answer.message.inbound.sender).collect();
        let offers: Vec<_> = answers.iter().map(|answer| answer.offer).collect();
        let yes = answers.iter().filter(|answer| answer.is_yes);
        let yes: Vec<_> = yes.map(|answer| answer.ask.person).collect();
        let taken_over = data::thread::taken_over(tx, cx.tenant, &contacts).await?;
        let offers = data::offer::by_ids(tx, &offers).await?;
        let (mut placed_elsewhere, mut assignments) = (BTreeSet::new(), BTreeMap::new());
        if !yes.is_empty() {
            data::person::lock(tx, &yes).await?;
            placed_elsewhere = data::assignment::clashing(tx, request, &yes).await?;
            for assignment in data::assignment::of_all(tx, request.id, &yes).await? {
                let person: &mut Vec<_> = assignments.entry(assignment.person).or_default();
                person.push(assignment);
            }
        }
        Ok(Self { offers, taken_over, placed_elsewhere, assignments })
    }

    /// Returns the answers, up to the first that does more than to end its offer and to claim a place.
    fn answers<'a>(
        mut self,
        cx: &DomainContext<'_>,
        request: &Request,
        answers: Vec<PlainAnswer<'a>>,
    ) -> Vec<Answer<'a>> {
        let context = OperationContext::of_domain(cx);
        let answer = |plain: PlainAnswer<'a>| {
            let offer = self.offers.remove(&plain.offer)?;
            let inbound = plain.message.inbound;
            let is_open = offer.state == OfferState::Pending && offer.request == request.id;
            let in_time = offers::in_time(&context, inbound.received_at, offer.expires_at);
            let is_answer = is_open
                && offer.run.is_some()
                && !self.taken_over.contains(&inbound.sender)
                && (!plain.is_yes || in_time && self.is_only_invited(&plain.ask));
            is_answer.then_some(Answer { plain, offer })
        };
        answers.into_iter().map_while(answer).collect()
    }

    /// Whether all that the person has in the request is the invitation, and no place in another service at that time.
    fn is_only_invited(&self, ask: &SenderAsk) -> bool {
        let of_person = self.assignments.get(&ask.person).map_or(&[][..], |all| all);
        let is_invited = matches!(of_person, [only]
            if only.role == ask.role && only.state == AssignmentState::Invited);
        is_invited && !self.placed_elsewhere.contains(&ask.person)
    }
}

async fn load_claims(
    tx: &mut Tx,
    request: &Request,
    answers: &[Answer<'_>],
) -> Result<Claims, Problem> {
    let yes = answers.iter().filter(|answer| answer.plain.is_yes);
    let roles: BTreeSet<&str> = yes.map(|answer| answer.plain.ask.role.as_str()).collect();
    Claims::load(tx, request, &roles).await
}

fn context_of<'a>(cx: &DomainContext<'a>, answer: &Answer<'_>) -> OperationContext<'a> {
    let inbound = answer.plain.message.inbound.id;
    OperationContext::of_domain(cx).answering(inbound).on_behalf_of(answer.offer.run)
}

/// Ends the offers that were answered: those of each run together.
async fn end_offers(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    answers: &[Answer<'_>],
) -> Result<(), Problem> {
    let mut ended: BTreeMap<(Option<RunId>, bool), (OperationContext<'_>, Vec<Offer>)> =
        BTreeMap::new();
    for answer in answers {
        let key = (answer.offer.run, answer.plain.is_yes);
        let (_, offers) = ended.entry(key).or_insert_with(|| (context_of(cx, answer), Vec::new()));
        offers.push(answer.offer.clone());
    }
    for ((_, is_yes), (context, offers)) in ended {
        let cause = if is_yes { OfferCause::Yes } else { OfferCause::No };
        offers::end(tx, &context, &offers, cause, Notice::None).await?;
    }
    Ok(())
}

/// What messages that say what a yes led to have in common.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct NoticeKind {
    run: Option<RunId>,
    role: String,
    template: &'static str,
}

/// The messages to those who said yes.
#[derive(Default)]
struct Notices(BTreeMap<NoticeKind, Vec<(MessageId, MessageDraft)>>);

impl Notices {
    fn add(&mut self, answer: &Answer<'_>, claimed: Claimed) {
        let Answer { plain: PlainAnswer { message, ask, .. }, offer } = answer;
        let template = match claimed {
            Claimed::Place => "confirmed",
            Claimed::Rank => "waitlisted",
        };
        let kind = NoticeKind { run: offer.run, role: ask.role.clone(), template };
        let draft = MessageDraft::about_offer(ask.person, ask.request, offer.ordinal);
        let inbound = message.inbound.id;
        self.0.entry(kind).or_default().push((inbound, draft.answering(inbound)));
    }

    async fn send(
        self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        request: &Request,
    ) -> Result<(), Problem> {
        for (NoticeKind { run, role, template }, drafts) in self.0 {
            let Some((inbound, _)) = drafts.first() else { continue };
            let context = OperationContext::of_domain(cx).answering(*inbound).on_behalf_of(run);
            let drafts: Vec<MessageDraft> = drafts.into_iter().map(|(_, draft)| draft).collect();
            let about = messages::role_variables(request, &role);
            messages::send(tx, &context, template, &drafts, &about).await?;
        }
        Ok(())
    }
}
