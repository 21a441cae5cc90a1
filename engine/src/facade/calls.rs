//! Calls tools for callers from outside, and shows calls and receipts.

use std::time::Duration;

use serde::Serialize;
use utoipa::ToSchema;

use super::engine::Engine;
use super::runs::{Page, page_length};
use crate::base::{
    ApprovalId, CallId, Digest, EventId, Problem, RequestId, RunId, TypedId as _, Value, text,
};
use crate::boxed;
use crate::contract::{Contract, Idempotency};
use crate::domain::StartRun;
use crate::driver::{self, Started};
use crate::ledger::ReceiptStatus;
use crate::library::{Library, call_method, is_call_method};
use crate::quality::{self, PlannedCall};
use crate::run::{OutsideCall, RunStatus};
use crate::store::{ApprovalState, ReceiptFilter, RunRow, ToolKey, Tx};
use crate::transaction;

/// A call of a tool from outside.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolCall {
    /// Name of the tool.
    pub tool: String,
    /// Arguments of the call.
    pub input: Value,
    /// Idempotency key of the call. If the tool is keyed, a later call with the same key and arguments gets
    /// a receipt of its own with the earlier result. If the tool is safe to retry, a later call with the
    /// same key is the earlier call. A tool without idempotency acts on each call.
    pub key: Option<String>,
    /// Key of the request to make the call: a second request with the same key makes no second call.
    pub request_key: Option<String>,
    /// Request of the domain that the call works on.
    pub request: Option<RequestId>,
    /// Whether somebody who may has approved exactly this call. Without, a call of risk T2 or above waits for
    /// an approval.
    pub consented: bool,
}

crate::words! {
    /// How far a call has got.
    pub enum CallStatus {
        /// No process has started the call yet.
        Queued = "queued",
        /// The call is being carried out, or waits for its next attempt.
        Running = "running",
        /// The call waits until a person has approved it.
        Waiting = "waiting",
        /// The call succeeded.
        Succeeded = "succeeded",
        /// The call failed and had no effect.
        Failed = "failed",
        /// Something that the call needs is not configured.
        NotConfigured = "not_configured",
        /// The call was only recorded, because its run is a shadow.
        Shadowed = "shadowed",
        /// The call was cancelled before it was carried out.
        Cancelled = "cancelled",
    }
}

/// A call, as the API shows it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct CallView {
    /// Id of the call.
    pub call_id: CallId,
    /// Run that makes the call.
    pub run_id: RunId,
    /// Name of the tool.
    pub tool: String,
    /// How far the call has got.
    pub status: CallStatus,
    /// The approval that the call waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
    /// The state of that approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<ApprovalState>,
    /// The receipt of the call, once the call is finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::ledger::Receipt>)]
    pub receipt: Option<Value>,
}

/// A filter for the receipts of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReceiptQuery {
    /// If set, only receipts of this tool.
    pub tool: Option<String>,
    /// If set, only receipts with this status.
    pub status: Option<ReceiptStatus>,
    /// If set, only receipts that are older than this one.
    pub before: Option<EventId>,
    /// Maximum number of receipts; 0 for the default.
    pub limit: usize,
}

impl Engine {
    /// Starts a call of a tool, and returns the id of the call. The call is a run of one step.
    ///
    /// # Errors
    /// `unknown_tool`; `not_callable` if the tool waits for people; `args_invalid`;
    /// `quality_gate_failed` if a receipt could not prove the call; `key_too_long`;
    /// `key_clash` if the key was used for another call; `request_unknown`.
    #[boxed]
    pub async fn call_tool(&self, tenant: &str, call: ToolCall) -> Result<CallId, Problem> {
        let library = self.library();
        let contract = callable(&library, &call.tool)?;
        let wanted = start_of(contract, &call);
        contract.check_args(&call.input)?;
        let (tool, input, consented) = (&*call.tool, &call.input, call.consented);
        quality::judge(&library.contracts, &[PlannedCall { tool, input, consented }]).check()?;
        driver::check_limits(&wanted)?;
        if contract.idempotency == Idempotency::Keyed
            && let Some(key) = &call.key
        {
            self.check_key(tenant, key, &call).await?;
        }
        let started = self.start(tenant, wanted).await?;
        if !started.new {
            self.check_same_call(tenant, &started, &call).await?;
        }
        Ok(CallId::from_uuid(started.run.uuid()))
    }

    /// Checks that no call with other arguments has used a key.
    async fn check_key(&self, tenant: &str, key: &str, call: &ToolCall) -> Result<(), Problem> {
        let (tool, input) = (call.tool.clone(), Digest::of_value(&call.input));
        let task = transaction!([tenant = tenant.to_owned(), key = key.to_owned(), tool], |tx| {
            let key = ToolKey { tenant: &tenant, tool: &tool, key: &key };
            Ok(tx.keyed_call(key).await?)
        });
        match self.core.store.read(task).await? {
            Some(first) if first.input != input => Err(driver::key_clash(key)),
            _ => Ok(()),
        }
    }

    /// Checks that an earlier call, which has the same key, is the call that is wanted now.
    async fn check_same_call(
        &self,
        tenant: &str,
        earlier: &Started,
        call: &ToolCall,
    ) -> Result<(), Problem> {
        let (run, mut input) = (earlier.run, call.input.clone());
        text::replace_nul(&mut input);
        let method = call_method(&call.tool);
        let task = transaction!([tenant = tenant.to_owned(), method, input], |tx| {
            let row = tx.run(run).await?.filter(|row| row.tenant == tenant);
            let goal = tx.vars(run, &["goal".to_owned()]).await?;
            let same = goal.first().is_some_and(|(_, goal)| *goal == input);
            Ok(same && row.is_some_and(|row| row.method == method))
        });
        let key = call.request_key.as_deref().or(call.key.as_deref()).unwrap_or_default();
        match self.core.store.read(task).await? {
            true => Ok(()),
            false => Err(driver::key_clash(key)),
        }
    }

    /// Waits until a call from outside is finished or waits for an approval, but at most `at_most`. Then returns
    /// the call.
    ///
    /// # Errors
    /// `unknown_call`.
    #[boxed]
    pub async fn wait_for_call(
        &self,
        tenant: &str,
        call: CallId,
        at_most: Duration,
    ) -> Result<CallView, Problem> {
        let run = RunId::from_uuid(call.uuid());
        let rests = |row: &RunRow| Ok(row.ended_at.is_some() || awaited(row)?.is_some());
        match tokio::time::timeout(at_most, self.wait_until(tenant, run, rests)).await {
            Ok(Err(problem)) if problem.code != "unknown_run" => Err(problem),
            _ => self.call(tenant, call).await,
        }
    }

    /// Returns a call: a call from outside, or a finished call of any run.
    ///
    /// # Errors
    /// `unknown_call`.
    #[boxed]
    pub async fn call(&self, tenant: &str, call: CallId) -> Result<CallView, Problem> {
        let task = transaction!([tenant = tenant.to_owned()], |tx| find(tx, &tenant, call).await);
        self.core.store.read(task).await
    }

    /// Lists the receipts of a tenant, newest first.
    #[boxed]
    pub async fn receipt_log(
        &self,
        tenant: &str,
        query: &ReceiptQuery,
    ) -> Result<Page<Value>, Problem> {
        let limit = page_length(query.limit);
        let task = transaction!([tenant = tenant.to_owned(), query = query.clone()], |tx| {
            let filter = ReceiptFilter {
                tool: query.tool.as_deref(),
                status: query.status.map(ReceiptStatus::as_str),
                before: query.before,
            };
            Ok(tx.tenant_receipts(&tenant, filter, i64::try_from(limit + 1).unwrap_or(1)).await?)
        });
        let receipts = self.core.store.read(task).await?;
        let page = Page::cut(receipts, limit, |receipt| receipt.id.to_string());
        let items = page.items.into_iter().map(|receipt| receipt.body).collect();
        Ok(Page { items, next_cursor: page.next_cursor })
    }
}

/// Returns the contract of a tool that can be called from outside.
fn callable<'a>(library: &'a Library, tool: &str) -> Result<&'a Contract, Problem> {
    let contract = library.tool(tool)?;
    if contract.waits() {
        let message = format!("`{tool}` waits for people, so only a method can call it");
        return Err(Problem::caller("not_callable", message)
            .with_hint("start a run of a method that has it as a step"));
    }
    Ok(contract)
}

/// Builds the start of the run that carries out a call.
fn start_of(contract: &Contract, call: &ToolCall) -> StartRun {
    let retried = call.key.as_ref().filter(|_| contract.idempotency == Idempotency::SafeRetry);
    let retried = retried.map(|key| format!("{}:{key}", call_method(&contract.name)));
    StartRun {
        method: call_method(&contract.name),
        goal: call.input.clone(),
        request: call.request,
        key: call.request_key.clone().or(retried),
        outside_call: Some(OutsideCall { key: call.key.clone(), consented: call.consented }),
        ..StartRun::default()
    }
}

async fn find(tx: &mut Tx, tenant: &str, call: CallId) -> Result<CallView, Problem> {
    let unknown = || {
        Problem::caller("unknown_call", format!("there is no call `{call}`"))
            .with_hint("see `abide tools receipts`")
    };
    if let Some(receipt) = tx.receipt(tenant, call).await? {
        let (run_id, tool) = receipt.run.zip(receipt.tool).ok_or_else(unknown)?;
        let status = receipt.status.as_deref().and_then(CallStatus::parse);
        let status = status.unwrap_or(CallStatus::Failed);
        return Ok(CallView {
            call_id: call,
            run_id,
            tool,
            status,
            approval_id: None,
            state: None,
            receipt: Some(receipt.body),
        });
    }
    let run = RunId::from_uuid(call.uuid());
    let row = tx.run(run).await?.filter(|row| row.tenant == tenant).ok_or_else(unknown)?;
    if !is_call_method(&row.method) {
        return Err(unknown());
    }
    let tool = row.method.split_once(':').map(|(_, tool)| tool.to_owned()).unwrap_or_default();
    let approval_id = awaited(&row)?;
    let (status, state) = match approval_id {
        Some(_) => (CallStatus::Waiting, Some(ApprovalState::Pending)),
        None => (unfinished(&row)?, None),
    };
    Ok(CallView { call_id: call, run_id: run, tool, status, approval_id, state, receipt: None })
}

/// Returns the approval that a call from outside waits for.
fn awaited(row: &RunRow) -> Result<Option<ApprovalId>, Problem> {
    match row.status {
        RunStatus::Waiting => Ok(row.parsed_state()?.awaited_approval().map(|wait| wait.id)),
        _ => Ok(None),
    }
}

/// Returns the status of a call that has no receipt and waits for no approval.
fn unfinished(row: &RunRow) -> Result<CallStatus, Problem> {
    Ok(match row.status {
        RunStatus::Cancelled => CallStatus::Cancelled,
        RunStatus::Failed | RunStatus::Completed => CallStatus::Failed,
        _ if row.parsed_state()?.call().is_some() => CallStatus::Running,
        _ => CallStatus::Queued,
    })
}
