//! The routes, one file a noun.

mod capacities;
mod clock;
mod contracts;
mod events;
mod health;
mod inbox;
mod kb;
mod messages;
mod methods;
mod overview;
mod people;
mod requests;
mod runs;
mod schedules;
mod tenants;
#[cfg(test)]
mod tests;
mod upgrades;

use axum::Router;
use axum::routing::{delete, get, post, put};

use super::App;

/// Every route. What is only there with a virtual clock is a 404 without.
pub(super) fn all(app: App) -> Router {
    Router::new()
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics))
        .route("/v1/people", get(people::list).post(people::put))
        .route("/v1/people/{id}", get(people::show))
        .route("/v1/seed", post(people::seed))
        .route("/v1/requests", get(requests::list).post(requests::create))
        .route("/v1/requests/{id}", get(requests::show).patch(requests::change))
        .route("/v1/requests/{id}/cancel", post(requests::cancel))
        .route("/v1/capacities", get(capacities::list))
        .route("/v1/capacities/{key}", put(capacities::set))
        .route("/v1/inbox", get(inbox::list))
        .route("/v1/inbox/{id}", get(inbox::show))
        .route("/v1/inbox/{id}/close", post(inbox::close))
        .route("/v1/kb", get(kb::list))
        .route("/v1/kb/{id}", put(kb::put).delete(kb::retire))
        .route("/v1/schedules", get(schedules::list).post(schedules::add))
        .route("/v1/schedules/{id}", delete(schedules::remove))
        .route("/v1/tenants", get(tenants::list))
        .route("/v1/tenants/{id}", get(tenants::show).patch(tenants::change))
        .route("/v1/tenants/{id}/resume-preview", get(tenants::preview))
        .route("/v1/contracts/check", post(contracts::check))
        .route("/v1/methods/check", post(methods::check))
        .route("/v1/methods", get(methods::list).post(methods::publish))
        .route("/v1/methods/{name}", get(methods::show))
        .route("/v1/methods/{name}/graph", get(methods::graph))
        .route("/v1/methods/{name}/diff", get(methods::diff))
        .route("/v1/methods/{name}/upgrade", post(upgrades::all))
        .route("/v1/methods/{name}/rollback", post(methods::roll_back))
        .route("/v1/methods/{name}/versions", get(methods::versions))
        .route("/v1/methods/{name}/versions/{version}", get(methods::text).delete(methods::delete))
        .route("/v1/runs", get(runs::list).post(runs::start))
        .route("/v1/runs/{id}", get(runs::show))
        .route("/v1/runs/{id}/receipts", get(runs::receipts))
        .route("/v1/runs/{id}/events", get(runs::events))
        .route("/v1/runs/{id}/messages", get(runs::messages))
        .route("/v1/runs/{id}/graph.svg", get(runs::picture))
        .route("/v1/runs/{id}/explain", get(runs::explain))
        .route("/v1/runs/{id}/graph", get(runs::graph))
        .route("/v1/runs/{id}/signal", post(runs::signal))
        .route("/v1/runs/{id}/cancel", post(runs::cancel))
        .route("/v1/runs/{id}/pause", post(runs::pause))
        .route("/v1/runs/{id}/resume", post(runs::resume))
        .route("/v1/runs/{id}/retry", post(runs::retry))
        .route("/v1/runs/{id}/upgrade", post(upgrades::one))
        .route("/v1/runs/{id}/upgrade/undo", post(upgrades::undo_run))
        .route("/v1/upgrades/{id}", get(upgrades::show))
        .route("/v1/upgrades/{id}/undo", post(upgrades::undo))
        .route("/v1/runs/{id}/skip", post(runs::skip))
        .route("/v1/runs/{id}/fork", post(runs::fork))
        .route("/v1/messages", get(messages::list))
        .route("/v1/messages/inbound", post(messages::receive))
        .route("/v1/events", get(events::list))
        .route("/v1/audit", get(events::audit))
        .route("/v1/overview", get(overview::show))
        .route("/v1/clock", get(clock::show))
        .route("/v1/clock/advance", post(clock::advance))
        .with_state(app)
}
