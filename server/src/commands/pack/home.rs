//! The files of a home that packs bring, and the records of installed packs.
//!
//! An install first writes all files to a folder inside the home, renames each of them to its place, and writes
//! the record last. An install that was interrupted can be repeated: a file that is already in its place counts
//! as unchanged.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use abide_engine::base::{Digest, limits};
use abide_engine::library::read_text;

use crate::pack::{InstallPlan, InstallRecord, PackPath, RECORDS, read_record};
use crate::problem::{ProblemDocument, first_error};

/// Maximum number of packs in a home. A home has a handful.
const PACKS_MAX: usize = 1_000;

/// A home folder.
pub(super) struct PackHome<'a> {
    root: &'a Path,
}

/// What an install writes.
pub(super) struct Installation<'a> {
    pub(super) plan: &'a InstallPlan,
    /// The texts of the files to write.
    pub(super) texts: BTreeMap<PackPath, &'a str>,
    pub(super) record: &'a InstallRecord,
}

impl<'a> PackHome<'a> {
    pub(super) const fn new(root: &'a Path) -> Self {
        Self { root }
    }

    /// Reads the records of all installed packs, by the name of the pack.
    ///
    /// # Errors
    /// `pack_record_invalid` if a record is not as an install writes it.
    pub(super) fn records(&self) -> Result<Vec<InstallRecord>, ProblemDocument> {
        let folder = self.root.join(RECORDS);
        let mut records = Vec::new();
        let Ok(entries) = fs::read_dir(&folder) else { return Ok(records) };
        for entry in entries.take(PACKS_MAX) {
            let path = entry.map_err(|e| unusable(&folder, &e))?.path();
            if path.extension().is_some_and(|it| it == "yaml") {
                records.push(record(&path)?);
            }
        }
        records.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(records)
    }

    /// Returns the digests of those of the files that the home has.
    ///
    /// # Errors
    /// `unwritable_file` if something else than a regular file is in the way.
    pub(super) fn present<'p>(
        &self,
        paths: impl Iterator<Item = &'p PackPath>,
    ) -> Result<BTreeMap<PackPath, Digest>, ProblemDocument> {
        let mut found = BTreeMap::new();
        for path in paths {
            let file = self.place(path);
            match fs::symlink_metadata(&file) {
                Ok(metadata) if metadata.is_file() => {
                    let bytes = fs::read(&file).map_err(|e| unusable(&file, &e))?;
                    found.insert(path.clone(), Digest::of(&bytes));
                }
                Ok(_) => return Err(unusable(&file, &Error::other("it is not a regular file"))),
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(e) => return Err(unusable(&file, &e)),
            }
        }
        Ok(found)
    }

    /// Changes the home as the plan says.
    ///
    /// # Errors
    /// `unwritable_file`. The home may then have some of the new files; repeating the install completes it.
    pub(super) fn install(&self, installation: &Installation<'_>) -> Result<(), ProblemDocument> {
        let Installation { plan, texts, record } = installation;
        let records = self.root.join(RECORDS);
        fs::create_dir_all(&records).map_err(|e| unusable(&records, &e))?;
        let staged = tempfile::Builder::new().prefix(".install-").tempdir_in(&records);
        let staged = staged.map_err(|e| unusable(&records, &e))?;
        let staged_file = |number: usize| staged.path().join(number.to_string());
        for (number, path) in plan.write.iter().enumerate() {
            let text = texts.get(path).copied().unwrap_or_default();
            write(&staged_file(number), text)?;
        }
        let staged_record = staged.path().join("record");
        write(&staged_record, &record.text())?;
        for (number, path) in plan.write.iter().enumerate() {
            rename(&staged_file(number), &self.place(path))?;
        }
        for path in &plan.remove {
            let file = self.place(path);
            fs::remove_file(&file).map_err(|e| unusable(&file, &e))?;
        }
        rename(&staged_record, &records.join(format!("{}.yaml", record.name)))
    }

    fn place(&self, path: &PackPath) -> PathBuf {
        self.root.join(path.to_string())
    }
}

fn record(path: &Path) -> Result<InstallRecord, ProblemDocument> {
    let shown = path.display().to_string();
    let invalid = |why: String| {
        let detail = format!("cannot read the record of an installed pack: {why}");
        ProblemDocument::new(422, "pack_record_invalid", detail)
            .with_hint("restore the file, or remove it and install the pack again")
    };
    let text = read_text(path, limits::METHOD_BYTES_MAX);
    let text = text.map_err(|e| invalid(format!("{shown}: {e}")))?;
    let (record, findings) = read_record(&shown, &text);
    let fault = || first_error(&findings).unwrap_or_default();
    let record = record.ok_or_else(|| invalid(fault()))?;
    let is_named = path.file_stem().is_some_and(|stem| stem == record.name.as_str());
    if is_named {
        Ok(record)
    } else {
        Err(invalid(format!("{shown}: it is the record of `{}`", record.name)))
    }
}

/// Writes a file and waits until it is on the disk, so that a crash leaves no empty file in its place.
fn write(path: &Path, text: &str) -> Result<(), ProblemDocument> {
    let written = fs::write(path, text).and_then(|()| fs::File::open(path)?.sync_all());
    written.map_err(|e| unusable(path, &e))
}

fn rename(from: &Path, to: &Path) -> Result<(), ProblemDocument> {
    let made = to.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| fs::rename(from, to)).map_err(|e| unusable(to, &e))
}

fn unusable(path: &Path, error: &Error) -> ProblemDocument {
    let detail = format!("cannot read or write `{}`: {error}", path.display());
    ProblemDocument::new(422, "unwritable_file", detail).with_hint(
        "remove the obstacle, then install the pack again: it continues where it stopped",
    )
}
