//! The part of the driver that lets messages go, hands them to the gateway, and finds out what
//! became of those whose answer is missing.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::tz::TimeZone;

use super::core::Core;
use crate::base::{MessageId, PersonId, Problem, Span, Timestamp, TypedId, limits};
use crate::domain::Delivery;
use crate::gateway::{SendAnswer, SendRequest};
use crate::policy::{Month, Settings};
use crate::store::{Candidate, Due, Outgoing, Tx, work};

/// After its release a message must begin to leave within this time, or it is not sent this time.
const START_WITHIN: Span = Span::from_secs(5);
/// The socket's time-out; nobody asks what became of the message before it has passed.
const ANSWER_WITHIN: Span = Span::from_secs(10);
/// The pause before the same message is handed over again after a refusal that may pass; twice as long
/// each time.
const AGAIN_AFTER: Span = Span::from_secs(30);
/// The longest such pause: so long after a provider is back everything has left.
const AGAIN_AFTER_MAX: Span = Span::from_secs(15 * 60);
/// Attempts of one message before it counts as failed. With these pauses they last for a day: no outage of
/// a provider that people would call one costs a message, unless its own time is over.
const ATTEMPTS_MAX: i64 = 100;

/// The pause after an attempt, counted from 1, that may be repeated; none where it was the last.
fn pause_after(attempt: i64) -> Option<Span> {
    let doubled = u32::try_from(attempt - 1).unwrap_or(0).min(16);
    let pause = Span::from_micros(AGAIN_AFTER.micros() << doubled).min(AGAIN_AFTER_MAX);
    (attempt < ATTEMPTS_MAX).then_some(pause)
}

/// Does what is due by this look: asks what became of messages whose answer is missing, or lets some
/// go and sends them; how many messages that were.
pub(super) async fn pass(core: &Arc<Core>, due: &Due) -> Result<u64, Problem> {
    if due.has_come(due.answer) {
        let found = reconcile(core).await?;
        if found > 0 {
            return Ok(found);
        }
    }
    if core.is_stopping() || !due.has_come(due.release) {
        return Ok(0);
    }
    let released = release(core).await?;
    let done = released.ended + released.outgoing.len() as u64;
    let mut answers = Vec::with_capacity(released.outgoing.len());
    for outgoing in released.outgoing {
        let came = hand_over(core, &outgoing, released.begun).await;
        answers.push((outgoing, came));
    }
    note_answers(core, answers).await?;
    Ok(done)
}

/// What a release let go.
#[derive(Default)]
struct Released {
    outgoing: Vec<Outgoing>,
    ended: u64,
    begun: Option<Begun>,
}

/// When a release was decided, by both clocks: the wall's may be set and the process be stopped
/// between that and the first byte.
#[derive(Debug, Clone, Copy)]
struct Begun {
    at: Timestamp,
    elapsed: Span,
}

impl Begun {
    /// True while a first byte may be written.
    fn may_start(self, now: Timestamp, elapsed: Span) -> bool {
        let gone = Span::from_micros(elapsed.micros() - self.elapsed.micros());
        now <= self.at + START_WITHIN && gone <= START_WITHIN
    }
}

/// One release: today's policy is looked at again, in the transaction that commits `sending`.
async fn release(core: &Arc<Core>) -> Result<Released, Problem> {
    let shared = Arc::clone(core);
    let task = work(move |tx| {
        let core = shared.clone();
        Box::pin(async move { release_inside(&core, tx).await })
    });
    core.store.write(false, task).await
}

async fn release_inside(core: &Core, tx: &mut Tx) -> Result<Released, Problem> {
    let now = tx.now();
    let begun = Begun { at: now, elapsed: core.clock.elapsed() };
    let limit = i64::try_from(limits::RELEASE_ROWS_MAX).unwrap_or(1);
    let mut candidates = tx.release_candidates(now, limit).await?;
    let mut tenants: Vec<String> = candidates.iter().map(|c| c.tenant.clone()).collect();
    tenants.sort();
    tenants.dedup();
    for tenant in tenants {
        if tx.share_tenant(&tenant).await? {
            candidates.retain(|c| c.tenant != tenant);
        }
    }
    let ids: Vec<MessageId> = candidates.iter().map(|c| c.id).collect();
    let locked = tx.lock_queued(&ids).await?;
    candidates.retain(|c| locked.contains(&c.id));
    let causes: Vec<_> = candidates.iter().map(|c| c.cause.clone()).collect();
    let open = core.domain.causes_open(tx, &causes).await?;
    let people: Vec<PersonId> = candidates.iter().filter_map(|c| c.person).collect();
    let zones = core.domain.time_zones(tx, &people).await?;
    let mut sorted = Sorted::default();
    for (candidate, open) in candidates.iter().zip(open) {
        let settings = core.settings(tx, &candidate.tenant).await?;
        let own = candidate.person.and_then(|person| zones.get(&person));
        let zone = zone_of(&settings, own.map(String::as_str));
        let permitted = settings.quiet_hours.permitted(now, &zone);
        sorted.sort(tx, (candidate, open, permitted), (&settings, now)).await?;
    }
    sorted.write(tx, begun).await
}

/// The clock whose quiet hours count: a person's own, or the tenant's.
fn zone_of(settings: &Settings, own: Option<&str>) -> TimeZone {
    let named = |name: &str| TimeZone::get(name).ok();
    own.and_then(named).or_else(|| named(&settings.time_zone)).unwrap_or(TimeZone::UTC)
}

/// The candidates of one release by what becomes of them.
#[derive(Default)]
struct Sorted {
    go: Vec<MessageId>,
    suppressed: Vec<MessageId>,
    withdrawn: Vec<MessageId>,
    expired: Vec<MessageId>,
    held: Vec<(MessageId, Timestamp)>,
}

impl Sorted {
    async fn sort(
        &mut self,
        tx: &mut Tx,
        (candidate, cause_open, permitted): (&Candidate, bool, Timestamp),
        (settings, now): (&Settings, Timestamp),
    ) -> Result<(), Problem> {
        let answers_someone = candidate.cause.0 == "inbound";
        if candidate.suppressed {
            self.suppressed.push(candidate.id);
        } else if !cause_open {
            self.withdrawn.push(candidate.id);
        } else if candidate.not_after.is_some_and(|until| until < now) {
            self.expired.push(candidate.id);
        } else if permitted > now && !answers_someone {
            self.held.push((candidate.id, permitted));
        } else if let Some(until) = over_budget(tx, candidate, (settings, now)).await? {
            self.held.push((candidate.id, until));
        } else {
            self.go.push(candidate.id);
        }
        Ok(())
    }

    async fn write(self, tx: &mut Tx, begun: Begun) -> Result<Released, Problem> {
        tx.end_queued(&self.suppressed, "suppressed", "opted_out").await?;
        tx.end_queued(&self.withdrawn, "cancelled", "withdrawn").await?;
        tx.end_queued(&self.expired, "cancelled", "expired").await?;
        for (id, until) in &self.held {
            tx.hold_queued(std::slice::from_ref(id), *until).await?;
        }
        let ended = self.suppressed.len() + self.withdrawn.len() + self.expired.len();
        if self.go.is_empty() {
            return Ok(Released { ended: (ended + self.held.len()) as u64, ..Released::default() });
        }
        tx.mark_sending(&self.go, (begun.at + START_WITHIN, begun.at + ANSWER_WITHIN)).await?;
        let outgoing = tx.outgoing(&self.go).await?;
        Ok(Released { outgoing, ended: ended as u64, begun: Some(begun) })
    }
}

/// Takes a message from the month's budget; when the next month begins if nothing is left. One that goes
/// again was taken when it was first let go.
async fn over_budget(
    tx: &mut Tx,
    candidate: &Candidate,
    (settings, now): (&Settings, Timestamp),
) -> Result<Option<Timestamp>, Problem> {
    let Some(budget) = settings.messages_per_month.filter(|_| candidate.attempts == 0) else {
        return Ok(None);
    };
    let month = Month::of(now, &zone_of(settings, None));
    let budget = i64::try_from(budget).unwrap_or(i64::MAX);
    let fits = tx.spend(&candidate.tenant, month.from, (1, budget)).await?;
    Ok((!fits).then_some(month.until))
}

/// Hands one message to the gateway, unless its time to begin has passed: whoever was stopped until
/// now must send nothing, for others may have looked after it meanwhile. That it did not send, it
/// knows for sure.
async fn hand_over(core: &Core, outgoing: &Outgoing, begun: Option<Begun>) -> Came {
    let now = core.now();
    if begun.is_none_or(|begun| !begun.may_start(now, core.clock.elapsed())) {
        return Came::NotBegun;
    }
    let request = SendRequest {
        id: outgoing.id,
        to: outgoing.to.clone(),
        from: String::new(),
        body: outgoing.body.clone(),
        at: now,
        deadline: outgoing.deadline.unwrap_or(now),
    };
    Came::Answer(core.gateway.send(&request).await)
}

/// What came of a message that was let go.
#[derive(Debug, Clone)]
enum Came {
    /// The provider said this, or nothing.
    Answer(SendAnswer),
    /// The provider was not asked: those before took all the time there was.
    NotBegun,
}

async fn note_answers(core: &Arc<Core>, answers: Vec<(Outgoing, Came)>) -> Result<(), Problem> {
    if answers.is_empty() {
        return Ok(());
    }
    let (shared, answers) = (Arc::clone(core), Arc::new(answers));
    let task = work(move |tx| {
        let (core, answers) = (shared.clone(), answers.clone());
        Box::pin(async move {
            lock_requests(tx, &answers).await?;
            for (outgoing, came) in answers.iter() {
                note(&core, tx, outgoing, came).await?;
            }
            Ok(())
        })
    });
    core.store.write(false, task).await
}

/// What becomes of a message.
#[derive(Debug, PartialEq, Eq)]
enum Fate<'a> {
    /// The provider has it, under this reference.
    Sent(&'a str),
    /// Nobody knows; the provider is asked at the message's deadline.
    InDoubt(&'a str),
    /// It goes again at this instant, for this reason.
    Again(Timestamp, &'a str),
    /// It is given up, with this code.
    Failed(&'a str),
}

fn fate<'a>(outgoing: &Outgoing, came: &'a Came, now: Timestamp) -> Fate<'a> {
    let again = |why: &'a str| match pause_after(outgoing.attempt) {
        // Nobody answered until its deadline: it has paused long enough.
        Some(_) if outgoing.deadline.is_some_and(|deadline| deadline <= now) => {
            Fate::Again(now, why)
        }
        Some(pause) => Fate::Again(now + pause, why),
        None => Fate::Failed(why),
    };
    match came {
        Came::NotBegun => Fate::Again(now, "it did not begin to leave in time"),
        Came::Answer(SendAnswer::Accepted { reference }) => Fate::Sent(reference),
        Came::Answer(SendAnswer::Unknown { reason }) => Fate::InDoubt(reason),
        Came::Answer(SendAnswer::NotSent { reason }) => again(reason),
        Came::Answer(SendAnswer::Refused { code, later: true }) => again(code),
        Came::Answer(SendAnswer::Refused { code, later: false }) => Fate::Failed(code),
    }
}

/// A failed message changes its request: all locks come first, in order.
async fn lock_requests(tx: &mut Tx, answers: &[(Outgoing, Came)]) -> Result<(), Problem> {
    let now = tx.now();
    let fails = |(o, came): &&(Outgoing, Came)| matches!(fate(o, came, now), Fate::Failed(_));
    let mut failed: BTreeMap<&str, Vec<uuid::Uuid>> = BTreeMap::new();
    for (outgoing, _) in answers.iter().filter(fails) {
        let keys = failed.entry(&outgoing.tenant).or_default();
        keys.extend(outgoing.request.map(TypedId::uuid));
    }
    for (tenant, keys) in failed {
        tx.lock_partitions(tenant, &keys).await?;
    }
    Ok(())
}

async fn note(core: &Core, tx: &mut Tx, outgoing: &Outgoing, came: &Came) -> Result<(), Problem> {
    let this = (outgoing.id, outgoing.attempt);
    match fate(outgoing, came, tx.now()) {
        Fate::Sent(reference) => {
            tx.sent(this, "sent", Some(reference), None).await?;
        }
        Fate::InDoubt(reason) => {
            tx.sent(this, "sending", None, Some(reason)).await?;
        }
        Fate::Again(at, why) => tx.send_again(this, at, why).await?,
        Fate::Failed(code) => {
            if tx.sent(this, "failed", None, Some(code)).await? {
                tell_domain(core, tx, outgoing, code).await?;
            }
        }
    }
    Ok(())
}

async fn tell_domain(
    core: &Core,
    tx: &mut Tx,
    outgoing: &Outgoing,
    error: &str,
) -> Result<(), Problem> {
    let settings = core.settings(tx, &outgoing.tenant).await?;
    let library = core.library();
    let cx = core.domain_context(&outgoing.tenant, &settings, &library);
    let delivery = Delivery {
        message: outgoing.id,
        kind: outgoing.kind.clone(),
        person: outgoing.person,
        request: outgoing.request,
        error: error.to_owned(),
    };
    core.domain.undelivered(tx, &cx, &delivery).await
}

/// Asks the gateway what became of messages whose answer is missing: those it has are sent, those
/// it surely has not go again, the others wait for another answer.
async fn reconcile(core: &Arc<Core>) -> Result<u64, Problem> {
    let read = work(|tx| {
        let limit = i64::try_from(limits::RELEASE_ROWS_MAX).unwrap_or(1);
        Box::pin(async move { Ok(tx.overdue_sends(tx.now(), limit).await?) })
    });
    let overdue = core.store.read(read).await?;
    let mut answers = Vec::with_capacity(overdue.len());
    for outgoing in overdue {
        let answer = match core.gateway.look_up(outgoing.id).await {
            Ok(Some(reference)) => SendAnswer::Accepted { reference },
            Ok(None) => SendAnswer::NotSent { reason: "the provider does not have it".to_owned() },
            Err(reason) => {
                postpone(core, outgoing.id).await?;
                tracing::warn!(message = %outgoing.id, reason, "the provider cannot tell yet");
                continue;
            }
        };
        answers.push((outgoing, Came::Answer(answer)));
    }
    let done = answers.len() as u64;
    note_answers(core, answers).await?;
    Ok(done)
}

async fn postpone(core: &Core, id: MessageId) -> Result<(), Problem> {
    let task = work(move |tx| {
        Box::pin(async move { Ok(tx.ask_later(id, tx.now() + AGAIN_AFTER).await?) })
    });
    core.store.write(false, task).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_quarter_of_an_hour_and_last_for_a_day() {
        let pause = |attempt| pause_after(attempt).map(|pause| pause.micros() / 1_000_000);
        assert_eq!([1, 2, 3, 6].map(pause), [Some(30), Some(60), Some(120), Some(900)]);
        assert_eq!([99, 100, 101].map(pause), [Some(900), None, None]);
        let all: i64 = (1..100).filter_map(pause).sum();
        assert!((23..25).contains(&(all / 3_600)), "{} h", all / 3_600);
    }

    #[test]
    fn no_first_byte_after_its_time_by_either_clock() {
        let second = |s: i64| Timestamp::from_micros(s * 1_000_000);
        let begun = Begun { at: second(100), elapsed: Span::from_secs(7) };
        let may_start = |now, elapsed| begun.may_start(second(now), Span::from_secs(elapsed));
        assert!(may_start(100, 7) && may_start(105, 12));
        assert!(!may_start(106, 12), "the wall clock says it is late");
        assert!(!may_start(99, 13), "the wall clock was set back meanwhile");
    }
}
