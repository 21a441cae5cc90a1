//! What staff change that belongs to no request: events of the tenant's own stream.

use abide_engine::base::{Problem, StreamId, TypedId, Value};
use abide_engine::store::Tx;

/// Locks the stream. That comes before the rows whose change it is to tell of.
pub(super) async fn lock(tx: &mut Tx, tenant: &str) -> Result<StreamId, Problem> {
    tx.ensure_tenant(tenant).await?;
    let known = tx.tenant(tenant).await?;
    let stream = known.ok_or_else(|| Problem::bug("a tenant is gone"))?.stream;
    tx.lock_partitions(tenant, &[stream.uuid()]).await?;
    Ok(stream)
}

/// Adds an event to the locked stream. Its body names things and numbers, and no person.
pub(super) fn log(tx: &mut Tx, stream: StreamId, kind: &str, body: Value) -> Result<(), Problem> {
    Ok(tx.log(stream, kind, (None, None), body)?)
}
