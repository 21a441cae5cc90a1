//! Rows of the orders that a run keeps up or brings about.

use abide_agent::obligations::ObligationType;
use abide_engine::base::{RowId, RunId, Timestamp, Value};
use abide_engine::params;
use abide_engine::store::{Row, StoreError, Tx};

/// Maximum number of orders that one statement returns.
const ROWS_MAX: i64 = 100;

/// An order with its run.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingRow {
    /// Id of the obligation.
    pub id: RowId,
    /// Who has given the order.
    pub user: String,
    /// Its type: to achieve, to maintain or to avoid.
    pub kind: ObligationType,
    /// The state that it is about.
    pub predicate: String,
    /// By what a second order is known to be the same.
    pub digest: String,
    /// The text of the method of its run.
    pub method: String,
    /// The goal of its run.
    pub goal: Value,
    /// When it begins to bind.
    pub from: Timestamp,
    /// When it no longer binds.
    pub until: Timestamp,
    /// Its run, if it is known.
    pub run: Option<RunId>,
}

macro_rules! select_standing {
    ($rest:literal) => {
        concat!(
            "SELECT obligation_id, user_key, kind, predicate, digest, method, goal, from_at, until_at, run_id
             FROM standing_obligation ",
            $rest
        )
    };
}

fn read(row: &Row) -> Result<StandingRow, StoreError> {
    let kind = row.text("kind")?;
    let kind = ObligationType::parse(&kind)
        .ok_or_else(|| StoreError::Corrupt(format!("the type of an order is `{kind}`")))?;
    Ok(StandingRow {
        id: row.id("obligation_id")?,
        user: row.text("user_key")?,
        kind,
        predicate: row.text("predicate")?,
        digest: row.text("digest")?,
        method: row.text("method")?,
        goal: row.json("goal")?,
        from: row.at("from_at")?,
        until: row.at("until_at")?,
        run: row.opt_id("run_id")?,
    })
}

/// Inserts an order, whose run is to be started by the instant `due`. Returns the same order of the same user, if it
/// still binds.
pub async fn put(
    tx: &mut Tx,
    tenant: &str,
    new: &StandingRow,
    due: Timestamp,
) -> Result<Option<StandingRow>, StoreError> {
    let sql = select_standing!(
        "WHERE tenant = $1 AND user_key = $2 AND digest = $3 AND ended_at IS NULL"
    );
    let same = params![tenant, &new.user, &new.digest];
    if let Some(row) = tx.row(sql, &same).await? {
        return read(&row).map(Some);
    }
    let thing = new.predicate.split_once('.').map_or(&*new.predicate, |(thing, _)| thing);
    let inserted = tx
        .execute(
            "INSERT INTO standing_obligation (obligation_id, tenant, user_key, kind, thing, predicate, digest, method,
                goal, from_at, until_at, due_at, run_id, ended_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, NULL, NULL) ON CONFLICT DO NOTHING",
            &params![
                new.id,
                tenant,
                &new.user,
                new.kind.as_str(),
                thing,
                &new.predicate,
                &new.digest,
                &new.method,
                new.goal.to_string(),
                new.from,
                new.until,
                due
            ],
        )
        .await?;
    if inserted > 0 {
        return Ok(None);
    }
    tx.row(sql, &same).await?.map(|row| read(&row)).transpose()
}

/// Records the run of an order. Returns whether the order still binds.
pub async fn link(tx: &mut Tx, id: RowId, run: RunId) -> Result<bool, StoreError> {
    let sql = "UPDATE standing_obligation SET run_id = $2, due_at = NULL WHERE obligation_id = $1
               RETURNING ended_at";
    let row = tx.row(sql, &params![id, run]).await?;
    Ok(row.map(|row| row.opt_at("ended_at")).transpose()?.flatten().is_none())
}

/// Records that an order binds nobody any more.
pub async fn end(tx: &mut Tx, id: RowId, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE standing_obligation SET ended_at = $2, due_at = NULL WHERE obligation_id = $1 AND ended_at + 0 IS NULL",
        &params![id, now],
    )
    .await
    .map(drop)
}

/// Returns at most `limit` orders of a tenant whose run should have been started by the instant `by`.
pub async fn due(
    tx: &mut Tx,
    tenant: &str,
    by: Timestamp,
    limit: i64,
) -> Result<Vec<StandingRow>, StoreError> {
    let sql = select_standing!(
        "WHERE tenant = $1 AND due_at IS NOT NULL AND due_at <= $2 ORDER BY due_at, obligation_id LIMIT $3"
    );
    let rows = tx.rows(sql, &params![tenant, by, limit]).await?;
    rows.iter().map(read).collect()
}

/// Returns the orders that bind somebody at an instant and are about a state.
pub async fn about(
    tx: &mut Tx,
    tenant: &str,
    predicate: &str,
    now: Timestamp,
) -> Result<Vec<StandingRow>, StoreError> {
    let sql = select_standing!(
        "WHERE tenant = $1 AND predicate = $2 AND ended_at IS NULL AND from_at <= $3 AND until_at > $3
         ORDER BY obligation_id LIMIT $4"
    );
    let rows = tx.rows(sql, &params![tenant, predicate, now, ROWS_MAX]).await?;
    rows.iter().map(read).collect()
}

/// Returns the orders of a user about a thing that still bind.
pub async fn of_thing(
    tx: &mut Tx,
    tenant: &str,
    user: &str,
    thing: &str,
) -> Result<Vec<StandingRow>, StoreError> {
    let sql = select_standing!(
        "WHERE tenant = $1 AND user_key = $2 AND thing = $3 AND ended_at IS NULL ORDER BY obligation_id LIMIT $4"
    );
    let rows = tx.rows(sql, &params![tenant, user, thing, ROWS_MAX]).await?;
    rows.iter().map(read).collect()
}

/// Returns all orders of a tenant, ended ones too.
pub(super) async fn all(tx: &mut Tx, tenant: &str) -> Result<Vec<StandingRow>, StoreError> {
    let sql = select_standing!("WHERE tenant = $1 ORDER BY obligation_id");
    let rows = tx.rows(sql, &params![tenant]).await?;
    rows.iter().map(read).collect()
}
