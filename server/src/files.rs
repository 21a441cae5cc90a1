//! Reading and writing the files that the user names on the command line.

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
