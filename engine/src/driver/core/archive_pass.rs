//! What one pass over the rows of a tenant archives, and how far it has come.

use std::collections::VecDeque;

use uuid::Uuid;

use crate::base::{ArchiveId, Digest, Timestamp, limits};
use crate::policy::Settings;
use crate::store::ArchiveCutoffs;

/// One pass over the rows of a tenant.
#[derive(Debug, Clone)]
pub(crate) struct ArchivePass {
    /// The tenant.
    pub(crate) tenant: String,
    /// What may leave.
    pub(crate) cutoffs: ArchiveCutoffs,
    /// The folder of the files; `None` for the default one.
    pub(crate) folder: Option<String>,
    /// Maximum number of rows of a chunk.
    pub(crate) rows_max: i64,
    /// The archives that the pass has written.
    pub(crate) archives: Vec<ArchiveId>,
    /// Where the search for rows goes on.
    pub(in crate::driver) place: ArchivePlace,
}

impl ArchivePass {
    /// Creates a pass over the rows of a tenant.
    pub(crate) fn new(tenant: &str, cutoffs: ArchiveCutoffs) -> Self {
        Self {
            tenant: tenant.to_owned(),
            cutoffs,
            folder: None,
            rows_max: limits::ARCHIVE_ROWS_MAX,
            archives: Vec::new(),
            place: ArchivePlace::FIRST,
        }
    }
}

/// What is left of the passes of today, and when the next ones begin.
#[derive(Default)]
pub(in crate::driver) struct Retention {
    /// The passes, the current one first.
    pub(in crate::driver) passes: VecDeque<ArchivePass>,
    /// When the next passes begin.
    pub(in crate::driver) next_at: Option<Timestamp>,
}

/// Returns what may leave by the settings of a tenant.
pub(crate) fn archive_cutoffs(settings: &Settings, now: Timestamp) -> ArchiveCutoffs {
    ArchiveCutoffs {
        runs: now - settings.keep_runs,
        messages: now - settings.keep_messages,
        events: now - settings.keep_events,
    }
}

/// Where the search for rows that may leave goes on.
#[derive(Debug, Clone, Copy)]
pub(in crate::driver) struct ArchivePlace {
    /// The index of the group; after the last one come the large values, then the tenant's own events.
    pub(in crate::driver) group: usize,
    /// The id after which the group's next units are.
    pub(in crate::driver) after: Uuid,
    /// The digest after which the next values are.
    pub(in crate::driver) after_value: Digest,
}

impl ArchivePlace {
    /// The beginning of the first group.
    pub(in crate::driver) const FIRST: Self =
        Self { group: 0, after: Uuid::nil(), after_value: Digest::ZERO };

    /// Returns the beginning of the next group.
    pub(in crate::driver) const fn next_group(self) -> Self {
        Self { group: self.group + 1, ..Self::FIRST }
    }
}
