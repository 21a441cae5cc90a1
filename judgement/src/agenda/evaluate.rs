//! Evaluates queued turns, each session under the lock of its row.

use abide_agent::agenda::{
    Agenda, AgendaSwitches, AgendaTurn, begin_session, evaluate, note_answer, take_up_proposals,
};
use abide_engine::base::{Problem, Timestamp};
use abide_engine::domain::DomainContext;
use abide_engine::planted::PlantedFault;
use abide_engine::store::Tx;

use super::cache::GoalCache;
use crate::data::agenda::{self as data, QueuedTurn, SessionUpdate};

/// Maximum number of turns that one transaction evaluates, so that others get their turn.
pub const TURNS_MAX: i64 = 50;

/// Evaluates the turns of a tenant that are due by the instant `by`, the oldest first. Returns their number.
///
/// # Errors
/// Errors from the store.
pub async fn evaluate_queued(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    cache: &GoalCache,
    by: Timestamp,
) -> Result<u64, Problem> {
    let queued = data::queued(tx, cx.tenant, by, TURNS_MAX).await?;
    let mut done = 0;
    for turn in &queued {
        evaluate_one(tx, cx, cache, turn).await?;
        done += 1;
    }
    Ok(done)
}

async fn evaluate_one(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    cache: &GoalCache,
    queued: &QueuedTurn,
) -> Result<(), Problem> {
    let QueuedTurn { id, key, turn } = queued;
    let session = data::lock_session(tx, cx.tenant, key, cx.now).await?;
    let removed = data::remove_turn(tx, *id).await?;
    if !removed || PlantedFault::TurnDropped.is_active() {
        return Ok(()); // another process has evaluated it
    }
    let at = Timestamp::from_micros(turn.at);
    let switches = AgendaSwitches::default();
    let goals = data::active_goals(tx, cx.tenant, key).await?;
    let mut agenda = Agenda::restore(goals, session.next_goal);
    if session.is_new
        && let Some(earlier) = data::latest_other_session(tx, cx.tenant, key).await?
    {
        let goals = data::active_goals(tx, cx.tenant, &earlier).await?;
        begin_session(&mut agenda, &goals, at.to_jiff(), &switches);
    }
    let turn_of_agenda = AgendaTurn {
        at: at.to_jiff(),
        text: turn.text.clone(),
        classification: turn.classification.clone(),
        profile: turn.profile.clone(),
        proposals: turn.proposals.clone(),
    };
    match turn.proposals.is_empty() {
        true => evaluate(&mut agenda, &turn_of_agenda, &switches),
        false => take_up_proposals(&mut agenda, &turn_of_agenda, &switches),
    };
    let phrase = turn.answer.as_ref().and_then(|it| note_answer(&mut agenda, it, &switches));
    let changes = agenda.take_changes();
    let update = SessionUpdate { next_goal: agenda.next_id(), at: cx.now };
    data::store(tx, cx.tenant, key, &changes, update).await?;
    if let Some(phrase) = phrase {
        data::set_phrase(tx, cx.tenant, key, Some(&phrase.text)).await?;
    }
    cache.forget(cx.tenant, key);
    Ok(())
}
