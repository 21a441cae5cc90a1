//! The kill switch and the settings of a tenant.

use std::collections::BTreeSet;

use super::Engine;
use crate::base::{Problem, Span, StreamId, TypedId, Value, limits};
use crate::driver::{self, Core, tenant_stream};
use crate::policy::ExpiryOnResume;
use crate::store::{TenantRow, Tx, work};

/// How often a pausing operator's process looks whether all answers are in.
const LOOKS_EVERY: Span = Span::from_micros(50_000);

impl Engine {
    /// A tenant.
    ///
    /// # Errors
    /// `unknown_tenant`.
    pub async fn tenant(&self, tenant: &str) -> Result<TenantRow, Problem> {
        let owned = tenant.to_owned();
        let task = work(move |tx| {
            let tenant = owned.clone();
            Box::pin(async move { Ok(tx.tenant(&tenant).await?) })
        });
        self.core.store.read(task).await?.ok_or_else(|| {
            Problem::caller("unknown_tenant", format!("there is no tenant `{tenant}`"))
        })
    }

    /// Turns the kill switch: while it is on nothing leaves and no timer fires; replies are stored
    /// and STOP is obeyed all the same. Answers when nothing of the tenant is at the gateway any
    /// more, or its deadlines have passed; gives the number of messages that were.
    pub async fn pause_tenant(&self, tenant: &str, paused: bool) -> Result<i64, Problem> {
        let (core, owned) = (self.core.clone(), tenant.to_owned());
        let task = work(move |tx| {
            let (core, tenant) = (core.clone(), owned.clone());
            Box::pin(async move {
                if switch(tx, &tenant, paused).await? && !paused {
                    let_go(&core, tx, &tenant).await?;
                }
                Ok(tx.beginning(&tenant).await?)
            })
        });
        let in_flight = self.core.store.write(false, task).await?;
        self.hold(tenant, paused).await?;
        self.core.bells.ring_all();
        self.settle().await?;
        if paused && in_flight > 0 {
            driver::within(driver::START_WITHIN, self.nothing_in_flight(tenant)).await?;
        }
        Ok(in_flight)
    }

    async fn nothing_in_flight(&self, tenant: &str) -> Result<(), Problem> {
        loop {
            let owned = tenant.to_owned();
            let task = work(move |tx| {
                let tenant = owned.clone();
                Box::pin(async move { Ok(tx.beginning(&tenant).await?) })
            });
            if self.core.store.read(task).await? == 0 {
                return Ok(());
            }
            driver::pause(LOOKS_EVERY).await;
        }
    }

    /// Holds or frees the tenant's runs, some hundred a transaction.
    async fn hold(&self, tenant: &str, held: bool) -> Result<(), Problem> {
        loop {
            let owned = tenant.to_owned();
            let limit = i64::try_from(limits::SWEEP_ROWS_MAX).unwrap_or(1);
            let task = work(move |tx| {
                let tenant = owned.clone();
                Box::pin(async move { Ok(tx.hold_turns(&tenant, held, limit).await?) })
            });
            if self.core.store.write(false, task).await? == 0 {
                return Ok(());
            }
        }
    }

    /// Changes settings of a tenant; a member that is null goes back to the process's own.
    ///
    /// # Errors
    /// `settings_invalid`.
    pub async fn set_settings(&self, tenant: &str, changes: &Value) -> Result<(), Problem> {
        let (core, owned, changes) = (self.core.clone(), tenant.to_owned(), changes.clone());
        let task = work(move |tx| {
            let (core, tenant, changes) = (core.clone(), owned.clone(), changes.clone());
            Box::pin(async move {
                let row = tx.tenant(&tenant).await?;
                let mut policy = row.map_or(Value::Null, |row| row.policy);
                if !policy.is_object() {
                    policy = serde_json::json!({});
                }
                if let (Some(policy), Some(changes)) = (policy.as_object_mut(), changes.as_object())
                {
                    policy.extend(changes.clone());
                    policy.retain(|_, value| !value.is_null());
                }
                core.check_policy(&policy)?;
                Ok(tx.set_policy(&tenant, &policy).await?)
            })
        });
        self.core.store.write(false, task).await?;
        self.core.forget_settings(tenant);
        self.core.bells.ring_all();
        Ok(())
    }
}

/// Turns the switch; true if it stood the other way.
async fn switch(tx: &mut Tx, tenant: &str, paused: bool) -> Result<bool, Problem> {
    let stream = tenant_stream(tx, tenant).await?;
    tx.lock_partitions(tenant, &[stream]).await?;
    if !tx.pause_tenant(tenant, paused).await? {
        return Ok(false);
    }
    let kind = if paused { "tenant.paused" } else { "tenant.resumed" };
    let stream: StreamId = TypedId::from_uuid(stream);
    tx.log(stream, kind, (None, None), serde_json::json!({}))?;
    Ok(true)
}

/// Permits what the switch held from now on, and moves what begins with it.
async fn let_go(core: &Core, tx: &mut Tx, tenant: &str) -> Result<(), Problem> {
    let held = tx.held_sends(tenant, tx.now()).await?;
    let requests: BTreeSet<_> = held.iter().filter_map(|held| held.request).collect();
    let keys: Vec<_> = requests.into_iter().map(TypedId::uuid).collect();
    tx.lock_partitions(tenant, &keys).await?;
    let settings = core.settings(tx, tenant).await?;
    let shift = settings.expiry_on_resume == ExpiryOnResume::FromSend;
    if shift {
        let causes: Vec<_> = held.into_iter().map(|held| held.cause).collect();
        core.domain.sends_moved(tx, &causes, tx.now()).await?;
    }
    Ok(tx.permit_from(tenant, tx.now(), shift).await?)
}
