//! The record of an installed pack: which files a home has from it, and their digests.

use std::collections::BTreeMap;

use abide_engine::base::Digest;
use abide_engine::diagnostic::{Diagnostic, Source, codes};
use abide_engine::yaml::{YamlKind, YamlNode};

use super::fields::{self, FieldReader};
use super::folder::PackPath;
use super::manifest::pack_name;
use super::version::PackVersion;

/// The folder of a home that holds the records.
pub(crate) const RECORDS: &str = "packs";

const KEYS: &[&str] = &["pack", "version", "files"];
const HINT: &str = "restore the file, or remove it and install the pack again";

/// An installed pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InstallRecord {
    pub(crate) name: String,
    pub(crate) version: PackVersion,
    /// The files as they were installed.
    pub(crate) files: BTreeMap<PackPath, Digest>,
}

impl InstallRecord {
    /// Returns the record as YAML.
    pub(crate) fn text(&self) -> String {
        let mut text =
            "# Written by `abide pack install`. It knows by this file what it may replace.\n"
                .to_owned();
        text.push_str(&format!("pack: {}\nversion: {}\nfiles:", self.name, self.version));
        if self.files.is_empty() {
            text.push_str(" {}");
        }
        text.push('\n');
        for (path, digest) in &self.files {
            text.push_str(&format!("  {path}: \"{digest}\"\n"));
        }
        text
    }
}

/// Reads a record. Returns `None` if it has an error, and all findings.
/// A path that leads out of the folders of a home is an error, so that an install removes no other file.
pub(crate) fn read(file: &str, text: &str) -> (Option<InstallRecord>, Vec<Diagnostic>) {
    let source = Source::new(file, text);
    fields::read(&source, KEYS, |root, reader| {
        let name = reader.required(root, "pack");
        let name = name.and_then(|node| reader.parsed(node, pack_name, HINT));
        let version = reader.required(root, "version");
        let version = version.and_then(|node| reader.parsed(node, PackVersion::parse, HINT));
        let files = reader.required(root, "files").and_then(|node| files(node, reader));
        Some(InstallRecord { name: name?, version: version?, files: files? })
    })
}

fn files(node: &YamlNode, reader: &mut FieldReader<'_, '_>) -> Option<BTreeMap<PackPath, Digest>> {
    if !matches!(node.kind, YamlKind::Map(_)) {
        let message = format!("expected a mapping, found {}", node.describe());
        reader.error(codes::WRONG_TYPE, &node.at, message, HINT);
        return None;
    }
    let mut files = BTreeMap::new();
    for member in node.members() {
        let Some(path) = PackPath::parse(&member.key) else {
            let message = format!("`{}` is not the path of a file of a pack", member.key);
            reader.error(codes::WRONG_VALUE, &member.key_at, message, HINT);
            continue;
        };
        files.insert(path, reader.parsed(&member.value, Digest::parse, HINT)?);
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_reads_back_as_it_was_written() {
        let path = |text| PackPath::parse(text).expect("a path");
        let files =
            [(path("methods/a.yaml"), Digest::of(b"a")), (path("templates/b.hbs"), Digest::ZERO)];
        let version = PackVersion::parse("1.2.3").expect("a version");
        let mut record = InstallRecord { name: "dogs".into(), version, files: files.into() };
        assert_eq!(read("r", &record.text()), (Some(record.clone()), Vec::new()));
        record.files.clear();
        assert_eq!(read("r", &record.text()), (Some(record.clone()), Vec::new()));
    }

    #[test]
    fn a_path_out_of_the_home_is_an_error() {
        let text =
            format!("pack: dogs\nversion: 1.0.0\nfiles: {{ ../a.yaml: \"{}\" }}\n", Digest::ZERO);
        let (record, findings) = read("r", &text);
        assert_eq!(record, None);
        assert_eq!(findings[0].message, "`../a.yaml` is not the path of a file of a pack");
        assert_eq!(read("r", &text.replace("../a", "methods/../a")).0, None);
        assert!(read("r", &text.replace("../a", "methods/a")).0.is_some());
    }
}
