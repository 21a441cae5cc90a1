//! The routes, one file per resource.

mod approvals;
mod archives;
mod ask;
mod capacities;
mod clock;
mod completions;
mod contracts;
mod demo;
mod event_stream;
mod events;
mod files;
mod goals;
mod health;
mod inbox;
mod insights;
mod kb;
mod messages;
mod methods;
mod operator;
mod overview;
mod people;
mod requests;
mod runs;
mod schedules;
mod services;
mod tenants;
#[cfg(test)]
mod tests;
mod tokens;
mod tools;
mod upgrades;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::App;

/// Returns every route with its description.
/// On a server with the real clock, the routes of the virtual clock answer 404.
pub(super) fn all() -> OpenApiRouter<App> {
    judgement()
        .routes(routes!(health::alive))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
        .routes(routes!(people::list, people::put))
        .routes(routes!(people::show, people::erase))
        .routes(routes!(people::export))
        .routes(routes!(demo::load))
        .routes(routes!(requests::list, requests::create))
        .routes(routes!(requests::show, requests::change))
        .routes(routes!(requests::cancel))
        .routes(routes!(capacities::list))
        .routes(routes!(capacities::set))
        .routes(routes!(approvals::list))
        .routes(routes!(approvals::show, approvals::decide))
        .routes(routes!(inbox::list))
        .routes(routes!(inbox::show))
        .routes(routes!(inbox::answer))
        .routes(routes!(inbox::assign))
        .routes(routes!(inbox::take_over))
        .routes(routes!(inbox::hand_back))
        .routes(routes!(inbox::close))
        .routes(routes!(kb::list))
        .routes(routes!(kb::put, kb::retire))
        .routes(routes!(services::list, services::put))
        .routes(routes!(services::remove))
        .routes(routes!(schedules::list, schedules::add))
        .routes(routes!(schedules::remove))
        .routes(routes!(tenants::list))
        .routes(routes!(tenants::show, tenants::change))
        .routes(routes!(tenants::preview))
        .routes(routes!(tenants::shadow_report))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
        .routes(routes!(contracts::check))
        .routes(routes!(methods::check))
        .routes(routes!(methods::list, methods::publish))
        .routes(routes!(methods::show))
        .routes(routes!(methods::graph))
        .routes(routes!(methods::diff))
        .routes(routes!(methods::roll_back))
        .routes(routes!(methods::versions))
        .routes(routes!(methods::text, methods::delete))
        .routes(routes!(upgrades::all))
        .routes(routes!(upgrades::one))
        .routes(routes!(upgrades::undo_run))
        .routes(routes!(upgrades::show))
        .routes(routes!(upgrades::undo))
        .merge(runs::all())
        .routes(routes!(tools::list))
        .routes(routes!(tools::coverage))
        .routes(routes!(tools::show))
        .routes(routes!(tools::call))
        .routes(routes!(tools::show_call))
        .routes(routes!(completions::complete))
        .routes(routes!(tools::receipts))
        .routes(routes!(files::put))
        .routes(routes!(files::show))
        .routes(routes!(messages::list))
        .routes(routes!(messages::receive))
        .routes(routes!(events::list))
        .routes(routes!(event_stream::stream))
        .routes(routes!(events::audit))
        .routes(routes!(archives::list, archives::create))
        .routes(routes!(overview::show))
        .routes(routes!(clock::show))
        .routes(routes!(clock::advance))
}

/// Returns the routes of the operator, of questions, of goals and of how people answer.
fn judgement() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(goals::list))
        .routes(routes!(goals::journal))
        .routes(routes!(insights::show))
        .routes(routes!(ask::ask))
        .routes(routes!(ask::replay_trace))
        .routes(routes!(operator::ask))
        .routes(routes!(operator::show))
        .routes(routes!(operator::roll_back))
}
