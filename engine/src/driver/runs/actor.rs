//! Drives one claimed run, step by step, until it waits or ends.
//! Each step is committed before the next step is taken.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;

use super::super::core::{Core, ReleaseTime};
use super::super::step::{
    CallFailure, Draft, Lane, Learned, RunInMemory, Step, StepNews, Stepped, first_lane, follow,
};
use super::outside::{RecordTries, is_to_be_called, report};
use super::shadow::preview;
use crate::base::{Problem, RunId, Timestamp};
use crate::store::{
    Committed, Dialect, OpenSignals, ReadStep, SignalRow, StoreError, Tx, tx_closure,
};
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
    let rested = AssertUnwindSafe(Box::pin(until_it_rests(core, live))).catch_unwind().await;
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
    let mut lane = first_lane(core, live, &signals, news.learned());
    loop {
        let taken = match lane {
            Lane::Memory => from_memory(core, live).await?,
            Lane::Reading => by_reading(core, live, news.clone()).await?,
            Lane::Own => return in_transaction(core, live, signals, news).await,
        };
        match taken {
            InLaneA::Done(taken) => return Ok(taken.map(|taken| *taken)),
            InLaneA::Needs(later) => lane = later,
        }
    }
}

/// The result of a step that was to be committed together with the steps of other runs.
enum InLaneA {
    /// The step is taken; `None` if that is not certain.
    Done(Option<Box<Taken>>),
    /// The step needs this lane.
    Needs(Lane),
}

/// Takes a step with what is in memory, and commits it in a batch.
async fn from_memory(core: &Arc<Core>, live: &RunInMemory) -> Result<InLaneA, Problem> {
    let mut draft = match Step::new(core, live, None).take(&[]).await? {
        Stepped::Commit(draft) => draft,
        Stepped::Failed(failure) => {
            let step = Step::new(core, live, None);
            match Box::pin(follow_in(step, &failure)).await? {
                Some(draft) => draft,
                None => {
                    let taken = Box::pin(note_failure(core, live, *failure)).await?;
                    return Ok(InLaneA::Done(taken.map(Box::new)));
                }
            }
        }
        Stepped::Needs(lane) => return Ok(InLaneA::Needs(lane)),
    };
    let commit = draft.commit(live)?;
    let depends = commit.unless.is_some();
    match core.store.commit(commit).await {
        Ok(committed) => Ok(in_lane_a(*draft, committed, depends)),
        Err(StoreError::UnknownCommit(why)) => Ok(unconfirmed(live, &why)),
        Err(error) => Err(error.into()),
    }
}

/// Takes a step that reads in the transaction of a batch, and commits it with that batch. `news` is what the step brings. It is in
/// memory only, so a transaction of its own records it if the batch does not, or may not have done so: there it is refused only if
/// the run has gone on.
async fn by_reading(
    core: &Arc<Core>,
    live: &RunInMemory,
    news: StepNews,
) -> Result<InLaneA, Problem> {
    let brings_news = news.learned() != Learned::Nothing;
    let step = tx_closure({
        let (core, live) = (Arc::clone(core), Arc::new(live.clone()));
        move |tx| {
            let (core, live, news) = (Arc::clone(&core), Arc::clone(&live), news.clone());
            Box::pin(async move {
                let draft = read_step(&core, &live, tx, news).await?;
                let Some(mut draft) = draft else { return Ok(None) };
                draft.reads_others = tx.dialect() == Dialect::Postgres;
                let commit = draft.commit(&live)?;
                let depends = commit.unless.is_some();
                Ok(Some((commit, (draft, depends))))
            })
        }
    });
    Ok(match core.store.commit_read_step(live.id, step).await? {
        ReadStep::Taken((draft, depends), committed) => {
            in_lane_a(*draft, committed, depends || brings_news)
        }
        ReadStep::Writes => InLaneA::Needs(Lane::Own),
        ReadStep::Unconfirmed(_) if brings_news => InLaneA::Needs(Lane::Own),
        ReadStep::Unconfirmed(why) => unconfirmed(live, &why),
    })
}

/// Takes a step that only reads. Returns `None` if the step must do more.
async fn read_step(
    core: &Core,
    live: &RunInMemory,
    tx: &mut Tx,
    news: StepNews,
) -> Result<Option<Box<Draft>>, Problem> {
    match Step::reading(core, live, tx).with_news(news).take(&[]).await? {
        Stepped::Commit(draft) => Ok(Some(draft)),
        Stepped::Failed(failure) => follow_in(Step::reading(core, live, tx), &failure).await,
        Stepped::Needs(_) => Ok(None),
    }
}

/// Returns the draft of what follows a failed call, as a step of the same lane as the call; `None` if it needs a later lane.
async fn follow_in(
    mut step: Step<'_>,
    failure: &CallFailure,
) -> Result<Option<Box<Draft>>, Problem> {
    step.draft = failure.draft.clone();
    follow(&mut step, failure).await?;
    Ok(step.taken())
}

/// Returns the result of a step of lane A. If the step decided by rows that others may have changed, or brings news (`depends`),
/// and its commit is stale, a transaction of its own finds out what has changed.
fn in_lane_a(draft: Draft, committed: Committed, depends: bool) -> InLaneA {
    match committed {
        Committed::Done { wake } => InLaneA::Done(Some(Box::new(Taken { draft, wake }))),
        Committed::Stale if depends => InLaneA::Needs(Lane::Own),
        Committed::Stale => InLaneA::Done(None),
    }
}

fn unconfirmed(live: &RunInMemory, why: &str) -> InLaneA {
    tracing::warn!(run = %live.id, why, "the database did not confirm a commit; the run is loaded again");
    InLaneA::Done(None)
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
                Stepped::Needs(lane) => {
                    Err(Problem::bug(format!("a step in a transaction asks for {lane:?}")))
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
