//! Drives one claimed run, step by step, until it waits or ends.
//! Each step is committed before the next step is taken.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;

use super::super::core::{Core, ReleaseTime};
use super::super::step::{
    Action, CallFailure, Draft, RunInMemory, Step, StepNews, Stepped, follow, needs_tx,
};
use super::outside::{RecordTries, is_to_be_called, report};
use super::shadow::preview;
use crate::base::{Problem, RunId, Timestamp};
use crate::store::{Committed, OpenSignals, SignalRow, StoreError, Tx};
use crate::transaction;

/// A committed step: what was committed, and the run's wake counter after the commit.
struct Taken {
    draft: Draft,
    wake: i64,
}

/// Drives a run until the run waits or ends, until another process owns the run, or until this process
/// stops.
pub(super) async fn drive(core: &Arc<Core>, live: RunInMemory) {
    let claim = live.fence();
    let rested = AssertUnwindSafe(until_it_rests(core, live)).catch_unwind().await;
    match rested.unwrap_or_else(|panic| Err(Problem::panicked("a step", &*panic))) {
        Ok(()) => core.claims.release(claim.run),
        Err(problem) => core.claims.give_back_later(claim, &problem).await,
    }
}

async fn until_it_rests(core: &Arc<Core>, mut live: RunInMemory) -> Result<(), Problem> {
    let mut orders = std::mem::take(&mut live.signals.orders);
    let mut committed = None;
    loop {
        // A call whose intent was committed just now is made even if the process is stopping. Otherwise
        // its outcome would be in doubt.
        if core.is_stopping() && committed.is_none() {
            core.claims.give_back(live.fence(), core.now()).await;
            return Ok(());
        }
        let news = match committed.is_some() || orders.is_empty() {
            true => learn(core, &live, committed.take()).await?,
            false => StepNews::default(), // orders come before questions
        };
        // A report is recorded before any order is obeyed, because the report is in memory only.
        let obeyed = match &news.report {
            Some(_) => Vec::new(),
            None => std::mem::take(&mut orders),
        };
        let begun = ReleaseTime::now(core);
        let Some(Taken { draft, wake }) = record(core, &live, obeyed, news).await? else {
            // It is not certain that the step is committed. The run and its tenant's settings in memory may
            // be out of date, so both are dropped. After that, the run is claimed and loaded again.
            core.forget_settings(&live.tenant);
            core.claims.give_back(live.fence(), core.now()).await;
            core.claims.recheck_after_release(live.id);
            return Ok(());
        };
        let over = draft.is_final();
        let due = parked_until(&draft);
        let woken = wake != live.wake_seen;
        let moved = draft.moved_to.is_some();
        live.apply_commit(draft);
        committed = is_to_be_called(&live).then_some(begun).filter(|_| !over);
        if over {
            let asks = live.state.is_from_outside() && live.state.awaited_approval().is_some();
            if live.status.is_terminal() || asks {
                core.run_ends.tell(live.id);
            }
            if woken {
                core.claims.recheck_after_release(live.id); // woken during the commit: the run is due now
            } else if let Some(at) = due {
                core.bells.runs.ring_at(at);
            }
            return Ok(());
        }
        live.wake_seen = wake;
        if woken || moved {
            live.signals = open_signals(core, live.id).await?;
            orders = std::mem::take(&mut live.signals.orders);
        }
    }
}

/// Asks outside of any transaction what the next step must know: the answer of an outside system, or what a
/// shadow run would do.
async fn learn(
    core: &Arc<Core>,
    live: &RunInMemory,
    committed: Option<ReleaseTime>,
) -> Result<StepNews, Problem> {
    if live.is_to_be_played() {
        let preview = Some(Arc::new(preview(core, live).await?));
        return Ok(StepNews { report: None, preview });
    }
    Ok(StepNews { report: report(core, live, committed).await?, preview: None })
}

/// Takes one step and commits it. A step that brings a report of an outside system is tried again while the
/// database is away.
async fn record(
    core: &Arc<Core>,
    live: &RunInMemory,
    orders: Vec<SignalRow>,
    news: StepNews,
) -> Result<Option<Taken>, Problem> {
    let mut tries = RecordTries::default();
    loop {
        match take_step(core, live, orders.clone(), news.clone()).await {
            Err(problem) if news.report.is_some() && tries.again(core, &problem).await => {}
            taken => return taken,
        }
    }
}

fn parked_until(draft: &Draft) -> Option<Timestamp> {
    match draft.turn {
        crate::store::TurnChange::Park { due_at, .. } => due_at,
        _ => None,
    }
}

async fn open_signals(core: &Core, run: RunId) -> Result<OpenSignals, Problem> {
    let read = transaction!(|tx| Ok(tx.open_signals(run).await?));
    core.store.read(read).await
}

/// Takes one step and commits it. Returns `None` if it is not certain that the step is committed:
/// another process owns the run, the run in memory is out of date, or the commit was not confirmed.
async fn take_step(
    core: &Arc<Core>,
    live: &RunInMemory,
    signals: Vec<SignalRow>,
    news: StepNews,
) -> Result<Option<Taken>, Problem> {
    if !needs_tx(core, live, &Action::First(&signals))
        && let InSharedCommit::Done(taken) = in_shared_commit(core, live, &signals).await?
    {
        return Ok(taken.map(|taken| *taken));
    }
    in_transaction(core, live, signals, news).await
}

/// The result of a step that was to be committed together with the steps of other runs.
enum InSharedCommit {
    /// The step is taken; `None` if that is not certain.
    Done(Option<Box<Taken>>),
    /// The step needs a transaction of its own.
    NeedsTx,
}

async fn in_shared_commit(
    core: &Arc<Core>,
    live: &RunInMemory,
    signals: &[SignalRow],
) -> Result<InSharedCommit, Problem> {
    let mut draft = match Step::new(core, live, None).take(signals).await? {
        Stepped::Commit(draft) => draft,
        Stepped::Failed(failure) => {
            let taken = note_failure(core, live, *failure).await?;
            return Ok(InSharedCommit::Done(taken.map(Box::new)));
        }
        Stepped::NeedsTx => return Ok(InSharedCommit::NeedsTx),
    };
    let commit = draft.commit(live)?;
    let passes = commit.passes.is_some();
    let taken = match core.store.commit(commit).await {
        Ok(Committed::Done { wake }) => Some(Box::new(Taken { draft: *draft, wake })),
        // Perhaps something came before the deadline. A transaction finds out what.
        Ok(Committed::Stale) if passes => return Ok(InSharedCommit::NeedsTx),
        Ok(Committed::Stale) => None,
        Err(StoreError::UnknownCommit(why)) => {
            tracing::warn!(run = %live.id, why, "the database did not confirm a commit; the run is loaded again");
            None
        }
        Err(error) => return Err(error.into()),
    };
    Ok(InSharedCommit::Done(taken))
}

/// The result of a step taken inside a transaction.
enum InTransaction {
    Taken(Box<Taken>),
    Failed(Box<CallFailure>),
    Lost,
}

async fn in_transaction(
    core: &Arc<Core>,
    live: &RunInMemory,
    signals: Vec<SignalRow>,
    news: StepNews,
) -> Result<Option<Taken>, Problem> {
    let task = transaction!(
        [core = Arc::clone(core), live = Arc::new(live.clone()), signals = Arc::new(signals), news],
        |tx| {
            if let Some(request) = live.request {
                tx.lock_request(&live.tenant, request).await?;
            }
            let step = Step::new(&core, &live, Some(tx)).with_news(news);
            match step.take(&signals).await? {
                Stepped::Failed(failure) => {
                    tx.roll_back();
                    Ok(InTransaction::Failed(failure))
                }
                Stepped::Commit(draft) => commit_inside(tx, &live, *draft).await,
                Stepped::NeedsTx => {
                    Err(Problem::bug("a step in a transaction asks for a transaction"))
                }
            }
        }
    );
    match core.store.write(task).await? {
        InTransaction::Taken(taken) => Ok(Some(*taken)),
        InTransaction::Lost => Ok(None),
        InTransaction::Failed(failure) => note_failure(core, live, *failure).await,
    }
}

async fn commit_inside(
    tx: &mut Tx,
    live: &RunInMemory,
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

/// Commits the consequence of a failed call: a pause before the next attempt, the `on_error` steps of a
/// step that catches the failure, or the beginning of the run's end. Returns `None` if the commit is
/// refused, because another process owns the run or the run in memory is out of date.
async fn note_failure(
    core: &Arc<Core>,
    live: &RunInMemory,
    failure: CallFailure,
) -> Result<Option<Taken>, Problem> {
    let task = transaction!(
        [core = Arc::clone(core), live = Arc::new(live.clone()), failure = Arc::new(failure)],
        |tx| {
            if let Some(request) = live.request {
                tx.lock_request(&live.tenant, request).await?;
            }
            let mut step = Step::new(&core, &live, Some(tx));
            step.draft = failure.draft.clone();
            follow(&mut step, &failure).await?;
            let draft = step.draft;
            commit_inside(tx, &live, draft).await
        }
    );
    match core.store.write(task).await? {
        InTransaction::Taken(taken) => Ok(Some(*taken)),
        InTransaction::Lost | InTransaction::Failed(_) => Ok(None),
    }
}
