//! Moves old rows out of the database into archives, and lists the archives.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::engine::Engine;
use super::runs::{Page, page_length};
use crate::archive::ArchiveConfig;
use crate::base::{ArchiveId, Problem, Timestamp};
use crate::boxed;
use crate::driver::{ArchivePass, ArchiveStep, archive_cutoffs, archive_step};
use crate::policy::Settings;
use crate::store::{ArchiveCutoffs, ArchiveRow, ArchiveState};
use crate::transaction;

/// An archive: a file with rows that have left the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ArchiveView {
    /// Id of the archive.
    pub id: ArchiveId,
    /// Path of the file, on the machine that has written it.
    pub path: String,
    /// Whether rows are still added.
    pub state: ArchiveState,
    /// Number of rows in the file, by table.
    #[schema(value_type = std::collections::BTreeMap<String, i64>)]
    pub rows: BTreeMap<String, i64>,
    /// Number of lines before the seal.
    pub lines: i64,
    /// Size of the file in bytes.
    pub bytes: i64,
    /// Digest of the chain of the lines before the seal.
    pub digest: String,
    /// Time at which the archive was begun (RFC 3339).
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time at which the archive was sealed (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub sealed_at: Option<String>,
}

/// What has left the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ArchiveReport {
    /// Number of rows that have left.
    pub rows: i64,
    /// The archives that were written; none if nothing was old enough.
    pub archives: Vec<ArchiveView>,
}

/// What is to leave, and where to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArchiveOrder {
    /// The instant before which everything must have ended; `None` for what the settings of the tenant say.
    pub before: Option<Timestamp>,
    /// The folder of the files; `None` for the default one.
    pub folder: Option<String>,
}

impl From<ArchiveRow> for ArchiveView {
    fn from(row: ArchiveRow) -> Self {
        Self {
            id: row.id,
            path: row.path,
            state: row.state,
            rows: row.counts,
            lines: row.lines,
            bytes: row.bytes,
            digest: row.digest.to_string(),
            created_at: row.created_at.to_string(),
            sealed_at: row.sealed_at.map(|at| at.to_string()),
        }
    }
}

impl Engine {
    /// Lets this process archive. Without it, archiving is refused, and a server archives nothing by itself.
    pub fn archive_into(&self, config: ArchiveConfig) {
        drop(self.core.archives.set(config));
        self.core.bells.ring_all();
    }

    /// Moves everything of a tenant that is old enough into archives.
    ///
    /// # Errors
    /// `unknown_tenant`; `archive_unavailable` in a process that does not archive; `archive_busy` if another process
    /// archives rows of the tenant; `archive_missing` if the file of an archive that is not sealed is not here;
    /// `archive_unwritable`.
    #[boxed]
    pub async fn archive(
        &self,
        tenant: &str,
        order: ArchiveOrder,
    ) -> Result<ArchiveReport, Problem> {
        let settings = self.settings_of(tenant).await?;
        let now = self.core.now();
        let cutoffs = match order.before {
            Some(before) => {
                let before = before.min(now);
                ArchiveCutoffs { runs: before, messages: before, events: before }
            }
            None => archive_cutoffs(&settings, now),
        };
        let mut pass = ArchivePass::new(tenant, cutoffs);
        pass.folder = order.folder;
        let mut rows = 0;
        loop {
            match archive_step(&self.core, &mut pass).await? {
                ArchiveStep::Moved(moved) => rows += moved,
                ArchiveStep::Looked => {}
                ArchiveStep::Done => break,
            }
        }
        let ids = pass.archives;
        let read = transaction!([ids], |tx| {
            let mut found = Vec::new();
            for id in ids {
                found.extend(tx.archive(id).await?.map(ArchiveView::from));
            }
            Ok(found)
        });
        Ok(ArchiveReport { rows, archives: self.core.store.read(read).await? })
    }

    /// Lists the archives of a tenant that precede `before`, the newest first.
    #[boxed]
    pub async fn archives(
        &self,
        tenant: &str,
        before: Option<ArchiveId>,
        limit: usize,
    ) -> Result<Page<ArchiveView>, Problem> {
        let limit = page_length(limit);
        let read = transaction!([tenant = tenant.to_owned()], |tx| {
            let most = i64::try_from(limit + 1).unwrap_or(1);
            let found = tx.archives(&tenant, before, most).await?;
            Ok(found.into_iter().map(ArchiveView::from).collect())
        });
        let views: Vec<ArchiveView> = self.core.store.read(read).await?;
        Ok(Page::cut(views, limit, |view: &ArchiveView| view.id.to_string()))
    }

    /// Returns the settings of a tenant.
    ///
    /// # Errors
    /// `unknown_tenant`.
    #[boxed]
    pub async fn settings_of(&self, tenant: &str) -> Result<Arc<Settings>, Problem> {
        let core = Arc::clone(&self.core);
        let read = transaction!([core, tenant = tenant.to_owned()], |tx| {
            core.settings(tx, &tenant).await
        });
        self.core.store.read(read).await
    }
}
