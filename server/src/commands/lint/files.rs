//! Finds the files to check, and determines the kind of each file.

use std::path::{Path, PathBuf};

use abide_engine::base::limits;
use abide_engine::diagnostic::{Diagnostic, Severity, Source, codes};
use abide_engine::library::{TextFileError, read_text};

use crate::pack::MANIFEST;
use crate::problem::ProblemDocument;

/// Maximum number of files per command.
/// Even the home folder of a large organisation has only hundreds of files.
const FILES_MAX: usize = 10_000;
/// Maximum depth of nested folders.
const DEPTH_MAX: usize = 16;

/// Kind of a file to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::commands) enum FileKind {
    /// An adapter of a tool.
    Adapter,
    Contracts,
    Template,
    Method,
    /// An intent of staff.
    Intent,
    Scenario,
    /// The file `pack.yaml` of a pack.
    Manifest,
    /// The record of an installed pack, in the folder `packs` of a home.
    InstallRecord,
}

/// A file to check, with its content.
pub(in crate::commands) struct LintFile {
    /// Path of the file, as printed in findings.
    pub(in crate::commands) shown: String,
    /// Name of the file without its folder.
    pub(in crate::commands) name: String,
    pub(in crate::commands) text: String,
    pub(in crate::commands) kind: FileKind,
}

/// Reads all files below `paths`. A file that cannot be read or is of no known kind becomes a finding.
pub(super) fn read(paths: &[PathBuf]) -> Result<(Vec<LintFile>, Vec<Diagnostic>), ProblemDocument> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            walk(path, 0, &mut found)?;
        } else if path.exists() {
            found.push(path.clone());
        } else {
            let detail = format!("there is no file or folder `{}`", path.display());
            return Err(ProblemDocument::new(404, "unknown_path", detail)
                .with_hint("name files, or folders such as `methods/`"));
        }
    }
    found.sort();
    found.dedup();
    let (mut files, mut findings) = (Vec::new(), Vec::new());
    for path in found {
        match read_one(&path) {
            Ok(file) => files.push(file),
            Err(finding) => findings.push(*finding),
        }
    }
    Ok((files, findings))
}

/// Builds the problem of a folder that cannot be read.
pub(in crate::commands) fn unreadable(folder: &Path, error: &std::io::Error) -> ProblemDocument {
    let detail = format!("cannot read the folder `{}`: {error}", folder.display());
    ProblemDocument::new(503, "unreadable_folder", detail)
}

fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), ProblemDocument> {
    let unreadable = |e: std::io::Error| unreadable(folder, &e);
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let is_hidden =
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_hidden {
            continue;
        }
        if path.is_dir() && depth < DEPTH_MAX {
            walk(&path, depth + 1, found)?;
        } else if has_known_extension(&path) {
            found.push(path);
        }
        if found.len() > FILES_MAX {
            let detail = format!("`{}` contains more than {FILES_MAX} files", folder.display());
            return Err(ProblemDocument::new(422, "too_many_files", detail)
                .with_hint("name the folders that contain methods and templates"));
        }
    }
    Ok(())
}

fn has_known_extension(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ["yaml", "yml", "hbs"].iter().any(|e| ending == *e))
}

/// Reads one file. A file that cannot be read or is of no known kind becomes a finding.
pub(in crate::commands) fn read_one(path: &Path) -> Result<LintFile, Box<Diagnostic>> {
    let shown = path.display().to_string();
    let refuse = |code, message: String, hint: &str| {
        let source = Source::new(&shown, "");
        Box::new(source.finding(Severity::Error, code, &(0..0), message).with_hint(hint))
    };
    let text = read_text(path, limits::METHOD_BYTES_MAX).map_err(|e| match e {
        TextFileError::TooLarge(_) => {
            refuse(codes::TOO_LARGE, e.to_string(), "split it into several files")
        }
        TextFileError::NotUtf8 { .. } => {
            refuse(codes::YAML_ENCODING, e.to_string(), "save the file as UTF-8")
        }
        TextFileError::Io(_) => {
            refuse(codes::YAML_SYNTAX, format!("cannot read `{shown}`: {e}"), "check the file")
        }
    })?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match kind_of(&name, &text) {
        Some(kind) => Ok(LintFile { shown, name, text, kind }),
        None => Err(refuse(
            codes::MISSING_KEY,
            "the file is not a method, a set of contracts, an intent or a scenario".to_owned(),
            "begin a method with `method:`, contracts with `tools:`, an intent with `intent:`, a scenario with \
             `scenario:`",
        )),
    }
}

/// Determines the kind of a file. The extension `.hbs` means a template, and `pack.yaml` describes a pack.
/// In any other file, the first key that belongs to a kind decides: `adapter_for`, `intent`, `method`, `tools`,
/// `verbs`, `scenario` or `pack`.
fn kind_of(name: &str, text: &str) -> Option<FileKind> {
    if name.ends_with(".hbs") {
        return Some(FileKind::Template);
    }
    if name == MANIFEST {
        return Some(FileKind::Manifest);
    }
    const KEYS: [(&str, FileKind); 8] = [
        ("adapter_for", FileKind::Adapter),
        ("intent", FileKind::Intent),
        ("label", FileKind::Intent),
        ("method", FileKind::Method),
        ("tools", FileKind::Contracts),
        ("verbs", FileKind::Contracts),
        ("scenario", FileKind::Scenario),
        ("pack", FileKind::InstallRecord),
    ];
    let key = |line: &str| {
        let (key, _) = line.split_once(':')?;
        let key = key.trim_start_matches('\u{feff}').trim_end().trim_matches(['"', '\'']);
        KEYS.iter().find(|(name, _)| *name == key).map(|(_, kind)| *kind)
    };
    // A file that has `steps:` but no key that names a kind is treated as a method.
    // The author of such a file has probably forgotten the key `method:`.
    let unnamed_method =
        || text.lines().any(|line| line.starts_with("steps:")).then_some(FileKind::Method);
    text.lines().find_map(key).or_else(unnamed_method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_a_file_decide_its_kind() {
        let cases = [
            ("a.hbs", "Hi {{name}}", Some(FileKind::Template)),
            ("a.yaml", "# a comment\nmethod: m\nsteps: []", Some(FileKind::Method)),
            ("a.yaml", "\u{feff}\"method\" : m", Some(FileKind::Method)),
            ("a.yaml", "verbs:\n  method: {}", Some(FileKind::Contracts)),
            ("a.yaml", "risk: T1\n\ntools:\n  a.get: {}", Some(FileKind::Contracts)),
            ("a.yaml", "scenario: s\nsteps: []", Some(FileKind::Scenario)),
            ("a.yaml", "steps: []", Some(FileKind::Method)),
            ("a.yaml", "intent: x\nmethod: m\nexamples: [a]", Some(FileKind::Intent)),
            ("a.yaml", "name: x", None),
            ("a.yaml", "# a comment\npack: x", Some(FileKind::InstallRecord)),
            ("pack.yaml", "name: x", Some(FileKind::Manifest)),
        ];
        for (name, text, expected) in cases {
            assert_eq!(kind_of(name, text), expected, "{text:?}");
        }
    }

    #[test]
    fn an_unreadable_file_is_a_finding_with_its_place() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.yaml"), b"method: m\n\xff").expect("a file");
        std::fs::write(folder.path().join("b.yaml"), "name: x").expect("a file");
        std::fs::write(folder.path().join("c.txt"), "ignored").expect("a file");
        let (files, findings) = read(&[folder.path().to_owned()]).expect("reads");
        assert!(files.is_empty());
        let codes: Vec<&str> = findings.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["yaml-encoding", "missing-key"]);
        assert_eq!(findings[0].message, "line 2 is not UTF-8");
    }
}
