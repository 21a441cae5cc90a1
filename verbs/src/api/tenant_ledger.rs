//! Writes to the tenant's own ledger stream, which records changes by staff that concern no request.

use abide_engine::base::{Problem, StreamId, TypedId, Value};
use abide_engine::store::{About, Tx};
use uuid::Uuid;

use crate::event::ChurchEventKind;

/// Locks the tenant's ledger stream and returns the stream's id. To avoid deadlocks,
/// the caller must lock the stream before the rows that will change.
pub(super) async fn lock(tx: &mut Tx, tenant: &str) -> Result<StreamId, Problem> {
    lock_with(tx, tenant, Vec::new()).await
}

/// Locks the tenant's ledger stream together with requests, and returns the stream's id. Partitions that are locked one
/// after the other could cause a deadlock.
pub(super) async fn lock_with(
    tx: &mut Tx,
    tenant: &str,
    requests: Vec<Uuid>,
) -> Result<StreamId, Problem> {
    tx.ensure_tenant(tenant).await?;
    let known = tx.tenant(tenant).await?;
    let stream = known.ok_or_else(|| Problem::bug("a tenant has no row"))?.stream;
    let mut keys = requests;
    keys.push(stream.uuid());
    tx.lock_partitions(tenant, &keys).await?;
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
