//! Reads the lines of a file, a page at a time.

use super::files::ArchiveFiles;
use crate::base::{Digest, Problem};

/// Number of bytes of one page. A longer line is read with several pages.
const PAGE_BYTES: usize = 256 << 10;

/// The digest of the lines of a file so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileDigest {
    /// Number of lines.
    pub lines: i64,
    /// Number of bytes, with the ends of the lines.
    pub bytes: i64,
    /// The digest of the chain of the lines.
    pub digest: Digest,
}

impl FileDigest {
    /// The digest of no lines.
    pub const EMPTY: Self = Self { lines: 0, bytes: 0, digest: Digest::ZERO };

    /// Returns the digest with one more line, without its end.
    #[must_use]
    pub fn with(self, line: &str) -> Self {
        Self {
            lines: self.lines + 1,
            bytes: self.bytes + i64::try_from(line.len() + 1).unwrap_or(i64::MAX),
            digest: Digest::chain(self.digest, line.as_bytes()),
        }
    }
}

/// Reads the lines of a file from its beginning.
pub struct ArchiveReader<'a> {
    files: &'a dyn ArchiveFiles,
    path: &'a str,
    at: u64,
    rest: Vec<u8>,
}

impl<'a> ArchiveReader<'a> {
    /// Creates a reader of a file.
    #[must_use]
    pub fn new(files: &'a dyn ArchiveFiles, path: &'a str) -> Self {
        Self { files, path, at: 0, rest: Vec::new() }
    }

    /// Returns the next lines; an empty list at the end. Returns `None` if there is no such file. The last line may lack
    /// its end.
    ///
    /// # Errors
    /// `archive_unreadable`.
    pub async fn page(&mut self) -> Result<Option<Vec<String>>, Problem> {
        loop {
            let page = self.files.read(self.path, self.at, PAGE_BYTES).await?;
            let Some(page) = page else { return Ok(None) };
            self.at += page.len() as u64;
            let is_end = page.is_empty();
            self.rest.extend(page);
            let end = if is_end {
                self.rest.len()
            } else {
                self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
            };
            if end == 0 && !is_end {
                continue;
            }
            let whole: Vec<u8> = self.rest.drain(..end).collect();
            let text = String::from_utf8_lossy(&whole);
            return Ok(Some(text.split_terminator('\n').map(str::to_owned).collect()));
        }
    }
}
