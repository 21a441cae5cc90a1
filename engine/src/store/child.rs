//! Child runs: how those of a step stand, and what they leave to their parent.

use super::error::StoreError;
use super::tx::Tx;
use crate::base::{CallId, RunId, Value};
use crate::params;

/// Where a new run comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChildOf {
    /// The run that waits for it.
    pub parent: RunId,
    /// The step of the parent that started it.
    pub call: CallId,
    /// Its place among its siblings, from 0.
    pub ordinal: i64,
    /// A branch or a round of the parent's own method, which no list shows.
    pub branch: bool,
}

/// A child as its parent sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ChildRow {
    /// The child.
    pub run: RunId,
    /// Its place among its siblings, from 0.
    pub ordinal: i64,
    /// `pending running waiting paused completed failed cancelled`.
    pub status: String,
    /// `succeeded` or `fell_short`, once completed.
    pub outcome: Option<String>,
    /// The state machine's state.
    pub state: Value,
}

// A cross join is made in the order in which it stands. SQLite does not know how few branches a run has:
// left to choose, it reads all of `run` and looks each row up among them.
const LIVE_BRANCHES: &str = "WITH RECURSIVE d(id) AS (
        SELECT id FROM run WHERE parent = $1 AND branch = 1 AND ended_at IS NULL UNION ALL
        SELECT r.id FROM d CROSS JOIN run r WHERE r.parent = d.id AND r.branch = 1 AND r.ended_at IS NULL)
     SELECT id FROM d ORDER BY id";

const WITH_BRANCHES: &str =
    "WITH RECURSIVE d(id, depth) AS (SELECT id, 0 FROM run WHERE id = $1 UNION ALL
        SELECT r.id, d.depth + 1 FROM d CROSS JOIN run r WHERE r.parent = d.id AND r.branch = 1)
     SELECT r.id, r.ordinal, r.state FROM d CROSS JOIN run r WHERE r.id = d.id
     ORDER BY d.depth, r.id";

/// The walks from a run to its branches, for whoever holds their plans against a filled database.
pub const BRANCH_WALKS: [&str; 2] = [LIVE_BRANCHES, WITH_BRANCHES];

impl Tx {
    /// The children of a step from one place to before another, in order.
    pub async fn children(
        &mut self,
        (parent, call): (RunId, CallId),
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
                    run: row.id(0)?,
                    ordinal: row.int(1)?,
                    status: row.text(2)?,
                    outcome: row.opt_text(3)?,
                    state: row.json(4)?,
                })
            })
            .collect()
    }

    /// How many runs that the same step started as this one have completed. Their parent's turn is
    /// locked before they are counted: of siblings that end at once, one comes after the other.
    pub async fn siblings_done(&mut self, run: RunId) -> Result<usize, StoreError> {
        self.lock_family_turns(run).await?;
        let rows = self
            .rows(
                "SELECT COUNT(*) FROM run JOIN run own ON run.parent = own.parent AND run.parent_call = own.parent_call
                 WHERE own.id = $1 AND run.status = 'completed'",
                &params![run],
            )
            .await?;
        let done = rows.first().map_or(Ok(0), |row| row.int(0))?;
        Ok(usize::try_from(done).unwrap_or_default())
    }

    /// The live children of a run, whatever step started them.
    pub async fn live_children(&mut self, parent: RunId) -> Result<Vec<RunId>, StoreError> {
        let rows = self
            .rows(
                "SELECT id FROM run WHERE parent = $1 AND ended_at IS NULL ORDER BY id",
                &params![parent],
            )
            .await?;
        rows.iter().map(|row| row.id(0)).collect()
    }

    /// The first live branch or round of a run, or of one of those, that is past the time by which it
    /// should have moved on, that no program which runs can carry on, or that is held for nothing.
    pub async fn stuck_branch(&mut self, run: RunId) -> Result<Option<RunId>, StoreError> {
        let now = self.now();
        let row = self
            .row(
                "WITH RECURSIVE d(id) AS (
                    SELECT id FROM run WHERE parent = $1 AND branch = 1 AND ended_at IS NULL UNION ALL
                    SELECT r.id FROM d JOIN run r ON r.parent = d.id WHERE r.branch = 1 AND r.ended_at IS NULL)
                 SELECT t.run_id FROM d JOIN turn t ON t.run_id = d.id
                 WHERE (t.held = 0 AND (t.expected_by < $2 OR t.stuck_on IS NOT NULL))
                    OR (t.held = 1 AND NOT EXISTS (SELECT 1 FROM tenant n WHERE n.id = t.tenant AND n.paused = 1)
                        AND NOT EXISTS (SELECT 1 FROM tenant_job j WHERE j.tenant = t.tenant))
                 ORDER BY t.run_id LIMIT 1",
                &params![run, now],
            )
            .await?;
        row.map(|row| row.id(0)).transpose()
    }

    /// The live branches and rounds of a run, and theirs.
    pub(super) async fn live_branches(&mut self, run: RunId) -> Result<Vec<RunId>, StoreError> {
        let rows = self.rows(LIVE_BRANCHES, &params![run]).await?;
        rows.iter().map(|row| row.id(0)).collect()
    }

    /// A run with its branches and rounds, and theirs, live or not: each with its state, each
    /// behind the one that it belongs to.
    pub async fn with_branches(&mut self, run: RunId) -> Result<Vec<Branch>, StoreError> {
        let rows = self.rows(WITH_BRANCHES, &params![run]).await?;
        rows.iter()
            .map(|row| Ok(Branch { run: row.id(0)?, ordinal: row.int(1)?, state: row.json(2)? }))
            .collect()
    }
}

/// A run among those that do the steps of one method.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// The run.
    pub run: RunId,
    /// Its place among its siblings, from 0.
    pub ordinal: i64,
    /// The state machine's state.
    pub state: Value,
}
