//! Reads the folder of a pack. Reads only regular files, so nothing outside the pack becomes part of it.
//!
//! Only the folders `contracts`, `methods`, `scenarios` and `templates` may be links, because a repository may
//! keep them elsewhere. Installing refuses linked folders unless the caller permits them.

use std::fs::{self, DirEntry};
use std::path::Path;

use abide_engine::diagnostic::{Diagnostic, Severity, Source, did_you_mean};

use crate::commands::lint::{FileKind, LintFile, read_one, unreadable};
use crate::pack::{self, MANIFEST, PackFolder, PackManifest, PackPath};
use crate::problem::ProblemDocument;

/// Maximum number of files in a pack. Even a large pack has only hundreds.
const FILES_MAX: usize = 2_000;

/// A pack as read from its folder.
pub(super) struct ReadPack {
    /// What `pack.yaml` says; `None` if it has an error.
    pub(super) manifest: Option<PackManifest>,
    /// All files that can be read, with `pack.yaml` first.
    pub(super) files: Vec<LintFile>,
    /// The folders that are links.
    pub(super) linked: Vec<PackFolder>,
    /// Findings about files that cannot be part of a pack.
    pub(super) findings: Vec<Diagnostic>,
}

/// Reads a pack.
///
/// # Errors
/// `not_a_pack` if the folder has no `pack.yaml`, and `unreadable_folder`, `too_many_files`.
pub(super) fn read(root: &Path) -> Result<ReadPack, ProblemDocument> {
    let manifest = root.join(MANIFEST);
    if !root.is_dir() || fs::symlink_metadata(&manifest).is_err() {
        let detail = format!("`{}` is not a pack: it has no `{MANIFEST}`", root.display());
        return Err(ProblemDocument::new(422, "not_a_pack", detail)
            .with_hint("name a folder with a file `pack.yaml`; see `docs/how-to/make-a-pack.md`"));
    }
    let mut pack =
        ReadPack { manifest: None, files: Vec::new(), linked: Vec::new(), findings: Vec::new() };
    pack.read_file(&manifest, FileKind::Manifest);
    for entry in entries(root)? {
        pack.read_entry(&entry)?;
    }
    let file = pack.files.iter().find(|file| file.kind == FileKind::Manifest);
    pack.manifest = file.and_then(|file| pack::read_manifest(&file.shown, &file.text).0);
    Ok(pack)
}

/// Returns the entries of a folder by name, without hidden ones.
fn entries(folder: &Path) -> Result<Vec<DirEntry>, ProblemDocument> {
    let unreadable = |e: std::io::Error| unreadable(folder, &e);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            found.push(entry);
        }
        if found.len() > FILES_MAX {
            let detail = format!("`{}` contains more than {FILES_MAX} files", folder.display());
            return Err(ProblemDocument::new(422, "too_many_files", detail)
                .with_hint("split the pack into several packs"));
        }
    }
    found.sort_by_key(DirEntry::file_name);
    Ok(found)
}

impl ReadPack {
    /// Reads an entry of the pack's own folder. Files beside `pack.yaml`, such as a `README.md`, are for
    /// people: they are neither checked nor installed.
    fn read_entry(&mut self, entry: &DirEntry) -> Result<(), ProblemDocument> {
        let path = entry.path();
        if !path.is_dir() {
            return Ok(());
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(folder) = PackFolder::parse(&name) else {
            let folders: Vec<&str> = PackFolder::ALL.iter().map(|it| it.as_str()).collect();
            let hint = did_you_mean(&name, folders.iter().copied())
                .unwrap_or_else(|| format!("the folders of a pack are {}", folders.join(", ")));
            self.refuse(&path, format!("a pack has no folder `{name}`"), &hint);
            return Ok(());
        };
        if fs::symlink_metadata(&path).is_ok_and(|it| it.is_symlink()) {
            self.linked.push(folder);
        }
        for file in entries(&path)? {
            self.read_member(&file, folder);
        }
        Ok(())
    }

    /// Reads an entry of one of the folders.
    fn read_member(&mut self, entry: &DirEntry, folder: PackFolder) {
        let path = entry.path();
        if PackPath::new(folder, &entry.file_name().to_string_lossy()).is_none() {
            let hint = format!(
                "use letters, digits, `-`, `_` and the extension `.{}`, or move the file out of `{folder}`",
                folder.extension()
            );
            return self.refuse(&path, format!("not a file name for `{folder}`"), &hint);
        }
        self.read_file(&path, kind(folder));
    }

    /// Reads a file, which must be a regular file of the given kind.
    fn read_file(&mut self, path: &Path, expected: FileKind) {
        // The metadata of the link itself: a link to a regular file is not a regular file.
        if !fs::symlink_metadata(path).is_ok_and(|it| it.is_file()) {
            let hint = "replace it by a copy of the file, because a pack is copied as it is";
            return self.refuse(path, "not a regular file".to_owned(), hint);
        }
        match read_one(path) {
            Ok(file) if file.kind == expected => self.files.push(file),
            Ok(_) => {
                let message = "the file is of another kind than its folder".to_owned();
                self.refuse(path, message, "move it to the folder of its kind");
            }
            Err(finding) => self.findings.push(*finding),
        }
    }

    fn refuse(&mut self, path: &Path, message: String, hint: &str) {
        let shown = path.display().to_string();
        let source = Source::new(&shown, "");
        let code = pack::codes::PACK_FILE;
        self.findings.push(source.finding(Severity::Error, code, &(0..0), message).with_hint(hint));
    }
}

/// Returns the kind of the files in a folder.
pub(super) const fn kind(folder: PackFolder) -> FileKind {
    match folder {
        PackFolder::Contracts => FileKind::Contracts,
        PackFolder::Intents => FileKind::Intent,
        PackFolder::Methods => FileKind::Method,
        PackFolder::Scenarios => FileKind::Scenario,
        PackFolder::Templates => FileKind::Template,
    }
}
