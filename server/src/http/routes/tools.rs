//! Routes of tools: their contracts, calls from outside, and receipts.

use std::collections::BTreeMap;
use std::time::Duration;

use abide_engine::base::{CallId, RequestId, Span, Value};
use abide_engine::contract::{Contract, Effect, Handler, Idempotency, NotConfigured, Risk};
use abide_engine::facade::{CallView, Page, ReceiptQuery, ToolCall};
use abide_engine::ledger::{Receipt, ReceiptStatus};
use axum::Json;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Id, Query};
use crate::http::guard::Tenant;
use crate::http::idempotency::KeyedTenant;
use crate::http::page::Paging;
use crate::problem::ProblemDocument;
use crate::role::Role;

/// How long a call is awaited if the request does not say: most calls are finished by then.
const WAIT_DEFAULT: Duration = Duration::from_secs(10);
/// Maximum time that a call is awaited, so that no connection stays open for longer.
const WAIT_MAX: Duration = Duration::from_secs(60);
/// Domain of the tools that obligations use, which are not counted as tools of the registry.
const ASK_DOMAIN: &str = "ask";

/// A tool, as its contract describes it.
#[derive(Serialize, ToSchema)]
pub(super) struct ToolView {
    /// Name of the tool.
    name: String,
    /// Domain of the tool; absent for a verb of the church.
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<String>,
    /// Version of the contract.
    version: u32,
    /// What the tool does.
    description: String,
    /// How a call acts on the world: `pure`, `read`, `write`, `wait` or `external`.
    #[schema(value_type = String)]
    effect: Effect,
    /// What a second call does.
    idempotency: IdempotencyView,
    /// How much harm a call can do, from `T0` to `T4`.
    #[schema(value_type = String)]
    risk: Risk,
    /// Time limit of a call in milliseconds.
    timeout_ms: u64,
    /// What carries out a call.
    handler: &'static str,
    /// Whether a call does something.
    implemented: bool,
    /// What is missing, if the tool is not configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_configured: Option<NotConfiguredView>,
    /// What the tool may touch.
    permissions: Vec<String>,
    /// The members of a receipt that prove what a call did.
    receipt_fields: Vec<String>,
    /// The kinds of facts that the tool needs.
    consumes: Vec<String>,
    /// The kinds of facts that the tool provides.
    produces: Vec<String>,
    /// The kinds of obligations that a call can discharge.
    satisfies: Vec<String>,
    /// The obligations that a call can break.
    breaks: Vec<String>,
    /// What must hold before a call.
    preconditions: Vec<String>,
    /// What holds after a successful call.
    postconditions: Vec<String>,
    /// Cost of a call, in the currency of the tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
    /// Share of calls that are expected to succeed, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    reliability: Option<f64>,
    /// Time that a call is expected to take, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ms: Option<u64>,
    /// Name of a tool that does less harm and often serves the purpose too.
    #[serde(skip_serializing_if = "Option::is_none")]
    safer: Option<String>,
    /// JSON Schema of the input.
    #[schema(value_type = Object)]
    input_schema: Value,
    /// JSON Schema of the result.
    #[schema(value_type = Object)]
    output_schema: Value,
}

/// What a second call of a tool does.
#[derive(Serialize, ToSchema)]
struct IdempotencyView {
    /// Whether a second call acts again.
    mode: Idempotency,
    /// The member of the input that is the key of a call without a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_field: Option<String>,
}

/// Why a tool is not configured.
#[derive(Serialize, ToSchema)]
struct NotConfiguredView {
    /// What is missing.
    reason: String,
    /// Environment variables that the tool would need.
    required_env: Vec<String>,
    /// What a person can do about it.
    next_steps: Vec<String>,
}

fn millis(span: Span) -> u64 {
    u64::try_from(span.micros() / 1000).unwrap_or(0)
}

impl From<&Contract> for ToolView {
    fn from(contract: &Contract) -> Self {
        let not_configured = match &contract.handler {
            Handler::NotConfigured(why) => Some(NotConfiguredView::from(why)),
            _ => None,
        };
        Self {
            name: contract.name.clone(),
            domain: contract.domain().map(str::to_owned),
            version: contract.version,
            description: contract.description.trim().to_owned(),
            effect: contract.effect,
            idempotency: IdempotencyView {
                mode: contract.idempotency,
                key_field: contract.key_field.clone(),
            },
            risk: contract.risk,
            timeout_ms: millis(contract.timeout),
            handler: contract.handler.as_str(),
            implemented: contract.is_implemented(),
            not_configured,
            permissions: contract.permissions.clone(),
            receipt_fields: contract.receipt_fields.clone(),
            consumes: contract.consumes.clone(),
            produces: contract.produces.clone(),
            satisfies: contract.satisfies.clone(),
            breaks: contract.breaks.clone(),
            preconditions: contract.preconditions.clone(),
            postconditions: contract.postconditions.clone(),
            cost: contract.cost,
            reliability: contract.reliability,
            latency_ms: contract.latency.map(millis),
            safer: contract.safer.clone(),
            input_schema: contract.input.value().clone(),
            output_schema: contract.output.value().clone(),
        }
    }
}

impl From<&NotConfigured> for NotConfiguredView {
    fn from(why: &NotConfigured) -> Self {
        let NotConfigured { reason, required_env, next_steps } = why.clone();
        Self { reason, required_env, next_steps }
    }
}

/// Lists the tools of the tenant's domains and of the home, sorted by name.
#[utoipa::path(
    get, path = "/v1/tools", tag = "tools", operation_id = "list_tools",
    responses((status = 200, body = Page<ToolView>, description = "The tools."))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
) -> ApiResult<Page<ToolView>> {
    let settings = app.engine.settings(&tenant).await?;
    let has = |it: &&Contract| it.belongs_to().is_none_or(|domain| settings.has_domain(domain));
    let library = app.engine.library();
    let items = library.contracts.iter().filter(has).map(ToolView::from).collect();
    Ok((StatusCode::OK, Json(Page { items, next_cursor: None })))
}

/// Returns a tool with its whole contract.
#[utoipa::path(
    get, path = "/v1/tools/{name}", tag = "tools", operation_id = "get_tool",
    params(("name" = String, Path, description = "Name of the tool.", example = "search_people")),
    responses((status = 200, body = ToolView, description = "The tool.")),
    extensions(("x-problem-codes" = json!(["unknown_tool"])))
)]
pub(super) async fn show(State(app): State<App>, Path(name): Path<String>) -> ApiResult<ToolView> {
    let library = app.engine.library();
    let contract = library.tool(&name).map_err(ProblemDocument::from)?;
    Ok((StatusCode::OK, Json(ToolView::from(contract))))
}

/// How many of the tools do something.
///
/// The verbs of the church and the tools of obligations are not counted.
#[derive(Serialize, ToSchema)]
pub(super) struct Coverage {
    /// Number of tools.
    total: u32,
    /// Number of tools whose calls do something.
    implemented: u32,
    /// Number of tools that only say what is missing.
    not_configured: u32,
    /// The same numbers for each domain.
    domains: BTreeMap<String, Counts>,
}

/// Numbers of tools.
#[derive(Default, Serialize, ToSchema)]
struct Counts {
    /// Number of tools.
    total: u32,
    /// Number of tools whose calls do something.
    implemented: u32,
    /// Number of tools that only say what is missing.
    not_configured: u32,
}

impl Counts {
    fn add(&mut self, contract: &Contract) {
        self.total += 1;
        if contract.is_implemented() {
            self.implemented += 1;
        } else {
            self.not_configured += 1;
        }
    }
}

/// Counts the tools that do something, and those that are not configured.
#[utoipa::path(
    get, path = "/v1/tools/coverage", tag = "tools", operation_id = "count_tools",
    responses((status = 200, body = Coverage, description = "The numbers of tools."))
)]
pub(super) async fn coverage(State(app): State<App>) -> ApiResult<Coverage> {
    let mut domains: BTreeMap<String, Counts> = BTreeMap::new();
    let mut all = Counts::default();
    for contract in app.engine.library().contracts.iter() {
        let Some(domain) = contract.domain().filter(|domain| *domain != ASK_DOMAIN) else {
            continue;
        };
        all.add(contract);
        domains.entry(domain.to_owned()).or_default().add(contract);
    }
    let Counts { total, implemented, not_configured } = all;
    Ok((StatusCode::OK, Json(Coverage { total, implemented, not_configured, domains })))
}

/// A call of a tool.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewCall {
    /// Input of the call. It must fit the tool's `input_schema`.
    #[schema(value_type = Object)]
    input: Value,
    /// Idempotency key of the call. For a keyed tool, a later call with the same key and input gets a
    /// receipt of its own with the earlier result.
    idempotency_key: Option<String>,
    /// Id of the request that the call works on, for tools of the church.
    request_id: Option<RequestId>,
    /// Whether the client approves exactly this call, which only a supervisor or an admin may. Without, a
    /// call of risk T2 or above waits for an approval.
    #[serde(default)]
    explicit_approval: bool,
}

/// Query parameters of a call.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CallQuery {
    /// How long to wait for the receipt, such as `30s`; at most `60s`.
    #[param(default = "10s")]
    wait: Option<String>,
}

impl CallQuery {
    /// Returns how long to wait, at most [`WAIT_MAX`].
    fn duration(&self) -> Result<Duration, ProblemDocument> {
        let Some(text) = &self.wait else { return Ok(WAIT_DEFAULT) };
        let span = text.parse::<Span>();
        let span = span.map_err(|e| ProblemDocument::schema(format!("`wait`: {e}")))?;
        Ok(Duration::from_millis(millis(span)).min(WAIT_MAX))
    }
}

/// How a call is made: how long its caller waits, and who the caller is.
pub(super) struct CallTerms {
    wait: Duration,
    role: Role,
}

impl<S: Send + Sync> FromRequestParts<S> for CallTerms {
    type Rejection = ProblemDocument;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let Query(query) = Query::<CallQuery>::from_request_parts(parts, state).await?;
        let role = parts.extensions.get::<Role>().copied().unwrap_or(Role::Viewer);
        Ok(Self { wait: query.duration()?, role })
    }
}

/// The answer to a call: its receipt, or the call if it is not finished yet.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum CallAnswer {
    /// The receipt of the finished call.
    Receipt(Value),
    /// The call that is not finished.
    Call(CallView),
}

/// Calls a tool.
///
/// The call is carried out by any worker, also after a crash, and has exactly one receipt. A call that does
/// not finish in time goes on: `GET /v1/calls/{id}` shows it. A call that needs an approval is answered at once
/// with the `approval_id`, and is carried out when somebody approves it. A call that fails is answered with its
/// receipt too, whose `status` and `error` say why.
#[utoipa::path(
    post, path = "/v1/tools/{name}/calls", tag = "tools", operation_id = "call_tool",
    params(("name" = String, Path, description = "Name of the tool.", example = "search_people"), CallQuery),
    request_body = NewCall,
    responses(
        (status = 200, body = Receipt, description = "The receipt of the call."),
        (status = 202, body = CallView, description = "The call, which is not finished yet, or waits for an approval.")
    ),
    extensions(("x-problem-codes" = json!([
        "unknown_tool", "not_callable", "domain_disabled", "args_invalid", "quality_gate_failed", "goal_invalid", "key_too_long", "request_unknown"
    ])))
)]
pub(super) async fn call(
    State(app): State<App>,
    KeyedTenant { tenant, key }: KeyedTenant,
    Path(name): Path<String>,
    CallTerms { wait, role }: CallTerms,
    Body(new): Body<NewCall>,
) -> ApiResult<CallAnswer> {
    if new.explicit_approval && !role.may_consent() {
        let detail = format!("a client with the role `{role}` cannot approve a call");
        let hint = "leave `explicit_approval` out; the call then waits for a supervisor";
        return Err(ProblemDocument::new(403, "forbidden", detail).with_hint(hint));
    }
    let call = ToolCall {
        tool: name,
        input: new.input,
        key: new.idempotency_key,
        request_key: key.text(),
        request: new.request_id,
        consented: new.explicit_approval,
    };
    let id = app.engine.call_tool(&tenant, call).await?;
    let mut call = app.engine.wait_for_call(&tenant, id, wait).await?;
    Ok(match call.receipt.take() {
        Some(receipt) => (StatusCode::OK, Json(CallAnswer::Receipt(receipt))),
        None => (StatusCode::ACCEPTED, Json(CallAnswer::Call(call))),
    })
}

/// Returns a call, and its receipt once it is finished.
#[utoipa::path(
    get, path = "/v1/calls/{id}", tag = "tools", operation_id = "get_call",
    params(("id" = CallId, Path, description = "The call.")),
    responses((status = 200, body = CallView, description = "The call.")),
    extensions(("x-problem-codes" = json!(["unknown_call"])))
)]
pub(super) async fn show_call(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<CallId>,
) -> ApiResult<CallView> {
    Ok((StatusCode::OK, Json(app.engine.call(&tenant, id).await?)))
}

/// Query parameters of the list of receipts.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ReceiptList {
    /// List only receipts of this tool.
    tool: Option<String>,
    /// List only receipts with this status.
    status: Option<ReceiptStatus>,
    #[serde(flatten)]
    #[param(ignore)]
    paging: Paging,
}

/// Lists receipts, newest first.
#[utoipa::path(
    get, path = "/v1/receipts", tag = "tools", operation_id = "list_all_receipts",
    params(ReceiptList, Paging),
    responses((status = 200, body = Page<Receipt>, description = "A page of receipts.")),
    extensions(("x-problem-codes" = json!(["invalid_cursor"])))
)]
pub(super) async fn receipts(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(query): Query<ReceiptList>,
) -> ApiResult<Page<Value>> {
    let before = query.paging.after()?;
    let limit = query.paging.limit;
    let query = ReceiptQuery { tool: query.tool, status: query.status, before, limit };
    Ok((StatusCode::OK, Json(app.engine.receipt_log(&tenant, &query).await?)))
}
