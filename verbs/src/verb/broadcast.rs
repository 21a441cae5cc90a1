//! The verb `broadcast`: sends a message to each of many people, one chunk of people per commit.

use std::collections::BTreeMap;

use abide_engine::base::{OfferId, PersonId, Problem, TypedId, Value};
use abide_engine::contract::Risk;
use abide_engine::policy;
use abide_engine::store::{Cause, Tx};
use abide_engine::verb::{CallContext, Effects, Proposal, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::args::{self, Cursor};
use crate::data;
use crate::directory::SkipReason;
use crate::domain::open::filled_role;
use crate::operations::messages::{self, MessageDraft};
use crate::operations::{OperationContext, budget};

pub(super) struct Broadcast;

#[async_trait]
impl WriteVerb for Broadcast {
    async fn proposal(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
    ) -> Result<Option<Proposal>, Problem> {
        let people = reached(tx, cx, &args::people(args, "people")?).await?;
        let verdict = policy::broadcast(people.len() as u64, cx.settings.broadcast_approval_over);
        let (policy::PolicyDecision::Ask, Some(reason)) = (verdict.decision, verdict.reason) else {
            return Ok(None);
        };
        propose(tx, cx, args, &people, reason.message).await.map(Some)
    }

    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let mut cursor = Cursor::read(cursor)?;
        let people = args::people(args, "people")?;
        if cursor.done == 0 {
            check_allowed(tx, cx, &people).await?;
        }
        let chunk = cursor.chunk(&people);
        let left_out = left_out(tx, cx, chunk).await?;
        let asked = asked(tx, cx, chunk).await?;
        let mut drafts = Vec::with_capacity(chunk.len());
        for person in chunk {
            match left_out.get(person) {
                Some(reason) => cursor.skipped.push(args::skipped(*person, *reason)),
                None => drafts.push(reminder(cx, *person, asked.get(person).copied())),
            }
        }
        let vars = args.get("vars").unwrap_or(&Value::Null);
        let template = args::text(args, "template")?;
        let sent =
            messages::send(tx, &OperationContext::of_call(cx), template, &drafts, vars).await?;
        let mut effects = Effects::default();
        args::record_messages(&mut effects, &sent);
        cursor.reached += sent.len();
        cursor.done += chunk.len();
        if cursor.done < people.len() {
            return Ok(VerbOutcome::more(cursor.to_value()?, effects));
        }
        let reached = reached(tx, cx, &people).await?;
        Ok(VerbOutcome::done(json!({"sent": reached, "skipped": cursor.skipped}), effects))
    }
}

/// Checks that a broadcast to these people has the approval that it needs,
/// and that the month's budget suffices. The check comes before the first message.
async fn check_allowed(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    people: &[PersonId],
) -> Result<(), Problem> {
    let recipients = reached(tx, cx, people).await?.len();
    let verdict = policy::broadcast(recipients as u64, cx.settings.broadcast_approval_over);
    match verdict.reason.filter(|_| !cx.approved) {
        None => budget::check(tx, &OperationContext::of_call(cx), recipients).await,
        Some(reason) => Err(reason),
    }
}

/// Says what a broadcast would send. The approval is for the people who would get the message now. Nobody is
/// added later; people who opt out or say no before the decision are left out.
async fn propose(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    args: &Value,
    people: &[PersonId],
    reason: String,
) -> Result<Proposal, Problem> {
    let (template, vars) =
        (args::text(args, "template")?, args.get("vars").unwrap_or(&Value::Null));
    let context = OperationContext::of_call(cx);
    let first = people.first().copied();
    let sample = messages::MessageSample { template, person: first, vars };
    let sample = messages::sample(tx, &context, sample).await?;
    let each = sample.as_ref().map_or(0, |sample| sample.segments().segments);
    let mut args = args.clone();
    args["people"] = json!(people);
    let shows = json!({
        "what": format!("text {} people", people.len()),
        "recipients": people.len(),
        "text": sample.as_ref().map(|sample| sample.body()),
        "segments": people.len() * each,
    });
    Ok(Proposal { rule: policy::GateRule::Broadcast, reason, risk: Risk::T3, args, shows })
}

/// Returns the people among these who will get the message, in the same sequence.
async fn reached(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    people: &[PersonId],
) -> Result<Vec<PersonId>, Problem> {
    let left_out = left_out(tx, cx, people).await?;
    Ok(people.iter().filter(|person| !left_out.contains_key(person)).copied().collect())
}

/// Returns those of `people` who must not get the message, each with the reason. People who are unknown,
/// are not active or have opted out must not get it. If the run has a request, the same is true of people
/// with a place or a waitlist rank in the request, and of people who said no to the request and have no
/// other open offer in it.
async fn left_out(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    people: &[PersonId],
) -> Result<BTreeMap<PersonId, SkipReason>, Problem> {
    let mut left_out = BTreeMap::new();
    if let Some(request) = cx.request {
        left_out.extend(data::assignment::answered(tx, request, people).await?);
        let asked = asked(tx, cx, people).await?;
        left_out.retain(|id, reason| *reason != SkipReason::Declined || !asked.contains_key(id));
    }
    left_out.extend(data::person::unreachable(tx, cx.tenant, people).await?);
    let known = data::person::known(tx, cx.tenant, people).await?;
    left_out.extend(
        people.iter().filter(|id| !known.contains(id)).map(|id| (*id, SkipReason::Unknown)),
    );
    Ok(left_out)
}

/// Returns for each of these people the open offer in the run's request. Leaves out people
/// without an open offer; returns no offers if the run has no request.
async fn asked(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    people: &[PersonId],
) -> Result<BTreeMap<PersonId, OfferId>, Problem> {
    let Some(request) = cx.request else { return Ok(BTreeMap::new()) };
    let open = data::offer::pending_of_request_people(tx, request, people).await?;
    Ok(open.into_iter().map(|offer| (offer.person, offer.id)).collect())
}

/// Builds the message to one person. If the person has an open offer, the message counts as a reminder
/// of the offer: it is not sent if the offer has ended before the send time, for example
/// because the person answered.
///
/// If the template, the person and the [`occasion`] are those of an earlier message,
/// no second message is sent.
fn reminder(cx: &CallContext<'_>, person: PersonId, asked: Option<OfferId>) -> MessageDraft {
    let cause = match (cx.request, asked) {
        (_, Some(offer)) => Cause { kind: messages::cause::REMINDER, id: Some(offer.uuid()) },
        (Some(request), None) => Cause { kind: messages::cause::REQUEST, id: Some(request.uuid()) },
        (None, None) => Cause { kind: messages::cause::NOTICE, id: None },
    };
    MessageDraft {
        person,
        occasion: occasion(cx),
        request: cx.request,
        cause,
        not_before: None,
        not_after: None,
        unasked: true,
    }
}

/// Returns the words that distinguish a message from an earlier message with the same template,
/// joined by `~`: the step's `occasion` and, from the second campaign on, the campaign's number.
/// If there are such words, adds the role that the run fills, because one campaign may fill several roles.
/// Returns `None` if there are no such words.
pub(super) fn occasion(cx: &CallContext<'_>) -> Option<String> {
    let word = cx.occasion.map(ToOwned::to_owned);
    let campaign = (cx.campaign > 1).then(|| format!("c{}", cx.campaign));
    let mut parts: Vec<String> = word.into_iter().chain(campaign).collect();
    if !parts.is_empty() {
        parts.extend(filled_role(cx.goal).map(ToOwned::to_owned));
    }
    (!parts.is_empty()).then(|| parts.join("~"))
}
