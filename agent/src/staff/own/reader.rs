//! Reads the parts that the files of all intents have in common: names, sentences, examples and slots.

use std::ops::Range;

use abide_language::contract::Risk;
use abide_language::diagnostic::{Findings, codes};
use abide_language::yaml::{Member, YamlKind, YamlNode};

use super::slot::{Choice, Slot, SlotKind};
use super::{EXAMPLES_MAX, SLOTS_MAX};
use crate::text::words;

/// The keys of a slot.
const SLOT_KEYS: [&str; 4] = ["type", "required", "ask", "values"];
/// Maximum number of characters of a name.
const NAME_MAX: usize = 60;
/// Maximum number of characters of a description, a question and an example: each fits into a text message.
const SENTENCE_MAX: usize = 300;
/// Maximum number of the values of a choice.
const VALUES_MAX: usize = 200;
/// Names of slots and types that mean a kind of ours.
const OTHER_WORDS: [(&str, SlotKind); 5] = [
    ("number", SlotKind::Count),
    ("string", SlotKind::Text),
    ("datetime", SlotKind::Time),
    ("amount", SlotKind::Money),
    ("enum", SlotKind::Choice),
];

/// Reads the parts of a file, and reports what is wrong with them.
pub(crate) struct IntentReader<'a, 't> {
    pub(crate) findings: Findings<'a, 't>,
}

impl IntentReader<'_, '_> {
    /// Reports each key that is not known.
    pub(crate) fn known_keys(&mut self, node: &YamlNode, known: &[&str], of: &str) {
        for member in node.members().iter().filter(|it| !known.contains(&it.key.as_str())) {
            let message = format!("unknown key `{}` of an {of}", member.key);
            let hint = format!("the keys are `{}`", known.join(" "));
            self.findings.error(codes::UNKNOWN_KEY, &member.key_at, message, hint);
        }
    }

    /// Returns where a member is, or its mapping if it is missing.
    pub(crate) fn place(&self, node: &YamlNode, key: &str) -> Range<usize> {
        node.get(key).map_or_else(|| node.at.clone(), |member| member.at.clone())
    }

    /// Returns the name under a key, which must be there.
    pub(crate) fn name(&mut self, node: &YamlNode, key: &str) -> Option<String> {
        let at = self.place(node, key);
        let Some(value) = node.get(key) else {
            let hint = format!("add `{key}:` with a name such as `deep_clean`");
            self.findings.error(codes::MISSING_KEY, &at, format!("`{key}` is missing"), hint);
            return None;
        };
        let name = value.text().filter(|name| is_name(name));
        if name.is_none() {
            let hint = "use small letters, digits and `_`, such as `deep_clean`".to_owned();
            self.findings.error(codes::WRONG_VALUE, &at, format!("`{key}` is no name"), hint);
        }
        name.map(ToOwned::to_owned)
    }

    /// Returns the text under a key, if there is one.
    pub(crate) fn sentence(&mut self, node: &YamlNode, key: &str) -> Option<String> {
        let value = node.get(key)?;
        let text = value.text().filter(|text| is_sentence(text));
        if text.is_none() {
            let message = format!("`{key}` is not a text of 1 to {SENTENCE_MAX} characters");
            self.findings.error(codes::WRONG_TYPE, &value.at, message, None);
        }
        text.map(ToOwned::to_owned)
    }

    /// Returns the examples, which must be there.
    pub(crate) fn examples(&mut self, root: &YamlNode) -> Option<Vec<String>> {
        let at = self.place(root, "examples");
        let hint = "add `examples:` with a few texts as people would write them".to_owned();
        let items = match root.get("examples").map(|node| &node.kind) {
            Some(YamlKind::List(items)) if !items.is_empty() => items,
            Some(YamlKind::List(_)) | None => {
                self.findings.error(codes::MISSING_KEY, &at, "`examples` is missing", hint);
                return None;
            }
            Some(_) => {
                self.findings.error(codes::WRONG_TYPE, &at, "`examples` is not a list", hint);
                return None;
            }
        };
        if items.len() > EXAMPLES_MAX {
            let message = format!("an intent has at most {EXAMPLES_MAX} examples");
            self.findings.error(codes::TOO_LARGE, &at, message, None);
            return None;
        }
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            match item.text().filter(|text| is_sentence(text)) {
                Some(text) => texts.push(text.to_owned()),
                None => {
                    let message =
                        format!("an example is not a text of 1 to {SENTENCE_MAX} characters");
                    let hint = "put quotes around it".to_owned();
                    self.findings.error(codes::WRONG_TYPE, &item.at, message, hint);
                }
            }
        }
        Some(texts)
    }

    /// Returns the risk that a file states, or T1.
    pub(crate) fn risk(&mut self, root: &YamlNode) -> Risk {
        let Some(node) = root.get("risk") else { return Risk::T1 };
        serde_json::from_value(node.to_value()).unwrap_or_else(|_| {
            let hint = "it is one of T0, T1, T2, T3 and T4".to_owned();
            self.findings.error(codes::WRONG_VALUE, &node.at, "`risk` is no tier", hint);
            Risk::T1
        })
    }

    /// Returns what a text can name.
    pub(crate) fn slots(&mut self, node: &YamlNode) -> Vec<Slot> {
        let members = node.members();
        if members.len() > SLOTS_MAX {
            let message = format!("an intent has at most {SLOTS_MAX} slots");
            self.findings.error(codes::TOO_LARGE, &node.at, message, None);
        }
        if members.is_empty() {
            let hint = "write each slot under its name, such as `count: required`".to_owned();
            self.findings.error(codes::WRONG_TYPE, &node.at, "`slots` is no mapping", hint);
        }
        members.iter().filter_map(|member| self.slot(member)).collect()
    }

    fn slot(&mut self, member: &Member) -> Option<Slot> {
        if !is_name(&member.key) || member.key == "kind" {
            let message = format!("`{}` is no name of a slot", member.key);
            let hint = "use small letters, digits and `_`; `kind` is that of the goal".to_owned();
            self.findings.error(codes::WRONG_VALUE, &member.key_at, message, hint);
            return None;
        }
        let mut slot = Slot {
            name: member.key.clone(),
            kind: kind_of(&member.key).unwrap_or(SlotKind::Text),
            required: true,
            ask: None,
            choices: Vec::new(),
        };
        match &member.value.kind {
            YamlKind::Text(word) if word == "required" => {}
            YamlKind::Text(word) if word == "optional" => slot.required = false,
            YamlKind::Map(_) => self.described(&member.value, &mut slot)?,
            _ => {
                let message = format!("`{}` is neither `required` nor `optional`", member.key);
                let hint = "or describe it with `type`, `required`, `ask` and `values`".to_owned();
                self.findings.error(codes::WRONG_VALUE, &member.value.at, message, hint);
                return None;
            }
        }
        Some(slot)
    }

    /// Reads the description of a slot.
    fn described(&mut self, node: &YamlNode, slot: &mut Slot) -> Option<()> {
        self.known_keys(node, &SLOT_KEYS, "slot");
        slot.ask = self.sentence(node, "ask");
        slot.required =
            !matches!(node.get("required").map(|it| &it.kind), Some(YamlKind::Bool(false)));
        if let Some(values) = node.get("values") {
            slot.kind = SlotKind::Choice;
            slot.choices = self.choices(values);
        }
        if let Some(named) = node.get("type") {
            let Some(kind) = named.text().and_then(kind_of) else {
                let kinds: Vec<&str> = SlotKind::ALL.iter().map(|kind| kind.as_str()).collect();
                let hint = format!("the types are `{}`", kinds.join(" "));
                self.findings.error(codes::WRONG_VALUE, &named.at, "there is no such type", hint);
                return None;
            };
            slot.kind = kind;
        }
        if (slot.kind == SlotKind::Choice) == slot.choices.is_empty() {
            let hint = "give a choice `values`, each with its words".to_owned();
            let message = "`values` belong to a choice, and a choice needs them";
            self.findings.error(codes::MISSING_KEY, &node.at, message, hint);
            return None;
        }
        Some(())
    }

    fn choices(&mut self, node: &YamlNode) -> Vec<Choice> {
        let choices: Vec<Choice> = match &node.kind {
            YamlKind::List(items) => {
                items.iter().filter_map(|item| Some(choice(item.text()?, &[]))).collect()
            }
            YamlKind::Map(members) => {
                let words = |member: &Member| match &member.value.kind {
                    YamlKind::List(items) => {
                        items.iter().filter_map(|it| it.text().map(ToOwned::to_owned)).collect()
                    }
                    YamlKind::Text(word) => vec![word.clone()],
                    _ => Vec::new(),
                };
                members.iter().map(|member| choice(&member.key, &words(member))).collect()
            }
            _ => Vec::new(),
        };
        if choices.is_empty() || choices.len() > VALUES_MAX {
            let message = format!("`values` are not 1 to {VALUES_MAX} texts");
            let hint = "write a list, or each value with a list of words for it".to_owned();
            self.findings.error(codes::WRONG_TYPE, &node.at, message, hint);
        }
        choices
    }
}

/// Returns a value that can be chosen, by its name and by the words for it.
fn choice(value: &str, others: &[String]) -> Choice {
    let spoken = std::iter::once(spaced(value)).chain(others.iter().cloned());
    let mut all: Vec<String> = spoken.map(|text| words(&text).join(" ")).collect();
    all.retain(|words| !words.is_empty());
    Choice { value: value.to_owned(), words: all }
}

/// Returns the kind that a word names.
fn kind_of(word: &str) -> Option<SlotKind> {
    let other = || OTHER_WORDS.iter().find(|(name, _)| *name == word).map(|(_, kind)| *kind);
    SlotKind::parse(word).or_else(other)
}

fn is_name(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(letter)
        && text.len() <= NAME_MAX
}

fn is_sentence(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= SENTENCE_MAX
}

/// Returns a name as words: `deep_clean` is "deep clean".
pub(super) fn spaced(name: &str) -> String {
    name.replace('_', " ")
}
