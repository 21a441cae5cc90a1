//! Writes to the tenant's own ledger stream, which records changes by staff that concern no request.

use abide_engine::base::{Problem, StreamId, TypedId, Value};
use abide_engine::store::{About, Tx};

use crate::event::ChurchEventKind;

/// Locks the tenant's ledger stream and returns the stream's id. To avoid deadlocks,
/// the caller must lock the stream before the rows that will change.
pub(super) async fn lock(tx: &mut Tx, tenant: &str) -> Result<StreamId, Problem> {
    tx.ensure_tenant(tenant).await?;
    let known = tx.tenant(tenant).await?;
    let stream = known.ok_or_else(|| Problem::bug("a tenant has no row"))?.stream;
    tx.lock_partitions(tenant, &[stream.uuid()]).await?;
    Ok(stream)
}

/// Appends an event to the tenant's ledger stream, which must be locked.
/// The event's body must not contain personal data, because events cannot be erased.
pub(super) fn log(
    tx: &mut Tx,
    stream: StreamId,
    kind: ChurchEventKind,
    body: Value,
) -> Result<(), Problem> {
    Ok(tx.log(stream, kind, About::default(), body)?)
}
