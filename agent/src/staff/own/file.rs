//! Reads a file of an intent, such as `intents/deep_clean.yaml` of a home.

use abide_language::contract::Risk;
use abide_language::diagnostic::{Diagnostic, Findings, Source, codes};
use abide_language::yaml::{self, YamlNode};

use super::super::StaffIntent;
use super::reader::{IntentReader, spaced};
use super::{INTENTS_MAX, Intents, OwnIntent};
use crate::classify::TrainingExample;

/// The keys of a file.
const KEYS: [&str; 8] =
    ["intent", "domain", "risk", "description", "goal", "method", "slots", "examples"];
/// Reads a file, and adds its intent. Returns what is wrong with it; a file with an error adds nothing.
pub(super) fn read(
    name: &str,
    text: &str,
    intents: &mut Intents,
    method_exists: &dyn Fn(&str) -> bool,
) -> Vec<Diagnostic> {
    let source = Source::new(name, text);
    let (root, found) = yaml::read(&source);
    if root.as_ref().is_some_and(|root| root.get("tools").is_some()) {
        return Vec::new(); // an intent of the operator, which reads it
    }
    let parts = IntentReader { findings: Findings::of(&source) };
    let mut reader = Reader { parts, method_exists };
    reader.parts.findings.extend(found);
    if let Some(root) = root
        && let Some(read) = reader.file(&root, intents)
        && !reader.parts.findings.has_errors()
    {
        match read {
            ReadFile::Own(intent) => drop(intents.own.insert(intent.name.clone(), *intent)),
            ReadFile::More(examples) => intents.more.extend(examples),
        }
    }
    reader.parts.findings.sorted()
}

/// What a file adds.
enum ReadFile {
    Own(Box<OwnIntent>),
    /// Examples of an intent of the program.
    More(Vec<TrainingExample>),
}

struct Reader<'a, 't> {
    parts: IntentReader<'a, 't>,
    method_exists: &'a dyn Fn(&str) -> bool,
}

impl Reader<'_, '_> {
    fn file(&mut self, root: &YamlNode, known: &Intents) -> Option<ReadFile> {
        if root.get("label").is_some() {
            let hint = "a home adds intents of staff; remove the file".to_owned();
            let message = "the labels of replies belong to the program";
            self.parts.findings.error(codes::WRONG_VALUE, &root.at, message, hint);
            return None;
        }
        self.parts.known_keys(root, &KEYS, "intent");
        let name = self.parts.name(root, "intent")?;
        let examples = self.parts.examples(root)?;
        if StaffIntent::parse(&name).is_some() {
            let example =
                |text| TrainingExample { text, context: String::new(), label: name.clone() };
            return Some(ReadFile::More(examples.into_iter().map(example).collect()));
        }
        if known.own.contains_key(&name) {
            let message = format!("another file has the intent `{name}`");
            let at = self.parts.place(root, "intent");
            self.parts.findings.error(codes::DUPLICATE_ID, &at, message, None);
            return None;
        }
        if known.own.len() >= INTENTS_MAX {
            let message = format!("a home has at most {INTENTS_MAX} intents of its own");
            self.parts.findings.error(codes::TOO_LARGE, &root.at, message, None);
            return None;
        }
        let slots = root.get("slots").map(|node| self.parts.slots(node)).unwrap_or_default();
        Some(ReadFile::Own(Box::new(OwnIntent {
            domain: self.parts.sentence(root, "domain"),
            description: self.parts.sentence(root, "description").unwrap_or_else(|| spaced(&name)),
            kind: self.parts.sentence(root, "goal").unwrap_or_else(|| in_camel_case(&name)),
            method: self.method(root),
            confirm: self.parts.risk(root) > Risk::T1,
            slots,
            examples,
            name,
        })))
    }

    fn method(&mut self, root: &YamlNode) -> Option<String> {
        let method = self.parts.sentence(root, "method")?;
        if !(self.method_exists)(&method) {
            let at = self.parts.place(root, "method");
            let hint = "name a method that compiles, or leave the choice to the planner".to_owned();
            let message = format!("there is no method `{method}`");
            self.parts.findings.error(codes::UNKNOWN_METHOD, &at, message, hint);
        }
        Some(method)
    }
}

/// Returns a name as the kind of a goal: `deep_clean` is `DeepClean`.
fn in_camel_case(name: &str) -> String {
    let capital = |part: &str| {
        let mut letters = part.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    name.split('_').map(capital).collect()
}
