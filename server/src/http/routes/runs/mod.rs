//! Runs: started, listed, shown, steered.

mod show;
mod start;
mod steer;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::App;

/// The routes of runs.
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
        .routes(routes!(steer::signal))
        .routes(routes!(steer::cancel))
        .routes(routes!(steer::pause))
        .routes(routes!(steer::resume))
        .routes(routes!(steer::retry))
        .routes(routes!(steer::skip))
        .routes(routes!(start::fork))
}
