//! The tree of a YAML document, with the byte range of every node.

use std::ops::Range;

use crate::base::Value;

/// A value and its position in the source.
#[derive(Debug, Clone, PartialEq)]
pub struct YamlNode {
    /// The value of the node.
    pub kind: YamlKind,
    /// The byte range of the node in the source.
    /// The range of a list or a mapping in block style covers only its beginning.
    pub at: Range<usize>,
}

/// The value of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum YamlKind {
    /// `null`, `~`, or an empty value.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(serde_json::Number),
    /// Any other scalar, as a string.
    Text(String),
    /// A list.
    List(Vec<YamlNode>),
    /// A mapping in the author's order. Keys are strings and unique.
    Map(Vec<Member>),
}

/// A key of a mapping and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The key of the member.
    pub key: String,
    /// The byte range of the key.
    pub key_at: Range<usize>,
    /// The value of the member.
    pub value: YamlNode,
}

impl YamlNode {
    /// Returns the value of a key; `None` if this node is not a mapping or has no such key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.members().iter().find(|member| member.key == key).map(|member| &member.value)
    }

    /// Returns the members of a mapping; empty for any other node.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        match &self.kind {
            YamlKind::Map(members) => members,
            _ => &[],
        }
    }

    /// Returns the string of a string node; `None` for any other node.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            YamlKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Describes the value for an error message: "a list", "the number `5`".
    #[must_use]
    pub fn describe(&self) -> String {
        match &self.kind {
            YamlKind::Null => "nothing".into(),
            YamlKind::Bool(value) => format!("`{value}`"),
            YamlKind::Number(number) => format!("the number `{number}`"),
            YamlKind::Text(_) => "a text".into(),
            YamlKind::List(_) => "a list".into(),
            YamlKind::Map(_) => "a mapping".into(),
        }
    }

    /// Converts the tree to JSON, without byte ranges.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.kind {
            YamlKind::Null => Value::Null,
            YamlKind::Bool(value) => Value::Bool(*value),
            YamlKind::Number(number) => Value::Number(number.clone()),
            YamlKind::Text(text) => Value::String(text.clone()),
            YamlKind::List(items) => items.iter().map(Self::to_value).collect(),
            YamlKind::Map(members) => Value::Object(
                members
                    .iter()
                    .map(|member| (member.key.clone(), member.value.to_value()))
                    .collect(),
            ),
        }
    }

    /// Follows a path of keys and list indices, as in a JSON pointer.
    /// Returns the node at the end of the path, or the deepest node on the path that exists.
    #[must_use]
    pub fn nearest<'n>(&'n self, path: impl IntoIterator<Item = &'n str>) -> &'n Self {
        let mut node = self;
        for part in path {
            let next = match &node.kind {
                YamlKind::List(items) => part.parse::<usize>().ok().and_then(|ix| items.get(ix)),
                _ => node.get(part),
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
        }
        node
    }
}
