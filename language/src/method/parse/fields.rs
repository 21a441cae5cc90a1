//! Checks the keys of a mapping against the keys that it may have.

use std::ops::Range;

use super::Parser;
use super::keys::Keys;
use crate::diagnostic::{codes, nearest};
use crate::yaml::{YamlKind, YamlNode};

/// A mapping whose unknown keys have been reported.
pub(super) struct Fields<'n> {
    node: &'n YamlNode,
    /// Permitted keys that the author probably meant when writing the unknown keys.
    meant: Vec<&'static str>,
}

impl<'n> Fields<'n> {
    pub(super) fn get(&self, key: &str) -> Option<&'n YamlNode> {
        self.node.get(key)
    }

    /// Whether to report that `key` is missing. False if an unknown key was probably meant to be `key`.
    pub(super) fn should_report_missing(&self, key: &str) -> bool {
        !self.meant.contains(&key)
    }

    pub(super) fn key_at(&self, key: &str) -> Option<&'n Range<usize>> {
        self.node.members().iter().find(|member| member.key == key).map(|member| &member.key_at)
    }
}

impl Parser<'_, '_, '_> {
    /// Returns the members of a mapping. Reports unknown keys, and a node that is not a mapping.
    pub(super) fn fields<'n>(&mut self, node: &'n YamlNode, keys: &Keys) -> Option<Fields<'n>> {
        if !matches!(node.kind, YamlKind::Map(_)) {
            let message =
                format!("{} must be a mapping, but this is {}", keys.what, node.describe());
            self.error(
                codes::WRONG_TYPE,
                &node.at,
                message,
                format!("use the keys {}", listed(keys.known)),
            );
            return None;
        }
        let mut meant = Vec::new();
        for member in node.members() {
            let key = member.key.as_str();
            if keys.known.contains(&key) {
                continue;
            }
            let synonym =
                keys.synonyms.iter().find(|(word, _)| *word == key).map(|(_, means)| *means);
            let known = keys.known.iter().copied();
            let hint = match synonym.or_else(|| nearest(key, known)) {
                Some(right) => {
                    meant.push(right);
                    format!("did you mean `{right}`?")
                }
                None => format!("use one of {}", listed(keys.known)),
            };
            let message = format!("{} has no key `{key}`", keys.what);
            self.error(codes::UNKNOWN_KEY, &member.key_at, message, hint);
        }
        Some(Fields { node, meant })
    }
}

/// Formats keys as `a`, `b` and `c`.
fn listed(keys: &[&str]) -> String {
    let quoted: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
