//! Shows and changes tenants: their settings and their kill switch.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::engine::Engine;
use super::runs::{Page, page_length};
use super::switch;
use crate::base::{Problem, TypedId as _, Value};
use crate::boxed;
use crate::driver::Core;
use crate::ledger::EventKind;
use crate::policy::{Region, Settings};
use crate::store::{About, RunFilter, SwitchPhase, TenantJob, TenantRow, Tx};
use crate::transaction;

/// A tenant.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct TenantView {
    /// Id of the tenant, which names it in the API.
    pub id: String,
    /// Whether the kill switch is on. While it is on, nothing is sent and no timer fires.
    pub paused: bool,
    /// Whether the tenant is in shadow mode: its new runs are shadow runs, and nothing is sent.
    pub shadow: bool,
    /// Country whose rules apply, if the tenant has set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// Name with which the tenant's messages are signed, if the tenant has set one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Domains that apply, if the tenant has set them; otherwise all domains of the program apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    pub domains: Option<Value>,
    /// Settings of the tenant that override those of the process.
    #[schema(value_type = Object)]
    pub settings: Value,
    /// Version of the tenant, which grows with every change.
    /// A change may name the version that it is based on.
    pub version: i64,
    /// Progress of turning the kill switch on or off; absent if that is finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch: Option<SwitchView>,
}

/// The progress of turning the kill switch on or off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SwitchView {
    /// Current phase: `holding` (runs are being held), `permitting` (queued messages
    /// are being permitted again) or `freeing` (held runs are being freed).
    pub phase: SwitchPhase,
    /// Time at which the switch was turned (RFC 3339).
    #[schema(format = DateTime)]
    pub since: String,
    /// Number of messages permitted so far.
    pub sends: i64,
    /// Number of runs held or freed so far.
    pub runs: i64,
}

/// A change of a tenant. Absent members are not changed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TenantChange {
    /// Name with which the tenant's messages are signed: the same as the setting `name`.
    pub name: Option<String>,
    /// Whether the kill switch is to be on.
    pub paused: Option<bool>,
    /// Whether the tenant is to be in shadow mode. It can be turned on only while the tenant has no live run.
    pub shadow: Option<bool>,
    /// Country whose rules apply: the same as the setting `region`.
    pub region: Option<Region>,
    /// Domains that apply, such as `["trade"]`: the same as the setting `domains`.
    pub domains: Option<BTreeSet<String>>,
    /// Settings to change. A setting that is null returns to the value of the process.
    pub settings: Option<serde_json::Map<String, Value>>,
    /// Version of the tenant that the change is based on.
    /// If the tenant has another version by now, the change is rejected with `version_conflict`.
    pub version: Option<i64>,
}

impl TenantView {
    fn of(row: TenantRow, job: Option<TenantJob>) -> Self {
        let paused = switch::is_on(&row, job.as_ref());
        let switch = job.map(|job| SwitchView {
            phase: job.phase,
            since: job.since.to_string(),
            sends: job.sends,
            runs: job.runs,
        });
        let TenantRow { id, version, policy, shadow, .. } = row;
        let settings = if policy.is_object() { policy } else { json!({}) };
        let region = settings["region"].as_str().and_then(Region::parse);
        let domains = settings.get("domains").cloned();
        let name = settings["name"].as_str().map(str::to_owned);
        Self { id, paused, shadow, region, name, domains, settings, version, switch }
    }
}

impl Engine {
    /// Returns a tenant.
    ///
    /// # Errors
    /// `unknown_tenant`.
    #[boxed]
    pub async fn tenant(&self, tenant: &str) -> Result<TenantView, Problem> {
        let task = transaction!([tenant = tenant.to_owned()], |tx| tenant_view(tx, &tenant).await);
        self.core.store.read(task).await
    }

    /// Lists the tenants whose id is greater than `after`, sorted by id.
    #[boxed]
    pub async fn tenants(&self, after: &str, limit: usize) -> Result<Page<TenantView>, Problem> {
        let limit = page_length(limit);
        let task = transaction!([after = after.to_owned()], |tx| {
            let most = i64::try_from(limit + 1).unwrap_or(1);
            let mut views = Vec::new();
            for row in tx.tenant_rows(&after, most).await? {
                let job = tx.tenant_job(&row.id).await?;
                views.push(TenantView::of(row, job));
            }
            Ok(views)
        });
        let views = self.core.store.read(task).await?;
        Ok(Page::cut(views, limit, |view: &TenantView| view.id.clone()))
    }

    /// Changes a tenant inside a transaction, and returns the changed tenant.
    /// The caller must call [`Engine::tenant_changed`] after the commit.
    ///
    /// # Errors
    /// `unknown_tenant`, `version_conflict`, `settings_invalid`, `not_configured`; `wrong_state` if shadow
    /// mode is turned on while a run is live.
    #[boxed]
    pub async fn change_tenant(
        &self,
        tx: &mut Tx,
        tenant: &str,
        change: &TenantChange,
    ) -> Result<TenantView, Problem> {
        let stream = find_tenant(tx, tenant).await?.stream;
        tx.lock_partitions(tenant, &[stream.uuid()]).await?;
        let row = find_tenant(tx, tenant).await?;
        if let Some(version) = change.version.filter(|version| *version != row.version) {
            let message = format!("the tenant is no longer at version {version}");
            return Err(Problem::caller("version_conflict", message)
                .with_hint("read the tenant again, then decide"));
        }
        let mut settings = change.settings.clone();
        if let Some(name) = &change.name {
            settings.get_or_insert_default().insert("name".to_owned(), name.as_str().into());
        }
        if let Some(region) = change.region {
            let settings = settings.get_or_insert_default();
            settings.insert("region".to_owned(), region.as_str().into());
        }
        if let Some(domains) = &change.domains {
            settings.get_or_insert_default().insert("domains".to_owned(), json!(domains));
        }
        if let Some(changes) = &settings {
            change_settings(&self.core, tx, &row, changes).await?;
        }
        if let Some(shadow) = change.shadow.filter(|shadow| *shadow != row.shadow) {
            turn_shadow(&self.core, tx, &row, shadow).await?;
        }
        if let Some(paused) = change.paused {
            switch::turn(tx, &row, paused).await?;
        }
        tenant_view(tx, tenant).await
    }

    /// Puts a committed change of a tenant into effect in this process. Returns 0, unless the change
    /// turns the kill switch: then waits until no message of the tenant is about to be sent,
    /// and returns the number of messages that were about to be sent when the switch was turned.
    #[boxed]
    pub async fn tenant_changed(
        &self,
        tenant: &str,
        change: &TenantChange,
    ) -> Result<i64, Problem> {
        self.core.forget_settings(tenant);
        self.core.bells.ring_all();
        match change.paused {
            Some(_) => self.finish_switch(tenant).await,
            None => Ok(0),
        }
    }

    /// Turns shadow mode on or off.
    ///
    /// # Errors
    /// The same errors as [`Engine::change_tenant`].
    #[boxed]
    pub async fn set_tenant_shadow(&self, tenant: &str, shadow: bool) -> Result<(), Problem> {
        let change = TenantChange { shadow: Some(shadow), ..TenantChange::default() };
        self.apply_change(tenant, change).await.map(drop)
    }

    /// Turns the kill switch on or off. While it is on, nothing is sent and no timer fires,
    /// but replies are stored and STOP is obeyed. Returns what [`Engine::tenant_changed`] returns.
    ///
    /// # Errors
    /// The same errors as [`Engine::change_tenant`].
    #[boxed]
    pub async fn set_tenant_paused(&self, tenant: &str, paused: bool) -> Result<i64, Problem> {
        self.apply_change(tenant, TenantChange { paused: Some(paused), ..TenantChange::default() })
            .await
    }

    /// Returns a tenant's settings: the settings of the process, overridden by the tenant's own.
    #[boxed]
    pub async fn settings(&self, tenant: &str) -> Result<Arc<Settings>, Problem> {
        let task = transaction!([core = self.core.clone(), tenant = tenant.to_owned()], |tx| core
            .settings(tx, &tenant)
            .await);
        self.core.store.read(task).await
    }

    /// Changes settings of a tenant. Null removes a setting of the tenant, so that the value
    /// of the process applies again.
    ///
    /// # Errors
    /// The same errors as [`Engine::change_tenant`].
    #[boxed]
    pub async fn set_settings(&self, tenant: &str, changes: &Value) -> Result<(), Problem> {
        let settings = changes.as_object().cloned();
        self.apply_change(tenant, TenantChange { settings, ..TenantChange::default() })
            .await
            .map(drop)
    }

    async fn apply_change(&self, tenant: &str, change: TenantChange) -> Result<i64, Problem> {
        let task = transaction!(
            [engine = self.clone(), tenant = tenant.to_owned(), change = change.clone()],
            |tx| engine.change_tenant(tx, &tenant, &change).await
        );
        self.core.store.write(task).await?;
        self.tenant_changed(tenant, &change).await
    }
}

/// Reads a tenant.
///
/// # Errors
/// `unknown_tenant`.
pub(super) async fn find_tenant(tx: &mut Tx, tenant: &str) -> Result<TenantRow, Problem> {
    tx.tenant(tenant)
        .await?
        .ok_or_else(|| Problem::caller("unknown_tenant", format!("there is no tenant `{tenant}`")))
}

async fn tenant_view(tx: &mut Tx, tenant: &str) -> Result<TenantView, Problem> {
    let row = find_tenant(tx, tenant).await?;
    let job = tx.tenant_job(tenant).await?;
    Ok(TenantView::of(row, job))
}

/// Turns shadow mode on or off. The caller must have locked the tenant's stream.
async fn turn_shadow(
    core: &Core,
    tx: &mut Tx,
    row: &TenantRow,
    shadow: bool,
) -> Result<(), Problem> {
    if shadow && core.previewer.is_none() {
        return Err(Problem::caller("not_configured", "this process cannot play shadow runs"));
    }
    // A live run would wait for answers that no longer reach it, and its messages would not be sent.
    let live = tx.runs(&row.id, &RunFilter { live: true, ..RunFilter::default() }, 1).await?;
    if let (true, Some(run)) = (shadow, live.first()) {
        let message = format!("the tenant has live runs, such as {}", run.id);
        return Err(Problem::caller("wrong_state", message)
            .with_hint("wait until they have ended, or cancel them"));
    }
    tx.set_tenant_shadow(&row.id, shadow).await?;
    let body = json!({ "settings": { "shadow": shadow } });
    Ok(tx.log(row.stream, EventKind::TenantChanged, About::default(), body)?)
}

/// Changes settings of a tenant. Does nothing if no setting gets a different value.
/// The caller must have locked the tenant's stream.
async fn change_settings(
    core: &Core,
    tx: &mut Tx,
    row: &TenantRow,
    changes: &serde_json::Map<String, Value>,
) -> Result<(), Problem> {
    let mut policy = row.policy.as_object().cloned().unwrap_or_default();
    policy.extend(changes.clone());
    policy.retain(|_, value| !value.is_null());
    let policy = Value::Object(policy);
    if policy == row.policy {
        return Ok(());
    }
    core.check_policy(&policy)?;
    tx.set_policy(&row.id, &policy).await?;
    let body = json!({ "settings": changes });
    Ok(tx.log(row.stream, EventKind::TenantChanged, About::default(), body)?)
}
