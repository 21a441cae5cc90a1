//! Reads the members of a small YAML file, and reports every unknown, missing and invalid member.

use std::ops::Range;

use abide_engine::diagnostic::{Diagnostic, Findings, Source, codes, did_you_mean};
use abide_engine::yaml::{self, YamlKind, YamlNode};

/// Reads a YAML file that is a mapping with the keys `known`, and lets `build` make a value of it.
/// The value is `None` if there is an error. The findings are in reading order.
pub(super) fn read<T>(
    source: &Source<'_>,
    known: &[&str],
    build: impl FnOnce(&YamlNode, &mut FieldReader<'_, '_>) -> Option<T>,
) -> (Option<T>, Vec<Diagnostic>) {
    let (root, found) = yaml::read(source);
    let mut reader = FieldReader { findings: Findings::of(source) };
    reader.findings.extend(found);
    let value = root.and_then(|root| {
        reader.check_keys(&root, known);
        build(&root, &mut reader)
    });
    let is_valid = !reader.findings.has_errors();
    (value.filter(|_| is_valid), reader.findings.sorted())
}

/// Collects the findings while the members of a file are read.
pub(super) struct FieldReader<'a, 't> {
    findings: Findings<'a, 't>,
}

impl FieldReader<'_, '_> {
    fn check_keys(&mut self, root: &YamlNode, known: &[&str]) {
        if !matches!(root.kind, YamlKind::Map(_)) {
            let message = format!("expected a mapping, found {}", root.describe());
            return self.error(codes::WRONG_TYPE, &root.at, message, &first_lines(known));
        }
        for member in root.members().iter().filter(|member| !known.contains(&&*member.key)) {
            let hint = did_you_mean(&member.key, known.iter().copied())
                .unwrap_or_else(|| format!("the keys are {}", known.join(", ")));
            let message = format!("unknown key `{}`", member.key);
            self.error(codes::UNKNOWN_KEY, &member.key_at, message, &hint);
        }
    }

    /// Returns the member `key`. Reports an error if there is none.
    pub(super) fn required<'n>(&mut self, root: &'n YamlNode, key: &str) -> Option<&'n YamlNode> {
        let found = root.get(key);
        if found.is_none() && matches!(root.kind, YamlKind::Map(_)) {
            let hint = format!("add a line `{key}: …`");
            self.error(codes::MISSING_KEY, &root.at, format!("`{key}` is missing"), &hint);
        }
        found
    }

    /// Reads a string with `parse`. Reports an error with the hint if `parse` returns `None`.
    pub(super) fn parsed<T>(
        &mut self,
        node: &YamlNode,
        parse: impl FnOnce(&str) -> Option<T>,
        hint: &str,
    ) -> Option<T> {
        let Some(text) = node.text() else {
            let message = format!("expected a text, found {}", node.describe());
            self.error(codes::WRONG_TYPE, &node.at, message, hint);
            return None;
        };
        let value = parse(text);
        if value.is_none() {
            self.error(codes::WRONG_VALUE, &node.at, format!("invalid value `{text}`"), hint);
        }
        value
    }

    /// Records an error.
    pub(super) fn error(
        &mut self,
        code: &'static str,
        at: &Range<usize>,
        message: String,
        hint: &str,
    ) {
        self.findings.error(code, at, message, hint.to_owned());
    }
}

fn first_lines(known: &[&str]) -> String {
    format!("write one line for each of the keys {}", known.join(", "))
}
