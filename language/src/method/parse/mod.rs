//! From the YAML tree to the method as written: shapes and keys, not yet meaning.

mod act;
mod fields;
pub(super) mod keys;
mod method;
mod retry;
mod scalar;
mod step;

use std::ops::Range;

use super::ast::MethodAst;
use crate::diagnostic::{Findings, Source};
use crate::yaml::Node;

/// The method that a YAML tree describes; none where too little of it is there.
pub(super) fn parse<'a, 't>(
    source: &'a Source<'t>,
    root: &Node,
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
