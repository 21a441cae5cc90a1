//! What a process needs to archive.

use std::sync::Arc;

use super::files::ArchiveFiles;
use crate::store::ArchivedGroup;

/// What a process needs to archive.
#[derive(Clone)]
pub struct ArchiveConfig {
    /// The files of the archives.
    pub files: Arc<dyn ArchiveFiles>,
    /// The domain's groups of rows, in the order in which they leave: after the runs.
    pub groups: &'static [ArchivedGroup],
}
