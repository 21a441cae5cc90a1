//! Delivery reports of a provider.

use std::sync::Arc;

use super::Engine;
use super::control::check_names;
use crate::base::{Problem, Timestamp, Value};
use crate::domain::Delivery;
use crate::driver::Core;
use crate::store::{DeliveryState, ReportedId, Tx, work};

/// What a provider reports of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryReport {
    /// The message.
    pub message: ReportedId,
    /// Its state.
    pub state: DeliveryState,
    /// The carrier's code, such as `30006`, where it was not delivered.
    pub error: Option<String>,
    /// When the provider saw it; a later instant than now counts as now.
    pub at: Timestamp,
}

/// The event that says that a message of a request reached nobody.
const UNDELIVERED: &str = "message.undelivered";

impl Engine {
    /// Takes a delivery report. A message's state only advances: a report that arrives twice, or after a
    /// later one, changes nothing. What was not delivered ends the offer that it carried, so that the
    /// next candidate is asked. True where the report changed the message.
    ///
    /// # Errors
    /// `unknown_message` where the tenant has no such message. A report by the provider's own id may
    /// arrive before that id is stored: the provider sends it again.
    pub async fn delivery_report(
        &self,
        tenant: &str,
        report: DeliveryReport,
    ) -> Result<bool, Problem> {
        let names = [report.error.as_deref(), providers_id(&report.message)];
        check_names(names.into_iter().flatten())?;
        let (core, tenant) = (Arc::clone(&self.core), tenant.to_owned());
        let task = work(move |tx| {
            let (core, tenant, report) = (core.clone(), tenant.clone(), report.clone());
            Box::pin(async move { apply(&core, tx, (&tenant, report)).await })
        });
        let changed = self.core.store.try_write(false, task).await?;
        self.settle().await?;
        Ok(changed)
    }
}

fn providers_id(id: &ReportedId) -> Option<&str> {
    match id {
        ReportedId::Ours(_) => None,
        ReportedId::Providers(id) => Some(id),
    }
}

async fn apply(
    core: &Core,
    tx: &mut Tx,
    (tenant, report): (&str, DeliveryReport),
) -> Result<bool, Problem> {
    let Some(message) = tx.reported(tenant, &report.message).await? else {
        return Err(Problem::caller("unknown_message", "no message of ours has this id")
            .with_hint("report it again later: its id may not be stored yet"));
    };
    // What reached nobody changes its request, whose lock comes first.
    let request = message.request.filter(|_| report.state.is_failure());
    if let Some(request) = request {
        tx.lock_request(tenant, request).await?;
    }
    let state = (report.state, report.error.as_deref());
    if !tx.report_delivery(message.id, state, report.at).await? {
        return Ok(false);
    }
    if !report.state.is_failure() {
        return Ok(true);
    }
    if let Some(request) = request {
        let body: Value = serde_json::json!({
            "message": message.id, "state": report.state.as_str(), "error": report.error,
        });
        tx.log(request, UNDELIVERED, (None, None), body)?;
    }
    let settings = core.settings(tx, tenant).await?;
    let library = core.library();
    let cx = core.domain_context(tenant, &settings, &library);
    let delivery = Delivery {
        message: message.id,
        kind: message.kind,
        person: message.person,
        request: message.request,
        error: report.error.unwrap_or_else(|| report.state.as_str().to_owned()),
    };
    core.domain.undelivered(tx, &cx, &delivery).await?;
    Ok(true)
}
