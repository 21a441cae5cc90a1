//! Checks the month's message budget before a verb sends many messages: either all fit, or none is
//! sent.

use abide_engine::base::Problem;
use abide_engine::policy::{self, Month};
use abide_engine::store::Tx;
use jiff::tz::TimeZone;

use super::Scene;

/// Checks that `wanted` more messages fit into this month's budget. Messages that are queued but not
/// yet released count as spent.
///
/// # Errors
/// `budget_exhausted` if they do not fit.
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
