//! The route that loads a demo.

use std::collections::BTreeMap;
use std::sync::Arc;

use abide_judgement::obligations::demo as contacts;
use abide_simulator::demo::{load_trade, settle_in_australia};
use abide_simulator::scenario::DemoDirectory;
use abide_trade::demo::{self, DemoContext};
use abide_verbs::api::people::PersonView;
use abide_verbs::api::seed;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::Body;
use crate::http::guard::Tenant;
use crate::http::idempotency::IdempotencyKey;

/// The demo to load.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LoadDemo {
    /// The domain whose demo is loaded; `church` if it is left out.
    domain: Option<DemoDirectory>,
}

/// A demo as loaded into a tenant.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct LoadedDemo {
    /// Name of the church, if the demo is a church.
    #[serde(skip_serializing_if = "Option::is_none")]
    church: Option<&'static str>,
    /// Name of the business, if the demo is one of the trade.
    #[serde(skip_serializing_if = "Option::is_none")]
    business: Option<&'static str>,
    /// The people of the demo, staff first.
    people: Vec<PersonView>,
    /// Number of rows that were added, by table, such as leads and invoices. Empty for a church, and if the
    /// tenant had the demo of the trade already.
    rows: BTreeMap<String, u64>,
}

/// Loads the demo church, or the demo of the trade.
///
/// Loading a demo again changes nothing. The demo of the trade is a plumber and roofer in Australia. A
/// tenant without people gets that region and time zone, unless its settings name others.
#[utoipa::path(
    post, path = "/v1/seed", tag = "people", operation_id = "load_demo",
    request_body = LoadDemo,
    responses((status = 200, body = LoadedDemo, description = "The demo and its people."))
)]
pub(super) async fn load(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    key: IdempotencyKey,
    Body(LoadDemo { domain }): Body<LoadDemo>,
) -> ApiResult<LoadedDemo> {
    match domain.unwrap_or(DemoDirectory::Church) {
        DemoDirectory::Church => load_church(app, tenant, key).await,
        DemoDirectory::Trade => load_business(app, tenant, key).await,
    }
}

async fn load_church(app: App, tenant: Arc<str>, key: IdempotencyKey) -> ApiResult<LoadedDemo> {
    let input = (tenant, app.engine.now());
    app.write_once(key, StatusCode::OK, input, |tx, (tenant, now)| {
        Box::pin(async move {
            let people = seed::seed(tx, tenant, *now).await?.people;
            contacts::load(tx, tenant).await?;
            let rows = BTreeMap::new();
            Ok(LoadedDemo { church: Some(seed::NAME), business: None, people, rows })
        })
    })
    .await
}

async fn load_business(app: App, tenant: Arc<str>, key: IdempotencyKey) -> ApiResult<LoadedDemo> {
    settle_in_australia(&app.engine, &tenant).await?;
    let settings = app.engine.settings(&tenant).await?;
    let input = (tenant, app.engine.now(), settings);
    app.write_once(key, StatusCode::OK, input, |tx, (tenant, now, settings)| {
        Box::pin(async move {
            let loaded = load_trade(tx, &DemoContext { tenant, now: *now, settings }).await?;
            let (people, rows) = (loaded.people, loaded.inserted);
            Ok(LoadedDemo { church: None, business: Some(demo::NAME), people, rows })
        })
    })
    .await
}
