//! Routes that start, list, show and control runs.

mod control;
mod show;
mod start;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::App;

/// Returns the routes of runs.
pub(super) fn all() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        .routes(routes!(show::list, start::start))
        .routes(routes!(show::show))
        .routes(routes!(show::receipts))
        .routes(routes!(show::events))
        .routes(routes!(show::messages))
        .routes(routes!(show::explain))
        .routes(routes!(show::graph))
        .routes(routes!(show::picture))
        .routes(routes!(control::signal))
        .routes(routes!(control::cancel))
        .routes(routes!(control::pause))
        .routes(routes!(control::resume))
        .routes(routes!(control::retry))
        .routes(routes!(control::skip))
        .routes(routes!(start::fork))
}
