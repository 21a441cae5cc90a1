//! Finds the ledger streams of a tenant: that of the events that belong to no run and to no request, and that of the records.

use uuid::Uuid;

use crate::base::{Problem, TypedId as _};
use crate::store::Tx;

/// Returns the id of the tenant's own ledger stream.
pub(crate) async fn tenant_stream(tx: &mut Tx, tenant: &str) -> Result<Uuid, Problem> {
    let row = tx.tenant(tenant).await?;
    row.map(|row| row.stream.uuid())
        .ok_or_else(|| Problem::caller("unknown_tenant", format!("there is no tenant `{tenant}`")))
}

/// Returns the id of the stream with the tenant's records: what was archived, and who was erased. It is never archived
/// itself, because an audit needs all of it. Its id is that of the tenant's own stream with the lowest bit flipped.
pub(crate) async fn records_stream(tx: &mut Tx, tenant: &str) -> Result<Uuid, Problem> {
    let own = tenant_stream(tx, tenant).await?;
    Ok(Uuid::from_u128(own.as_u128() ^ 1))
}
