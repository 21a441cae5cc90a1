//! Stores calls that can be undone. Each run has a stack of these calls.
//! A run that fails or is cancelled undoes them, beginning at the top.

use super::error::StoreError;
use super::param::{ColumnType, Param};
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{Digest, RunId};
use crate::params;

/// A call that can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UndoRow {
    /// The call's position on the run's stack, from 1.
    pub pos: i64,
    /// The graph index of the step that made the call.
    pub node: u32,
    /// The digest of the arguments of the call that undoes this call.
    pub args: Digest,
}

impl Tx {
    /// Puts a call on top of the run's undo stack.
    pub async fn push_undo(&mut self, run: RunId, undo: UndoRow) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO undo (run_id, pos, node, args, state) VALUES ($1, $2, $3, $4, 'open')",
            &params![run, undo.pos, i64::from(undo.node), undo.args],
        )
        .await
        .map(drop)
    }

    /// Returns the top of the run's undo stack; `None` if nothing is left to undo.
    pub async fn top_undo(&mut self, run: RunId) -> Result<Option<UndoRow>, StoreError> {
        let row = self
            .row(
                "SELECT pos, node, args FROM undo WHERE run_id = $1 AND state = 'open'
                 ORDER BY pos DESC LIMIT 1",
                &params![run],
            )
            .await?;
        row.map(|row| {
            let node = u32::try_from(row.int("node")?)
                .map_err(|e| StoreError::Corrupt(format!("undo.node: {e}")))?;
            Ok(UndoRow { pos: row.int("pos")?, node, args: row.digest("args")? })
        })
        .transpose()
    }

    /// Records whether a call was undone: `state` is `done` or `failed`.
    pub async fn close_undo(
        &mut self,
        run: RunId,
        pos: i64,
        state: &'static str,
    ) -> Result<(), StoreError> {
        self.execute(
            "UPDATE undo SET state = $3 WHERE run_id = $1 AND pos = $2",
            &params![run, pos, state],
        )
        .await
        .map(drop)
    }

    /// Moves the calls on the undo stacks of branches onto the stack of the parent, with the calls of the
    /// first branch at the bottom. `height` is the number of calls on the parent's stack so far. `branches`
    /// gives the number of calls on the stack of each branch. Returns the new height of the parent's stack.
    pub async fn adopt_undos(
        &mut self,
        parent: RunId,
        mut height: i64,
        branches: &[(RunId, i64)],
    ) -> Result<i64, StoreError> {
        let mut rows = Rows::new(&[("id", ColumnType::Id), ("base", ColumnType::Int)]);
        for (branch, undos) in branches.iter().filter(|(_, undos)| *undos > 0) {
            rows.push([(*branch).into(), Param::from(height)]);
            height += undos;
        }
        if !rows.is_empty() {
            self.bulk(
                "UPDATE undo SET run_id = $1, pos = undo.pos + v.base FROM {rows}
                 WHERE undo.run_id = v.id AND undo.state = 'open'",
                &params![parent],
                &rows,
            )
            .await?;
        }
        Ok(height)
    }
}
