//! Plays a copy to the end of its run: time passes at once, nobody answers, and every approval is given.

use std::collections::BTreeSet;

use super::super::approvals::{ApprovalQuery, ApprovalView, Decider, Decision};
use super::super::engine::Engine;
use crate::base::{Problem, RunId, limits};
use crate::run::ApprovalDecision;
use crate::store::{ApprovalFilter, ApprovalState};
use crate::transaction;

/// Maximum number of instants at which a played run does something. A method that asks every hour for a year
/// needs fewer; a method that never ends must not occupy the process for ever.
const INSTANTS_MAX: u32 = 20_000;
/// The beginning of the names under which approvals are given in a copy.
const APPROVER: &str = "preview";

/// Plays the copy until `run` has ended and no message waits to be sent. Returns the approvals that the run and
/// its children asked for, the earliest first.
///
/// # Errors
/// `preview_unfinished` if the run does not end.
pub(super) async fn to_end(
    engine: &Engine,
    tenant: &str,
    run: RunId,
) -> Result<Vec<ApprovalView>, Problem> {
    let mut asked = Vec::new();
    for _ in 0..INSTANTS_MAX {
        let tick = engine.tick().await?;
        if approve(engine, tenant, run, &mut asked).await? {
            continue;
        }
        if is_over(engine, tenant, run).await? {
            return Ok(asked);
        }
        let Some(next) = tick.next_due else { break };
        engine.advance(next.max(engine.now())).await?;
    }
    let message = "the run does not end by itself, so its preview has no end";
    Err(Problem::caller("preview_unfinished", message)
        .with_hint("see `abide lint`: a wait without a timeout, or a step that repeats for ever"))
}

/// Gives every approval that the run and its children ask for now. Returns false if there is none.
async fn approve(
    engine: &Engine,
    tenant: &str,
    run: RunId,
    asked: &mut Vec<ApprovalView>,
) -> Result<bool, Problem> {
    let filter = ApprovalFilter { state: Some(ApprovalState::Pending), before: None };
    let query = ApprovalQuery { filter, limit: limits::PAGE_MAX };
    let pending = engine.approvals(tenant, query).await?.items;
    if pending.is_empty() {
        return Ok(false);
    }
    let read = transaction!(|tx| Ok(tx.with_descendants(run).await?));
    let family: BTreeSet<RunId> = engine.read(read).await?.into_iter().collect();
    let mut given = false;
    for approval in pending.into_iter().rev().filter(|one| family.contains(&one.run_id)) {
        let people: u32 = approval.approvers.iter().map(|link| link.n).sum();
        for n in 1..=people {
            let decision = Decision {
                approval: approval.id,
                decision: ApprovalDecision::Approve,
                by: approver(n),
                reason: None,
            };
            engine.decide(tenant, decision).await?;
        }
        asked.push(approval);
        given = true;
    }
    Ok(given)
}

fn approver(n: u32) -> Decider {
    let name = format!("{APPROVER} {n}");
    Decider::Caller { id: name.clone(), name, any_role: true }
}

async fn is_over(engine: &Engine, tenant: &str, run: RunId) -> Result<bool, Problem> {
    let read = transaction!([tenant = tenant.to_owned()], |tx| {
        let row = tx.run(run).await?;
        let to_come = tx.count_queued(&tenant).await? + tx.count_in_flight(&tenant).await?;
        Ok(row.is_none_or(|row| row.ended_at.is_some()) && to_come == 0)
    });
    engine.read(read).await
}
