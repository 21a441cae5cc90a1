//! The tenant's own ledger stream. Records changes by staff that concern no request.

use abide_engine::base::{Problem, StreamId, TypedId, Value};
use abide_engine::store::{About, Tx};

use crate::event::ChurchEventKind;

/// Locks the tenant's ledger stream. Call this before locking the rows whose change is to be recorded.
pub(super) async fn lock(tx: &mut Tx, tenant: &str) -> Result<StreamId, Problem> {
    tx.ensure_tenant(tenant).await?;
    let known = tx.tenant(tenant).await?;
    let stream = known.ok_or_else(|| Problem::bug("a tenant has no row"))?.stream;
    tx.lock_partitions(tenant, &[stream.uuid()]).await?;
    Ok(stream)
}

/// Appends an event to the tenant's locked ledger stream. The body of the event must not name a person.
pub(super) fn log(
    tx: &mut Tx,
    stream: StreamId,
    kind: ChurchEventKind,
    body: Value,
) -> Result<(), Problem> {
    Ok(tx.log(stream, kind, About::default(), body)?)
}
