//! What would become of runs that are to go by other texts.

use std::sync::Arc;

use serde::Serialize;

use crate::base::{Digest, Problem, RunId, UpgradeId};
use crate::driver::{Core, stances};
use crate::library::Bundle;
use crate::run::{Obstacle, Renamed, RunState, judge};
use crate::store::{RunRow, Tx};

use super::progress::UpgradeProgress;

/// Runs of a group that are named.
const NAMED_MAX: usize = 10;

/// What a move of runs to another version comes to, or would.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UpgradeView {
    /// The order; absent where none was given: a dry run, or no run can be moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<UpgradeId>,
    /// The method.
    pub method: String,
    /// The version that the runs are to go by; absent where they go back to several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_version: Option<i64>,
    /// Only judged.
    pub dry_run: bool,
    /// How many can be moved as they stand.
    pub safe: usize,
    /// How many can be moved once somebody says which step is meant.
    pub needs_mapping: usize,
    /// How many cannot be moved.
    pub cannot: usize,
    /// The same by version, step and reason.
    pub groups: Vec<UpgradeGroup>,
    /// How far the order has come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<UpgradeProgress>,
}

/// Runs of which the same is to be said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UpgradeGroup {
    /// `safe`, `needs_mapping` or `cannot`.
    pub judgement: &'static str,
    /// The version that they go by.
    pub from_version: i64,
    /// The step that keeps them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Why it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How many they are.
    pub count: usize,
    /// The first of them.
    pub runs: Vec<RunId>,
}

impl UpgradeView {
    pub(super) fn new(method: &str, to_version: Option<i64>, dry_run: bool) -> Self {
        Self {
            id: None,
            method: method.to_owned(),
            to_version,
            dry_run,
            safe: 0,
            needs_mapping: 0,
            cannot: 0,
            groups: Vec::new(),
            progress: None,
        }
    }

    /// Counts a run.
    pub(super) fn count(&mut self, run: RunId, from_version: i64, found: &Result<(), Obstacle>) {
        let (judgement, count) = match found {
            Ok(()) => ("safe", &mut self.safe),
            Err(obstacle) if obstacle.mapping => ("needs_mapping", &mut self.needs_mapping),
            Err(_) => ("cannot", &mut self.cannot),
        };
        *count += 1;
        let obstacle = found.as_ref().err();
        let step = obstacle.map(|obstacle| obstacle.step.clone());
        let why = obstacle.map(|obstacle| obstacle.why.clone());
        let same = |group: &&mut UpgradeGroup| {
            group.from_version == from_version && group.step == step && group.why == why
        };
        if let Some(group) = self.groups.iter_mut().find(same) {
            group.count += 1;
            if group.runs.len() < NAMED_MAX {
                group.runs.push(run);
            }
            return;
        }
        let runs = vec![run];
        self.groups.push(UpgradeGroup { judgement, from_version, step, why, count: 1, runs });
    }
}

/// A run and what keeps it, if anything does.
pub(super) type Judged = (RunRow, Result<(), Obstacle>);

/// Judges a chunk of runs in a few queries.
pub(super) async fn judge_runs(
    core: &Core,
    tx: &mut Tx,
    rows: Vec<RunRow>,
    (to, renamed): (&Arc<Bundle>, &Renamed),
) -> Result<Vec<Judged>, Problem> {
    let ids: Vec<RunId> = rows.iter().map(|row| row.id).collect();
    let stances = stances(tx, &ids).await?;
    let mut judged = Vec::with_capacity(rows.len());
    for row in rows {
        let from = core.bundle(tx, row.bundle).await?;
        let state: RunState =
            serde_json::from_value(row.state.clone()).map_err(|e| Problem::bug(e.to_string()))?;
        let found = at_work(&row, to.digest).and_then(|()| match stances.get(&row.id) {
            Some(stance) => judge(stance.standing(&from, &state), &to.graph, renamed).map(drop),
            None => Ok(()),
        });
        judged.push((row, found));
    }
    Ok(judged)
}

/// Nothing is moved that has ended or goes by these texts already.
fn at_work(row: &RunRow, to: Digest) -> Result<(), Obstacle> {
    let why = match (row.ended_at, row.bundle == to) {
        (Some(_), _) => "it has ended".to_owned(),
        (None, true) => format!("it goes by version {} already", row.version),
        (None, false) => return Ok(()),
    };
    Err(Obstacle { mapping: false, step: "run".to_owned(), why })
}
