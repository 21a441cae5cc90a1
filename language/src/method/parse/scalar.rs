//! Parses the scalar values of a method: names, durations, counts and conditions.

use super::Parser;
use crate::base::{Span, limits};
use crate::diagnostic::codes;
use crate::expr::RESERVED;
use crate::method::BUILT_IN_VARIABLES;
use crate::method::formula::{ExprText, LocatedExpr};
use crate::method::spanned::Spanned;
use crate::yaml::{YamlKind, YamlNode};

/// Maximum length of a name in characters, because names appear in keys, columns and diagrams.
const NAME_CHARS_MAX: usize = 60;

/// A kind of name, which determines the characters that the name may contain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// Name of a method: lower-case letters, digits and `_`.
    Method,
    /// Name of a step, a signal or an occasion: letters, digits, `_` and `-`.
    Label,
    /// Name of a variable: an identifier of the expression language.
    Variable,
}

impl Name {
    fn admits(self, text: &str) -> bool {
        let first = text.chars().next();
        let begins = match self {
            Self::Method => first.is_some_and(|c| c.is_ascii_lowercase()),
            Self::Variable => first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_'),
            Self::Label => first.is_some_and(|c| c.is_ascii_alphanumeric()),
        };
        let each = |c: char| match self {
            Self::Method => c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_',
            Self::Variable => c.is_ascii_alphanumeric() || c == '_',
            Self::Label => c.is_ascii_alphanumeric() || c == '_' || c == '-',
        };
        begins && text.chars().all(each) && text.chars().count() <= NAME_CHARS_MAX
    }

    const fn rule(self) -> &'static str {
        match self {
            Self::Method => {
                "use at most 60 lower-case letters, digits and `_`, beginning with a letter"
            }
            Self::Variable => "use at most 60 letters, digits and `_`, not beginning with a digit",
            Self::Label => {
                "use at most 60 letters, digits, `_` and `-`, beginning with a letter or digit"
            }
        }
    }
}

impl Parser<'_, '_, '_> {
    /// Returns the string of a node, or reports that the node is not a string.
    pub(super) fn text<'n>(&mut self, node: &'n YamlNode, what: &str) -> Option<&'n str> {
        if let Some(text) = node.text() {
            return Some(text);
        }
        let message = format!("{what} must be a text, but this is {}", node.describe());
        let hint = match node.kind {
            YamlKind::Number(_) | YamlKind::Bool(_) => "put it in quotes",
            _ => "write a text",
        };
        self.error(codes::WRONG_TYPE, &node.at, message, hint);
        None
    }

    /// Parses a name, and reports a name that the kind `kind` does not allow.
    pub(super) fn name(
        &mut self,
        node: &YamlNode,
        what: &str,
        kind: Name,
    ) -> Option<Spanned<String>> {
        let text = self.text(node, what)?;
        if !kind.admits(text) {
            let shown: String = text.chars().take(NAME_CHARS_MAX).collect();
            let message = format!("`{shown}` cannot be {what}");
            self.error(codes::WRONG_VALUE, &node.at, message, kind.rule());
            return None;
        }
        let name = Spanned { value: text.to_owned(), at: node.at.clone() };
        (kind != Name::Variable || self.free_name(&name)).then_some(name)
    }

    /// Whether a variable may have the name `name`; reports a reserved name.
    pub(super) fn free_name(&mut self, name: &Spanned<String>) -> bool {
        let word = name.value.as_str();
        if !BUILT_IN_VARIABLES.contains(&word) && !RESERVED.contains(&word) {
            return true;
        }
        let message = format!("`{word}` is a reserved name in expressions");
        self.error(codes::RESERVED_NAME, &name.at, message, "choose another name");
        false
    }

    /// Parses a duration that is longer than zero and at most [`limits::DURATION_MAX`].
    pub(super) fn duration(&mut self, node: &YamlNode, what: &str) -> Option<Span> {
        let hint = "write a number with a unit, such as `30s`, `6h` or `2days 3h`";
        let Some(text) = node.text() else {
            let message = format!("{what} must be a duration, but this is {}", node.describe());
            self.error(codes::WRONG_TYPE, &node.at, message, hint);
            return None;
        };
        match text.parse::<Span>() {
            Ok(span) if span > Span::ZERO && span <= limits::DURATION_MAX => Some(span),
            Ok(_) => {
                let message = format!("{what} must be longer than zero and at most ten years");
                self.error(codes::WRONG_VALUE, &node.at, message, hint);
                None
            }
            Err(error) => {
                self.error(codes::WRONG_VALUE, &node.at, error.to_string(), hint);
                None
            }
        }
    }

    /// Parses a whole number from 1 to `max`.
    pub(super) fn count(&mut self, node: &YamlNode, what: &str, max: u64) -> Option<u64> {
        let number = match &node.kind {
            YamlKind::Number(number) => number.as_u64().filter(|n| (1..=max).contains(n)),
            _ => None,
        };
        if number.is_none() {
            let message = format!("{what} must be a whole number from 1 to {max}");
            let code = match node.kind {
                YamlKind::Number(_) => codes::WRONG_VALUE,
                _ => codes::WRONG_TYPE,
            };
            self.error(code, &node.at, message, "write the number without quotes");
        }
        number
    }

    /// Parses a condition: an expression, or the YAML value `true` or `false`.
    pub(super) fn condition(&mut self, node: &YamlNode, what: &str) -> Option<LocatedExpr> {
        if let YamlKind::Bool(value) = node.kind {
            return Some(LocatedExpr::constant(value, node.at.clone()));
        }
        let Some(text) = ExprText::of(self.source, node) else {
            let message = format!("{what} must be an expression, but this is {}", node.describe());
            let hint = "write a condition such as `len(accepted) >= goal.count`";
            self.error(codes::WRONG_TYPE, &node.at, message, hint);
            return None;
        };
        let parsed = text.formula();
        parsed.map_err(|findings| self.found.extend(findings)).ok()
    }
}
