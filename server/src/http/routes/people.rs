//! Routes of the directory of people.

use abide_engine::base::PersonId;
use abide_engine::facade::Page;
use abide_verbs::api::people::{self, PeopleQuery, PersonInput, PersonView};
use abide_verbs::api::phone::e164;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Id, Query, phone_in_query};
use crate::http::guard::Tenant;
use crate::http::idempotency::IdempotencyKey;
use crate::http::page::Paging;

/// Query parameters of the list of people.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// List only people with this role.
    role: Option<String>,
    /// List only people of this campus.
    campus: Option<String>,
    /// List only people whose name contains this string, in upper or lower case.
    q: Option<String>,
    /// List only people with this phone number, in any usual form. Several people may share a number.
    phone: Option<String>,
    #[serde(flatten)]
    #[param(ignore)]
    paging: Paging,
}

/// Lists people, in the order in which they were added.
#[utoipa::path(
    get, path = "/v1/people", tag = "people", operation_id = "list_people",
    params(ListQuery, Paging),
    responses((status = 200, body = Page<PersonView>, description = "A page of people.")),
    extensions(("x-problem-codes" = json!(["invalid_cursor", "invalid_role", "invalid_phone"])))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(query): Query<ListQuery>,
) -> ApiResult<Page<PersonView>> {
    let ListQuery { role, campus, q, phone: number, paging } = query;
    let region = app.engine.settings(&tenant).await?.region;
    let phone = number.map(|number| e164(&phone_in_query(number), region)).transpose()?;
    let query = PeopleQuery { role, campus, q, phone, page: paging.into_request() };
    app.read((tenant, query), |tx, (tenant, query)| Box::pin(people::list(tx, tenant, query))).await
}

/// Returns a person.
#[utoipa::path(
    get, path = "/v1/people/{id}", tag = "people", operation_id = "get_person",
    params(("id" = PersonId, Path, description = "The person.")),
    responses((status = 200, body = PersonView, description = "The person.")),
    extensions(("x-problem-codes" = json!(["person_unknown"])))
)]
pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<PersonId>,
) -> ApiResult<PersonView> {
    app.read((tenant, id), |tx, (tenant, id)| Box::pin(people::get(tx, tenant, *id))).await
}

/// Adds or changes people. If one person is invalid, nobody is stored.
///
/// A person is matched by `id`, else by `external_id`, else by phone and name. The answer lists the people
/// in the order of the request.
#[utoipa::path(
    post, path = "/v1/people", tag = "people", operation_id = "put_people",
    request_body = Vec<PersonInput>,
    responses((status = 200, body = Page<PersonView>, description = "The people as they are now.")),
    extensions(("x-problem-codes" = json!([
        "invalid_person", "invalid_phone", "invalid_role", "person_unknown", "too_many_people"
    ])))
)]
pub(super) async fn put(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    key: IdempotencyKey,
    Body(inputs): Body<Vec<PersonInput>>,
) -> ApiResult<Page<PersonView>> {
    let region = app.engine.settings(&tenant).await?.region;
    let input = (tenant, region, app.engine.now(), inputs);
    app.write_once(key, StatusCode::OK, input, |tx, (tenant, region, now, inputs)| {
        Box::pin(async move {
            let items = people::upsert(tx, tenant, *region, *now, inputs).await?;
            Ok(Page { items, next_cursor: None })
        })
    })
    .await
}
