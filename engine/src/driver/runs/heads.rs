//! Loads claimed runs into memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::core::Core;
use super::super::step::{RunInMemory, unreadable};
use crate::base::{Digest, Problem, RunId, Value};
use crate::store::{Claim, OpenSignals, RunRow, Tx};
use crate::transaction;

/// The variable that holds the goal of a run.
const GOAL: &str = "goal";

/// The result of loading a claimed run into memory; `None` if the run has ended since it was claimed.
pub(super) type Loaded = Result<Option<Box<RunInMemory>>, Problem>;

/// Loads the runs of these claims. First gives the order `pause` to each run whose step seems to crash
/// the process. Then reads, in one snapshot, the heads of the runs, the signals that the runs have not
/// consumed yet, and the values with which their calls continue. Returns each claim with the result of loading its run. If the snapshot cannot be read,
/// every claim is returned with the error of the read.
pub(super) async fn load(core: &Arc<Core>, claims: Vec<Claim>) -> Vec<(Claim, Loaded)> {
    let mut fit = Vec::with_capacity(claims.len());
    let mut loaded = Vec::with_capacity(claims.len());
    for claim in claims {
        match core.claims.pause_poison(claim).await {
            Ok(()) => fit.push(claim),
            Err(problem) => loaded.push((claim, Err(problem))),
        }
    }
    let wanted = Arc::new(fit);
    let task = transaction!([core = Arc::clone(core), claims = Arc::clone(&wanted)], |tx| {
        heads(&core, tx, &claims).await
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
        let open = signals.remove(&claim.run).unwrap_or_default();
        let live = match rows.remove(&claim.run) {
            None => Ok(None),
            Some(Err(error)) => Err(unreadable(error.to_string())),
            Some(Ok(row)) if row.due_at.is_none() && row.ended_at.is_some() => Ok(None),
            Some(Ok(row)) => live(core, tx, *claim, row, open).await.map(Some),
        };
        loaded.push((*claim, live));
    }
    let live = loaded.iter_mut().filter_map(|(_, live)| live.as_mut().ok()?.as_deref_mut());
    add_values(tx, live.collect()).await?;
    Ok(loaded)
}

/// Reads, for all runs together, what most steps need when they continue: the stored arguments of calls, and the goals, if their
/// methods read them. A value that cannot be read is left out, so that only the step of its run fails.
async fn add_values(tx: &mut Tx, runs: Vec<&mut RunInMemory>) -> Result<(), Problem> {
    let wanted: Vec<Digest> = runs.iter().filter_map(|live| live.stored_args()).collect();
    let args = tx.blobs(&wanted).await?;
    let args: BTreeMap<Digest, Arc<Value>> =
        args.iter().filter_map(|(digest, text)| Some((*digest, parsed(text)?))).collect();
    let own = runs
        .iter()
        .filter(|live| live.reads(GOAL) && live.state.visible_runs(live.id) == [live.id]);
    let own: Vec<RunId> = own.map(|live| live.id).collect();
    let goals = tx.var_of_runs(GOAL, &own).await?;
    for live in runs {
        let digest = live.stored_args();
        live.args = digest.and_then(|digest| Some((digest, Arc::clone(args.get(&digest)?))));
        if let Some(goal) = goals.get(&live.id).and_then(|text| parsed(text)) {
            live.vars.insert(GOAL.to_owned(), Some(goal));
        }
    }
    Ok(())
}

fn parsed(text: &str) -> Option<Arc<Value>> {
    serde_json::from_str(text).ok().map(Arc::new)
}

async fn live(
    core: &Core,
    tx: &mut Tx,
    claim: Claim,
    row: RunRow,
    signals: OpenSignals,
) -> Result<Box<RunInMemory>, Problem> {
    let bundle = core.fitting(tx, row.bundle).await?;
    let settings = core.settings_unchecked(tx, &row.tenant).await?;
    RunInMemory::load(claim, row, signals, bundle, settings).map(Box::new)
}
