//! Parses the YAML tree into a syntax tree. Checks keys and the shapes of values, but not names or types.

mod action;
mod fields;
pub(super) mod keys;
mod method;
mod retry;
mod scalar;
mod step;

use std::ops::Range;

use super::ast::MethodAst;
use crate::diagnostic::{Findings, Source};
use crate::yaml::YamlNode;

/// Parses a YAML tree into the syntax tree of a method. Adds each error to `found`.
///
/// Returns `None` if the root is not a mapping.
pub(super) fn parse<'a, 't>(
    source: &'a Source<'t>,
    root: &YamlNode,
    found: &mut Findings<'a, 't>,
) -> Option<MethodAst> {
    Parser { source, found, steps: 0 }.method(root)
}

struct Parser<'f, 'a, 't> {
    source: &'a Source<'t>,
    found: &'f mut Findings<'a, 't>,
    steps: usize,
}

impl Parser<'_, '_, '_> {
    fn error(
        &mut self,
        code: &'static str,
        at: &Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.found.error(code, at, message, hint.into());
    }
}
