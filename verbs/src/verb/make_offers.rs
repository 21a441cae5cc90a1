//! The verb `make_offers`: offers a place to each of many people, one chunk of people per commit.
//! The offers, assignments, messages and tally of a chunk are written in the same commit.

use std::collections::BTreeMap;

use abide_engine::base::{PersonId, Problem, Timestamp, TypedId, Value};
use abide_engine::store::{Cause, Tally, Tx};
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::args::{self, Cursor};
use crate::assignment;
use crate::data;
use crate::data::assignment::RequestRole;
use crate::data::person::Person;
use crate::directory::SkipReason;
use crate::offer::{Offer, OfferState, wave_cell};
use crate::operations::messages::{self, MessageDraft};
use crate::operations::send_plan::SendPlan;
use crate::operations::sender::SenderProfile;
use crate::operations::{OperationContext, budget, offers};
use crate::request::Request;

pub(super) struct MakeOffers;

/// The values that are the same for all offers of one call.
struct Wave<'a> {
    request: Request,
    role: String,
    number: i64,
    expires_at: Timestamp,
    cx: &'a CallContext<'a>,
}

#[async_trait]
impl WriteVerb for MakeOffers {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let mut cursor = Cursor::read(cursor)?;
        let people = args::people(args, "people")?;
        let request = args::request(tx, cx, Some(args::instant(args, "time")?)).await?;
        args::check_live(&request)?;
        if cursor.done == 0 {
            check_budget(tx, cx, &request, &people).await?;
        }
        let role = args::role(args, "role")?;
        let number = match cursor.wave {
            Some(number) => number,
            None => data::offer::last_wave(tx, request.id, &role).await? + 1,
        };
        let expires_at = args::instant(args, "expires_at")?;
        let wave = Wave { request, role, number, expires_at, cx };
        let chunk = cursor.chunk(&people);
        let mut effects = Effects::default();
        wave.ask(tx, chunk, &mut cursor, &mut effects).await?;
        cursor.done += chunk.len();
        cursor.wave = Some(number);
        if cursor.done < people.len() {
            return Ok(VerbOutcome::more(cursor.to_value()?, effects));
        }
        let result = json!({
            "offers": {
                "request": wave.request.id,
                "role": wave.role,
                "wave": number,
                "count": cursor.reached,
            },
            "skipped": cursor.skipped,
        });
        Ok(VerbOutcome::done(result, effects))
    }
}

/// Checks that the month's budget suffices for the offers to all people, before the first offer is made.
/// Does not count people who will get no offer, because they are unreachable or busy.
async fn check_budget(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    request: &Request,
    people: &[PersonId],
) -> Result<(), Problem> {
    let unreachable = data::person::unreachable(tx, cx.tenant, people).await?;
    let busy = data::person::busy(tx, cx.tenant, request.period(), people).await?;
    let left_out = |id: &&PersonId| unreachable.contains_key(id) || busy.contains_key(id);
    let asked = people.len() - people.iter().filter(left_out).count();
    budget::check(tx, &OperationContext::of_call(cx), asked).await
}

impl Wave<'_> {
    /// Makes offers to one chunk of people. Adds the people who must not get an offer
    /// to `cursor.skipped`.
    async fn ask(
        &self,
        tx: &mut Tx,
        chunk: &[PersonId],
        cursor: &mut Cursor,
        effects: &mut Effects,
    ) -> Result<(), Problem> {
        data::person::lock(tx, chunk).await?;
        let context = OperationContext::of_call(self.cx);
        let people: BTreeMap<PersonId, Person> = data::person::by_ids(tx, context.tenant, chunk)
            .await?
            .into_iter()
            .map(|p| (p.id, p))
            .collect();
        let unreachable = data::person::unreachable(tx, context.tenant, chunk).await?;
        let busy = data::person::busy(tx, context.tenant, self.request.period(), chunk).await?;
        let asked = data::offer::asked(tx, self.request.id, chunk).await?;
        let standing = data::assignment::of_people(tx, self.request.id, &self.role, chunk).await?;
        let profile = SenderProfile::load(tx, &context).await?;
        let mut send_plan = SendPlan::load(tx, &context, chunk).await?;
        let mut offers = Vec::with_capacity(chunk.len());
        for id in chunk {
            let reason = match (people.get(id), unreachable.get(id), busy.get(id)) {
                (None, _, _) => Some(SkipReason::Unknown),
                (_, Some(reason), _) | (_, _, Some(reason)) => Some(*reason),
                _ => None,
            };
            let from = standing.get(id).map(|assignment| assignment.state);
            let (Some(person), None) = (people.get(id), reason) else {
                cursor.skipped.push(args::skipped(*id, reason.unwrap_or(SkipReason::Unknown)));
                continue;
            };
            assignment::AssignmentState::after(from, assignment::AssignmentCause::Invite)?;
            let ordinal = asked.get(id).map_or(1, |(times, _)| times + 1);
            let planned_at = send_plan.reserve(&context, &profile, person);
            offers.push(self.offer(tx, person, ordinal, planned_at));
            cursor.reached += 1;
        }
        self.write(tx, &context, &offers, effects).await
    }

    /// Builds the offer to one person. If policy delays the invitation, the expiry
    /// is postponed by the same delay.
    fn offer(&self, tx: &Tx, person: &Person, ordinal: i64, planned_at: Timestamp) -> Offer {
        Offer {
            id: tx.mint(),
            request: self.request.id,
            person: person.id,
            role: self.role.clone(),
            wave: self.number,
            ordinal,
            state: OfferState::Pending,
            cause: None,
            run: Some(self.cx.run),
            planned_at,
            expires_at: self.expires_at + (planned_at - self.cx.now),
        }
    }

    async fn write(
        &self,
        tx: &mut Tx,
        context: &OperationContext<'_>,
        offers: &[Offer],
        effects: &mut Effects,
    ) -> Result<(), Problem> {
        if offers.is_empty() {
            return Ok(());
        }
        let request = self.request.id;
        offers::put(tx, context, offers).await?;
        let people: Vec<_> = offers.iter().map(|offer| offer.person).collect();
        let role = RequestRole { request, role: &self.role };
        data::assignment::invite(tx, context.tenant, role, &people, context.now).await?;
        let open = i64::try_from(offers.len()).unwrap_or(i64::MAX);
        let cell = wave_cell(&self.role, self.number);
        tx.tally(request, &cell, Tally { open, ..Tally::default() }).await?;
        let drafts: Vec<_> = offers.iter().map(invitation).collect();
        let about = messages::role_variables(&self.request, &self.role);
        let sent = messages::send(tx, context, messages::INVITATION, &drafts, &about).await?;
        args::record_messages(effects, &sent);
        for offer in offers {
            effects.wrote("offer", "insert", offer.id);
        }
        Ok(())
    }
}

/// Builds the invitation for an offer. The invitation is not sent if the offer ends before the send time.
fn invitation(offer: &Offer) -> MessageDraft {
    MessageDraft {
        cause: Cause { kind: messages::cause::OFFER, id: Some(offer.id.uuid()) },
        not_before: Some(offer.planned_at),
        not_after: Some(offer.expires_at),
        unasked: true,
        ..MessageDraft::about_offer(offer.person, offer.request, offer.ordinal)
    }
}
