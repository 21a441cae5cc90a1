//! The description of the API: OpenAPI 3.1, generated from the handlers.
//!
//! A handler declares its own parameters, bodies and problem codes. This module adds what all handlers
//! share: the tenant header, the idempotency key, and the problem codes of the middleware.

mod complete;
#[cfg(test)]
pub(super) mod contract;
mod reference;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use abide_engine::facade::{AuditScope, RunsOfMethod, SchedulesOfMethod};
use abide_engine::ledger::DbWrite;
use axum::http::header;
use axum::response::IntoResponse;
use serde_json::Value;
use utoipa::openapi::OpenApi as Description;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::App;
use crate::problem::ProblemBody;

/// Version of OpenAPI that the description follows.
const OPENAPI: &str = "3.1.0";
/// Name by which the description refers to the scheme of bearer tokens.
const BEARER: &str = "bearer";

/// The parts of the description that belong to no route.
#[derive(OpenApi)]
#[openapi(
    info(title = "abide", description = "Durable workflows: runs of methods, and the people, \
        requests and messages that they work with.\n\n\
        Every refusal is a problem document (RFC 9457) with a stable `code`. A request that changes \
        something takes an `Idempotency-Key`: the same key and body give the same answer again. \
        Lists answer `{items, next_cursor?}` and take `limit` and `cursor`. Times are RFC 3339, durations \
        are texts such as `90s` or `2h 30m`. Optional members are left out, not null."),
    tags(
        (name = "runs", description = "Start, watch and steer runs."),
        (name = "methods", description = "Publish methods and move runs between their versions."),
        (name = "requests", description = "Volunteer requests: which roles a service needs."),
        (name = "people", description = "The directory."),
        (name = "operator", description = "Messages of staff that become plans of calls."),
        (name = "ask", description = "Questions that are answered with what was verified."),
        (name = "goals", description = "What conversations are about."),
        (name = "insights", description = "How often and how soon people answer."),
        (name = "approvals", description = "Calls that a person must decide about."),
        (name = "messages", description = "Messages in and out, and the inbox of staff."),
        (name = "schedules", description = "Start runs at set times."),
        (name = "tools", description = "Tools under contract, calls of tools, and receipts."),
        (name = "files", description = "Files, such as photos and documents, under their digests."),
        (name = "knowledge", description = "Facts that answers are taken from."),
        (name = "services", description = "The weekly services, with what people call them."),
        (name = "capacities", description = "The limited resources that runs reserve."),
        (name = "tenants", description = "Settings and kill switches."),
        (name = "tokens", description = "Tokens with which clients call the API, each with a role: \
            `viewer`, `staff`, `supervisor` or `admin`."),
        (name = "events", description = "The event log and its audit."),
        (name = "clock", description = "The virtual clock of a server with `--clock virtual`."),
        (name = "operation", description = "Health, metrics and this description."),
    ),
    // Schemas of types that occur only as arguments of generic types or in parameters, so that no route names them.
    components(schemas(ProblemBody, AuditScope, DbWrite, RunsOfMethod, SchedulesOfMethod)),
    security(("bearer" = [])),
    modifiers(&BearerScheme),
)]
struct Shared;

/// Adds the scheme of bearer tokens to the description.
struct BearerScheme;

impl Modify for BearerScheme {
    fn modify(&self, description: &mut Description) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some(
                "A token of a tenant, or the key of the server process. An operation names the least role \
                 that its client needs; `operator` stands for who operates the server.",
            ))
            .build();
        let components = description.components.get_or_insert_default();
        components.add_security_scheme(BEARER, SecurityScheme::Http(scheme));
    }
}

/// Returns all routes with their descriptions, including the route that returns the whole description.
pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(Shared::openapi()).merge(super::routes::all()).routes(routes!(show))
}

/// Returns the whole description as JSON.
pub(super) fn document() -> Value {
    let mut document = serde_json::to_value(routes().into_openapi()).unwrap_or_default();
    document["openapi"] = OPENAPI.into();
    complete::complete(&mut document);
    document
}

/// Returns the reference page of the HTTP API in Markdown.
pub(crate) fn reference_page() -> String {
    reference::page(&document())
}

/// Returns the OpenAPI description of this API
///
/// The answer follows OpenAPI 3.1, as JSON.
#[utoipa::path(
    get, path = "/openapi.json", tag = "operation", operation_id = "describe_api",
    responses((status = 200, body = Object, description = "The description of the API."))
)]
pub(super) async fn show() -> impl IntoResponse {
    static DOCUMENT: LazyLock<String> = LazyLock::new(|| document().to_string());
    ([(header::CONTENT_TYPE, "application/json")], DOCUMENT.as_str())
}
