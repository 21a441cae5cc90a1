//! Reads `pack.yaml`, which describes a pack.

use abide_engine::diagnostic::{Diagnostic, Source, codes};
use abide_engine::words;
use abide_engine::yaml::{YamlKind, YamlNode};
use serde_json::{Value, json};

use super::fields::{self, FieldReader};
use super::version::PackVersion;

/// Name of the file that describes a pack.
pub(crate) const MANIFEST: &str = "pack.yaml";

/// Maximum length of a pack's name. The name is part of a file name.
const NAME_CHARS_MAX: usize = 40;
/// Maximum length of a description. It is one line of a list.
const DESCRIPTION_CHARS_MAX: usize = 200;

const KEYS: &[&str] = &["name", "version", "description", "domains", "requires_abide"];
const NAME_HINT: &str = "write a lower-case word of at most 40 letters, digits, `_` and `-`";
const VERSION_HINT: &str = "write three numbers, such as 1.0.0";
const DOMAINS_HINT: &str = "write a list such as [church], [trade] or [church, trade]";

words! {
    /// The domains whose tools a pack can use.
    pub enum PackDomain {
        /// Churches and other groups of volunteers.
        Church = "church",
        /// Tradespeople.
        Trade = "trade",
    }
}

/// What `pack.yaml` says about its pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackManifest {
    pub(crate) name: String,
    pub(crate) version: PackVersion,
    pub(crate) description: String,
    /// The domains whose tools the pack uses.
    pub(crate) domains: Vec<PackDomain>,
}

/// Reads a manifest. Returns `None` if it has an error, and all findings.
pub(crate) fn read(file: &str, text: &str) -> (Option<PackManifest>, Vec<Diagnostic>) {
    let source = Source::new(file, text);
    fields::read(&source, KEYS, |root, reader| {
        let name = reader.required(root, "name");
        let name = name.and_then(|node| reader.parsed(node, pack_name, NAME_HINT));
        let version = reader.required(root, "version");
        let version =
            version.and_then(|node| reader.parsed(node, PackVersion::parse, VERSION_HINT));
        let description = reader.required(root, "description");
        let description =
            description.and_then(|node| reader.parsed(node, sentence, "write a sentence"));
        let domains = reader.required(root, "domains").and_then(|node| domains(node, reader));
        if let Some(node) = root.get("requires_abide") {
            check_program(node, reader);
        }
        Some(PackManifest {
            name: name?,
            version: version?,
            description: description?,
            domains: domains?,
        })
    })
}

/// Returns the JSON Schema of the file, for editors.
pub(crate) fn schema() -> Value {
    let version = json!({ "type": "string", "pattern": "^\\d+\\.\\d+\\.\\d+$" });
    let domains: Vec<&str> = PackDomain::ALL.iter().map(|domain| domain.as_str()).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An abide pack",
        "type": "object",
        "additionalProperties": false,
        "required": ["name", "version", "description", "domains"],
        "properties": {
            "name": { "type": "string", "pattern": "^[a-z][a-z0-9_-]*$", "maxLength": NAME_CHARS_MAX },
            "version": version,
            "description": { "type": "string", "minLength": 1, "maxLength": DESCRIPTION_CHARS_MAX },
            "domains": {
                "description": "The domains whose tools the pack uses.",
                "type": "array",
                "minItems": 1,
                "uniqueItems": true,
                "items": { "enum": domains },
            },
            "requires_abide": version,
        },
    })
}

/// Returns `text` if it can be the name of a pack, and so the name of a file.
pub(super) fn pack_name(text: &str) -> Option<String> {
    let plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    let is_name = text.starts_with(|c: char| c.is_ascii_lowercase()) && text.bytes().all(plain);
    (is_name && text.len() <= NAME_CHARS_MAX).then(|| text.to_owned())
}

fn sentence(text: &str) -> Option<String> {
    let is_line = !text.trim().is_empty() && !text.trim().contains('\n');
    (is_line && text.chars().count() <= DESCRIPTION_CHARS_MAX).then(|| text.trim().to_owned())
}

fn domains(node: &YamlNode, reader: &mut FieldReader<'_, '_>) -> Option<Vec<PackDomain>> {
    let YamlKind::List(items) = &node.kind else {
        let message = format!("expected a list, found {}", node.describe());
        reader.error(codes::WRONG_TYPE, &node.at, message, DOMAINS_HINT);
        return None;
    };
    if items.is_empty() {
        let message = "the list is empty".to_owned();
        reader.error(codes::WRONG_VALUE, &node.at, message, DOMAINS_HINT);
    }
    let mut found = Vec::new();
    for item in items {
        let domain = reader.parsed(item, PackDomain::parse, DOMAINS_HINT)?;
        if found.contains(&domain) {
            let message = format!("`{domain}` occurs twice");
            reader.error(codes::WRONG_VALUE, &item.at, message, "name each domain once");
        }
        found.push(domain);
    }
    Some(found)
}

/// Reports an error if this program is older than the pack requires.
fn check_program(node: &YamlNode, reader: &mut FieldReader<'_, '_>) {
    let required = reader.parsed(node, PackVersion::parse, VERSION_HINT);
    if required > PackVersion::of_this_program() {
        let message = concat!("the pack requires a newer abide than ", env!("CARGO_PKG_VERSION"));
        let hint = "install a newer abide, or an older version of the pack";
        reader.error(codes::WRONG_VALUE, &node.at, message.to_owned(), hint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "name: dogs\nversion: 1.0.0\ndescription: Walks dogs.\ndomains: [trade]\n";

    fn found(text: &str) -> Vec<String> {
        let (manifest, findings) = read("pack.yaml", text);
        assert_eq!(manifest.is_none(), !findings.is_empty(), "{text}");
        let line = |it: Diagnostic| format!("{}:{} {}: {}", it.line, it.col, it.code, it.message);
        findings.into_iter().map(line).collect()
    }

    #[test]
    fn a_complete_manifest_has_no_findings() {
        let (manifest, findings) = read("pack.yaml", GOOD);
        assert_eq!(findings, []);
        let manifest = manifest.expect("is valid");
        assert_eq!(
            (manifest.name.as_str(), manifest.version.to_string()),
            ("dogs", "1.0.0".into())
        );
        assert_eq!(manifest.domains, [PackDomain::Trade]);
        assert_eq!(found(&format!("{GOOD}requires_abide: 0.0.1\n")), [""; 0]);
    }

    #[test]
    fn editors_accept_what_the_reader_accepts() {
        let validator = jsonschema::validator_for(&schema()).expect("a schema");
        let packs = [
            GOOD.to_owned(),
            format!("{GOOD}requires_abide: 0.0.1\n"),
            GOOD.replace("dogs", "Dogs"),
            GOOD.replace("1.0.0", "1.0"),
            GOOD.replace("[trade]", "[]"),
            GOOD.replace("[trade]", "[trade, trade]"),
            GOOD.replace("[trade]", "[kennel]"),
            format!("{GOOD}author: Rex\n"),
        ];
        for text in packs {
            let (root, _) = abide_engine::yaml::read(&Source::new("pack.yaml", &text));
            let value = root.expect("YAML").to_value();
            assert_eq!(validator.is_valid(&value), read("pack.yaml", &text).0.is_some(), "{text}");
        }
        let keys = schema()["properties"].as_object().expect("properties").len();
        assert_eq!(keys, KEYS.len());
    }

    #[test]
    fn each_fault_is_reported_at_its_place() {
        let long = "x".repeat(NAME_CHARS_MAX + 1);
        let cases: [(&str, &str, &str); 12] = [
            ("name: dogs\n", "", "1:1 missing-key: `name` is missing"),
            ("name: dogs", "name: ../dogs", "1:7 wrong-value: invalid value `../dogs`"),
            ("name: dogs", "name: Dogs", "1:7 wrong-value: invalid value `Dogs`"),
            ("dogs", &long, &format!("1:7 wrong-value: invalid value `{long}`")),
            ("1.0.0", "1.0", "2:10 wrong-type: expected a text, found the number `1.0`"),
            ("1.0.0", "1.0.0-beta", "2:10 wrong-value: invalid value `1.0.0-beta`"),
            ("Walks dogs.", "' '", "3:14 wrong-value: invalid value ` `"),
            ("[trade]", "[]", "4:10 wrong-value: the list is empty"),
            ("[trade]", "trade", "4:10 wrong-type: expected a list, found a text"),
            ("[trade]", "[trade, trade]", "4:18 wrong-value: `trade` occurs twice"),
            ("[trade]", "[kennel]", "4:11 wrong-value: invalid value `kennel`"),
            ("name: dogs", "name: dogs\nauthor: Rex", "2:1 unknown-key: unknown key `author`"),
        ];
        for (from, to, expected) in cases {
            assert_eq!(found(&GOOD.replacen(from, to, 1)), [expected]);
        }
        let newer = found(&format!("{GOOD}requires_abide: 99.0.0\n"));
        assert_eq!(newer.len(), 1);
        assert!(newer[0].starts_with("5:17 wrong-value: the pack requires a newer abide"));
        assert!(found("- name\n")[0].contains("expected a mapping, found a list"));
    }
}
