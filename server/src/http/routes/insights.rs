//! The route that says how often and how soon people answer.

use abide_engine::base::Problem;
use abide_engine::policy::Region;
use abide_engine::response::InsightPage;
use abide_engine::store::Tx;
use abide_engine::words;
use abide_trade::insights::{self as trade, PartyKind, PartyQuery};
use abide_verbs::api::{PageRequest, insights as church};
use axum::extract::State;
use futures_util::FutureExt as _;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::Query;
use crate::http::guard::Tenant;
use crate::http::page::Paging;

words! {
    /// Whose answers are measured.
    pub enum InsightSubject {
        /// People of the directory, when they get offers.
        People = "people",
        /// Customers, when they get texts and quotes.
        Customers = "customers",
        /// Leads, when they get texts and quotes.
        Leads = "leads",
        /// Suppliers, when they get texts: entities of the type `supplier` with a `phone` in their data.
        Suppliers = "suppliers",
    }
}

/// Query parameters of the insights.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct InsightsQuery {
    /// Whose answers are measured; `people` if left out.
    #[param(inline)]
    of: Option<InsightSubject>,
    #[serde(flatten)]
    #[param(ignore)]
    paging: Paging,
}

/// Says how often and how soon people answer when they are asked.
///
/// The figures are measured from the latest 20 offers to each person, or texts and quotes to each customer, of the last
/// 400 days. They change nobody's consent: who has opted out is not asked, however well they answer.
#[utoipa::path(
    get, path = "/v1/insights", tag = "insights", operation_id = "get_insights",
    params(InsightsQuery, Paging),
    responses((status = 200, body = InsightPage, description = "A page of those who were asked.")),
    extensions(("x-problem-codes" = json!(["invalid_cursor"])))
)]
pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(InsightsQuery { of, paging }): Query<InsightsQuery>,
) -> ApiResult<InsightPage> {
    let region = app.engine.settings(&tenant).await?.region;
    let subject = of.unwrap_or(InsightSubject::People);
    let wanted = Wanted { tenant: tenant.to_string(), subject, region, page: paging };
    app.read(wanted, |tx, wanted| wanted.read(tx).boxed()).await
}

/// What a client wants to know.
struct Wanted {
    tenant: String,
    subject: InsightSubject,
    region: Region,
    page: Paging,
}

impl Wanted {
    async fn read(&self, tx: &mut Tx) -> Result<InsightPage, Problem> {
        let now = tx.now();
        let kind = match self.subject {
            InsightSubject::People => {
                let page: PageRequest = self.page.clone().into_request();
                return church::people(tx, &self.tenant, now, &page).await;
            }
            InsightSubject::Customers => PartyKind::Customers,
            InsightSubject::Leads => PartyKind::Leads,
            InsightSubject::Suppliers => PartyKind::Suppliers,
        };
        let query = PartyQuery {
            tenant: self.tenant.clone(),
            kind,
            region: self.region,
            after: self.page.cursor.clone(),
            limit: self.page.limit,
        };
        trade::insights(tx, &query, now).await
    }
}
