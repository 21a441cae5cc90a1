//! A run being worked on: step after step, each committed before the next, until it waits or ends.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;

use super::call::receipt;
use super::core::Core;
use super::draft::Draft;
use super::live::Live;
use super::runs::give_back;
use super::step::{CallFailure, Step, Stepped, needs_tx};
use crate::base::{Problem, RunId, Span, Timestamp};
use crate::ledger::ReceiptStatus;
use crate::run::{AfterFailure, Happening, Pending, failed};
use crate::store::{Committed, SignalRow, StoreError, Tx, work};

/// What a committed step came to.
struct Taken {
    draft: Draft,
    wake: i64,
}

/// The pause before a run whose step could not be taken is tried again: the database was busy.
const BUSY_PAUSE: Span = Span::from_secs(1);
/// The pause before a run that this build cannot carry on is looked at again.
const STUCK_PAUSE: Span = Span::from_secs(60);

/// Works on a run until it waits, ends, or is lost to another owner.
pub(super) async fn drive(core: &Arc<Core>, live: Live) {
    let (id, epoch) = (live.id, live.epoch);
    let rested = AssertUnwindSafe(until_it_rests(core, live)).catch_unwind().await;
    match rested.unwrap_or_else(|panic| Err(Problem::panicked("a step", &*panic))) {
        Ok(()) => core.let_go(id),
        Err(problem) => set_aside(core, (id, epoch), &problem).await,
    }
}

/// Lets go of a run that cannot be carried on now, and looks at it again after a pause.
pub(super) async fn set_aside(core: &Core, (id, epoch): (RunId, i64), problem: &Problem) {
    let pause = if problem.is_transient() { BUSY_PAUSE } else { STUCK_PAUSE };
    let detail = problem.detail.as_deref().unwrap_or("");
    if problem.is_injected() {
        tracing::debug!(run = %id, code = %problem.code, detail, "{}", problem.message);
    } else {
        tracing::error!(run = %id, code = %problem.code, detail, "{}", problem.message);
    }
    let due = core.now() + pause;
    give_back(core, (id, epoch), due).await;
    core.let_go(id);
    core.bells.runs.ring_at(due);
}

async fn until_it_rests(core: &Arc<Core>, mut live: Live) -> Result<(), Problem> {
    let mut signals = std::mem::take(&mut live.signals);
    loop {
        if core.is_stopping() {
            give_back(core, (live.id, live.epoch), core.now()).await;
            return Ok(());
        }
        let orders = std::mem::take(&mut signals);
        let Some(Taken { draft, wake }) = take_step(core, &live, orders).await? else {
            // Another owner has the run, or our copy of it or of its tenant's settings is out of date. Drop
            // both: the run is claimed and loaded again with the current settings.
            core.forget_settings(&live.tenant);
            give_back(core, (live.id, live.epoch), core.now()).await;
            core.look_again(live.id);
            return Ok(());
        };
        let over = draft.is_final();
        let due = parked_until(&draft);
        let woken = wake != live.wake_seen;
        let moved = draft.moved_to.is_some();
        live.absorb(draft);
        if over {
            if live.status.is_terminal() {
                core.endings.tell(live.id);
            }
            if woken {
                core.look_again(live.id); // woken while it parked: due at once
            } else if let Some(at) = due {
                core.bells.runs.ring_at(at);
            }
            return Ok(());
        }
        live.wake_seen = wake;
        if woken || moved {
            signals = open_signals(core, &live).await?;
        }
    }
}

fn parked_until(draft: &Draft) -> Option<Timestamp> {
    match draft.turn {
        crate::store::TurnChange::Park { due_at, .. } => due_at,
        _ => None,
    }
}

async fn open_signals(core: &Core, live: &Live) -> Result<Vec<SignalRow>, Problem> {
    let id = live.id;
    let read = work(move |tx| Box::pin(async move { Ok(tx.open_signals(id).await?) }));
    Ok(orders(core.store.read(read).await?))
}

/// The signals that are orders to a run.
pub(super) fn orders(mut signals: Vec<SignalRow>) -> Vec<SignalRow> {
    signals.retain(|signal| crate::run::is_order(&signal.kind));
    signals
}

/// Takes one step and commits it; none if another owner has the run.
async fn take_step(
    core: &Arc<Core>,
    live: &Live,
    signals: Vec<SignalRow>,
) -> Result<Option<Taken>, Problem> {
    if needs_tx(core, live, &signals) {
        return in_transaction(core, live, signals).await;
    }
    match Step::new(core, live, None).take(&signals).await? {
        Stepped::Commit(mut draft) => {
            let commit = draft.commit(live)?;
            match core.store.commit(commit).await {
                Ok(Committed::Done { wake }) => Ok(Some(Taken { draft: *draft, wake })),
                Ok(Committed::Stale) => Ok(None),
                Err(StoreError::UnknownCommit(why)) => {
                    tracing::warn!(run = %live.id, why, "a commit was not confirmed; the run is loaded again");
                    Ok(None)
                }
                Err(error) => Err(error.into()),
            }
        }
        Stepped::Failed(failure) => note_failure(core, live, *failure).await,
        Stepped::NeedsTx => in_transaction(core, live, signals).await,
    }
}

/// What a transaction made of a step.
enum InTransaction {
    Taken(Box<Taken>),
    Failed(Box<CallFailure>),
    Lost,
}

async fn in_transaction(
    core: &Arc<Core>,
    live: &Live,
    signals: Vec<SignalRow>,
) -> Result<Option<Taken>, Problem> {
    let (shared, owned) = (Arc::clone(core), Arc::new(live.clone()));
    let signals = Arc::new(signals);
    let task = work(move |tx| {
        let (core, live, signals) = (shared.clone(), owned.clone(), signals.clone());
        Box::pin(async move {
            if let Some(request) = live.request {
                tx.lock_request(&live.tenant, request).await?;
            }
            match Step::new(&core, &live, Some(tx)).take(&signals).await? {
                Stepped::Failed(failure) => {
                    tx.roll_back();
                    Ok(InTransaction::Failed(failure))
                }
                Stepped::Commit(draft) => commit_inside(tx, &live, *draft).await,
                Stepped::NeedsTx => Err(Problem::bug("a step asks twice for a transaction")),
            }
        })
    });
    match core.store.write(false, task).await? {
        InTransaction::Taken(taken) => Ok(Some(*taken)),
        InTransaction::Lost => Ok(None),
        InTransaction::Failed(failure) => note_failure(core, live, *failure).await,
    }
}

async fn commit_inside(
    tx: &mut Tx,
    live: &Live,
    mut draft: Draft,
) -> Result<InTransaction, Problem> {
    let commit = draft.commit(live)?;
    Ok(match tx.commit_step(commit).await? {
        Committed::Done { wake } => InTransaction::Taken(Box::new(Taken { draft, wake })),
        Committed::Stale => {
            tx.roll_back();
            InTransaction::Lost
        }
    })
}

/// Commits what follows a failed call: a pause before the next attempt, or the end of the run.
async fn note_failure(
    core: &Arc<Core>,
    live: &Live,
    failure: CallFailure,
) -> Result<Option<Taken>, Problem> {
    let (shared, owned, failure) = (Arc::clone(core), Arc::new(live.clone()), Arc::new(failure));
    let task = work(move |tx| {
        let (core, live, failure) = (shared.clone(), owned.clone(), failure.clone());
        Box::pin(async move {
            if let Some(request) = live.request {
                tx.lock_request(&live.tenant, request).await?;
            }
            let mut step = Step::new(&core, &live, Some(tx));
            step.draft = failure.draft.clone();
            follow(&mut step, &failure).await?;
            let draft = step.draft;
            commit_inside(tx, &live, draft).await
        })
    });
    match core.store.write(false, task).await? {
        InTransaction::Taken(taken) => Ok(Some(*taken)),
        InTransaction::Lost | InTransaction::Failed(_) => Ok(None),
    }
}

async fn follow(step: &mut Step<'_>, failure: &CallFailure) -> Result<(), Problem> {
    let CallFailure { call, args, problem, .. } = failure;
    let node = super::call::node(step)?;
    let now = step.draft.last_at;
    let waited = matches!(call.on, Some(Pending::Replies(_)));
    metrics::counter!("abide_calls_total", "tool" => node.does().to_owned(), "status" => "failed")
        .increment(1);
    match failed(node, &mut step.draft.state, call.clone(), (problem, now)) {
        AfterFailure::Retry { at } => {
            let body = serde_json::json!({
                "step_id": node.step_id, "attempt": call.attempt, "code": problem.code,
                "message": problem.message, "next_at": at.to_string(),
            });
            step.event("attempt.failed", body);
            step.draft.freeze(args);
            step.draft.happen(Happening::Waits)?;
            step.draft.park(Some(at), Some(at));
            Ok(())
        }
        AfterFailure::GiveUp => {
            if waited {
                step.draft.disarm(node.key.clone());
            }
            let status = if problem.code == "not_configured" {
                ReceiptStatus::NotConfigured
            } else {
                ReceiptStatus::Failed
            };
            if node.call().is_some() {
                let proof = receipt(step, (node, call), args, (status, Some(problem)));
                step.draft.receipt(step.live, &proof);
            }
            step.fail(problem.clone()).await
        }
    }
}
