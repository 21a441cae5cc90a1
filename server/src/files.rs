//! Reading and writing the files that the user names on the command line.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::Path;

use abide_engine::base::limits;
use abide_engine::library::read_text;

use crate::problem::ProblemDocument;

/// Reads a file that contains a method, a scenario or a model of people.
///
/// # Errors
/// `unreadable`, with the hint that the function `hint` returns.
pub(crate) fn read(path: &Path, hint: impl FnOnce() -> String) -> Result<String, ProblemDocument> {
    read_text(path, limits::METHOD_BYTES_MAX).map_err(|e| {
        let detail = format!("cannot read `{}`: {e}", path.display());
        ProblemDocument::new(422, "unreadable", detail).with_hint(hint())
    })
}

/// Writes a file, replacing an existing file.
///
/// # Errors
/// `unwritable_file`, with the given `hint`.
pub(crate) fn write(path: &Path, text: &str, hint: &str) -> Result<(), ProblemDocument> {
    std::fs::write(path, text).map_err(|e| {
        let detail = format!("cannot write `{}`: {e}", path.display());
        ProblemDocument::new(422, "unwritable_file", detail).with_hint(hint)
    })
}

/// What to do if a file exists that is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// Keep it: writing is refused.
    Keep,
    /// Replace it.
    Replace,
}

/// Reads a file of any kind.
///
/// # Errors
/// `unreadable`; `too_large` if the file has more than `most` bytes.
pub(crate) fn read_bytes(path: &Path, most: usize) -> Result<Vec<u8>, ProblemDocument> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|e| {
        let detail = format!("cannot read `{}`: {e}", path.display());
        ProblemDocument::new(422, "unreadable", detail).with_hint("name a file that can be read")
    })?;
    if bytes.len() > most {
        let detail = format!("`{}` has more than {} MiB", path.display(), most >> 20);
        return Err(ProblemDocument::new(413, "too_large", detail)
            .with_hint("store a smaller version of the file"));
    }
    Ok(bytes)
}

/// Checks before some work whether its result may be written to a path.
///
/// # Errors
/// `file_exists`.
pub(crate) fn check_writable(path: &Path, existing: Existing) -> Result<(), ProblemDocument> {
    if existing == Existing::Keep && path.symlink_metadata().is_ok() {
        return Err(exists(path));
    }
    Ok(())
}

/// Writes a file of any kind.
///
/// # Errors
/// `file_exists`; `unwritable_file`.
pub(crate) fn write_bytes(
    path: &Path,
    bytes: &[u8],
    existing: Existing,
) -> Result<(), ProblemDocument> {
    let mut options = OpenOptions::new();
    match existing {
        Existing::Keep => options.write(true).create_new(true),
        Existing::Replace => options.write(true).create(true).truncate(true),
    };
    options.open(path).and_then(|mut file| file.write_all(bytes)).map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => exists(path),
        _ => {
            let detail = format!("cannot write `{}`: {e}", path.display());
            ProblemDocument::new(422, "unwritable_file", detail)
                .with_hint("name a file in a folder that can be written")
        }
    })
}

fn exists(path: &Path) -> ProblemDocument {
    ProblemDocument::new(409, "file_exists", format!("`{}` exists already", path.display()))
        .with_hint("name another file, or replace it with `--force`")
}
