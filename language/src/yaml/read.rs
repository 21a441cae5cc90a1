//! Parses the source of a YAML file into a tree.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;
use serde_saphyr::options::{DuplicateKeyPolicy, MergeKeyPolicy, NonFiniteFloatPolicy};

use super::fault;
use super::location::bytes_of;
use super::node::{Member, YamlKind, YamlNode};
use crate::base::limits;
use crate::diagnostic::{Diagnostic, Severity, Source, codes};

/// Decodes the bytes of a file and removes a byte order mark.
///
/// # Errors
/// `yaml-encoding` if the bytes are not UTF-8, `too-large` if there
/// are more than [`limits::METHOD_BYTES_MAX`] bytes.
pub fn text_of<'b>(file: &str, bytes: &'b [u8]) -> Result<&'b str, Diagnostic> {
    if bytes.len() > limits::METHOD_BYTES_MAX {
        return Err(fault::too_long(file, bytes.len()));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => {
            let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
            Err(fault::not_utf8(file, &String::from_utf8_lossy(good)))
        }
    }
}

/// Parses a YAML document. Returns two values: the tree of the document
/// (`None` if the source is not valid YAML), and all findings.
#[must_use]
pub fn read(source: &Source<'_>) -> (Option<YamlNode>, Vec<Diagnostic>) {
    if source.text().len() > limits::METHOD_BYTES_MAX {
        return (None, vec![fault::too_long(source.file(), source.text().len())]);
    }
    let parse =
        || match serde_saphyr::from_str_with_options::<Spanned<Raw>>(source.text(), options()) {
            Ok(root) => {
                let mut findings = Vec::new();
                let root = Loader { source, findings: &mut findings }.node(root);
                (Some(root), findings)
            }
            Err(error) => (None, vec![fault::finding(source, &error)]),
        };
    on_own_stack(parse).unwrap_or_else(|| (None, vec![fault::no_parser(source)]))
}

/// Runs the parser on a thread whose stack is large enough for the most deeply nested document.
/// The parser uses up to 60 KB per level of nesting, and the caller's stack may be too small for that.
///
/// Returns `None` if the system cannot start a thread, or the parser panics.
fn on_own_stack<T: Send>(parse: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("yaml".into())
            .stack_size(limits::YAML_STACK_BYTES)
            .spawn_scoped(scope, parse);
        thread.ok()?.join().ok()
    })
}

/// A YAML value as the parser returns it.
enum Raw {
    Null,
    Bool(bool),
    Number(serde_json::Number),
    Text(String),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("plain data")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(serde_json::Number::from_f64(value).map_or(Raw::Null, Raw::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Raw, E> {
        Ok(Raw::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Raw::Map(members))
    }
}

/// Converts the parser's values to nodes, and reports duplicate keys.
struct Loader<'a, 't> {
    source: &'a Source<'t>,
    findings: &'a mut Vec<Diagnostic>,
}

impl Loader<'_, '_> {
    fn node(&mut self, raw: Spanned<Raw>) -> YamlNode {
        let at = bytes_of(self.source, &raw.defined);
        let kind = match raw.value {
            Raw::Null => YamlKind::Null,
            Raw::Bool(value) => YamlKind::Bool(value),
            Raw::Number(number) => YamlKind::Number(number),
            Raw::Text(text) => YamlKind::Text(text),
            Raw::List(items) => {
                YamlKind::List(items.into_iter().map(|item| self.node(item)).collect())
            }
            Raw::Map(members) => YamlKind::Map(self.members(members)),
        };
        YamlNode { kind, at }
    }

    fn members(&mut self, members: Vec<(Spanned<String>, Spanned<Raw>)>) -> Vec<Member> {
        let mut seen = BTreeSet::new();
        let mut kept = Vec::with_capacity(members.len());
        for (key, value) in members {
            let key_at = bytes_of(self.source, &key.defined);
            let value = self.node(value);
            if seen.insert(key.value.clone()) {
                kept.push(Member { key: key.value, key_at, value });
            } else if self.findings.len() < limits::FINDINGS_MAX {
                self.findings.push(duplicate(self.source, &key.value, &key_at));
            }
        }
        kept
    }
}

fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_nodes: limits::YAML_NODES_MAX,
            max_events: limits::YAML_NODES_MAX * 4,
            max_depth: limits::YAML_DEPTH_MAX,
            flow_nesting_limit: limits::YAML_DEPTH_MAX,
            max_total_scalar_bytes: limits::METHOD_BYTES_MAX * 2,
            max_recorded_anchor_bytes: limits::METHOD_BYTES_MAX * 2,
            max_recorded_anchor_events: limits::YAML_NODES_MAX,
            max_documents: 1,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: limits::YAML_NODES_MAX,
        },
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        with_snippet: false,
    }
}

fn duplicate(source: &Source<'_>, key: &str, at: &Range<usize>) -> Diagnostic {
    source
        .finding(
            Severity::Error,
            codes::DUPLICATE_KEY,
            at,
            format!("the key `{key}` occurs twice in one mapping"),
        )
        .with_hint("remove one of the two: only one value can be used")
}
