//! The bytes of files, each under its digest: in a folder, or in memory.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abide_engine::base::{Digest, Problem};

use super::{FILE_BYTES_MAX, NewFile, problem};
use crate::data::StoredFile;

/// Stores the bytes of files under their digests, and reads them. Cheap to clone; all clones have the same
/// files.
#[derive(Debug, Clone)]
pub struct FileStore(Place);

/// Where the bytes are.
#[derive(Debug, Clone)]
enum Place {
    /// In a folder, which is created with the first file.
    Folder(Arc<Path>),
    /// In memory, for simulations and for tests.
    Memory(Arc<Mutex<BTreeMap<Digest, Vec<u8>>>>),
}

impl FileStore {
    /// Creates a store in a folder. Several processes can use the same folder.
    #[must_use]
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self(Place::Folder(folder.into().into()))
    }

    /// Creates a store in memory.
    #[must_use]
    pub fn in_memory() -> Self {
        Self(Place::Memory(Arc::default()))
    }

    /// Stores a file, unless the same bytes are stored already. When this function returns, the file is
    /// on disk, and a transaction may refer to it.
    ///
    /// # Errors
    /// `files_unavailable`.
    pub async fn write(&self, file: NewFile) -> Result<StoredFile, Problem> {
        let stored = StoredFile {
            digest: file.digest,
            size: i64::try_from(file.bytes.len()).unwrap_or(i64::MAX),
            content_type: file.content_type.to_owned(),
        };
        match &self.0 {
            Place::Memory(files) => {
                locked(files).insert(file.digest, file.bytes);
            }
            Place::Folder(folder) => {
                let folder = Arc::clone(folder);
                blocking("stored", move || write(&folder, &file)).await?;
            }
        }
        Ok(stored)
    }

    /// Returns the bytes of a file, after checking them against its digest.
    ///
    /// # Errors
    /// `file_missing`, `file_damaged`, `files_unavailable`.
    pub async fn read(&self, digest: Digest) -> Result<Vec<u8>, Problem> {
        let found = match &self.0 {
            Place::Memory(files) => locked(files).get(&digest).cloned().map(Content::Whole),
            Place::Folder(folder) => {
                let path = path(folder, digest);
                blocking("read", move || read(&path, digest)).await?
            }
        };
        match found {
            Some(Content::Whole(bytes)) => Ok(bytes),
            Some(Content::Damaged) => Err(problem::damaged(digest)),
            None => Err(problem::missing(digest)),
        }
    }
}

/// The content of a file that is on disk.
enum Content {
    /// The bytes that were stored.
    Whole(Vec<u8>),
    /// Other bytes than those that were stored.
    Damaged,
}

fn locked(files: &Mutex<BTreeMap<Digest, Vec<u8>>>) -> MutexGuard<'_, BTreeMap<Digest, Vec<u8>>> {
    files.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs IO on a thread that may block. `what` ends the message of a failure.
async fn blocking<T: Send + 'static>(
    what: &'static str,
    io: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Problem> {
    match tokio::task::spawn_blocking(io).await {
        Ok(done) => done.map_err(|error| problem::unavailable(what, &error)),
        Err(error) => Err(Problem::bug(format!("a file was not {what}: {error}"))),
    }
}

/// Returns the path of a file: the folders of the first two digits keep each folder small.
fn path(folder: &Path, digest: Digest) -> PathBuf {
    let digest = digest.to_string();
    folder.join(&digest[..2]).join(digest)
}

/// Writes a file in such a way that its path never names other bytes, also after a crash: into a draft that
/// is flushed and then renamed. The same bytes are not written again; a damaged file is replaced.
fn write(folder: &Path, file: &NewFile) -> io::Result<()> {
    let path = path(folder, file.digest);
    let part = path.parent().unwrap_or(folder);
    let is_known = fs::metadata(&path).is_ok_and(|known| known.len() == file.bytes.len() as u64);
    if is_known && matches!(read(&path, file.digest)?, Some(Content::Whole(_))) {
        // The process that wrote the file may have crashed before it flushed the folder.
        return File::open(part)?.sync_all();
    }
    fs::create_dir_all(part)?;
    let mut draft = tempfile::Builder::new().prefix(".draft-").tempfile_in(part)?;
    draft.write_all(&file.bytes)?;
    draft.as_file().sync_all()?;
    draft.persist(&path).map_err(|failed| failed.error)?;
    File::open(part)?.sync_all()?;
    File::open(folder)?.sync_all()
}

/// Reads a file. Returns `None` if there is none.
fn read(path: &Path, digest: Digest) -> io::Result<Option<Content>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    Ok(Some(if Digest::of(&bytes) == digest { Content::Whole(bytes) } else { Content::Damaged }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"Ridge capping";

    fn new_file() -> NewFile {
        NewFile::of(TEXT.to_vec()).expect("a file")
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        entries.map(|it| it.expect("an entry").file_name().into_string().expect("a name")).collect()
    }

    fn code<T: std::fmt::Debug>(result: Result<T, Problem>) -> String {
        result.expect_err("a problem").code.into_owned()
    }

    #[tokio::test]
    async fn a_file_is_stored_once_under_its_digest() {
        let folder = tempfile::tempdir().expect("a folder");
        for store in [FileStore::in_folder(folder.path().join("files")), FileStore::in_memory()] {
            let digest = new_file().digest;
            assert_eq!(code(store.read(digest).await), "file_missing");
            let stored = store.write(new_file()).await.expect("stored");
            assert_eq!((stored.digest, stored.size), (digest, 13));
            assert_eq!(stored.content_type, "text/plain");
            assert_eq!(store.write(new_file()).await.expect("stored"), stored);
            assert_eq!(store.read(digest).await.expect("read"), TEXT);
        }
        let digest = new_file().digest.to_string();
        let part = folder.path().join("files").join(&digest[..2]);
        assert_eq!(names(&part), [digest], "no draft is left");
    }

    #[tokio::test]
    async fn a_file_that_is_there_is_not_written_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = FileStore::in_folder(folder.path());
        let stored = store.write(new_file()).await.expect("stored");
        let file = path(folder.path(), stored.digest);
        let modified = || fs::metadata(&file).and_then(|it| it.modified()).expect("a time");
        File::open(&file).and_then(|it| it.set_modified(std::time::UNIX_EPOCH)).expect("set");
        store.write(new_file()).await.expect("stored");
        assert_eq!(modified(), std::time::UNIX_EPOCH);
    }

    #[tokio::test]
    async fn a_damaged_file_is_refused_until_it_is_stored_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = FileStore::in_folder(folder.path());
        let stored = store.write(new_file()).await.expect("stored");
        for damage in [&b"Ridge cappinG"[..], b"", &vec![0; FILE_BYTES_MAX + 1]] {
            fs::write(path(folder.path(), stored.digest), damage).expect("written");
            assert_eq!(code(store.read(stored.digest).await), "file_damaged");
        }
        store.write(new_file()).await.expect("stored");
        assert_eq!(store.read(stored.digest).await.expect("read"), TEXT);
    }

    #[tokio::test]
    async fn a_folder_that_cannot_be_used_is_a_problem_of_the_operator() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("files");
        fs::write(&place, "a file in its place").expect("written");
        let store = FileStore::in_folder(&place);
        let problem = store.write(new_file()).await.expect_err("a file is no folder");
        assert_eq!(problem.code, "files_unavailable");
        assert!(problem.detail.is_some() && problem.hint.is_some(), "{problem:?}");
        assert_eq!(code(store.read(new_file().digest).await), "files_unavailable");
    }
}
