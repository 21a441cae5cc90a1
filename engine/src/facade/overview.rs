//! Reads the state of a tenant at a glance, for those who watch it.

use super::Engine;
use crate::base::{EventId, Problem};
use crate::store::Overview;
use crate::transaction;

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
        let task = transaction!([tenant = tenant.to_owned()], |tx| {
            Ok(tx.overview(&tenant, after).await?)
        });
        self.core.store.read(task).await
    }
}
