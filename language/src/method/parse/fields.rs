//! The members of a mapping, held against the keys that it may have.

use std::ops::Range;

use super::Parser;
use super::keys::Keys;
use crate::diagnostic::{codes, nearest};
use crate::yaml::{Kind, Node};

/// A mapping whose keys are all known.
pub(super) struct Fields<'n> {
    node: &'n Node,
    /// Keys that were probably meant by words which are none.
    meant: Vec<&'static str>,
}

impl<'n> Fields<'n> {
    pub(super) fn get(&self, key: &str) -> Option<&'n Node> {
        self.node.get(key)
    }

    /// True where the key is missing and nothing else was said that explains it.
    pub(super) fn misses(&self, key: &str) -> bool {
        !self.meant.contains(&key)
    }

    pub(super) fn key_at(&self, key: &str) -> Option<&'n Range<usize>> {
        self.node.members().iter().find(|member| member.key == key).map(|member| &member.key_at)
    }
}

impl Parser<'_, '_, '_> {
    /// The members of a mapping; keys that the language does not have are findings.
    pub(super) fn fields<'n>(&mut self, node: &'n Node, keys: &Keys) -> Option<Fields<'n>> {
        if !matches!(node.kind, Kind::Map(_)) {
            let message = format!("{} is a mapping, and this is {}", keys.what, node.describe());
            self.error(
                codes::WRONG_TYPE,
                &node.at,
                message,
                format!("its keys are {}", listed(keys.known)),
            );
            return None;
        }
        let mut meant = Vec::new();
        for member in node.members() {
            let key = member.key.as_str();
            if keys.known.contains(&key) {
                continue;
            }
            let synonym = keys.meant.iter().find(|(word, _)| *word == key).map(|(_, means)| *means);
            let known = keys.known.iter().copied();
            let hint = match synonym.or_else(|| nearest(key, known)) {
                Some(right) => {
                    meant.push(right);
                    format!("did you mean `{right}`?")
                }
                None => format!("its keys are {}", listed(keys.known)),
            };
            let message = format!("{} has no key `{key}`", keys.what);
            self.error(codes::UNKNOWN_KEY, &member.key_at, message, hint);
        }
        Some(Fields { node, meant })
    }
}

/// `a`, `b` and `c`.
fn listed(keys: &[&str]) -> String {
    let quoted: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
