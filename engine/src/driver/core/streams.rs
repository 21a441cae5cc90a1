//! Finds the ledger stream of a tenant, which contains the events that belong to no run and to no request.

use uuid::Uuid;

use crate::base::{Problem, TypedId as _};
use crate::store::Tx;

/// Returns the id of the tenant's own ledger stream.
pub(crate) async fn tenant_stream(tx: &mut Tx, tenant: &str) -> Result<Uuid, Problem> {
    let row = tx.tenant(tenant).await?;
    row.map(|row| row.stream.uuid())
        .ok_or_else(|| Problem::caller("unknown_tenant", format!("there is no tenant `{tenant}`")))
}
