//! Sends a slice: a few messages of one tenant that are released together
//! and handed to the gateway within one second.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::tz::TimeZone;

use super::super::core::{
    ANSWER_WITHIN, Core, ReleaseTime, START_WITHIN, TenantSettings, answer_within, budget_reached,
};
use super::super::current_part::OUTBOX;
use super::call_result::CallResult;
use super::verdict::{ReleaseCheck, SortedSlice, Verdict, budget, zone_of};
use super::{calls, hold, rewording};
use crate::base::{MessageId, PersonId, Problem, Timestamp, limits};
use crate::gateway::{SendAnswer, SendRequest};
use crate::planted::PlantedFault;
use crate::policy::{Settings, weekly_limit};
use crate::store::{Candidate, Outgoing, Tx};
use crate::transaction;

/// The result of checking a slice: the messages that leave now, the messages that are delayed, and the
/// number of messages that will never leave.
struct Release {
    released_at: ReleaseTime,
    outgoing: Vec<Outgoing>,
    /// The phone number that the tenant's messages are sent from.
    from: String,
    held: Vec<(Candidate, Timestamp)>,
    ended: u64,
}

/// Checks the next messages of a tenant for release, hands those that may leave to the gateway
/// concurrently, and records the provider's answers as they arrive. Returns the number of messages
/// that were released, that were delayed, or that will never leave.
pub(super) async fn send(core: &Arc<Core>, tenant: &str) -> Result<u64, Problem> {
    rewording::begin(core, tenant).await?;
    let task = transaction!([core = Arc::clone(core), tenant = tenant.to_owned()], |tx| {
        release(&core, tx, &tenant).await
    });
    let Some(Release { released_at, outgoing, from, held, ended }) = core.store.write(task).await?
    else {
        return Ok(0);
    };
    let done = ended + (outgoing.len() + held.len()) as u64;
    let call = |outgoing| call(Arc::clone(core), outgoing, from.clone(), released_at);
    calls::make(core, OUTBOX, outgoing.into_iter().map(call).collect()).await;
    hold::hold(core, tenant, held).await?;
    Ok(done)
}

/// Checks the next messages against the current policy, and marks those that may leave as `sending`
/// in the same transaction. Returns `None` if the kill switch of the tenant is on.
async fn release(core: &Core, tx: &mut Tx, tenant: &str) -> Result<Option<Release>, Problem> {
    let released_at = ReleaseTime::now(core);
    if tx.lock_tenant_shared(tenant).await? {
        return Ok(None);
    }
    let now = tx.now();
    let TenantSettings { settings, shadow, .. } = core.tenant_settings(tx, tenant).await?;
    let limit = i64::try_from(limits::SLICE_ROWS_MAX).unwrap_or(1);
    let mut candidates = tx.release_candidates(tenant, now, limit).await?;
    let mut recipients = BTreeSet::new();
    candidates.retain(|candidate| recipients.insert(candidate.contact));
    let recipients: Vec<_> = recipients.into_iter().collect();
    let suppressed = tx.lock_contacts(tenant, &recipients).await?;
    let ids: Vec<MessageId> = candidates.iter().map(|candidate| candidate.id).collect();
    let locked = tx.lock_queued(&ids).await?;
    candidates.retain(|candidate| locked.contains(&candidate.id));
    let causes: Vec<_> = candidates.iter().map(|candidate| candidate.cause.clone()).collect();
    let open = core.domain.causes_hold(tx, &causes).await?;
    let people: Vec<PersonId> = candidates.iter().filter_map(|c| c.person).collect();
    let zones = core.domain.time_zones(tx, &people).await?;
    let unasked = unasked(tx, &candidates, &settings, now).await?;
    let (mut sorted, mut over_budget) = (SortedSlice::default(), false);
    for (candidate, cause_open) in candidates.iter().zip(open) {
        let own = candidate.person.and_then(|person| zones.get(&person));
        let zone = zone_of(&settings, own.map(String::as_str));
        let check = ReleaseCheck {
            candidate,
            suppressed: suppressed.contains(&candidate.contact)
                && !PlantedFault::SuppressionIgnored.is_active(),
            cause_open: cause_open || PlantedFault::EndedCauseIgnored.is_active(),
            permitted: permitted(&settings, &zone, candidate, &unasked, now),
            shadow,
        };
        let verdict = match check.verdict(now) {
            Verdict::Go => {
                let spent = spend(tx, tenant, candidate, &settings, now).await?;
                over_budget |= spent != Verdict::Go;
                spent
            }
            other => other,
        };
        sorted.add(candidate, verdict);
    }
    if over_budget {
        budget_reached(core, tx, tenant, &settings).await?;
    }
    write(tx, sorted, released_at, settings.sms_from.clone()).await.map(Some)
}

/// For each person, the unasked messages to the person, and the time at which each of these messages was
/// sent or is planned to be sent.
type Unasked = BTreeMap<PersonId, Vec<(Timestamp, MessageId)>>;

/// For the people who are about to get an unasked message, reads the unasked messages that were sent to
/// them in the last week or are planned. Reads nothing if the tenant has no weekly limit on such messages.
async fn unasked(
    tx: &mut Tx,
    candidates: &[Candidate],
    settings: &Settings,
    now: Timestamp,
) -> Result<Unasked, Problem> {
    let unasked = candidates.iter().filter(|candidate| candidate.unasked);
    let people: Vec<PersonId> = unasked.filter_map(|candidate| candidate.person).collect();
    if settings.per_person_per_week.is_none() || people.is_empty() {
        return Ok(BTreeMap::new());
    }
    Ok(tx.unasked_to(&people, now - weekly_limit::WEEK).await?)
}

/// Returns the earliest instant, not before now, at which the quiet hours and the weekly limit
/// on unasked messages allow a message to leave.
fn permitted(
    settings: &Settings,
    zone: &TimeZone,
    candidate: &Candidate,
    unasked: &Unasked,
    now: Timestamp,
) -> Timestamp {
    let own = (candidate.not_before, candidate.id);
    let others = candidate.person.and_then(|person| unasked.get(&person)).into_iter().flatten();
    let others: Vec<Timestamp> = others.filter(|text| **text < own).map(|(at, _)| *at).collect();
    let rested = match candidate.unasked {
        true => weekly_limit::permitted(now, &others, settings.per_person_per_week),
        false => now,
    };
    match PlantedFault::QuietHoursIgnored.is_active() {
        true => rested,
        false => settings.quiet_hours.permitted(rested, zone),
    }
}

/// Counts a message against the tenant's budget for the month. If the budget is used up, the message is
/// not counted and is delayed until the next month.
async fn spend(
    tx: &mut Tx,
    tenant: &str,
    candidate: &Candidate,
    settings: &Settings,
    now: Timestamp,
) -> Result<Verdict, Problem> {
    let Some((month, budget)) = budget(candidate, settings, now) else { return Ok(Verdict::Go) };
    let budget = if PlantedFault::BudgetIgnored.is_active() { i64::MAX } else { budget };
    let fits = tx.spend(tenant, month.from, 1, budget).await?;
    Ok(if fits { Verdict::Go } else { Verdict::Hold(month.until) })
}

async fn write(
    tx: &mut Tx,
    sorted: SortedSlice,
    released_at: ReleaseTime,
    from: String,
) -> Result<Release, Problem> {
    tx.end_queued(&sorted.suppressed, "suppressed", "opted_out").await?;
    tx.end_queued(&sorted.withdrawn, "cancelled", "withdrawn").await?;
    tx.end_queued(&sorted.expired, "cancelled", "expired").await?;
    tx.end_queued(&sorted.shadowed, "shadowed", "tenant_in_shadow").await?;
    let ended = sorted.ended() as u64;
    let mut outgoing = Vec::new();
    if !sorted.go.is_empty() {
        let at = tx.database_now().await?;
        tx.mark_sending(&sorted.go, at + START_WITHIN, at + ANSWER_WITHIN).await?;
        outgoing = tx.outgoing(&sorted.go).await?;
    }
    Ok(Release { released_at, outgoing, from, held: sorted.held, ended })
}

/// Hands one message to the gateway, unless the time within which sending must begin has passed. After
/// that time, which passes for example while the process is suspended, another process may have handled
/// the message, so this process must not send it. The result then says that the message was certainly not
/// handed to the gateway.
async fn call(
    core: Arc<Core>,
    outgoing: Outgoing,
    from: String,
    released_at: ReleaseTime,
) -> (Outgoing, CallResult) {
    let in_time = released_at.left(&core, START_WITHIN);
    let Some(left) = in_time.and_then(|_| released_at.left(&core, ANSWER_WITHIN)) else {
        return (outgoing, CallResult::NotBegun);
    };
    let now = core.now();
    let request = SendRequest {
        id: outgoing.id,
        tenant: outgoing.tenant.clone(),
        to: outgoing.to.clone(),
        from,
        body: outgoing.body.clone(),
        at: now,
        deadline: now + left,
    };
    let answer = answer_within(&core, left, core.gateway.send(&request)).await;
    let late = || SendAnswer::Unknown { reason: "the provider did not answer in time".to_owned() };
    (outgoing, CallResult::Answer(answer.unwrap_or_else(late)))
}
