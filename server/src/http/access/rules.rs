//! The rule of each route.

use super::rule::{Access, FullAnswer, RouteRule};
use crate::role::Role;

const fn rule(method: &'static str, path: &'static str, access: Access) -> RouteRule {
    RouteRule::new(method, path, access)
}

/// The route answers with events, which are redacted unless the client asks for them in full.
const fn of_events(rule: RouteRule) -> RouteRule {
    RouteRule { full_answer: FullAnswer::OnRequest, ..rule }
}

const OPEN: Access = Access::Open;
const VIEWER: Access = Access::Least(Role::Viewer);
const STAFF: Access = Access::Least(Role::Staff);
const SUPERVISOR: Access = Access::Least(Role::Supervisor);
const ADMIN: Access = Access::Least(Role::Admin);
const OPERATOR: Access = Access::Operator;

/// The rules of all routes, in the order in which the routes are registered.
///
/// Reads are for viewers. Staff do the daily work. Supervisors decide what others rely on, such as facts,
/// services and capacities. Admins change the tenant itself, and which methods and versions its runs use.
pub(in crate::http) const RULES: &[RouteRule] = &[
    rule("GET", "/healthz", OPEN),
    rule("GET", "/readyz", OPEN),
    rule("GET", "/openapi.json", OPEN),
    // The figures of the process are those of all tenants.
    rule("GET", "/metrics", OPERATOR),
    rule("GET", "/v1/people", VIEWER),
    rule("POST", "/v1/people", STAFF),
    rule("GET", "/v1/people/{id}", VIEWER),
    rule("DELETE", "/v1/people/{id}", ADMIN),
    rule("GET", "/v1/people/{id}/export", ADMIN),
    // A demo fills the tenant with people who do not exist, and sets its region.
    rule("POST", "/v1/seed", ADMIN),
    rule("GET", "/v1/requests", VIEWER),
    rule("POST", "/v1/requests", STAFF),
    rule("GET", "/v1/requests/{id}", VIEWER),
    rule("PATCH", "/v1/requests/{id}", STAFF),
    rule("POST", "/v1/requests/{id}/cancel", STAFF),
    rule("GET", "/v1/capacities", VIEWER),
    rule("PUT", "/v1/capacities/{key}", SUPERVISOR),
    rule("GET", "/v1/approvals", VIEWER),
    rule("GET", "/v1/approvals/{id}", VIEWER),
    rule("POST", "/v1/approvals/{id}", SUPERVISOR),
    rule("GET", "/v1/inbox", VIEWER),
    rule("GET", "/v1/inbox/{id}", VIEWER),
    rule("POST", "/v1/inbox/{id}/answer", STAFF),
    rule("POST", "/v1/inbox/{id}/assign", STAFF),
    rule("POST", "/v1/inbox/{id}/take-over", STAFF),
    rule("POST", "/v1/inbox/{id}/hand-back", STAFF),
    rule("POST", "/v1/inbox/{id}/close", STAFF),
    rule("GET", "/v1/kb", VIEWER),
    rule("PUT", "/v1/kb/{id}", SUPERVISOR),
    rule("DELETE", "/v1/kb/{id}", SUPERVISOR),
    rule("GET", "/v1/services", VIEWER),
    rule("POST", "/v1/services", SUPERVISOR),
    rule("DELETE", "/v1/services/{name}", SUPERVISOR),
    rule("GET", "/v1/schedules", VIEWER),
    rule("POST", "/v1/schedules", ADMIN),
    rule("DELETE", "/v1/schedules/{id}", ADMIN),
    rule("GET", "/v1/tenants", VIEWER),
    rule("GET", "/v1/tenants/{id}", VIEWER),
    rule("PATCH", "/v1/tenants/{id}", ADMIN),
    rule("GET", "/v1/tenants/{id}/resume-preview", VIEWER),
    rule("GET", "/v1/tenants/{id}/shadow-report", VIEWER),
    rule("GET", "/v1/tokens", ADMIN),
    rule("POST", "/v1/tokens", ADMIN),
    rule("DELETE", "/v1/tokens/{id}", ADMIN),
    // The two checks change nothing, but they take time and are needed only to write content.
    rule("POST", "/v1/contracts/check", STAFF),
    rule("POST", "/v1/methods/check", STAFF),
    rule("GET", "/v1/methods", VIEWER),
    rule("POST", "/v1/methods", ADMIN),
    rule("GET", "/v1/methods/{name}", VIEWER),
    rule("GET", "/v1/methods/{name}/graph", VIEWER),
    rule("GET", "/v1/methods/{name}/diff", VIEWER),
    rule("POST", "/v1/methods/{name}/rollback", ADMIN),
    rule("GET", "/v1/methods/{name}/versions", VIEWER),
    rule("GET", "/v1/methods/{name}/versions/{version}", VIEWER),
    rule("DELETE", "/v1/methods/{name}/versions/{version}", ADMIN),
    rule("POST", "/v1/methods/{name}/upgrade", ADMIN),
    rule("POST", "/v1/runs/{id}/upgrade", ADMIN),
    rule("POST", "/v1/runs/{id}/upgrade/undo", ADMIN),
    rule("GET", "/v1/upgrades/{id}", VIEWER),
    rule("POST", "/v1/upgrades/{id}/undo", ADMIN),
    rule("GET", "/v1/runs", VIEWER),
    rule("POST", "/v1/runs", STAFF),
    rule("GET", "/v1/runs/{id}", VIEWER),
    rule("GET", "/v1/runs/{id}/receipts", VIEWER),
    of_events(rule("GET", "/v1/runs/{id}/events", VIEWER)),
    rule("GET", "/v1/runs/{id}/messages", VIEWER),
    rule("GET", "/v1/runs/{id}/explain", VIEWER),
    rule("GET", "/v1/runs/{id}/graph", VIEWER),
    rule("GET", "/v1/runs/{id}/graph.svg", VIEWER),
    rule("POST", "/v1/runs/{id}/signal", STAFF),
    rule("POST", "/v1/runs/{id}/cancel", STAFF),
    rule("POST", "/v1/runs/{id}/pause", STAFF),
    rule("POST", "/v1/runs/{id}/resume", STAFF),
    rule("POST", "/v1/runs/{id}/retry", STAFF),
    rule("POST", "/v1/runs/{id}/skip", STAFF),
    rule("POST", "/v1/runs/{id}/fork", STAFF),
    rule("GET", "/v1/tools", VIEWER),
    rule("GET", "/v1/tools/coverage", VIEWER),
    rule("GET", "/v1/tools/{name}", VIEWER),
    // The gates decide about each call: what needs an approval is not done on the word of staff.
    rule("POST", "/v1/tools/{name}/calls", STAFF),
    // Goals contain the words of people.
    rule("GET", "/v1/goals", STAFF),
    rule("GET", "/v1/goals/journal", STAFF),
    // How reliably a person answers is nothing for everybody.
    rule("GET", "/v1/insights", STAFF),
    rule("POST", "/v1/ask", STAFF),
    rule("POST", "/v1/ask/replay", STAFF),
    rule("POST", "/v1/operator", STAFF),
    rule("GET", "/v1/operator/{id}", STAFF),
    rule("POST", "/v1/operator/{id}/rollback", STAFF),
    rule("GET", "/v1/calls/{id}", VIEWER),
    // The server of a tool calls this route with the token of the call.
    rule("POST", "/v1/calls/{id}/complete", OPEN),
    rule("GET", "/v1/receipts", VIEWER),
    // Nothing can be redacted in the bytes of a file, such as the picture of a house or a letter.
    rule("GET", "/v1/files/{digest}", STAFF),
    rule("POST", "/v1/files", STAFF),
    rule("GET", "/v1/messages", VIEWER),
    rule("POST", "/v1/messages/inbound", STAFF),
    of_events(rule("GET", "/v1/events", VIEWER)),
    of_events(rule("GET", "/v1/events/stream", VIEWER)),
    // An audit reads the events of all tenants.
    rule("GET", "/v1/audit", OPERATOR),
    rule("GET", "/v1/archives", ADMIN),
    rule("POST", "/v1/archives", ADMIN),
    rule("GET", "/v1/overview", VIEWER),
    rule("GET", "/v1/clock", VIEWER),
    rule("POST", "/v1/clock/advance", ADMIN),
];

/// Returns the rule of a route; `None` if it has none.
pub(in crate::http) fn rule_of<'r>(
    rules: &'r [RouteRule],
    method: &str,
    path: &str,
) -> Option<&'r RouteRule> {
    let method = if method == "HEAD" { "GET" } else { method };
    rules.iter().find(|rule| rule.method == method && rule.path == path)
}
