//! Rolls a method back to an older version, and deletes versions.

use std::sync::Arc;

use super::super::answer_store::{AnswerStore, NoAnswerStore};
use super::super::engine::Engine;
use super::view::{
    MethodDetail, current_version, find_version, is_from_files, method_detail, versions_of,
};
use crate::base::{Problem, StreamId, TypedId as _, Value};
use crate::boxed;
use crate::driver::{Core, tenant_stream};
use crate::ledger::EventKind;
use crate::store::{About, MethodRef, Tx, VersionRow};
use crate::transaction;

impl Engine {
    /// Makes new runs of a method start with the version that has this number. If no number is given,
    /// they start with the newest version that is older than the current version.
    /// Live runs continue with the version that they started with.
    ///
    /// # Errors
    /// `unknown_method`, `unknown_version`, `no_older_version`.
    #[boxed]
    pub async fn roll_back(
        &self,
        tenant: &str,
        name: &str,
        to: Option<i64>,
    ) -> Result<MethodDetail, Problem> {
        self.roll_back_once(tenant, name, to, Arc::new(NoAnswerStore)).await
    }

    /// Like [`Self::roll_back`], but also stores the answer in the same commit, with the store `answers`.
    ///
    /// # Errors
    /// The errors of [`Self::roll_back`] and of `answers`.
    #[boxed]
    pub async fn roll_back_once(
        &self,
        tenant: &str,
        name: &str,
        to: Option<i64>,
        answers: Arc<dyn AnswerStore<MethodDetail>>,
    ) -> Result<MethodDetail, Problem> {
        let task = transaction!(
            [core = self.core.clone(), tenant = tenant.to_owned(), name = name.to_owned(), answers],
            |tx| {
                let method = MethodRef { tenant: &tenant, method: &name };
                roll_back(&core, tx, method, to).await?;
                let method = method_detail(&core, tx, method).await?;
                answers.store(tx, &method).await?;
                Ok(method)
            }
        );
        let method = self.core.store.try_write(task).await?;
        self.core.forget_method(tenant, name);
        Ok(method)
    }

    /// Deletes a version. No live run may be pinned to it, and new runs must not start with it.
    ///
    /// # Errors
    /// `unknown_method`, `unknown_version`, `version_active`, `version_in_use`.
    #[boxed]
    pub async fn delete_version(
        &self,
        tenant: &str,
        name: &str,
        version: i64,
    ) -> Result<(), Problem> {
        self.delete_version_once(tenant, name, version, Arc::new(NoAnswerStore)).await
    }

    /// Like [`Self::delete_version`], but also stores the answer in the same commit,
    /// with the store `answers`.
    ///
    /// # Errors
    /// The errors of [`Self::delete_version`] and of `answers`.
    #[boxed]
    pub async fn delete_version_once(
        &self,
        tenant: &str,
        name: &str,
        version: i64,
        answers: Arc<dyn AnswerStore<()>>,
    ) -> Result<(), Problem> {
        let task = transaction!(
            [core = self.core.clone(), tenant = tenant.to_owned(), name = name.to_owned(), answers],
            |tx| {
                let method = MethodRef { tenant: &tenant, method: &name };
                delete_version(&core, tx, method, version).await?;
                answers.store(tx, &()).await
            }
        );
        self.core.store.try_write(task).await
    }
}

async fn roll_back(
    core: &Core,
    tx: &mut Tx,
    method: MethodRef<'_>,
    to: Option<i64>,
) -> Result<(), Problem> {
    let stream = lock_stream(tx, method.tenant).await?;
    let rows = versions_of(tx, method).await?;
    let library = core.library();
    let now = current_version(&rows, &library);
    let wanted = match to {
        Some(version) => find_version(&rows, version)?,
        None => newest_older(&rows, now)?,
    };
    if now.is_some_and(|now| now.version == wanted.version) {
        return Ok(());
    }
    // If the wanted version equals the method file of this process, mark no version as active:
    // as long as no version is marked, new runs start with the file.
    let active = Some(wanted.version).filter(|_| !is_from_files(wanted, &library));
    tx.activate(method, active).await?;
    let body = serde_json::json!({
        "method": method.method, "version": wanted.version, "bundle": wanted.bundle.to_string(),
        "before": now.map(|now| now.version),
    });
    Ok(tx.log(stream, EventKind::MethodRolledBack, About::default(), body)?)
}

/// Returns the newest version that is older than the current version and is not for shadow runs.
/// If there is no current version, a version of any age fits.
fn newest_older<'r>(
    rows: &'r [VersionRow],
    now: Option<&VersionRow>,
) -> Result<&'r VersionRow, Problem> {
    let newest = now.map_or(i64::MAX, |now| now.version);
    let older = rows.iter().find(|row| row.version < newest && !row.shadow);
    older.ok_or_else(|| {
        Problem::caller("no_older_version", "there is no older version to go back to")
            .with_hint("name a version with `--to`; `abide method list NAME` shows them")
    })
}

async fn delete_version(
    core: &Core,
    tx: &mut Tx,
    method: MethodRef<'_>,
    version: i64,
) -> Result<(), Problem> {
    let (stream, name) = (lock_stream(tx, method.tenant).await?, method.method);
    let rows = versions_of(tx, method).await?;
    let row = find_version(&rows, version)?;
    if current_version(&rows, &core.library()).is_some_and(|now| now.version == version) {
        let message = format!("version {version} of `{name}` is active: new runs start with it");
        return Err(Problem::caller("version_active", message).with_hint(format!(
            "publish another text, or use `abide method rollback {name}`, first; a method of a file \
             goes away with its file"
        )));
    }
    if row.live > 0 {
        let runs = if row.live == 1 { "run is".to_owned() } else { "runs are".to_owned() };
        let message = format!("{} live {runs} pinned to version {version} of `{name}`", row.live);
        return Err(Problem::caller("version_in_use", message).with_hint(format!(
            "wait until they end, or move them: `abide run upgrade --all --method {name}`"
        )));
    }
    tx.delete_version(method, version).await?;
    let body: Value = serde_json::json!({ "method": name, "version": version });
    Ok(tx.log(stream, EventKind::MethodDeleted, About::default(), body)?)
}

/// Locks the tenant's own ledger stream, so that only one transaction at a time changes versions.
/// Returns the stream's id.
async fn lock_stream(tx: &mut Tx, tenant: &str) -> Result<StreamId, Problem> {
    let stream = tenant_stream(tx, tenant).await?;
    tx.lock_partitions(tenant, &[stream]).await?;
    Ok(StreamId::from_uuid(stream))
}
