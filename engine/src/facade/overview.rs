//! How a tenant stands, for whoever watches it.

use super::Engine;
use crate::base::{EventId, Problem};
use crate::store::{Overview, work};

impl Engine {
    /// How a tenant stands now; what happened since `after`, where that is given.
    ///
    /// # Errors
    /// As the store.
    pub async fn overview(
        &self,
        tenant: &str,
        after: Option<EventId>,
    ) -> Result<Overview, Problem> {
        let tenant = tenant.to_owned();
        let task = work(move |tx| {
            let tenant = tenant.clone();
            Box::pin(async move { Ok(tx.overview(&tenant, after).await?) })
        });
        self.core.store.read(task).await
    }
}
