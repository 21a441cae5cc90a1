//! Tenants: how each stands, its settings, its kill switch.

use serde::{Deserialize, Serialize};

use super::runs::{Page, page_length};
use super::{Engine, switch};
use crate::base::{Problem, TypedId as _, Value};
use crate::driver::Core;
use crate::store::{TenantJob, TenantRow, Tx, work};

/// A tenant, as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TenantView {
    /// Its name in the API.
    pub id: String,
    /// The kill switch: nothing leaves while it is on.
    pub paused: bool,
    /// Shadow mode: nothing of the tenant reaches the world.
    pub shadow: bool,
    /// The settings that differ from the process's own.
    pub settings: Value,
    /// Grows with every change; a change names the one that it was decided on.
    pub version: i64,
    /// What the last turn of the kill switch has still to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch: Option<SwitchView>,
}

/// What a turn of the kill switch has still to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SwitchView {
    /// `holding` runs, `permitting` messages, `freeing` runs.
    pub phase: &'static str,
    /// When the switch was turned.
    pub since: String,
    /// Messages permitted so far.
    pub sends: i64,
    /// Runs held or freed so far.
    pub runs: i64,
}

/// A change of a tenant.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TenantChange {
    /// How its texts are signed.
    pub name: Option<String>,
    /// The kill switch.
    pub paused: Option<bool>,
    /// Shadow mode.
    pub shadow: Option<bool>,
    /// The country whose rules apply.
    pub region: Option<String>,
    /// The domains that apply.
    pub domains: Option<Vec<String>>,
    /// Settings to change; one that is null goes back to the process's own.
    pub settings: Option<serde_json::Map<String, Value>>,
    /// The version that the change was decided on.
    pub version: Option<i64>,
}

impl TenantView {
    fn of(row: TenantRow, job: Option<TenantJob>) -> Self {
        let paused = switch::is_on(&row, job.as_ref());
        let switch = job.map(|job| SwitchView {
            phase: job.phase.as_str(),
            since: job.since.to_string(),
            sends: job.sends,
            runs: job.runs,
        });
        let settings = if row.policy.is_object() { row.policy } else { serde_json::json!({}) };
        Self { id: row.id, paused, shadow: false, settings, version: row.version, switch }
    }
}

impl TenantChange {
    /// Refuses what this build cannot honour, rather than to keep it unread.
    fn check(&self) -> Result<(), Problem> {
        let missing = [
            ("shadow", self.shadow == Some(true)),
            ("name", self.name.is_some()),
            ("region", self.region.is_some()),
            ("domains", self.domains.is_some()),
        ];
        match missing.into_iter().find(|(_, wanted)| *wanted) {
            None => Ok(()),
            Some((member, _)) => {
                let message = format!("`{member}` of a tenant is not available in this build");
                Err(Problem::caller("not_configured", message)
                    .with_hint("`paused` and `settings` can be changed"))
            }
        }
    }
}

impl Engine {
    /// A tenant.
    ///
    /// # Errors
    /// `unknown_tenant`.
    pub async fn tenant(&self, tenant: &str) -> Result<TenantView, Problem> {
        let owned = tenant.to_owned();
        let task = work(move |tx| {
            let tenant = owned.clone();
            Box::pin(async move { view(tx, &tenant).await })
        });
        self.core.store.read(task).await
    }

    /// Tenants after `after`, by their ids.
    pub async fn tenants(&self, after: &str, limit: usize) -> Result<Page<TenantView>, Problem> {
        let (after, limit) = (after.to_owned(), page_length(limit));
        let task = work(move |tx| {
            let after = after.clone();
            Box::pin(async move {
                let most = i64::try_from(limit + 1).unwrap_or(1);
                let mut views = Vec::new();
                for row in tx.tenant_rows(&after, most).await? {
                    let job = tx.tenant_job(&row.id).await?;
                    views.push(TenantView::of(row, job));
                }
                Ok(views)
            })
        });
        let views = self.core.store.read(task).await?;
        Ok(Page::cut(views, limit, |view: &TenantView| view.id.clone()))
    }

    /// Changes a tenant inside a transaction; [`Engine::tenant_changed`] comes after its commit.
    ///
    /// # Errors
    /// `unknown_tenant`, `version_conflict`, `settings_invalid`, `not_configured`.
    pub async fn change_tenant(
        &self,
        tx: &mut Tx,
        (tenant, change): (&str, &TenantChange),
    ) -> Result<TenantView, Problem> {
        change.check()?;
        let stream = row(tx, tenant).await?.stream;
        tx.lock_partitions(tenant, &[stream.uuid()]).await?;
        let row = row(tx, tenant).await?;
        if let Some(version) = change.version.filter(|version| *version != row.version) {
            let message = format!("the tenant is no longer at version {version}");
            return Err(Problem::caller("version_conflict", message)
                .with_hint("look at it again, then decide"));
        }
        if let Some(changes) = &change.settings {
            set(&self.core, tx, &row, changes).await?;
        }
        if let Some(paused) = change.paused {
            switch::turn(tx, &row, paused).await?;
        }
        view(tx, tenant).await
    }

    /// Sets to work on what a committed change made due. Whoever paused a tenant is answered when nothing
    /// of it is at the gateway any more, or its deadlines have passed; the number of messages that were.
    pub async fn tenant_changed(
        &self,
        tenant: &str,
        change: &TenantChange,
    ) -> Result<i64, Problem> {
        self.core.forget_settings(tenant);
        self.core.bells.ring_all();
        match change.paused {
            Some(_) => self.obey_switch(tenant).await,
            None => Ok(0),
        }
    }

    /// Turns the kill switch: while it is on nothing leaves and no timer fires; replies are stored
    /// and STOP is obeyed all the same.
    ///
    /// # Errors
    /// As [`Engine::change_tenant`].
    pub async fn pause_tenant(&self, tenant: &str, paused: bool) -> Result<i64, Problem> {
        self.apply(tenant, TenantChange { paused: Some(paused), ..TenantChange::default() }).await
    }

    /// Changes settings of a tenant; a member that is null goes back to the process's own.
    ///
    /// # Errors
    /// As [`Engine::change_tenant`].
    pub async fn set_settings(&self, tenant: &str, changes: &Value) -> Result<(), Problem> {
        let settings = changes.as_object().cloned();
        self.apply(tenant, TenantChange { settings, ..TenantChange::default() }).await.map(drop)
    }

    async fn apply(&self, tenant: &str, change: TenantChange) -> Result<i64, Problem> {
        let (engine, owned, wanted) = (self.clone(), tenant.to_owned(), change.clone());
        let task = work(move |tx| {
            let (engine, tenant, change) = (engine.clone(), owned.clone(), wanted.clone());
            Box::pin(async move { engine.change_tenant(tx, (&tenant, &change)).await })
        });
        self.core.store.write(false, task).await?;
        self.tenant_changed(tenant, &change).await
    }
}

pub(super) async fn row(tx: &mut Tx, tenant: &str) -> Result<TenantRow, Problem> {
    tx.tenant(tenant)
        .await?
        .ok_or_else(|| Problem::caller("unknown_tenant", format!("there is no tenant `{tenant}`")))
}

async fn view(tx: &mut Tx, tenant: &str) -> Result<TenantView, Problem> {
    let row = row(tx, tenant).await?;
    let job = tx.tenant_job(tenant).await?;
    Ok(TenantView::of(row, job))
}

/// Changes settings of a tenant whose stream is locked; what changes nothing is no change.
async fn set(
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
    let body = serde_json::json!({ "settings": changes });
    Ok(tx.log(row.stream, "tenant.changed", (None, None), body)?)
}
