//! Stores upgrade orders, which move runs to another version
//! of their method, and the result of each order for each run.

use std::collections::{BTreeMap, BTreeSet};

use super::commit::Commit;
use super::error::StoreError;
use super::param::ColumnType;
use super::row::Row;
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{Digest, RunId, SignalId, UpgradeId, Value};
use crate::params;
use crate::run::{RenamedSteps, Replacement, UPGRADE_SIGNAL};

/// An order that moves runs to another version of their method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpgradeRow {
    /// The id of the order.
    pub id: UpgradeId,
    /// The id of the tenant that owns the runs.
    pub tenant: String,
    /// The name of the method.
    pub method: String,
    /// The digest of the bundle that the runs will be pinned to.
    pub bundle: Digest,
    /// The version number of the bundle `bundle`.
    pub version: i64,
    /// The steps that have another id in the new version.
    pub renamed: RenamedSteps,
    /// The earlier order that this order undoes; `None` if this order undoes none.
    pub undoes: Option<UpgradeId>,
}

/// A run to which an upgrade order was given, with the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpgradedRun {
    /// The id of the run.
    pub run: RunId,
    /// The digest of the bundle to which the run was pinned before.
    pub from: Digest,
    /// The version number of the bundle `from`.
    pub from_version: i64,
    /// The progress of the order for this run.
    pub state: UpgradeState,
    /// The reason why the run cannot move; `None` unless the state is [`UpgradeState::Kept`].
    pub why: Option<String>,
}

/// The progress of an upgrade order for one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UpgradeState {
    /// The run has not obeyed the order yet.
    Ordered,
    /// The run has moved to the other version.
    Moved,
    /// The run was kept on its version.
    Kept,
}

impl UpgradeState {
    /// Returns the word that is stored for this state.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ordered => "ordered",
            Self::Moved => "moved",
            Self::Kept => "kept",
        }
    }

    fn parse(text: &str) -> Result<Self, StoreError> {
        let all = [Self::Ordered, Self::Moved, Self::Kept];
        all.into_iter()
            .find(|state| state.as_str() == text)
            .ok_or_else(|| StoreError::Corrupt(format!("unknown state of an upgrade: `{text}`")))
    }
}

/// The result of an upgrade order for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpgradeResult<'a> {
    /// The run has moved to the other version.
    Moved,
    /// The run was kept on its version.
    Kept {
        /// The reason why the run cannot move.
        why: &'a str,
    },
}

/// Pins runs to other bundles, for those commits of a batch in which `repinned` is set.
pub(super) async fn repin(tx: &mut Tx, commits: &[&Commit]) -> Result<(), StoreError> {
    let mut rows = Rows::new(&[
        ("id", ColumnType::Id),
        ("bundle", ColumnType::Bytes),
        ("version", ColumnType::Int),
    ]);
    for commit in commits {
        if let Some((bundle, version)) = commit.repinned {
            rows.push([commit.run.into(), bundle.into(), version.into()]);
        }
    }
    tx.bulk_unless_empty(
        "UPDATE run SET bundle = v.bundle, method_version = v.version FROM {rows} WHERE run.id = v.id",
        &rows,
    )
    .await
}

impl Tx {
    /// Stores an upgrade order.
    pub async fn insert_upgrade(&mut self, order: &UpgradeRow) -> Result<(), StoreError> {
        let renamed = serde_json::to_value(&order.renamed).unwrap_or(Value::Null).to_string();
        let now = self.now();
        self.execute(
            "INSERT INTO upgrade (id, tenant, method, bundle, version, renamed, undoes, ordered_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            &params![
                order.id,
                &order.tenant,
                &order.method,
                order.bundle,
                order.version,
                renamed,
                order.undoes,
                now
            ],
        )
        .await
        .map(drop)
    }

    /// Reads an upgrade order.
    pub async fn upgrade(&mut self, id: UpgradeId) -> Result<Option<UpgradeRow>, StoreError> {
        let row = self
            .row(
                "SELECT tenant, method, bundle, version, renamed, undoes FROM upgrade WHERE id = $1",
                &params![id],
            )
            .await?;
        row.map(|row| {
            let renamed = serde_json::from_value(row.json("renamed")?)
                .map_err(|e| StoreError::Corrupt(format!("upgrade.renamed: {e}")))?;
            Ok(UpgradeRow {
                id,
                tenant: row.text("tenant")?,
                method: row.text("method")?,
                bundle: row.digest("bundle")?,
                version: row.int("version")?,
                renamed,
                undoes: row.opt_id("undoes")?,
            })
        })
        .transpose()
    }

    /// Gives an upgrade order to some runs, a few hundred at most. `runs` gives, for each run, the digest
    /// and the version number of the bundle to which the run is pinned now.
    /// Each run obeys the order between two of the run's steps.
    pub async fn order_upgrade(
        &mut self,
        id: UpgradeId,
        runs: &[(RunId, Digest, i64)],
    ) -> Result<(), StoreError> {
        let mut rows = Rows::new(&[
            ("run_id", ColumnType::Id),
            ("bundle", ColumnType::Bytes),
            ("version", ColumnType::Int),
            ("signal", ColumnType::Id),
        ]);
        let mut sorted = runs.to_vec();
        sorted.sort_unstable();
        for (run, bundle, version) in sorted {
            let signal: SignalId = self.mint();
            rows.push([run.into(), bundle.into(), version.into(), signal.into()]);
            self.wake(run);
        }
        if rows.is_empty() {
            return Ok(());
        }
        self.bulk(
            "INSERT INTO upgrade_run (upgrade, run_id, from_bundle, from_version, state, why)
             SELECT $1, run_id, bundle, version, 'ordered', NULL FROM {rows} WHERE true
             ON CONFLICT DO NOTHING",
            &params![id],
            &rows,
        )
        .await?;
        let payload = serde_json::json!({ "upgrade": id }).to_string();
        let now = self.now();
        self.bulk(
            "INSERT INTO signal (run_id, id, kind, name, dedupe, payload, at, consumed_seq)
             SELECT run_id, signal, $1, NULL, NULL, $2, $3, NULL FROM {rows} WHERE true",
            &params![UPGRADE_SIGNAL, payload, now],
            &rows,
        )
        .await
        .map(drop)
    }

    /// Records the result of an upgrade order for one run.
    pub async fn settle_upgrade(
        &mut self,
        id: UpgradeId,
        run: RunId,
        result: UpgradeResult<'_>,
    ) -> Result<(), StoreError> {
        let (state, why) = match result {
            UpgradeResult::Moved => (UpgradeState::Moved, None),
            UpgradeResult::Kept { why } => (UpgradeState::Kept, Some(why)),
        };
        self.execute(
            "UPDATE upgrade_run SET state = $3, why = $4 WHERE upgrade = $1 AND run_id = $2",
            &params![id, run, state.as_str(), why],
        )
        .await
        .map(drop)
    }

    /// Counts the runs of an upgrade order by state.
    pub async fn upgrade_counts(
        &mut self,
        id: UpgradeId,
    ) -> Result<BTreeMap<UpgradeState, i64>, StoreError> {
        let rows = self
            .rows(
                "SELECT state, COUNT(*) AS count FROM upgrade_run WHERE upgrade = $1 GROUP BY state",
                &params![id],
            )
            .await?;
        rows.iter()
            .map(|row| Ok((UpgradeState::parse(&row.text("state")?)?, row.int("count")?)))
            .collect()
    }

    /// Returns at most `limit` runs of an upgrade order that are in the state `state`
    /// and whose ids are greater than `after`, sorted by id.
    pub async fn upgrade_runs(
        &mut self,
        id: UpgradeId,
        state: UpgradeState,
        after: Option<RunId>,
        limit: i64,
    ) -> Result<Vec<UpgradedRun>, StoreError> {
        let rows = self
            .rows(
                "SELECT run_id, from_bundle, from_version, state, why FROM upgrade_run
                 WHERE upgrade = $1 AND state = $2 AND ($3 IS NULL OR run_id > $3)
                 ORDER BY run_id LIMIT $4",
                &params![id, state.as_str(), after, limit],
            )
            .await?;
        rows.iter().map(read).collect()
    }

    /// Returns the latest upgrade order that moved the run, if any order has.
    /// Ignores orders that undo other orders.
    pub async fn last_move(&mut self, run: RunId) -> Result<Option<UpgradeId>, StoreError> {
        let row = self
            .row(
                "SELECT u.upgrade FROM upgrade_run u JOIN upgrade o ON o.id = u.upgrade
                 WHERE u.run_id = $1 AND u.state = 'moved' AND o.undoes IS NULL
                 ORDER BY u.upgrade DESC LIMIT 1",
                &params![run],
            )
            .await?;
        row.map(|row| row.id("upgrade")).transpose()
    }

    /// Returns the names of the variables of some runs, without the engine's internal variables.
    pub async fn variable_names(
        &mut self,
        runs: &[RunId],
    ) -> Result<BTreeMap<RunId, BTreeSet<String>>, StoreError> {
        let rows = self
            .bulk(
                "SELECT var.run_id, var.name FROM {rows} JOIN var ON var.run_id = v.id
                 WHERE substr(var.name, 1, 1) <> '#'",
                &[],
                &Rows::ids(runs),
            )
            .await?;
        let mut names: BTreeMap<RunId, BTreeSet<String>> = BTreeMap::new();
        for row in &rows {
            names.entry(row.id("run_id")?).or_default().insert(row.text("name")?);
        }
        Ok(names)
    }

    /// Returns, for each of these runs, the steps whose calls can still be undone. The steps are given by
    /// their indexes in the graph.
    pub async fn undo_nodes(
        &mut self,
        runs: &[RunId],
    ) -> Result<BTreeMap<RunId, Vec<u32>>, StoreError> {
        let rows = self
            .bulk(
                "SELECT DISTINCT undo.run_id, undo.node FROM {rows} JOIN undo ON undo.run_id = v.id
                 WHERE undo.state = 'open' ORDER BY undo.run_id, undo.node",
                &[],
                &Rows::ids(runs),
            )
            .await?;
        let mut nodes: BTreeMap<RunId, Vec<u32>> = BTreeMap::new();
        for row in &rows {
            let node = u32::try_from(row.int("node")?)
                .map_err(|e| StoreError::Corrupt(format!("undo.node: {e}")))?;
            nodes.entry(row.id("run_id")?).or_default().push(node);
        }
        Ok(nodes)
    }

    /// Counts the live children of some runs.
    pub async fn count_live_children(
        &mut self,
        runs: &[RunId],
    ) -> Result<BTreeMap<RunId, usize>, StoreError> {
        let rows = self
            .bulk(
                "SELECT r.parent, COUNT(*) AS count FROM {rows} {each run r} r.parent = v.id AND r.ended_at + 0 IS NULL {end each}
                 GROUP BY r.parent",
                &[],
                &Rows::ids(runs),
            )
            .await?;
        rows.iter()
            .map(|row| {
                Ok((row.id("parent")?, usize::try_from(row.int("count")?).unwrap_or(usize::MAX)))
            })
            .collect()
    }

    /// Replaces the step indexes on a run's undo stack by the indexes of the same steps in another graph.
    pub async fn renumber_undos(
        &mut self,
        run: RunId,
        nodes: &[Replacement<u32>],
    ) -> Result<(), StoreError> {
        let mut rows = Rows::new(&[("old", ColumnType::Int), ("new", ColumnType::Int)]);
        for Replacement { old, new } in nodes.iter().filter(|node| node.old != node.new) {
            rows.push([(*old).into(), (*new).into()]);
        }
        if rows.is_empty() {
            return Ok(());
        }
        self.bulk(
            "UPDATE undo SET node = v.new FROM {rows}
             WHERE undo.run_id = $1 AND undo.node = v.old AND undo.state = 'open'",
            &params![run],
            &rows,
        )
        .await
        .map(drop)
    }

    /// Renames a variable: `from` gives its old name, and `to` its new name. Also renames all variables
    /// whose names consist of the old name, a space and a suffix; these keep the suffix. First deletes
    /// the variables that have the new name already, alone or with a suffix.
    pub async fn rename_variables(
        &mut self,
        run: RunId,
        from: &str,
        to: &str,
    ) -> Result<(), StoreError> {
        self.execute(
            "DELETE FROM var WHERE run_id = $1 AND (name = $2
                OR substr(name, 1, length(CAST($2 AS TEXT)) + 1) = CAST($2 AS TEXT) || ' ')",
            &params![run, to],
        )
        .await?;
        self.execute(
            "UPDATE var SET name = CAST($3 AS TEXT) || substr(name, length(CAST($2 AS TEXT)) + 1)
             WHERE run_id = $1 AND (name = $2
                OR substr(name, 1, length(CAST($2 AS TEXT)) + 1) = CAST($2 AS TEXT) || ' ')",
            &params![run, from, to],
        )
        .await
        .map(drop)
    }
}

fn read(row: &Row) -> Result<UpgradedRun, StoreError> {
    Ok(UpgradedRun {
        run: row.id("run_id")?,
        from: row.digest("from_bundle")?,
        from_version: row.int("from_version")?,
        state: UpgradeState::parse(&row.text("state")?)?,
        why: row.opt_text("why")?,
    })
}
