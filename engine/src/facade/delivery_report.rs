//! Applies the delivery reports of a provider.

use std::sync::Arc;

use super::control::check_names;
use super::engine::Engine;
use crate::base::{Problem, Timestamp, Value};
use crate::boxed;
use crate::domain::FailedDelivery;
use crate::driver::Core;
use crate::ledger::EventKind;
use crate::store::{About, DeliveryState, ReportedId, Tx};
use crate::transaction;

/// A provider's report about an outbound message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryReport {
    /// Id of the message: the engine's id or the provider's.
    pub message: ReportedId,
    /// Reported state of the message.
    pub state: DeliveryState,
    /// The carrier's error code, such as `30006`, if the message was not delivered.
    pub error: Option<String>,
    /// Time at which the message reached this state. A time in the future counts as the current time.
    pub at: Timestamp,
}

impl Engine {
    /// Applies a delivery report, and returns whether the report changed the message.
    /// A message's state only advances, so a repeated or outdated report changes nothing.
    /// If the message was an invitation and was not delivered, its offer ends,
    /// so that the next candidate can get an offer.
    ///
    /// # Errors
    /// `unknown_message` if the tenant has no such message. A report that names the provider's id
    /// may arrive before that id is stored; after this error, the provider sends the report again.
    /// `key_too_long` if the id or the error code is too long.
    #[boxed]
    pub async fn delivery_report(
        &self,
        tenant: &str,
        report: DeliveryReport,
    ) -> Result<bool, Problem> {
        let names = [report.error.as_deref(), provider_id(&report.message)];
        check_names(names.into_iter().flatten())?;
        let core = Arc::clone(&self.core);
        let task = transaction!([core, tenant = tenant.to_owned(), report], |tx| {
            apply(&core, tx, &tenant, report).await
        });
        let changed = self.core.store.try_write(task).await?;
        self.settle().await?;
        Ok(changed)
    }
}

fn provider_id(id: &ReportedId) -> Option<&str> {
    match id {
        ReportedId::Ours(_) => None,
        ReportedId::Providers(id) => Some(id),
    }
}

async fn apply(
    core: &Core,
    tx: &mut Tx,
    tenant: &str,
    report: DeliveryReport,
) -> Result<bool, Problem> {
    let Some(message) = tx.reported(tenant, &report.message).await? else {
        return Err(Problem::caller("unknown_message", "there is no message with this id")
            .with_hint("report it again later: its id may not be stored yet"));
    };
    // The failure of a message changes the request that the message belongs to.
    // That request must be locked before the message is changed.
    let request = message.request.filter(|_| report.state.is_failure());
    if let Some(request) = request {
        tx.lock_request(tenant, request).await?;
    }
    let error = report.error.as_deref();
    if !tx.report_delivery(message.id, report.state, error, report.at).await? {
        return Ok(false);
    }
    if !report.state.is_failure() {
        return Ok(true);
    }
    if let Some(request) = request {
        let body: Value = serde_json::json!({
            "message": message.id, "state": report.state.as_str(), "error": report.error,
        });
        tx.log(request, EventKind::MessageUndelivered, About::default(), body)?;
    }
    let settings = core.settings(tx, tenant).await?;
    let library = core.library();
    let cx = core.domain_context(tenant, &settings, &library);
    let delivery = FailedDelivery {
        message: message.id,
        kind: message.kind,
        person: message.person,
        request: message.request,
        error: report.error.unwrap_or_else(|| report.state.as_str().to_owned()),
    };
    core.domain.delivery_failed(tx, &cx, &delivery).await?;
    Ok(true)
}
