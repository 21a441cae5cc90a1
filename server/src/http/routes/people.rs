//! Routes of the directory of people.

use abide_engine::base::{PersonId, limits};
use abide_engine::facade::{Direction, ErasureReport, MessageFilter, MessageView, Page};
use abide_simulator::domains;
use abide_verbs::api::people::{self, PeopleQuery, PersonInput, PersonRecord, PersonView};
use abide_verbs::api::phone::e164;
use abide_verbs::data::person::record::{OfferRecord, PlaceRecord, QuestionRecord};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Id, Query, phone_in_query};
use crate::http::guard::Tenant;
use crate::http::idempotency::IdempotencyKey;
use crate::http::page::Paging;
use crate::problem::ProblemDocument;

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

/// Everything that is stored about a person.
#[derive(Serialize, ToSchema)]
pub(super) struct PersonExport {
    /// The entry in the directory, with consent and opt-out.
    person: PersonView,
    /// What the person was offered.
    offers: Vec<OfferRecord>,
    /// What the person took on.
    places: Vec<PlaceRecord>,
    /// What the person was asked besides.
    questions: Vec<QuestionRecord>,
    /// The messages from and to the person's phone number, the newest first. If other people have the same number, it
    /// is not known which messages are theirs.
    messages: Vec<MessageView>,
}

/// Returns everything that is stored about a person.
#[utoipa::path(
    get, path = "/v1/people/{id}/export", tag = "people", operation_id = "export_person",
    params(("id" = PersonId, Path, description = "The person.")),
    responses((status = 200, body = PersonExport, description = "What is stored about the person.")),
    extensions(("x-problem-codes" = json!(["person_unknown"])))
)]
pub(super) async fn export(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<PersonId>,
) -> ApiResult<PersonExport> {
    let input = (tenant.clone(), id);
    let (_, Json(record)) =
        app.read(input, |tx, (tenant, id)| Box::pin(people::record(tx, tenant, *id))).await?;
    let mut messages = Vec::new();
    for direction in [Direction::Outbound, Direction::Inbound] {
        messages.extend(all_messages(&app, &tenant, &record.person.phone, direction).await?);
    }
    messages.sort_by_key(|message| std::cmp::Reverse(message.id));
    let PersonRecord { person, offers, places, questions } = record;
    Ok((StatusCode::OK, Json(PersonExport { person, offers, places, questions, messages })))
}

/// Returns all messages of a number in one direction.
async fn all_messages(
    app: &App,
    tenant: &str,
    phone: &str,
    direction: Direction,
) -> Result<Vec<MessageView>, ProblemDocument> {
    let number = Some(phone.to_owned());
    let (to, from) = match direction {
        Direction::Outbound => (number, None),
        Direction::Inbound => (None, number),
    };
    let direction = Some(direction);
    let mut filter =
        MessageFilter { to, from, direction, limit: limits::PAGE_MAX, ..MessageFilter::default() };
    let mut all = Vec::new();
    loop {
        let page = app.engine.messages(tenant, &filter).await?;
        all.extend(page.items);
        match all.last() {
            Some(last) if page.next_cursor.is_some() => filter.before = Some(last.id),
            _ => return Ok(all),
        }
    }
}

/// Erases a person: their name, number and words, everywhere.
///
/// Open invitations are withdrawn, and places at coming services become free. Counts stay, and so does the order to send
/// no more texts to a number that has opted out. The answer comes when nothing is left. It cannot be undone.
#[utoipa::path(
    delete, path = "/v1/people/{id}", tag = "people", operation_id = "erase_person",
    params(("id" = PersonId, Path, description = "The person.")),
    responses((status = 200, body = ErasureReport, description = "What was erased.")),
    extensions(("x-problem-codes" = json!(["person_unknown", "erasure_unfinished"])))
)]
pub(super) async fn erase(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<PersonId>,
    key: IdempotencyKey,
) -> ApiResult<ErasureReport> {
    let report = app.engine.erase_person(&tenant, id, domains::text_tables()).await?;
    app.write_once(key, StatusCode::OK, report, |_, report| {
        Box::pin(async move { Ok(report.clone()) })
    })
    .await
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
