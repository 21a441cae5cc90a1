//! Notices that a tenant's messages no longer fit into the month's budget.

use super::state::Core;
use crate::base::Problem;
use crate::policy::{Month, Settings};
use crate::store::Tx;

/// Tells the domain that a message does not fit into the budget of this month, the first time in the month.
pub(in crate::driver) async fn budget_reached(
    core: &Core,
    tx: &mut Tx,
    tenant: &str,
    settings: &Settings,
) -> Result<(), Problem> {
    let month = Month::of(tx.now(), &settings.zone());
    if tx.budget_reached(tenant, month.from).await? {
        let library = core.library();
        core.domain.budget_reached(tx, &core.domain_context(tenant, settings, &library)).await?;
    }
    Ok(())
}
