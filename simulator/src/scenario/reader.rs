//! Reads values of given types from YAML nodes.
//! Records each error with its position and continues to read.

use std::collections::BTreeMap;
use std::ops::Range;

use abide_engine::base::{Span, Timestamp, Value};
use abide_engine::diagnostic::{Diagnostic, Severity, Source, codes};
use abide_engine::yaml::{Member, YamlKind, YamlNode};

use super::SourcePosition;
use super::words::Words;

/// The codes of findings that occur only in scenarios.
/// A finding that also occurs in methods has the same code in scenarios as in methods.
/// Each code has a page in `docs/errors/`.
pub mod code {
    /// A scenario step is earlier than the scenario step above it in the file.
    pub const OUT_OF_ORDER: &str = "scenario-out-of-order";
    /// No person has this name.
    pub const UNKNOWN_PERSON: &str = "scenario-unknown-person";
    /// No earlier scenario step gives this name to a run.
    pub const UNKNOWN_RUN: &str = "scenario-unknown-run";
    /// A setting does not exist, or its value is invalid.
    pub const BAD_SETTING: &str = "scenario-bad-setting";
    /// The scenario has no expectations, so it cannot fail.
    pub const EXPECTS_NOTHING: &str = "scenario-expects-nothing";

    /// All codes of this module.
    pub const ALL: &[&str] =
        &[OUT_OF_ORDER, UNKNOWN_PERSON, UNKNOWN_RUN, BAD_SETTING, EXPECTS_NOTHING];
}

/// Reads the YAML nodes of one file, and collects the findings.
pub(super) struct ScenarioReader<'s> {
    source: &'s Source<'s>,
    found: Vec<Diagnostic>,
}

/// A mapping that has been checked for unknown keys: its members with known keys.
pub(super) struct MappingFields<'n> {
    /// The kind of mapping, as findings name it: for example `a step`.
    what: &'static str,
    /// The source range of the mapping.
    pub(super) at: Range<usize>,
    members: Vec<&'n Member>,
}

impl<'n> MappingFields<'n> {
    pub(super) fn get(&self, key: &str) -> Option<&'n YamlNode> {
        self.members.iter().find(|member| member.key == key).map(|member| &member.value)
    }

    /// Returns the members whose keys are in `keys`, in file order.
    pub(super) fn among(&self, keys: &[&str]) -> Vec<&'n Member> {
        self.members.iter().filter(|member| keys.contains(&member.key.as_str())).copied().collect()
    }
}

impl<'s> ScenarioReader<'s> {
    pub(super) fn new(source: &'s Source<'s>, found: Vec<Diagnostic>) -> Self {
        Self { source, found }
    }

    /// Returns the findings in file order.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.found.sort_by(|a, b| a.order().cmp(&b.order()));
        self.found
    }

    /// Records an error. A scenario with an error cannot be played.
    pub(super) fn error(
        &mut self,
        at: &Range<usize>,
        code: &'static str,
        message: impl Into<String>,
        hint: impl Into<Option<String>>,
    ) {
        let finding = self.source.finding(Severity::Error, code, at, message);
        self.found.push(Diagnostic { hint: hint.into(), ..finding });
    }

    /// Records a warning.
    /// A scenario with a warning can be played, but the author probably intended something else.
    pub(super) fn warning(
        &mut self,
        at: &Range<usize>,
        code: &'static str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.found.push(self.source.finding(Severity::Warning, code, at, message).with_hint(hint));
    }

    /// Records an error at a position that [`Self::place`] returned earlier.
    pub(super) fn error_at(
        &mut self,
        place: SourcePosition,
        code: &'static str,
        message: String,
        hint: String,
    ) {
        let nowhere = self.source.finding(Severity::Error, code, &(0..0), message);
        self.found.push(Diagnostic {
            hint: Some(hint),
            line: place.line,
            col: place.col,
            end_col: place.end_col,
            ..nowhere
        });
    }

    /// Converts a source range to a position, for an error that is recorded later.
    pub(super) fn place(&self, at: &Range<usize>) -> SourcePosition {
        let found = self.source.finding(Severity::Error, codes::WRONG_VALUE, at, "");
        SourcePosition { line: found.line, col: found.col, end_col: found.end_col }
    }

    fn wrong_type(&mut self, node: &YamlNode, expected: &str) {
        let message = format!("expected {expected}, found {}", node.describe());
        self.error(&node.at, codes::WRONG_TYPE, message, None);
    }

    /// Returns those members of a mapping that have a key in `known`, and records an error for each
    /// other member. If the node is not a mapping, records an error and returns `None`.
    pub(super) fn fields<'n>(
        &mut self,
        node: &'n YamlNode,
        what: &'static str,
        known: &[&str],
    ) -> Option<MappingFields<'n>> {
        let (YamlKind::Map(_) | YamlKind::Null) = &node.kind else {
            self.wrong_type(node, &format!("a mapping for {what} with {}", listed(known)));
            return None;
        };
        let (members, unknown): (Vec<_>, Vec<_>) =
            node.members().iter().partition(|member| known.contains(&member.key.as_str()));
        for member in unknown {
            let hint = nearest(&member.key, known).map_or_else(
                || format!("use one of {}", listed(known)),
                |near| format!("did you mean `{near}`?"),
            );
            let message = format!("{what} has no member `{}`", member.key);
            self.error(&member.key_at, codes::UNKNOWN_KEY, message, hint);
        }
        Some(MappingFields { what, at: node.at.clone(), members })
    }

    /// Returns a required member, or records an error if it is missing.
    pub(super) fn required<'n>(
        &mut self,
        fields: &MappingFields<'n>,
        key: &str,
    ) -> Option<&'n YamlNode> {
        let node = fields.get(key);
        if node.is_none() {
            let message = format!("{} needs `{key}`", fields.what);
            self.error(&fields.at, codes::MISSING_KEY, message, None);
        }
        node
    }

    /// Reads a string. An unquoted number or boolean is read as the string that is written in the file.
    pub(super) fn text(&mut self, node: &YamlNode) -> Option<String> {
        match &node.kind {
            YamlKind::Text(text) => Some(text.clone()),
            YamlKind::Number(_) | YamlKind::Bool(_) => Some(self.source.slice(&node.at).to_owned()),
            _ => {
                self.wrong_type(node, "a text");
                None
            }
        }
    }

    /// Reads an optional member that is a string.
    pub(super) fn text_of(&mut self, fields: &MappingFields<'_>, key: &str) -> Option<String> {
        fields.get(key).and_then(|node| self.text(node))
    }

    /// Reads a required member that is a string.
    pub(super) fn required_text(
        &mut self,
        fields: &MappingFields<'_>,
        key: &str,
    ) -> Option<String> {
        self.required(fields, key).and_then(|node| self.text(node))
    }

    pub(super) fn flag(&mut self, node: &YamlNode) -> Option<bool> {
        let YamlKind::Bool(flag) = node.kind else {
            self.wrong_type(node, "`true` or `false`");
            return None;
        };
        Some(flag)
    }

    pub(super) fn count(&mut self, node: &YamlNode) -> Option<u64> {
        let count = match &node.kind {
            YamlKind::Number(number) => number.as_u64(),
            _ => None,
        };
        if count.is_none() {
            self.wrong_type(node, "a whole number of at least 0");
        }
        count
    }

    /// Returns the items of a list. Null counts as an empty list.
    /// For any other value, records an error and returns no items.
    pub(super) fn list<'n>(&mut self, node: &'n YamlNode, what: &str) -> &'n [YamlNode] {
        match &node.kind {
            YamlKind::List(items) => items,
            YamlKind::Null => &[],
            _ => {
                self.wrong_type(node, &format!("a list of {what}"));
                &[]
            }
        }
    }

    /// Returns the members of a mapping with arbitrary keys. Null counts as an empty mapping.
    /// For any other value, records an error and returns no members.
    pub(super) fn members<'n>(&mut self, node: &'n YamlNode, what: &str) -> &'n [Member] {
        if !matches!(node.kind, YamlKind::Map(_) | YamlKind::Null) {
            self.wrong_type(node, &format!("a mapping of {what}"));
        }
        node.members()
    }

    /// Reads a string that must be one of `words`, and returns the value of that word.
    /// Records an error, and returns `None`, if the string is none of the words.
    pub(super) fn word<T: Copy>(&mut self, node: &YamlNode, words: &Words<T>) -> Option<T> {
        let text = self.text(node)?;
        let word = words.find(&text);
        if word.is_none() {
            let known = words.texts();
            let hint = nearest(&text, &known).map(|near| format!("did you mean `{near}`?"));
            let relation = if known.len() == 1 { "not" } else { "not one of" };
            let message = format!("`{text}` is {relation} {}", listed(&known));
            self.error(&node.at, codes::WRONG_VALUE, message, hint);
        }
        word
    }

    /// Reads a duration, which may have a `+` or `-` in front.
    pub(super) fn span(&mut self, node: &YamlNode) -> Option<Span> {
        let text = self.text(node)?;
        let parsed = match text.strip_prefix('-') {
            Some(rest) => rest.parse::<Span>().map(|span| Span::from_micros(-span.micros())),
            None => text.strip_prefix('+').unwrap_or(&text).parse(),
        };
        if parsed.is_err() {
            let hint = "write it as `+20m` or `1h 30m`".to_owned();
            let message = format!("`{text}` is not a duration");
            self.error(&node.at, codes::WRONG_VALUE, message, hint);
        }
        parsed.ok()
    }

    /// Reads a duration that is not negative.
    pub(super) fn forward(&mut self, node: &YamlNode) -> Option<Span> {
        let span = self.span(node)?;
        if span < Span::ZERO {
            let hint = "use `clock` to set the clock back".to_owned();
            self.error(&node.at, codes::WRONG_VALUE, "this duration is negative", hint);
            return None;
        }
        Some(span)
    }

    pub(super) fn instant(&mut self, node: &YamlNode) -> Option<Timestamp> {
        let text = self.text(node)?;
        let instant = text.parse::<Timestamp>().ok();
        if instant.is_none() {
            let hint = "write it with its offset: `2025-09-30T14:20:00-05:00`".to_owned();
            let message = format!("`{text}` is not an instant");
            self.error(&node.at, codes::WRONG_VALUE, message, hint);
        }
        instant
    }

    /// Reads an instant of the simulation, written as the elapsed time since
    /// `start` or as a timestamp with an offset. Returns the elapsed time.
    pub(super) fn moment(&mut self, node: &YamlNode, start: Timestamp) -> Option<Span> {
        let moment = match node.text() {
            Some(text) if text.contains(':') => self.instant(node)? - start,
            _ => self.span(node)?,
        };
        if moment < Span::ZERO {
            let hint = "give a time at or after `start`".to_owned();
            let message = "this time is before `start`";
            self.error(&node.at, codes::WRONG_VALUE, message, hint);
            return None;
        }
        Some(moment)
    }

    /// Reads a mapping of arbitrary keys to values of any type.
    pub(super) fn values(&mut self, node: &YamlNode, what: &str) -> BTreeMap<String, Value> {
        self.members(node, what)
            .iter()
            .map(|member| (member.key.clone(), member.value.to_value()))
            .collect()
    }
}

/// Formats words as `` `a`, `b` and `c` ``.
pub(super) fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => "nothing".to_owned(),
    }
}

/// Returns the word that is most similar to `written` by edit distance;
/// `None` if no word is similar enough to suggest it.
pub(super) fn nearest<'w>(written: &str, words: &[&'w str]) -> Option<&'w str> {
    words
        .iter()
        .map(|word| (strsim::damerau_levenshtein(written, word), *word))
        .filter(|(distance, word)| *distance <= 1 + word.len() / 4)
        .min()
        .map(|(_, word)| word)
}
