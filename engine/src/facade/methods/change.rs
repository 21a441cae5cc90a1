//! Taking a version back, and deleting one.

use std::sync::Arc;

use super::super::{Engine, Keep, KeepNothing};
use super::view::{MethodDetail, current, detail, find, is_of_files, rows_of};
use crate::base::{Problem, StreamId, TypedId as _, Value};
use crate::driver::{Core, tenant_stream};
use crate::store::{Tx, VersionRow, work};

impl Engine {
    /// Makes an older version the one that new runs begin with: the one before the present, or `to`.
    /// Runs that are at work go on with what they began with.
    ///
    /// # Errors
    /// `unknown_method`, `unknown_version`, `no_older_version`.
    pub async fn roll_back(
        &self,
        tenant: &str,
        name: &str,
        to: Option<i64>,
    ) -> Result<MethodDetail, Problem> {
        self.roll_back_once(tenant, name, to, Arc::new(KeepNothing)).await
    }

    /// The same, with the answer kept in its commit.
    ///
    /// # Errors
    /// As [`Self::roll_back`], and what `keep` says.
    pub async fn roll_back_once(
        &self,
        tenant: &str,
        name: &str,
        to: Option<i64>,
        keep: Arc<dyn Keep<MethodDetail>>,
    ) -> Result<MethodDetail, Problem> {
        let (core, owned) = (self.core.clone(), (tenant.to_owned(), name.to_owned()));
        let task = work(move |tx| {
            let (core, (tenant, name), keep) = (core.clone(), owned.clone(), Arc::clone(&keep));
            Box::pin(async move {
                roll_back(&core, tx, (&tenant, &name), to).await?;
                let method = detail(&core, tx, (&tenant, &name)).await?;
                keep.keep(tx, &method).await?;
                Ok(method)
            })
        });
        let method = self.core.store.try_write(false, task).await?;
        self.core.forget_method(tenant, name);
        Ok(method)
    }

    /// Deletes a version that no run goes by and that new runs do not begin with.
    ///
    /// # Errors
    /// `unknown_method`, `unknown_version`, `version_active`, `version_in_use`.
    pub async fn delete_version(
        &self,
        (tenant, name): (&str, &str),
        version: i64,
    ) -> Result<(), Problem> {
        self.delete_version_once((tenant, name), version, Arc::new(KeepNothing)).await
    }

    /// The same, with its answer kept in its commit.
    ///
    /// # Errors
    /// As [`Self::delete_version`], and what `keep` says.
    pub async fn delete_version_once(
        &self,
        (tenant, name): (&str, &str),
        version: i64,
        keep: Arc<dyn Keep<()>>,
    ) -> Result<(), Problem> {
        let (core, owned) = (self.core.clone(), (tenant.to_owned(), name.to_owned()));
        let task = work(move |tx| {
            let (core, (tenant, name), keep) = (core.clone(), owned.clone(), Arc::clone(&keep));
            Box::pin(async move {
                delete(&core, tx, (&tenant, &name), version).await?;
                keep.keep(tx, &()).await
            })
        });
        self.core.store.try_write(false, task).await
    }
}

async fn roll_back(
    core: &Core,
    tx: &mut Tx,
    (tenant, name): (&str, &str),
    to: Option<i64>,
) -> Result<(), Problem> {
    let stream = locked(tx, tenant).await?;
    let rows = rows_of(tx, (tenant, name)).await?;
    let library = core.library();
    let now = current(&rows, &library);
    let wanted = match to {
        Some(version) => find(&rows, version)?,
        None => older(&rows, now)?,
    };
    if now.is_some_and(|now| now.version == wanted.version) {
        return Ok(());
    }
    // The version that the files are needs no word of ours: they decide again from now on.
    let active = Some(wanted.version).filter(|_| !is_of_files(wanted, &library));
    tx.activate((tenant, name), active).await?;
    let body = serde_json::json!({
        "method": name, "version": wanted.version, "bundle": wanted.bundle.to_string(),
        "before": now.map(|now| now.version),
    });
    Ok(tx.log(stream, "method.rolled_back", (None, None), body)?)
}

/// The newest version that is older than the present one.
fn older<'r>(rows: &'r [VersionRow], now: Option<&VersionRow>) -> Result<&'r VersionRow, Problem> {
    let newest = now.map_or(i64::MAX, |now| now.version);
    let older = rows.iter().find(|row| row.version < newest && !row.shadow);
    older.ok_or_else(|| {
        Problem::caller("no_older_version", "there is no older version to go back to")
            .with_hint("name a version with `--to`; `abide method list NAME` shows them")
    })
}

async fn delete(
    core: &Core,
    tx: &mut Tx,
    (tenant, name): (&str, &str),
    version: i64,
) -> Result<(), Problem> {
    let stream = locked(tx, tenant).await?;
    let rows = rows_of(tx, (tenant, name)).await?;
    let row = find(&rows, version)?;
    if current(&rows, &core.library()).is_some_and(|now| now.version == version) {
        let message = format!("new runs of `{name}` begin with version {version}");
        return Err(Problem::caller("version_active", message).with_hint(format!(
            "publish another text or `abide method rollback {name}` first; a method of a file goes \
             with its file"
        )));
    }
    if row.live > 0 {
        let runs = if row.live == 1 { "run goes".to_owned() } else { "runs go".to_owned() };
        let message = format!("{} live {runs} by version {version} of `{name}`", row.live);
        return Err(Problem::caller("version_in_use", message).with_hint(format!(
            "wait for their end, or move them: `abide run upgrade --all --method {name}`"
        )));
    }
    tx.delete_version((tenant, name), (version, true)).await?;
    let body: Value = serde_json::json!({ "method": name, "version": version });
    Ok(tx.log(stream, "method.deleted", (None, None), body)?)
}

/// Locks the tenant's own stream: versions change one after another.
async fn locked(tx: &mut Tx, tenant: &str) -> Result<StreamId, Problem> {
    let stream = tenant_stream(tx, tenant).await?;
    tx.lock_partitions(tenant, &[stream]).await?;
    Ok(StreamId::from_uuid(stream))
}
