//! The month's budget, looked at before the first message of many: all of them fit, or none is sent.

use abide_engine::base::Problem;
use abide_engine::policy::{self, Month};
use abide_engine::store::Tx;
use jiff::tz::TimeZone;

use super::Scene;

/// Refuses to begin with more messages than are left of this month's budget, those counted that
/// wait for their release.
///
/// # Errors
/// `budget_exhausted`.
pub async fn check(tx: &mut Tx, scene: &Scene<'_>, wanted: usize) -> Result<(), Problem> {
    let Some(limit) = scene.settings.messages_per_month else { return Ok(()) };
    let zone = TimeZone::get(&scene.settings.time_zone).unwrap_or(TimeZone::UTC);
    let month = Month::of(scene.now, &zone);
    let used = tx.spent(scene.tenant, month.from).await? + tx.queued(scene.tenant).await?;
    let used = u64::try_from(used).unwrap_or(0);
    match policy::budget::plan(wanted as u64, used, Some(limit)).reason {
        Some(refusal) => Err(refusal),
        None => Ok(()),
    }
}
