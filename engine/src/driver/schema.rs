//! Another program may bring the database to a newer schema while this one runs: then this one finishes
//! what it has in hand, takes nothing more and says so.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::core::Core;
use crate::base::Problem;

/// Looks where the schema stands. Migrations only add, so what is in hand may be finished.
pub(crate) async fn look_at_schema(core: &Arc<Core>) -> Result<(), Problem> {
    let status = core.store.schema_now().await?;
    if status.applied > status.known && core.claims.standing.note_schema(status) {
        tracing::error!(
            "the database has schema {}, this program knows up to {}: it takes no more work",
            status.applied,
            status.known
        );
        core.stopping.store(true, Ordering::SeqCst);
        core.bells.ring_all();
    }
    Ok(())
}
