//! Decides whether waiting runs can move to another version of their method.

use serde::Serialize;
use utoipa::ToSchema;

use crate::base::{Digest, Problem, RunId, UpgradeId};
use crate::driver::{Core, load_move_facts};
use crate::library::Bundle;
use crate::run::{Obstacle, RenamedSteps, plan_upgrade};
use crate::store::{RunRow, Tx};

use super::progress::UpgradeProgress;

/// Maximum number of run ids that a group lists.
const NAMED_MAX: usize = 10;

crate::words! {
    /// Whether a run can move to another version of its method.
    pub enum Judgement {
        /// The run can move as it is.
        Safe = "safe",
        /// The run can move once the caller maps its step to a step of the new version.
        NeedsMapping = "needs_mapping",
        /// The run cannot move.
        Cannot = "cannot",
    }
}

/// The result of moving runs to another version of their method, or of judging such a move.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct UpgradeView {
    /// Id of the upgrade order; absent for a dry run, or if no run can be moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<UpgradeId>,
    /// Name of the method.
    pub method: String,
    /// Number of the version that the runs move to. Absent if an upgrade is undone,
    /// because its runs may return to different versions. Also absent if the runs are
    /// judged against a method that is not published, because it has no number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_version: Option<i64>,
    /// Whether the runs were only judged, not moved.
    pub dry_run: bool,
    /// Number of runs that can be moved as they are.
    pub safe: usize,
    /// Number of runs that can be moved once the caller states
    /// which step of the new version corresponds to their current step.
    pub needs_mapping: usize,
    /// Number of runs that cannot be moved.
    pub cannot: usize,
    /// The judged runs, grouped by version, step and reason.
    pub groups: Vec<UpgradeGroup>,
    /// Progress of the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<UpgradeProgress>,
}

/// Runs with the same judgement, for the same reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct UpgradeGroup {
    /// Whether the runs can be moved: `safe`, `needs_mapping` or `cannot`.
    pub judgement: Judgement,
    /// Number of the version that the runs are pinned to.
    pub from_version: i64,
    /// Id of the step that prevents the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Reason why this step prevents the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Number of runs in the group.
    pub count: usize,
    /// Ids of the first runs of the group, at most 10.
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

    /// Counts a judged run: in the total for its judgement, and in its group.
    pub(super) fn count(&mut self, JudgedRun { row, obstacle }: &JudgedRun) {
        let (judgement, count) = match obstacle {
            None => (Judgement::Safe, &mut self.safe),
            Some(obstacle) if obstacle.mapping => {
                (Judgement::NeedsMapping, &mut self.needs_mapping)
            }
            Some(_) => (Judgement::Cannot, &mut self.cannot),
        };
        *count += 1;
        let (from_version, obstacle) = (row.version, obstacle.as_ref());
        let step = obstacle.map(|obstacle| obstacle.step.clone());
        let why = obstacle.map(|obstacle| obstacle.why.clone());
        let same = |group: &&mut UpgradeGroup| {
            group.from_version == from_version && group.step == step && group.why == why
        };
        if let Some(group) = self.groups.iter_mut().find(same) {
            group.count += 1;
            if group.runs.len() < NAMED_MAX {
                group.runs.push(row.id);
            }
            return;
        }
        let runs = vec![row.id];
        self.groups.push(UpgradeGroup { judgement, from_version, step, why, count: 1, runs });
    }
}

/// A run that was judged.
#[derive(Debug)]
pub(super) struct JudgedRun {
    /// Row of the run.
    pub(super) row: RunRow,
    /// The reason why the run cannot move as it is; `None` if it can.
    pub(super) obstacle: Option<Obstacle>,
}

/// Judges for each of these runs whether it could move to this bundle.
/// Loads the data of all runs together, with a few queries.
pub(super) async fn judge_runs(
    core: &Core,
    tx: &mut Tx,
    rows: Vec<RunRow>,
    to: &Bundle,
    renamed: &RenamedSteps,
) -> Result<Vec<JudgedRun>, Problem> {
    let ids: Vec<RunId> = rows.iter().map(|row| row.id).collect();
    let facts = load_move_facts(tx, &ids).await?;
    let mut judged = Vec::with_capacity(rows.len());
    for row in rows {
        let from = core.bundle(tx, row.bundle).await?;
        let state = row.parsed_state()?;
        let found = check_not_moved(&row, to.digest).and_then(|()| match facts.get(&row.id) {
            Some(facts) => {
                plan_upgrade(facts.candidate(&from, &state), &to.graph, renamed).map(drop)
            }
            None => Ok(()),
        });
        judged.push(JudgedRun { row, obstacle: found.err() });
    }
    Ok(judged)
}

/// Checks that a run is live and is not already pinned to the bundle with this digest.
fn check_not_moved(row: &RunRow, to: Digest) -> Result<(), Obstacle> {
    let why = match (row.ended_at, row.bundle == to) {
        (Some(_), _) => "it has ended".to_owned(),
        (None, true) => format!("the run is already pinned to version {}", row.version),
        (None, false) => return Ok(()),
    };
    Err(Obstacle { mapping: false, step: "run".to_owned(), why })
}
