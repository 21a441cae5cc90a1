//! Loads the demo of the trade: the people of the business, who are in the directory that all domains share,
//! and the rows of the trade. The server and the simulator both load it from here.

use std::collections::BTreeMap;

use abide_engine::base::Problem;
use abide_engine::boxed;
use abide_engine::facade::{Engine, TenantChange};
use abide_engine::policy::Region;
use abide_engine::store::Tx;
use abide_engine::transaction;
use abide_trade::demo::{self, DemoContext};
use abide_verbs::api::PageRequest;
use abide_verbs::api::people::{self, PeopleQuery, PersonInput, PersonView};

/// The demo of the trade as loaded into a tenant.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedTrade {
    /// The people of the business, staff first.
    pub people: Vec<PersonView>,
    /// Number of inserted rows by table; empty if the tenant had the demo already.
    pub inserted: BTreeMap<String, u64>,
}

/// Loads the demo of the trade into a tenant. Loading it again changes nothing.
///
/// # Errors
/// Errors from the store.
#[boxed]
pub async fn load_trade(tx: &mut Tx, cx: &DemoContext<'_>) -> Result<LoadedTrade, Problem> {
    tx.ensure_tenant(cx.tenant).await?;
    let team = demo::TEAM.map(|person| PersonInput {
        name: person.name.to_owned(),
        phone: person.phone.to_owned(),
        roles: Some(vec![person.role.to_owned()]),
        ..PersonInput::default()
    });
    let people = people::upsert(tx, cx.tenant, cx.settings.region, cx.now, &team).await?;
    let inserted = demo::seed(tx, cx).await?;
    Ok(LoadedTrade { people, inserted })
}

/// Gives a tenant without people the region and the time zone of the demo's business, so that prices get
/// the tax of Australia. Settings that somebody has chosen stay as they are, and so does a tenant that is
/// in use.
///
/// # Errors
/// Errors from the store, and `unknown_tenant`.
#[boxed]
pub async fn settle_in_australia(engine: &Engine, tenant: &str) -> Result<(), Problem> {
    let task = transaction!([engine = engine.clone(), tenant = tenant.to_owned()], |tx| {
        tx.ensure_tenant(&tenant).await?;
        let anybody = PeopleQuery {
            page: PageRequest { limit: Some(1), ..PageRequest::default() },
            ..PeopleQuery::default()
        };
        if !people::list(tx, &tenant, &anybody).await?.items.is_empty() {
            return Ok(());
        }
        let known = tx.tenant(&tenant).await?.map(|row| row.policy).unwrap_or_default();
        let all = [("region", Region::Au.as_str()), ("time_zone", demo::TIME_ZONE)];
        let missing = all.into_iter().filter(|(name, _)| known.get(name).is_none());
        let settings = missing.map(|(name, value)| (name.to_owned(), value.into())).collect();
        let change = TenantChange { settings: Some(settings), ..TenantChange::default() };
        engine.change_tenant(tx, &tenant, &change).await.map(drop)
    });
    engine.write(task).await?;
    engine.tenant_changed(tenant, &TenantChange::default()).await.map(drop)
}
