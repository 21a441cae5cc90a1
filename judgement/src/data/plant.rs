//! The row of the simulated plant.

use abide_engine::base::Timestamp;
use abide_engine::params;
use abide_engine::store::{StoreError, Tx};

use crate::obligations::plant::{Ball, Vector};

/// Returns the ball of a tenant; it rests in the centre if nobody has touched it.
pub async fn ball(tx: &mut Tx, tenant: &str, now: Timestamp) -> Result<Ball, StoreError> {
    let sql = "SELECT x, y, drift_x, drift_y, at FROM plant_ball WHERE tenant = $1";
    let Some(row) = tx.row(sql, &params![tenant]).await? else { return Ok(Ball::resting(now)) };
    Ok(Ball {
        place: Vector { x: row.int("x")?, y: row.int("y")? },
        drift: Vector { x: row.int("drift_x")?, y: row.int("drift_y")? },
        at: row.at("at")?,
    })
}

/// Stores the ball of a tenant.
pub async fn put_ball(tx: &mut Tx, tenant: &str, ball: &Ball) -> Result<(), StoreError> {
    let Ball { place, drift, at } = ball;
    tx.execute(
        "INSERT INTO plant_ball (tenant, x, y, drift_x, drift_y, at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (tenant) DO UPDATE SET x = excluded.x, y = excluded.y, drift_x = excluded.drift_x,
            drift_y = excluded.drift_y, at = excluded.at",
        &params![tenant, place.x, place.y, drift.x, drift.y, *at],
    )
    .await
    .map(drop)
}
