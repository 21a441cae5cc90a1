//! Replaces lines of a file that is sealed.

use super::files::{ArchiveFiles, archive_missing};
use super::line::{ArchiveLine, seal_line};
use super::reader::{ArchiveReader, FileDigest};
use crate::base::Problem;

/// A file with replaced lines, beside the file that it is to replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The path of the new file. [`ArchiveFiles::replace`] puts it in the place of the old one.
    pub path: String,
    /// The digest of the new lines, without the seal.
    pub digest: FileDigest,
    /// Number of bytes of the new file, with the seal.
    pub bytes: i64,
    /// Number of lines that differ.
    pub changed: i64,
}

/// Writes a copy of a sealed file in which `change` has replaced lines: it gets each line before the seal, and returns
/// the new line, or `None` to keep it. The copy has a seal of its own. The file itself is not changed, so that the caller
/// can record the new digest before it replaces the file.
///
/// # Errors
/// `archive_missing`; `archive_unreadable` and `archive_unwritable`.
pub async fn rewrite(
    files: &dyn ArchiveFiles,
    path: &str,
    mut change: impl FnMut(&str) -> Option<String> + Send,
) -> Result<Rewritten, Problem> {
    let copy = format!("{path}.new");
    let (mut digest, mut changed) = (FileDigest::EMPTY, 0);
    let mut reader = ArchiveReader::new(files, path);
    loop {
        let lines = reader.page().await?.ok_or_else(|| archive_missing(path))?;
        if lines.is_empty() {
            break;
        }
        let (at, mut bytes) = (digest.bytes, Vec::new());
        for line in lines {
            if matches!(ArchiveLine::parse(&line), Some(ArchiveLine::Seal { .. })) {
                continue;
            }
            let new = change(&line);
            changed += i64::from(new.as_ref().is_some_and(|new| *new != line));
            let line = new.unwrap_or(line);
            digest = digest.with(&line);
            bytes.extend(line.as_bytes());
            bytes.push(b'\n');
        }
        files.write(&copy, u64::try_from(at).unwrap_or(0), bytes).await?;
    }
    let sealed = digest.with(&seal_line(digest.lines, digest.digest));
    let seal = format!("{}\n", seal_line(digest.lines, digest.digest)).into_bytes();
    files.write(&copy, u64::try_from(digest.bytes).unwrap_or(0), seal).await?;
    Ok(Rewritten { path: copy, digest, bytes: sealed.bytes, changed })
}
