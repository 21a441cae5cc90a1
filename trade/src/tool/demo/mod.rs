//! The demo of the trade: a plumber and roofer in Melbourne, with which people try out abide and which
//! scenarios use. Documents get their lines, sums and payments from the code of the tools, so that all that
//! holds for rows of calls holds for rows of the demo.

mod office;
mod sales;
mod work;
mod writer;

use std::collections::BTreeMap;

use abide_engine::base::{Problem, Timestamp, TypedId as _};
use abide_engine::boxed;
use abide_engine::policy::Settings;
use abide_engine::store::Tx;

use writer::Writer;

/// Name of the business.
pub const NAME: &str = "Bayside Plumbing and Roofing";
/// Time zone of the business.
pub const TIME_ZONE: &str = "Australia/Melbourne";

/// A person of the demo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DemoPerson {
    /// The first name.
    pub name: &'static str,
    /// The phone number in E.164. All numbers are reserved for fiction.
    pub phone: &'static str,
    /// The role in the business; empty for a lead.
    pub role: &'static str,
}

const fn person(name: &'static str, phone: &'static str, role: &'static str) -> DemoPerson {
    DemoPerson { name, phone, role }
}

/// The people who work for the business, staff first. Mel owns it, and decides about approvals.
pub const TEAM: [DemoPerson; 4] = [
    person("Pat", "+61491570006", "staff"),
    person("Mel", "+61491571804", "supervisor"),
    person("Sam", "+61491570156", "roofer"),
    person("Jess", "+61491570157", "plumber"),
];

/// The leads of the business, one in each stage. Scenarios refer to them by their initials, A to F.
pub const LEADS: [DemoPerson; 6] = [
    person("Amy", "+61491570158", ""),
    person("Bruno", "+61491570159", ""),
    person("Chloe", "+61491570110", ""),
    person("Dev", "+61491570313", ""),
    person("Ella", "+61491570737", ""),
    person("Finn", "+61491571266", ""),
];

/// Where and when the demo is loaded.
#[derive(Debug, Clone, Copy)]
pub struct DemoContext<'a> {
    /// Id of the tenant.
    pub tenant: &'a str,
    /// Time of loading. All times of the demo are relative to it.
    pub now: Timestamp,
    /// Settings of the tenant, whose region decides the tax.
    pub settings: &'a Settings,
}

/// Loads the rows of the demo into a tenant. If the tenant has the demo already, changes nothing, also if
/// somebody has changed the demo since. Returns the number of inserted rows by table.
///
/// # Errors
/// `unknown_tenant`, and errors from the store.
#[boxed]
pub async fn seed(tx: &mut Tx, cx: &DemoContext<'_>) -> Result<BTreeMap<String, u64>, Problem> {
    let Some(row) = tx.tenant(cx.tenant).await? else {
        let message = format!("there is no tenant `{}`", cx.tenant);
        return Err(Problem::caller("unknown_tenant", message));
    };
    // Two processes that load the demo at the same time must not both insert it.
    tx.lock_partitions(cx.tenant, &[row.stream.uuid()]).await?;
    let mut writer = Writer::new(tx, *cx);
    if writer.is_loaded().await? {
        return Ok(BTreeMap::new());
    }
    sales::write(&mut writer).await?;
    work::write(&mut writer).await?;
    office::write(&mut writer).await?;
    Ok(writer.inserted())
}
