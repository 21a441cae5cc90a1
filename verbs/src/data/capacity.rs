//! Rows of capacities, and of the amounts that calls have reserved.

use abide_engine::base::{CallId, RunId, Timestamp};
use abide_engine::params;
use abide_engine::store::{ColumnType, LockRank, Row, Rows, StoreError, Tx};

/// A capacity: the total amount of a resource, and the amount that is reserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capacity {
    /// The name of the resource.
    pub key: String,
    /// The total amount of the resource.
    pub total: i64,
    /// The amount that is reserved. Exceeds `total` if staff lowered the total below the reserved amount.
    pub used: i64,
}

/// The reservation that a call makes: an amount of a capacity that the call reserves or gives back.
#[derive(Debug, Clone, Copy)]
pub struct Reservation<'a> {
    /// The call that makes the reservation.
    pub call: CallId,
    /// The run of the call.
    pub run: RunId,
    /// The key of the capacity to reserve from.
    pub key: &'a str,
    /// The amount to reserve; a negative amount is given back.
    pub amount: i64,
}

/// The amount that a call has reserved of a capacity and that was not given back yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    /// The call that reserved the amount.
    pub call: CallId,
    /// The amount that is still reserved for the call; 0 after all was given back.
    pub held: i64,
}

fn read(row: &Row) -> Result<Capacity, StoreError> {
    Ok(Capacity { key: row.text("key")?, total: row.int("total")?, used: row.int("used")? })
}

/// Returns all capacities of a tenant, sorted by key.
pub async fn list(tx: &mut Tx, tenant: &str) -> Result<Vec<Capacity>, StoreError> {
    let rows = tx
        .rows(
            "SELECT key, total, used FROM capacity WHERE tenant = $1 ORDER BY key",
            &params![tenant],
        )
        .await?;
    rows.iter().map(read).collect()
}

/// Locks and returns one capacity of a tenant; `None` if the tenant has no capacity with this key.
/// Under the lock, a transaction sees all reservations that concurrent transactions have made.
pub async fn lock(tx: &mut Tx, tenant: &str, key: &str) -> Result<Option<Capacity>, StoreError> {
    tx.lock_at(LockRank::Rows)?;
    let mut wanted = Rows::new(&[("key", ColumnType::Text)]);
    wanted.push([key.into()]);
    let rows = tx
        .bulk(
            "SELECT c.key, c.total, c.used FROM capacity c
             WHERE c.tenant = $1 AND c.key IN (SELECT key FROM {rows}) ORDER BY c.key {for_update}",
            &params![tenant],
            &wanted,
        )
        .await?;
    rows.first().map(read).transpose()
}

/// Sets the total of a capacity, and inserts the capacity if it is new.
/// Leaves the reserved amount unchanged.
pub async fn set(
    tx: &mut Tx,
    tenant: &str,
    key: &str,
    total: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO capacity (tenant, key, total, used, changed_at) VALUES ($1, $2, $3, 0, $4)
         ON CONFLICT (tenant, key) DO UPDATE SET total = excluded.total, changed_at = excluded.changed_at",
        &params![tenant, key, total, now],
    )
    .await
    .map(drop)
}

/// Writes the reserved amount (`used`) of a capacity that the caller has locked.
pub async fn set_used(
    tx: &mut Tx,
    tenant: &str,
    capacity: &Capacity,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE capacity SET used = $3, changed_at = $4 WHERE tenant = $1 AND key = $2",
        &params![tenant, &capacity.key, capacity.used, now],
    )
    .await
    .map(drop)
}

/// Whether the reservation of this call is stored already.
pub async fn is_recorded(tx: &mut Tx, call: CallId) -> Result<bool, StoreError> {
    let row = tx.row("SELECT 1 FROM reservation WHERE call_id = $1", &params![call]).await?;
    Ok(row.is_some())
}

/// Inserts the reservation of a call. A positive amount counts as reserved for the call;
/// a negative amount, which is given back, is only recorded.
pub async fn record(
    tx: &mut Tx,
    tenant: &str,
    made: Reservation<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO reservation (call_id, tenant, key, run_id, amount, held, reserved_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        &params![made.call, tenant, made.key, made.run, made.amount, made.amount.max(0), now],
    )
    .await
    .map(drop)
}

/// Returns at most `limit` calls for which an amount of a capacity is still reserved.
/// The calls of this run come first, then the calls of other runs, the oldest first.
pub async fn holds(
    tx: &mut Tx,
    tenant: &str,
    key: &str,
    run: RunId,
    limit: i64,
) -> Result<Vec<Hold>, StoreError> {
    let rows = tx
        .rows(
            "SELECT call_id, held FROM reservation WHERE tenant = $1 AND key = $2 AND held > 0
             ORDER BY CASE WHEN run_id = $3 THEN 0 ELSE 1 END, call_id LIMIT $4",
            &params![tenant, key, run, limit],
        )
        .await?;
    rows.iter().map(|row| Ok(Hold { call: row.id("call_id")?, held: row.int("held")? })).collect()
}

/// Writes the amounts that are still reserved for these calls.
pub async fn set_held(tx: &mut Tx, holds: &[Hold]) -> Result<(), StoreError> {
    for hold in holds {
        tx.execute(
            "UPDATE reservation SET held = $2 WHERE call_id = $1",
            &params![hold.call, hold.held],
        )
        .await?;
    }
    Ok(())
}

/// Returns for each capacity, sorted by key, the amount that is reserved for the calls of a run.
/// Leaves out capacities of which nothing is reserved. The caller must lock the capacities
/// in the sequence of their keys, so that no deadlock occurs.
pub async fn held_by(tx: &mut Tx, run: RunId) -> Result<Vec<(String, i64)>, StoreError> {
    let rows = tx
        .rows(
            "SELECT key, CAST(SUM(held) AS BIGINT) AS total FROM reservation WHERE run_id = $1 AND held > 0
             GROUP BY key ORDER BY key",
            &params![run],
        )
        .await?;
    rows.iter().map(|row| Ok((row.text("key")?, row.int("total")?))).collect()
}

/// Records that a run has given back all amounts that were reserved for its calls.
pub async fn release_all(tx: &mut Tx, run: RunId) -> Result<(), StoreError> {
    tx.execute("UPDATE reservation SET held = 0 WHERE run_id = $1 AND held > 0", &params![run])
        .await
        .map(drop)
}

/// A capacity whose reserved amount differs from the sum of the amounts reserved for calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapacityMismatch {
    /// The tenant that owns the capacity.
    pub tenant: String,
    /// The name of the resource.
    pub key: String,
    /// The reserved amount that the capacity's row states.
    pub used: i64,
    /// The sum of the amounts that are reserved for calls.
    pub held: i64,
}

/// Returns the capacities whose reserved amount differs from the sum of the amounts reserved for calls.
pub async fn mismatches(tx: &mut Tx) -> Result<Vec<CapacityMismatch>, StoreError> {
    let rows = tx
        .rows(
            "SELECT c.tenant, c.key, c.used, CAST(COALESCE(SUM(r.held), 0) AS BIGINT) AS total FROM capacity c
             LEFT JOIN reservation r ON r.tenant = c.tenant AND r.key = c.key AND r.held > 0
             GROUP BY c.tenant, c.key, c.used HAVING c.used <> COALESCE(SUM(r.held), 0)
             ORDER BY c.tenant, c.key",
            &[],
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok(CapacityMismatch {
                tenant: row.text("tenant")?,
                key: row.text("key")?,
                used: row.int("used")?,
                held: row.int("total")?,
            })
        })
        .collect()
}
