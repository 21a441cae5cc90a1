//! Stores the waits of runs, and finds the waits that end when a tally changes.

use std::collections::BTreeMap;

use super::commit::Commit;
use super::error::StoreError;
use super::param::{ColumnType, Param};
use super::rows::Rows;
use super::tx::Tx;
use crate::base::RunId;
use crate::params;

/// Stores the waits that begin with the steps of a batch, and deletes the waits that end with these steps.
pub(super) async fn change(tx: &mut Tx, commits: &[&Commit]) -> Result<(), StoreError> {
    // The waits that end, by their frames: a server looks each of a list of ids up, whatever it knows of the table.
    let mut gone: BTreeMap<&str, Vec<RunId>> = BTreeMap::new();
    let mut armed = Rows::new(&[
        ("run_id", ColumnType::Id),
        ("frame", ColumnType::Text),
        ("partition_key", ColumnType::Id),
        ("yes_cell", ColumnType::Text),
        ("open_cells", ColumnType::Text),
        ("need", ColumnType::Int),
    ]);
    for commit in commits {
        if let Some(frame) = &commit.disarmed {
            gone.entry(frame).or_default().push(commit.run);
        }
        if let Some(wait) = &commit.armed {
            armed.push([
                commit.run.into(),
                Param::from(&wait.frame),
                wait.partition.into(),
                Param::from(&wait.yes_cell),
                serde_json::Value::from(wait.open_cells.clone()).to_string().into(),
                wait.need.into(),
            ]);
        }
    }
    for (frame, runs) in gone {
        let sql = "DELETE FROM wait WHERE frame = $1 AND run_id IN (SELECT id FROM {rows})";
        tx.bulk(sql, &params![frame], &Rows::ids(&runs)).await?;
    }
    tx.bulk_unless_empty(
        "INSERT INTO wait (run_id, frame, partition_key, yes_cell, open_cells, need)
         SELECT run_id, frame, partition_key, yes_cell, open_cells, need FROM {rows} WHERE true
         ON CONFLICT (run_id, frame) DO UPDATE SET need = excluded.need, open_cells = excluded.open_cells",
        &armed,
    )
    .await
}

/// Returns the runs whose wait on this partition has ended according to the tallies:
/// enough people have accepted, or no offer is open any more.
pub(super) async fn satisfied(
    tx: &mut Tx,
    partition: uuid::Uuid,
) -> Result<Vec<RunId>, StoreError> {
    let waits = tx
        .rows(
            "SELECT run_id, yes_cell, open_cells, need FROM wait WHERE partition_key = $1 ORDER BY run_id",
            &params![partition],
        )
        .await?;
    if waits.is_empty() {
        return Ok(Vec::new());
    }
    let tallies = tx.tallies(partition).await?;
    let mut runs = Vec::new();
    for wait in &waits {
        let yes = tallies.get(&wait.text("yes_cell")?).map_or(0, |tally| tally.yes);
        let cells: Vec<String> = serde_json::from_value(wait.json("open_cells")?)
            .map_err(|e| StoreError::Corrupt(format!("open_cells: {e}")))?;
        let open: i64 = cells.iter().filter_map(|cell| tallies.get(cell)).map(|t| t.open).sum();
        if yes >= wait.int("need")? || open == 0 {
            runs.push(wait.id("run_id")?);
        }
    }
    Ok(runs)
}
