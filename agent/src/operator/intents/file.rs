//! Reads a file of a home whose intent calls tools, such as `intents/order_tiles.yaml`.

use abide_language::contract::Contracts;
use abide_language::diagnostic::{Diagnostic, Findings, Source, codes};
use abide_language::yaml::{self, YamlKind, YamlNode};

use super::{INTENTS_MAX, OperatorIntents, OwnTools, example, is_idle};
use crate::staff::IntentReader;

/// The keys of a file.
const KEYS: [&str; 6] = ["intent", "tools", "domain", "description", "slots", "examples"];
/// Maximum number of tools of one intent.
const TOOLS_MAX: usize = 12;

/// Reads a file, and adds its intent. Returns what is wrong with it; a file with an error adds nothing.
pub(super) fn read(
    name: &str,
    text: &str,
    intents: &mut OperatorIntents,
    contracts: &Contracts,
) -> Vec<Diagnostic> {
    let source = Source::new(name, text);
    let (root, found) = yaml::read(&source);
    let Some(root) = root.filter(|root| root.get("tools").is_some()) else {
        return Vec::new(); // the reader of intents of staff reports what is wrong with it
    };
    let mut reader = Reader { parts: IntentReader { findings: Findings::of(&source) }, contracts };
    reader.parts.findings.extend(found);
    let read = reader.file(&root, intents);
    if let Some(own) = read.filter(|_| !reader.parts.findings.has_errors()) {
        if is_builtin(&own.name) {
            intents.more.extend(own.examples.iter().map(|text| example(&own.name, text)));
        } else {
            intents.own.insert(own.name.clone(), own);
        }
    }
    reader.parts.findings.sorted()
}

/// Whether an intent is one of the program: one with the name of its tool, or one without tools.
fn is_builtin(intent: &str) -> bool {
    intent.contains('.') || is_idle(intent)
}

struct Reader<'a, 't> {
    parts: IntentReader<'a, 't>,
    contracts: &'a Contracts,
}

impl Reader<'_, '_> {
    fn file(&mut self, root: &YamlNode, known: &OperatorIntents) -> Option<OwnTools> {
        self.parts.known_keys(root, &KEYS, "intent");
        self.parts.sentence(root, "description");
        let tools = self.tools(root)?;
        let name = match root.get("intent").and_then(YamlNode::text).filter(|it| is_builtin(it)) {
            Some(name) => self.builtin(root, name, &tools)?,
            None => self.parts.name(root, "intent")?,
        };
        let examples = self.parts.examples(root)?;
        if known.own.contains_key(&name) {
            let at = self.parts.place(root, "intent");
            let message = format!("another file has the intent `{name}`");
            self.parts.findings.error(codes::DUPLICATE_ID, &at, message, None);
            return None;
        }
        if known.own.len() >= INTENTS_MAX {
            let message = format!("a home has at most {INTENTS_MAX} intents of its own");
            self.parts.findings.error(codes::TOO_LARGE, &root.at, message, None);
            return None;
        }
        let slots = root.get("slots").map(|node| self.parts.slots(node)).unwrap_or_default();
        Some(OwnTools { name, tools, slots, examples })
    }

    /// Returns the name of an intent of the program, to which a home adds examples.
    fn builtin(&mut self, root: &YamlNode, name: &str, tools: &[String]) -> Option<String> {
        let own = match tools {
            [] => !name.contains('.'),
            [tool] => tool == name,
            _ => false,
        };
        if !own {
            let at = self.parts.place(root, "intent");
            let message = format!("`{name}` is an intent of the program with other tools");
            let hint = "give the intent a name without a dot".to_owned();
            self.parts.findings.error(codes::WRONG_VALUE, &at, message, hint);
        }
        own.then(|| name.to_owned())
    }

    /// Returns the tools of an intent, each of which must exist.
    fn tools(&mut self, root: &YamlNode) -> Option<Vec<String>> {
        let node = root.get("tools")?;
        let YamlKind::List(items) = &node.kind else {
            let hint = "write them as a list, such as `[quote.finalize, quote.send]`".to_owned();
            self.parts.findings.error(codes::WRONG_TYPE, &node.at, "`tools` is not a list", hint);
            return None;
        };
        let without = root.get("intent").and_then(YamlNode::text).is_some_and(is_builtin);
        if items.len() > TOOLS_MAX || (items.is_empty() && !without) {
            let message = format!("`tools` are not 1 to {TOOLS_MAX} names");
            self.parts.findings.error(codes::TOO_LARGE, &node.at, message, None);
            return None;
        }
        let mut tools = Vec::with_capacity(items.len());
        for item in items {
            match item.text().filter(|tool| self.contracts.get(tool).is_some()) {
                Some(tool) => tools.push(tool.to_owned()),
                None => {
                    let named = item.text().map_or(item.describe(), |tool| format!("`{tool}`"));
                    let message = format!("there is no tool {named}");
                    let hint = "`abide tools list` shows the tools".to_owned();
                    self.parts.findings.error(codes::UNKNOWN_VERB, &item.at, message, hint);
                }
            }
        }
        (tools.len() == items.len()).then_some(tools)
    }
}
