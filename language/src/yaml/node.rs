//! The tree of a YAML document, with the byte range of every node.

use std::ops::Range;

use crate::base::Value;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Its bytes in the text; of a collection in block style, where it begins.
    pub at: Range<usize>,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// `null`, `~`, or nothing at all.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(serde_json::Number),
    /// Everything else that is not a collection.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the author's order; keys are texts and stand once.
    Map(Vec<Member>),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_at: Range<usize>,
    /// The value.
    pub value: Node,
}

impl Node {
    /// The value of a key, where this is a mapping that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.members().iter().find(|member| member.key == key).map(|member| &member.value)
    }

    /// The members of a mapping; none of anything else.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        match &self.kind {
            Kind::Map(members) => members,
            _ => &[],
        }
    }

    /// The text of a text.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// What it is, for a sentence: "a list", "the number 5".
    #[must_use]
    pub fn describe(&self) -> String {
        match &self.kind {
            Kind::Null => "nothing".into(),
            Kind::Bool(value) => format!("`{value}`"),
            Kind::Number(number) => format!("the number `{number}`"),
            Kind::Text(_) => "a text".into(),
            Kind::List(_) => "a list".into(),
            Kind::Map(_) => "a mapping".into(),
        }
    }

    /// The same as JSON, without places.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(number) => Value::Number(number.clone()),
            Kind::Text(text) => Value::String(text.clone()),
            Kind::List(items) => items.iter().map(Self::to_value).collect(),
            Kind::Map(members) => Value::Object(
                members
                    .iter()
                    .map(|member| (member.key.clone(), member.value.to_value()))
                    .collect(),
            ),
        }
    }

    /// The node at a JSON pointer's parts, or the deepest one on the way there.
    #[must_use]
    pub fn nearest<'n>(&'n self, path: impl IntoIterator<Item = &'n str>) -> &'n Self {
        let mut node = self;
        for part in path {
            let next = match &node.kind {
                Kind::List(items) => part.parse::<usize>().ok().and_then(|ix| items.get(ix)),
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
