//! The part of the driver that finds due runs and sets to work on them.

use std::sync::Arc;

use super::actor::{drive, orders, set_aside};
use super::core::Core;
use super::fit::{NO_CAPABLE_NODE, leave_to_others};
use super::live::Live;
use super::part::{RUNS, as_part};
use crate::base::{Problem, RunId, Span, Timestamp, limits};
use crate::store::{Claim, Dialect, RunRow, SignalRow, Tx, work};

/// The pause before a run that must not be in hand together with another one is claimed again.
const SUSPECT_PAUSE: Span = Span::from_micros(100_000);

/// Works on everything that is due now; how many runs that were.
pub(super) async fn pump(core: &Arc<Core>) -> Result<u64, Problem> {
    let mut done = 0;
    settle_claims(core).await?;
    loop {
        let room = core.pace.workers().saturating_sub(core.active());
        let free = room.min(limits::CLAIM_RUNS_MAX);
        if free == 0 || core.is_stopping() {
            return Ok(done);
        }
        let claims = claim(core, free).await?;
        if claims.is_empty() {
            return Ok(done);
        }
        done += claims.len() as u64;
        for (claim, loaded) in load(core, claims).await {
            match loaded {
                Ok(None) => core.let_go(claim.run),
                Ok(Some(live)) => spawn(core, *live),
                Err(problem) if problem.code == NO_CAPABLE_NODE => {
                    leave_to_others(core, (claim.run, claim.epoch), &problem).await;
                }
                Err(problem) => set_aside(core, (claim.run, claim.epoch), &problem).await,
            }
        }
    }
}

/// Sets to work on a run in a task of its own.
pub(super) fn spawn(core: &Arc<Core>, live: Live) {
    let core = Arc::clone(core);
    tokio::spawn(as_part(RUNS, async move {
        drive(&core, live).await;
        if core.active() + 1 >= core.pace.workers() {
            core.bells.runs.ring();
        }
    }));
}

/// True if there is room for one more run beside those in hand.
pub(super) fn has_room(core: &Core) -> bool {
    core.active() < core.pace.workers() && core.may_take() && !core.is_stopping()
}

/// Takes due runs that nobody works on. One process drives an embedded file: there a set in memory
/// does it and nothing is written.
///
/// A run that was woken while it parked is due before its old actor has let go of it: it is given
/// back, and found again then.
async fn claim(core: &Arc<Core>, free: usize) -> Result<Vec<Claim>, Problem> {
    let (now, node) = (core.now(), core.standing.node());
    let limit = i64::try_from(free).unwrap_or(1);
    let unfit = core.unfit();
    if core.store.dialect() == Dialect::Postgres {
        let task = work(move |tx| {
            let unfit = unfit.clone();
            Box::pin(async move { Ok(tx.claim_turns(node, (now, limit), &unfit).await?) })
        });
        let claimed = core.store.write(false, task).await;
        let claims = claimed.inspect_err(|_| core.unsettled.doubt())?;
        let (mine, parking): (Vec<_>, Vec<_>) =
            claims.into_iter().partition(|claim| core.take(claim.run));
        for claim in parking {
            give_back(core, (claim.run, claim.epoch), now).await;
        }
        return Ok(one_suspect(core, mine).await);
    }
    let reach = limit + i64::try_from(core.active()).unwrap_or(0);
    let task = work(move |tx| {
        let unfit = unfit.clone();
        Box::pin(async move { Ok(tx.due_turns(now, reach, &unfit).await?) })
    });
    let due = core.store.glance(task).await?;
    Ok(due.into_iter().filter(|claim| core.take(claim.run)).take(free).collect())
}

/// Gives back what is ours and not in hand: what could not be given back before, and what a claim took
/// whose commit nobody confirmed. While this process lives, nobody else could ever take it.
async fn settle_claims(core: &Core) -> Result<(), Problem> {
    if core.unsettled.take_doubt() {
        let node = core.standing.node();
        let read = work(move |tx| Box::pin(async move { Ok(tx.turns_of(node).await?) }));
        let ours = core.store.glance(read).await.inspect_err(|_| core.unsettled.doubt())?;
        ours.into_iter()
            .filter(|(run, _)| !core.has(*run))
            .for_each(|lost| core.unsettled.owe(lost));
    }
    for (run, epoch) in core.unsettled.take_owed() {
        give_back(core, (run, epoch), core.now()).await;
    }
    Ok(())
}

/// Of the runs that were claimed before and came to nothing, keeps one at a time: whichever of them
/// ends its process does so alone, and the others get their own chance.
async fn one_suspect(core: &Core, claims: Vec<Claim>) -> Vec<Claim> {
    let (kept, later): (Vec<_>, Vec<_>) =
        claims.into_iter().partition(|claim| claim.claims < 2 || core.take_suspect(claim.run));
    let due = core.now() + SUSPECT_PAUSE;
    for claim in later {
        give_back(core, (claim.run, claim.epoch), due).await;
        core.let_go(claim.run);
        core.bells.runs.ring_at(due);
    }
    kept
}

/// Pauses a run that was claimed again and again without coming to rest: its step ends the process.
/// The order is obeyed before the step is taken.
async fn pause_poison(core: &Core, claim: Claim) -> Result<(), Problem> {
    let in_vain = claim.claims - 1;
    if in_vain < limits::POISON_CLAIMS {
        return Ok(());
    }
    tracing::error!(run = %claim.run, "claimed {in_vain} times without a rest; it is paused");
    let why = serde_json::json!({ "why": "poison", "claims": in_vain });
    let task = work(move |tx| {
        let why = why.clone();
        Box::pin(async move {
            let key = format!("poison {}", claim.epoch);
            Ok(tx.signal(claim.run, "pause", (None, Some(&key)), &why).await?)
        })
    });
    core.store.write(false, task).await.map(drop)
}

/// Gives a run back without a commit; it is due again at `due`. Nothing happens if another owner has
/// it by now. While the database is away the claim is remembered: nobody else could ever take it.
pub(super) async fn give_back(core: &Core, (run, epoch): (RunId, i64), due: Timestamp) {
    let task = work(move |tx| Box::pin(async move { Ok(tx.release_turn(run, epoch, due).await?) }));
    if let Err(problem) = core.store.write(false, task).await {
        tracing::debug!(%run, code = %problem.code, "not given back yet");
        core.unsettled.owe((run, epoch));
    }
}

/// What became of a claimed run: its head in memory, or none if it ended meanwhile.
type Loaded = Result<Option<Box<Live>>, Problem>;

/// Reads the heads and the open orders of claimed runs, all in one snapshot. If that fails all are
/// let go.
async fn load(core: &Arc<Core>, claims: Vec<Claim>) -> Vec<(Claim, Loaded)> {
    let mut fit = Vec::with_capacity(claims.len());
    let mut loaded = Vec::with_capacity(claims.len());
    for claim in claims {
        match pause_poison(core, claim).await {
            Ok(()) => fit.push(claim),
            Err(problem) => loaded.push((claim, Err(problem))),
        }
    }
    let (shared, wanted) = (Arc::clone(core), Arc::new(fit));
    let claims = Arc::clone(&wanted);
    let task = work(move |tx| {
        let (core, claims) = (shared.clone(), claims.clone());
        Box::pin(async move { heads(&core, tx, &claims).await })
    });
    match core.store.read(task).await {
        Ok(found) => loaded.extend(found),
        Err(problem) => {
            loaded.extend(wanted.iter().map(|claim| (*claim, Err(problem.clone()))));
        }
    }
    loaded
}

async fn heads(
    core: &Core,
    tx: &mut Tx,
    claims: &[Claim],
) -> Result<Vec<(Claim, Loaded)>, Problem> {
    let ids: Vec<RunId> = claims.iter().map(|claim| claim.run).collect();
    let mut rows = tx.runs_by_id(&ids).await?;
    let mut signals = tx.open_signals_of(&ids).await?;
    let mut loaded = Vec::with_capacity(claims.len());
    for claim in claims {
        let row = rows.remove(&claim.run);
        let row = row.filter(|row| row.due_at.is_some() || row.ended_at.is_none());
        let open = signals.remove(&claim.run).unwrap_or_default();
        let live = match row {
            None => Ok(None),
            Some(row) => live(core, tx, *claim, (row, orders(open))).await.map(Some),
        };
        loaded.push((*claim, live));
    }
    Ok(loaded)
}

async fn live(
    core: &Core,
    tx: &mut Tx,
    claim: Claim,
    (row, orders): (RunRow, Vec<SignalRow>),
) -> Result<Box<Live>, Problem> {
    let bundle = core.fitting(tx, row.bundle).await?;
    let settings = core.settings_unchecked(tx, &row.tenant).await?;
    Live::load(claim, (row, orders), (bundle, settings)).map(Box::new)
}

/// When the next run falls due that nobody here works on.
pub(super) async fn next_due(core: &Core) -> Result<Option<Timestamp>, Problem> {
    Ok(core.due().await?.later_run)
}
