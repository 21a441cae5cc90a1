//! `broadcast`: one message to each of many people, a chunk a commit.

use std::collections::BTreeMap;

use abide_engine::base::{OfferId, PersonId, Problem, TypedId, Value};
use abide_engine::policy;
use abide_engine::store::{Cause, Tx};
use abide_engine::verb::{CallContext, Effects, Outcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::args::{self, Cursor};
use crate::assignment;
use crate::data;
use crate::desk::letter::{self, Letter};
use crate::desk::{Scene, budget};
use crate::domain::open::filled_role;

pub(super) struct Broadcast;

/// Why somebody who said no is left out.
const DECLINED: &str = assignment::State::Declined.as_str();

#[async_trait]
impl WriteVerb for Broadcast {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        cursor: Option<&Value>,
    ) -> Result<Outcome, Problem> {
        let mut cursor = Cursor::read(cursor)?;
        let people = args::people(args, "people")?;
        if cursor.done == 0 {
            check_allowed(tx, cx, &people).await?;
        }
        let chunk = cursor.chunk(&people);
        let left_out = left_out(tx, cx, chunk).await?;
        let asked = asked(tx, cx, chunk).await?;
        let mut letters = Vec::with_capacity(chunk.len());
        for person in chunk {
            match left_out.get(person) {
                Some(reason) => cursor.skipped.push(args::skipped(*person, reason)),
                None => letters.push(letter(cx, *person, asked.get(person).copied())),
            }
        }
        let vars = args.get("vars").unwrap_or(&Value::Null);
        let template = args::text(args, "template")?;
        let sent = letter::send(tx, &Scene::of_call(cx), template, &letters, vars).await?;
        let mut effects = Effects::default();
        args::note_sent(&mut effects, &sent);
        cursor.reached += sent.len();
        cursor.done += chunk.len();
        if cursor.done < people.len() {
            return Ok(Outcome::more(cursor.to_value()?, effects));
        }
        let reached = reached(tx, cx, &people).await?;
        Ok(Outcome::done(json!({"sent": reached, "skipped": cursor.skipped}), effects))
    }
}

/// Refuses more recipients than may be written to without a supervisor, before the first message.
async fn check_allowed(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    people: &[PersonId],
) -> Result<(), Problem> {
    let recipients = reached(tx, cx, people).await?.len() as u64;
    let verdict = policy::broadcast(recipients, cx.settings.broadcast_approval_over);
    match (verdict.decision, verdict.reason) {
        (policy::Decision::Allow, _) => {
            budget::check(
                tx,
                &Scene::of_call(cx),
                usize::try_from(recipients).unwrap_or(usize::MAX),
            )
            .await
        }
        (_, Some(reason)) => Err(reason),
        (decision, None) => Err(Problem::bug(format!("{decision:?} without a reason"))),
    }
}

/// Who is not left out, in the order given.
async fn reached(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    people: &[PersonId],
) -> Result<Vec<PersonId>, Problem> {
    let left_out = left_out(tx, cx, people).await?;
    Ok(people.iter().filter(|person| !left_out.contains_key(person)).copied().collect())
}

/// Whom the message would not suit: unknown, opted out or not active; and inside a request, those
/// who have a place or a rank on its waitlist, or said no to it and were not asked for another role since.
async fn left_out(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    people: &[PersonId],
) -> Result<BTreeMap<PersonId, &'static str>, Problem> {
    let mut left_out = BTreeMap::new();
    if let Some(request) = cx.request {
        left_out.extend(data::assignment::answered(tx, request, people).await?);
        let asked = asked(tx, cx, people).await?;
        left_out.retain(|id, reason| *reason != DECLINED || !asked.contains_key(id));
    }
    left_out.extend(data::person::unreachable(tx, cx.tenant, people).await?);
    let known = data::person::known(tx, cx.tenant, people).await?;
    left_out.extend(people.iter().filter(|id| !known.contains(id)).map(|id| (*id, "unknown")));
    Ok(left_out)
}

/// The open offers of the run's request to some people.
async fn asked(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    people: &[PersonId],
) -> Result<BTreeMap<PersonId, OfferId>, Problem> {
    let Some(request) = cx.request else { return Ok(BTreeMap::new()) };
    let open = data::offer::pending_of_request_people(tx, request, people).await?;
    Ok(open.into_iter().map(|offer| (offer.person, offer.id)).collect())
}

/// A message that tells apart two of the same template only by what its author wrote, and by the
/// campaign on the request.
///
/// To somebody with an open offer it is a reminder of that: it does not leave any more once they have
/// answered, or the place is no longer theirs to take.
fn letter(cx: &CallContext<'_>, person: PersonId, asked: Option<OfferId>) -> Letter {
    let cause = match (cx.request, asked) {
        (_, Some(offer)) => Cause { kind: letter::cause::REMINDER, id: Some(offer.uuid()) },
        (Some(request), None) => Cause { kind: letter::cause::REQUEST, id: Some(request.uuid()) },
        (None, None) => Cause { kind: letter::cause::NOTICE, id: None },
    };
    Letter {
        person,
        occasion: occasion(cx),
        request: cx.request,
        cause,
        not_before: None,
        not_after: None,
        unasked: true,
    }
}

/// What tells a message without a cause of its own from an earlier one of its template: the author's
/// word, and the campaign from the second on. Where there is any of these, the role that the run fills
/// is part of it: one campaign may fill several.
pub(super) fn occasion(cx: &CallContext<'_>) -> Option<String> {
    let word = cx.occasion.map(ToOwned::to_owned);
    let campaign = (cx.campaign > 1).then(|| format!("c{}", cx.campaign));
    let mut parts: Vec<String> = word.into_iter().chain(campaign).collect();
    if !parts.is_empty() {
        parts.extend(filled_role(cx.goal).map(ToOwned::to_owned));
    }
    (!parts.is_empty()).then(|| parts.join("~"))
}
