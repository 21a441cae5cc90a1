//! Reads an overview of a tenant's current state, for people who monitor it.

use super::engine::Engine;
use crate::base::{EventId, Problem};
use crate::boxed;
use crate::store::Overview;
use crate::transaction;

impl Engine {
    /// Returns how many live, overdue and held runs and how many unsent messages a tenant has now.
    /// If the id of an event is given, also counts the events after this event.
    ///
    /// # Errors
    /// The errors of the store.
    #[boxed]
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
