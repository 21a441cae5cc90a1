//! The front matter of a template, which declares the template's audience and variables.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;

use super::codes;
use super::variable::{Variable, VariableType};
use crate::base::did_you_mean;
use crate::diagnostic::codes::{MISSING_KEY, UNKNOWN_KEY, WRONG_TYPE, WRONG_VALUE};
use crate::diagnostic::{Diagnostic, Severity, Source};
use crate::yaml::{self, Member, YamlKind, YamlNode};

/// The kind of people that a message is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// People who are asked to serve.
    Volunteer,
    /// People who buy from the business, or may do so.
    Customer,
    /// People who run the church or the business.
    Staff,
}

/// The content of the front matter, between the `---` lines.
#[derive(Debug, Clone)]
pub(super) struct FrontMatter {
    pub description: String,
    pub audience: Audience,
    pub question: Option<String>,
    pub yes: Option<Value>,
    pub no: Option<Value>,
    /// Whether a language model may reword the message.
    pub reword: bool,
    pub vars: BTreeMap<String, Variable>,
    /// Position of the name of each declared variable, as a byte range in the file.
    pub declared_at: BTreeMap<String, Range<usize>>,
}

/// Returns two byte offsets: the beginning of the body, and the end of the front matter.
///
/// `None` if the file does not begin with front matter, or if the closing `---` is missing.
pub(super) fn cut(text: &str) -> Option<(usize, usize)> {
    let mut lines = text.split_inclusive('\n');
    let mut at = lines.next().filter(|line| line.trim_end() == "---")?.len();
    for line in lines {
        if line.trim_end() == "---" {
            return Some((at + line.len(), at));
        }
        at += line.len();
    }
    None
}

/// Reads the front matter, which ends at the offset `end`, and adds all findings about it to `found`.
///
/// Returns `None` if the front matter has an error.
pub(super) fn read(
    source: &Source<'_>,
    end: usize,
    found: &mut Vec<Diagnostic>,
) -> Option<FrontMatter> {
    let before = found.len();
    // The opening line `---` is valid YAML, so the YAML reader gets the file from its beginning.
    // Therefore, offsets in the YAML document are also offsets in the file.
    let (root, findings) = yaml::read(&Source::new(source.file(), source.slice(&(0..end))));
    found.extend(findings);
    let root = root?;
    let mut reader = Reader { source, found };
    let matter = reader.matter(&root);
    let sound = !found.iter().skip(before).any(Diagnostic::is_error);
    matter.filter(|_| sound)
}

const KEYS: [&str; 7] = ["description", "for", "question", "yes", "no", "reword", "vars"];
const VARIABLE_KEYS: [&str; 3] = ["type", "example", "optional"];

/// Position of the opening line `---`, at which a finding points if a key of the front matter is missing.
const TOP: Range<usize> = 0..3;

struct Reader<'a> {
    source: &'a Source<'a>,
    found: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn matter(&mut self, root: &YamlNode) -> Option<FrontMatter> {
        self.known_keys(root.members(), &KEYS);
        let description = self.text(root, "description", &TOP);
        let audience = self.text(root, "for", &TOP).and_then(|text| self.audience(root, &text));
        let question = root.get("question").and_then(|_| self.text(root, "question", &TOP));
        let value = |key| root.get(key).map(YamlNode::to_value);
        let (yes, no) = (value("yes"), value("no"));
        self.question(root);
        let reword = self.reword(root);
        let mut vars = BTreeMap::new();
        let mut declared_at = BTreeMap::new();
        for member in root.get("vars").map(YamlNode::members).unwrap_or_default() {
            declared_at.insert(member.key.clone(), member.key_at.clone());
            if let Some(variable) = self.variable(member) {
                vars.insert(member.key.clone(), variable);
            }
        }
        if let Some(other) = root.get("vars").filter(|vars| !is_mapping(vars)) {
            self.wrong_type("vars", other, "a mapping of names");
        }
        let (description, audience) = (description?, audience?);
        Some(FrontMatter { description, audience, question, yes, no, reword, vars, declared_at })
    }

    fn audience(&mut self, root: &YamlNode, text: &str) -> Option<Audience> {
        match text {
            "volunteer" => Some(Audience::Volunteer),
            "customer" => Some(Audience::Customer),
            "staff" => Some(Audience::Staff),
            other => {
                let at = root.get("for").map_or(0..0, |node| node.at.clone());
                let message = format!("`for` is `{other}`");
                self.error(&at, WRONG_VALUE, message, "write `volunteer`, `customer` or `staff`");
                None
            }
        }
    }

    fn reword(&mut self, root: &YamlNode) -> bool {
        match root.get("reword").map(|node| (&node.kind, node)) {
            None => false,
            Some((YamlKind::Bool(reword), _)) => *reword,
            Some((_, other)) => {
                self.wrong_type("reword", other, "`true` or `false`");
                false
            }
        }
    }

    fn question(&mut self, root: &YamlNode) {
        let key_at = |key: &str| {
            root.members().iter().find(|member| member.key == key).map(|m| m.key_at.clone())
        };
        for answer in ["yes", "no"] {
            let (there, missing, at) = match (key_at("question"), key_at(answer)) {
                (Some(at), None) => ("question", answer, at),
                (None, Some(at)) => (answer, "question", at),
                _ => continue,
            };
            let message = format!("there is `{there}` but no `{missing}`");
            let remedy = "give `question`, `yes` and `no` together, or none of them";
            self.error(&at, codes::QUESTION, message, remedy);
        }
    }

    fn variable(&mut self, member: &Member) -> Option<Variable> {
        let (name, node) = (&member.key, &member.value);
        if !is_mapping(node) {
            self.wrong_type(name, node, "a mapping with `type` and `example`");
            return None;
        }
        self.known_keys(node.members(), &VARIABLE_KEYS);
        let kind = self.text(node, "type", &member.key_at).and_then(|text| self.kind(node, &text));
        let optional = match node.get("optional").map(YamlNode::to_value) {
            None => Some(false),
            Some(Value::Bool(optional)) => Some(optional),
            Some(_) => {
                let at = node.get("optional").unwrap_or(node);
                self.wrong_type("optional", at, "true or false");
                None
            }
        };
        let Some(example) = node.get("example") else {
            self.missing("example", &member.key_at);
            return None;
        };
        let (kind, optional) = (kind?, optional?);
        if !kind.accepts(&example.to_value()) {
            let message = format!("the example of `{name}` is not {}", kind.description());
            self.error(&example.at, codes::EXAMPLE, message, "give an example of that type");
        }
        Some(Variable { value_type: kind, example: example.to_value(), optional })
    }

    fn kind(&mut self, node: &YamlNode, text: &str) -> Option<VariableType> {
        let kind = VariableType::from_name(text);
        if kind.is_none() {
            let at = node.get("type").map_or(0..0, |node| node.at.clone());
            let remedy = did_you_mean(text, VariableType::names()).unwrap_or_else(|| {
                format!("types: {}", VariableType::names().collect::<Vec<_>>().join(" "))
            });
            self.error(&at, WRONG_VALUE, format!("no type `{text}`"), remedy);
        }
        kind
    }

    fn known_keys(&mut self, members: &[Member], known: &[&str]) {
        for member in members {
            if known.contains(&member.key.as_str()) {
                continue;
            }
            let remedy = did_you_mean(&member.key, known.iter().copied())
                .unwrap_or_else(|| format!("keys: {}", known.join(" ")));
            let message = format!("no key `{}`", member.key);
            self.error(&member.key_at, UNKNOWN_KEY, message, remedy);
        }
    }

    /// Returns the string under a required key. If the key is missing, the finding points at `around`.
    fn text(&mut self, node: &YamlNode, key: &str, around: &Range<usize>) -> Option<String> {
        let Some(value) = node.get(key) else {
            self.missing(key, around);
            return None;
        };
        let text = value.text().filter(|text| !text.trim().is_empty());
        if text.is_none() {
            self.wrong_type(key, value, "a text");
        }
        text.map(str::to_owned)
    }

    fn missing(&mut self, key: &str, at: &Range<usize>) {
        let remedy = match key {
            "description" => "add a sentence that says when the message is sent",
            "for" => "write `for: volunteer`, `for: customer` or `for: staff`",
            "type" => "say what the variable holds, as in `type: text`",
            _ => "add an example: previews and tests render it",
        };
        self.error(at, MISSING_KEY, format!("`{key}` is missing"), remedy);
    }

    fn wrong_type(&mut self, key: &str, node: &YamlNode, wanted: &str) {
        let message = format!("`{key}` is {}", node.describe());
        self.error(&node.at, WRONG_TYPE, message, format!("write {wanted}"));
    }

    fn error(
        &mut self,
        at: &Range<usize>,
        code: &'static str,
        message: String,
        remedy: impl Into<String>,
    ) {
        let finding = self.source.finding(Severity::Error, code, at, message);
        self.found.push(finding.with_hint(remedy));
    }
}

fn is_mapping(node: &YamlNode) -> bool {
    matches!(node.kind, YamlKind::Map(_))
}
