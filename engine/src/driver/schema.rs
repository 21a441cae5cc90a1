//! Handles a database schema that is newer than this program. Another program may migrate the database
//! while this program runs. In that case this program finishes the runs that it has claimed,
//! takes no more work, and logs the reason.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::core::Core;
use crate::base::Problem;

/// Compares the schema of the database with the newest schema that this program knows.
/// Migrations only add to a schema, so this program can finish its claimed runs on a newer schema.
pub(crate) async fn check_schema(core: &Arc<Core>) -> Result<(), Problem> {
    let status = core.store.schema_now().await?;
    if status.applied > status.known && core.claims.status.note_schema(status) {
        tracing::error!(
            "the database has schema {}, but this program knows only up to {}; it takes no more work",
            status.applied,
            status.known
        );
        core.stopping.store(true, Ordering::SeqCst);
        core.bells.ring_all();
    }
    Ok(())
}
