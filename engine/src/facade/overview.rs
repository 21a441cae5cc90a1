//! Reads the state of a tenant at a glance, for those who watch it.

use super::Engine;
use crate::base::{EventId, Problem};
use crate::store::{Overview, tx_closure};

impl Engine {
    /// Returns the current state of a tenant, and how much has happened since the event `after`, if that is
    /// given.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn overview(
        &self,
        tenant: &str,
        after: Option<EventId>,
    ) -> Result<Overview, Problem> {
        let tenant = tenant.to_owned();
        let task = tx_closure(move |tx| {
            let tenant = tenant.clone();
            Box::pin(async move { Ok(tx.overview(&tenant, after).await?) })
        });
        self.core.store.read(task).await
    }
}
