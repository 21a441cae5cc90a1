//! The problems of files.

use abide_engine::base::{Digest, Problem};

use super::FILE_BYTES_MAX;

/// Refuses a digest of which the tenant has stored no file. Another tenant may have stored that file.
#[must_use]
pub fn unknown_file(digest: &str) -> Problem {
    Problem::caller("unknown_file", format!("there is no file `{digest}`"))
        .with_hint("store the file first, with `abide file put` or `POST /v1/files`")
}

pub(super) fn empty() -> Problem {
    Problem::caller("file_empty", "the file is empty").with_hint("give a file with content")
}

pub(super) fn too_large(size: usize) -> Problem {
    let message = format!("the file has {size} bytes, and at most {FILE_BYTES_MAX} are allowed");
    Problem::caller("too_large", message).with_hint("store a smaller version of the file")
}

pub(super) fn unavailable(what: &str, error: &std::io::Error) -> Problem {
    Problem::operator("files_unavailable", format!("the file cannot be {what}"))
        .with_detail(error.to_string())
        .with_hint("check that the folder of `--files` can be read and written, and has space")
}

pub(super) fn missing(digest: Digest) -> Problem {
    Problem::operator("file_missing", format!("the file `{digest}` is not in the folder of files"))
        .with_hint("restore the folder of `--files` from a backup, or store the file again")
}

pub(super) fn damaged(digest: Digest) -> Problem {
    let message = format!("the file `{digest}` was changed or damaged after it was stored");
    Problem::operator("file_damaged", message)
        .with_hint("restore it from a backup of the folder of `--files`, or store the file again")
}
