//! Files of archives in memory, for simulations and for tests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::files::{ArchiveFiles, archive_missing};
use crate::base::Problem;

/// Files of archives in memory. All clones have the same files.
#[derive(Debug, Clone, Default)]
pub struct MemoryArchives(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

impl MemoryArchives {
    /// Returns the paths of all files.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        self.files().keys().cloned().collect()
    }

    /// Returns the bytes of a file; none if there is no such file.
    #[must_use]
    pub fn bytes(&self, path: &str) -> Vec<u8> {
        self.files().get(path).cloned().unwrap_or_default()
    }

    /// Replaces the bytes of a file.
    pub fn put(&self, path: &str, bytes: Vec<u8>) {
        self.files().insert(path.to_owned(), bytes);
    }

    /// Deletes a file.
    pub fn delete(&self, path: &str) {
        self.files().remove(path);
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ArchiveFiles for MemoryArchives {
    fn default_path(&self, name: &str) -> String {
        self.path_in("archive", name)
    }

    fn path_in(&self, folder: &str, name: &str) -> String {
        format!("{folder}/{name}")
    }

    async fn write(&self, path: &str, at: u64, bytes: Vec<u8>) -> Result<(), Problem> {
        let mut files = self.files();
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        if at == 0 {
            files.insert(path.to_owned(), bytes);
            return Ok(());
        }
        let file = files.get_mut(path).filter(|file| file.len() >= at);
        let file = file.ok_or_else(|| archive_missing(path))?;
        file.truncate(at);
        file.extend(bytes);
        Ok(())
    }

    async fn read(&self, path: &str, at: u64, most: usize) -> Result<Option<Vec<u8>>, Problem> {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        let files = self.files();
        Ok(files.get(path).map(|file| file.iter().skip(at).take(most).copied().collect()))
    }

    async fn replace(&self, from: &str, to: &str) -> Result<(), Problem> {
        let mut files = self.files();
        let file = files.remove(from).ok_or_else(|| archive_missing(from))?;
        files.insert(to.to_owned(), file);
        Ok(())
    }
}
