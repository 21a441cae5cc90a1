//! Lists and sets capacities: the total amount of each resource that runs can reserve.

use abide_engine::base::Problem;
use abide_engine::domain::DomainContext;
use abide_engine::store::Tx;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{Page, tenant_ledger};
use crate::data;
use crate::data::capacity::Capacity;
use crate::event::ChurchEventKind;

/// Maximum length of a capacity's key, in characters.
const KEY_CHARS_MAX: usize = 100;
/// Maximum total of a capacity: more than a church has of any resource.
const TOTAL_MAX: i64 = 1_000_000_000;
/// Maximum number of capacities of one tenant. [`list`] returns all capacities on one page,
/// so their number must be limited.
const KEYS_MAX: usize = 1_000;

/// A new total for a capacity.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCapacity {
    /// The total amount of the resource: 0 or more.
    pub total: i64,
}

/// A capacity as the API shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct CapacityView {
    /// The name of the resource.
    pub key: String,
    /// The total amount of the resource.
    pub total: i64,
    /// The amount that is reserved. Exceeds `total` if staff lowered the total below the reserved amount.
    pub used: i64,
    /// The amount that can still be reserved.
    pub free: i64,
}

impl From<Capacity> for CapacityView {
    fn from(capacity: Capacity) -> Self {
        let Capacity { key, total, used } = capacity;
        Self { key, total, used, free: (total - used).max(0) }
    }
}

/// Lists all capacities of the tenant, sorted by key.
///
/// # Errors
/// Returns errors from the store.
pub fn list<'a>(
    tx: &'a mut Tx,
    cx: &'a DomainContext<'a>,
) -> BoxFuture<'a, Result<Page<CapacityView>, Problem>> {
    Box::pin(async move {
        let found = data::capacity::list(tx, cx.tenant).await?;
        Ok(Page { items: found.into_iter().map(CapacityView::from).collect(), next_cursor: None })
    })
}

/// Sets the total of a capacity, and adds the capacity if it is new.
/// Keeps all reservations, even if they exceed the new total.
///
/// # Errors
/// `invalid_capacity` if the key or the total is out of bounds, or the tenant has too many keys.
pub fn set<'a>(
    tx: &'a mut Tx,
    cx: &'a DomainContext<'a>,
    key: &'a str,
    new: &'a NewCapacity,
) -> BoxFuture<'a, Result<CapacityView, Problem>> {
    Box::pin(async move {
        let fits = !key.trim().is_empty() && key.chars().count() <= KEY_CHARS_MAX;
        if !fits || key.chars().any(char::is_control) {
            return Err(invalid(format!("`key` is not 1 to {KEY_CHARS_MAX} printable characters")));
        }
        if !(0..=TOTAL_MAX).contains(&new.total) {
            return Err(invalid(format!("`total` is not a whole number from 0 to {TOTAL_MAX}")));
        }
        let stream = tenant_ledger::lock(tx, cx.tenant).await?;
        let known = data::capacity::lock(tx, cx.tenant, key).await?;
        if known.is_none() && data::capacity::list(tx, cx.tenant).await?.len() >= KEYS_MAX {
            return Err(invalid(format!("the tenant already has {KEYS_MAX} keys")));
        }
        let was = known.as_ref().map(|known| known.total);
        if was != Some(new.total) {
            data::capacity::set(tx, cx.tenant, key, new.total, cx.now).await?;
            let body = json!({"key": key, "was": was, "total": new.total});
            tenant_ledger::log(tx, stream, ChurchEventKind::CapacitySet, body)?;
        }
        let used = known.map_or(0, |known| known.used);
        Ok(Capacity { key: key.to_owned(), total: new.total, used }.into())
    })
}

fn invalid(message: impl Into<String>) -> Problem {
    Problem::caller("invalid_capacity", message)
}
