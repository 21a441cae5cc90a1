//! Queries about the children of a run: the state of each child, and whether a branch is stuck.

use super::error::StoreError;
use super::tx::Tx;
use crate::base::{CallId, RunId, Value};
use crate::params;

/// The parent of a new run, and the run's position among the children of the same call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParentLink {
    /// The parent: the run that started the child and waits for it.
    pub parent: RunId,
    /// The call of the parent that started the child.
    pub call: CallId,
    /// The child's position among the children of the same call, from 0.
    pub ordinal: i64,
    /// Whether the child is a branch or a round of the parent's own method; `false` if the child runs a
    /// called method. Lists of runs leave out branches and rounds.
    pub branch: bool,
}

/// A child run as seen by its parent.
#[derive(Debug, Clone, PartialEq)]
pub struct ChildRow {
    /// The id of the child.
    pub run: RunId,
    /// The child's position among the children of the same call, from 0.
    pub ordinal: i64,
    /// The status: `pending`, `running`, `waiting`, `paused`, `completed`, `failed` or `cancelled`.
    pub status: String,
    /// The outcome, `succeeded` or `fell_short`, once the run is completed.
    pub outcome: Option<String>,
    /// The state of the child's state machine.
    pub state: Value,
}

// `{each}` makes a database begin with the branches that are found so far, and look up the children of each of
// them by an index of the table `run`. Otherwise it would read the whole table `run` and look up each row among the
// branches, because it cannot know that a run has only a few branches.
const LIVE_BRANCHES: &str = "WITH RECURSIVE d(id) AS (
        SELECT id FROM run WHERE parent = $1 AND branch = 1 AND ended_at + 0 IS NULL UNION ALL
        SELECT r.id FROM d {each run r} r.parent = d.id AND r.branch = 1 AND r.ended_at + 0 IS NULL {end each})
     SELECT id FROM d ORDER BY id";

const WITH_BRANCHES: &str =
    "WITH RECURSIVE d(id, depth) AS (SELECT id, 0 FROM run WHERE id = $1 UNION ALL
        SELECT r.id, d.depth + 1 FROM d {each run r} r.parent = d.id AND r.branch = 1 {end each})
     SELECT r.id, r.ordinal, r.state FROM d CROSS JOIN run r WHERE r.id = d.id
     ORDER BY d.depth, r.id";

// Unlike the queries above, this one follows the children that run called methods, too.
const DESCENDANTS: &str = "WITH RECURSIVE d(id) AS (SELECT id FROM run WHERE id = $1 UNION ALL
        SELECT r.id FROM d {each run r} r.parent = d.id {end each})
     SELECT id FROM d ORDER BY id";

impl Tx {
    /// Returns the children that the call `call` of the run `parent` has started
    /// and whose ordinals are in the range `places`, ordered by ordinal.
    pub async fn children(
        &mut self,
        parent: RunId,
        call: CallId,
        places: std::ops::Range<usize>,
    ) -> Result<Vec<ChildRow>, StoreError> {
        let place = |at: usize| i64::try_from(at).unwrap_or(i64::MAX);
        let rows = self
            .rows(
                "SELECT id, ordinal, status, outcome, state FROM run
                 WHERE parent = $1 AND parent_call = $2 AND ordinal >= $3 AND ordinal < $4 ORDER BY ordinal",
                &params![parent, call, place(places.start), place(places.end)],
            )
            .await?;
        rows.iter()
            .map(|row| {
                Ok(ChildRow {
                    run: row.id("id")?,
                    ordinal: row.int("ordinal")?,
                    status: row.text("status")?,
                    outcome: row.opt_text("outcome")?,
                    state: row.json("state")?,
                })
            })
            .collect()
    }

    /// Counts the completed runs among this run and its siblings (the other children of the same call).
    /// First locks the turns of the run and its parent, so that siblings that end at the same time
    /// are counted one after another.
    pub async fn count_completed_siblings(&mut self, run: RunId) -> Result<usize, StoreError> {
        self.lock_related_turns(run).await?;
        let rows = self
            .rows(
                "SELECT COUNT(*) AS count FROM run own CROSS JOIN run WHERE own.id = $1
                    AND run.parent = own.parent AND run.parent_call = own.parent_call AND run.status = 'completed'",
                &params![run],
            )
            .await?;
        let done = rows.first().map_or(Ok(0), |row| row.int("count"))?;
        Ok(usize::try_from(done).unwrap_or_default())
    }

    /// Returns the live children of a run, whichever of its calls started them.
    pub async fn live_children(&mut self, parent: RunId) -> Result<Vec<RunId>, StoreError> {
        let rows = self
            .rows(
                "SELECT id FROM run WHERE parent = $1 AND ended_at + 0 IS NULL ORDER BY id",
                &params![parent],
            )
            .await?;
        rows.iter().map(|row| row.id("id")).collect()
    }

    /// Returns the first stuck run among the live branches and rounds of a run, at any depth. A run is
    /// stuck if it is overdue, if no running process can continue it, or if it is held although its
    /// tenant is not paused.
    pub async fn stuck_branch(&mut self, run: RunId) -> Result<Option<RunId>, StoreError> {
        let now = self.now();
        let row = self
            .row(
                "WITH RECURSIVE d(id) AS (
                    SELECT id FROM run WHERE parent = $1 AND branch = 1 AND ended_at + 0 IS NULL UNION ALL
                    SELECT r.id FROM d {each run r} r.parent = d.id AND r.branch = 1 AND r.ended_at + 0 IS NULL {end each})
                 SELECT t.run_id FROM d {each turn t} t.run_id = d.id {end each}
                 WHERE (t.held = 0 AND (t.expected_by < $2 OR t.stuck_on IS NOT NULL))
                    OR (t.held = 1 AND NOT EXISTS (SELECT 1 FROM tenant n WHERE n.id = t.tenant AND n.paused = 1)
                        AND NOT EXISTS (SELECT 1 FROM tenant_job j WHERE j.tenant = t.tenant))
                 ORDER BY t.run_id LIMIT 1",
                &params![run, now],
            )
            .await?;
        row.map(|row| row.id("run_id")).transpose()
    }

    /// Returns the live branches and rounds of a run, at any depth.
    pub(super) async fn live_branches(&mut self, run: RunId) -> Result<Vec<RunId>, StoreError> {
        let rows = self.rows(LIVE_BRANCHES, &params![run]).await?;
        rows.iter().map(|row| row.id("id")).collect()
    }

    /// Returns a run with its children at any depth, live or ended: branches, rounds and called methods.
    pub async fn with_descendants(&mut self, run: RunId) -> Result<Vec<RunId>, StoreError> {
        let rows = self.rows(DESCENDANTS, &params![run]).await?;
        rows.iter().map(|row| row.id("id")).collect()
    }

    /// Returns a run with its branches and rounds at any depth, live or ended, each with its state.
    /// A run comes before its own branches.
    pub async fn with_branches(&mut self, run: RunId) -> Result<Vec<Branch>, StoreError> {
        let rows = self.rows(WITH_BRANCHES, &params![run]).await?;
        rows.iter()
            .map(|row| {
                Ok(Branch {
                    run: row.id("id")?,
                    ordinal: row.int("ordinal")?,
                    state: row.json("state")?,
                })
            })
            .collect()
    }
}

/// A run in the result of [`Tx::with_branches`]: the requested run, or one of its branches or rounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// The id of the run.
    pub run: RunId,
    /// The run's position among the children of the same call, from 0.
    pub ordinal: i64,
    /// The state of the run's state machine.
    pub state: Value,
}
