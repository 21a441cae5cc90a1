//! The files of archives in a folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use abide_engine::archive::{ArchiveFiles, archive_missing};
use abide_engine::base::Problem;
use async_trait::async_trait;

/// The files of archives in a folder, which is created with the first file.
pub(crate) struct ArchiveFolder(PathBuf);

impl ArchiveFolder {
    /// Creates the files of a folder.
    pub(crate) fn new(folder: &Path) -> Self {
        Self(std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()))
    }
}

#[async_trait]
impl ArchiveFiles for ArchiveFolder {
    fn default_path(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }

    fn path_in(&self, folder: &str, name: &str) -> String {
        Path::new(folder).join(name).to_string_lossy().into_owned()
    }

    async fn write(&self, path: &str, at: u64, bytes: Vec<u8>) -> Result<(), Problem> {
        let place = PathBuf::from(path);
        match blocking(move || write(&place, at, &bytes)).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(archive_missing(path)),
            Err(error) => Err(unwritable(path, &error)),
        }
    }

    async fn read(&self, path: &str, at: u64, most: usize) -> Result<Option<Vec<u8>>, Problem> {
        let place = PathBuf::from(path);
        blocking(move || read(&place, at, most)).await.map_err(|error| unreadable(path, &error))
    }

    async fn replace(&self, from: &str, to: &str) -> Result<(), Problem> {
        let (source, target) = (PathBuf::from(from), PathBuf::from(to));
        let replaced = blocking(move || {
            fs::rename(source, &target)?;
            sync_folder(&target)
        });
        replaced.await.map_err(|error| unwritable(to, &error))
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

/// Cuts a file to its first `at` bytes and appends `bytes`. Returns false if the file is shorter or does not exist.
fn write(path: &Path, at: u64, bytes: &[u8]) -> io::Result<bool> {
    if at == 0
        && let Some(folder) = path.parent()
    {
        fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create(at == 0).truncate(false);
    let mut file = match options.open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        opened => opened?,
    };
    if file.metadata()?.len() < at {
        return Ok(false);
    }
    file.set_len(at)?;
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)?;
    file.sync_all()?;
    if at == 0 {
        sync_folder(path)?;
    }
    Ok(true)
}

/// Makes the name of a new file durable.
fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if cfg!(unix) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

fn read(path: &Path, at: u64, most: usize) -> io::Result<Option<Vec<u8>>> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::with_capacity(most.min(1 << 20));
    file.take(most as u64).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

fn unwritable(path: &str, error: &io::Error) -> Problem {
    Problem::operator("archive_unwritable", format!("cannot write the archive `{path}`"))
        .with_detail(error.to_string())
        .with_hint("check that the folder of archives can be written, and has space")
}

fn unreadable(path: &str, error: &io::Error) -> Problem {
    Problem::operator("archive_unreadable", format!("cannot read the archive `{path}`"))
        .with_detail(error.to_string())
        .with_hint("check that this program may read the folder of archives")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_is_cut_before_it_grows_and_a_lost_one_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = ArchiveFolder::new(&folder.path().join("archive"));
        let path = files.default_path("default-2026-01-31-001.jsonl");
        assert_eq!(files.read(&path, 0, 9).await.expect("read"), None);
        files.write(&path, 0, b"one\nlost".to_vec()).await.expect("written");
        files.write(&path, 4, b"two\n".to_vec()).await.expect("written");
        let all = files.read(&path, 0, 99).await.expect("read").expect("a file");
        assert_eq!(all, b"one\ntwo\n");
        assert_eq!(files.read(&path, 8, 99).await.expect("read"), Some(Vec::new()));
        let code = |result: Result<(), Problem>| result.expect_err("refused").code;
        assert_eq!(code(files.write(&path, 9, Vec::new()).await), "archive_missing");
        let other = files.path_in("nowhere", "x");
        assert_eq!(code(files.write(&other, 1, Vec::new()).await), "archive_missing");
        files.write(&format!("{path}.new"), 0, b"new\n".to_vec()).await.expect("written");
        files.replace(&format!("{path}.new"), &path).await.expect("replaced");
        assert_eq!(files.read(&path, 0, 99).await.expect("read"), Some(b"new\n".to_vec()));
    }
}
