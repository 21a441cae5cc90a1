//! Parses expressions inside YAML strings, and maps their positions to positions in the file.

use std::ops::Range;

use super::spanned::Spanned;
use crate::diagnostic::{Diagnostic, Severity, Source, codes};
use crate::expr::{self, Expr};
use crate::yaml::YamlNode;

/// Maximum number of invalid expressions reported for one YAML string.
const FAULTS_OF_ONE_TEXT: usize = 20;

/// A parsed expression, with its position in the file.
#[derive(Debug, Clone)]
pub(super) struct LocatedExpr {
    pub expr: Expr,
    place: Place,
}

/// The position of an expression in the file.
#[derive(Debug, Clone)]
struct Place {
    /// Offset of the expression in the file; `None` if the file does not contain the expression literally,
    /// for example because of escapes or folded lines.
    base: Option<usize>,
    /// Byte range of the whole YAML string, which is used if `base` is `None`.
    whole: Range<usize>,
}

impl Place {
    fn find(&self, at: expr::Range) -> Range<usize> {
        match self.base {
            Some(base) => base + at.start as usize..base + at.end as usize,
            None => self.whole.clone(),
        }
    }
}

impl LocatedExpr {
    /// Converts a byte range of the expression to a byte range of the file.
    pub(super) fn find(&self, at: expr::Range) -> Range<usize> {
        self.place.find(at)
    }

    /// Returns the byte range of the whole expression in the file.
    pub(super) fn at(&self) -> Range<usize> {
        self.find(self.expr.at)
    }

    /// Creates a constant expression, positioned at the byte range `at` of the file.
    pub(super) fn constant(value: bool, at: Range<usize>) -> Self {
        let kind = expr::ExprKind::Literal(value.into());
        Self {
            expr: Expr { kind, at: expr::Range::default() },
            place: Place { base: None, whole: at },
        }
    }
}

/// Constant characters or an expression: an element of a YAML string that mixes the two.
#[derive(Debug)]
pub(super) enum Piece {
    Literal(String),
    LocatedExpr(LocatedExpr),
}

/// A YAML string that can contain expressions, with its position in the file.
pub(super) struct ExprText<'a, 't> {
    source: &'a Source<'t>,
    text: &'a str,
    at: &'a Range<usize>,
}

impl<'a, 't> ExprText<'a, 't> {
    /// Returns the YAML string of a node, or `None` if the node is not a string.
    pub(super) fn of(source: &'a Source<'t>, node: &'a YamlNode) -> Option<Self> {
        node.text().map(|text| Self { source, text, at: &node.at })
    }

    /// Parses the whole string as an expression, optionally enclosed in `{{…}}`.
    pub(super) fn formula(&self) -> Result<LocatedExpr, Vec<Diagnostic>> {
        self.formula_in(self.trimmed(0..self.text.len()))
    }

    /// Parses a range of the string as an expression, optionally enclosed in `{{…}}`.
    pub(super) fn formula_in(&self, range: Range<usize>) -> Result<LocatedExpr, Vec<Diagnostic>> {
        let inner = &self.text[range.clone()];
        let braced = inner.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        if let Some(content) = braced
            && closing(content).is_none()
        {
            return self.parse(range.start + 2..range.end - 2);
        }
        self.parse(range)
    }

    /// Splits the string at its `{{…}}` into constant parts and expressions.
    pub(super) fn pieces(&self) -> Result<Vec<Piece>, Vec<Diagnostic>> {
        let mut pieces = Vec::new();
        let mut findings = Vec::new();
        let mut from = 0;
        while let Some(open) = self.text[from..].find("{{").map(|at| from + at) {
            if open > from {
                pieces.push(Piece::Literal(self.text[from..open].to_owned()));
            }
            let Some(close) = closing(&self.text[open + 2..]).map(|at| open + 2 + at) else {
                findings.push(
                    self.finding(open..open + 2, "`{{` is not closed")
                        .with_hint("end the expression with `}}`"),
                );
                return Err(findings);
            };
            match self.parse(open + 2..close) {
                Ok(formula) => pieces.push(Piece::LocatedExpr(formula)),
                Err(found) => findings.extend(found),
            }
            if findings.len() >= FAULTS_OF_ONE_TEXT {
                break;
            }
            from = close + 2;
        }
        if from < self.text.len() {
            pieces.push(Piece::Literal(self.text[from..].to_owned()));
        }
        if findings.is_empty() { Ok(pieces) } else { Err(findings) }
    }

    /// Parses the value of a `foreach`, such as `person in accepted`.
    /// The list may be enclosed in `{{…}}`, and the braces may be enclosed in quotes.
    pub(super) fn foreach(&self) -> Result<(Spanned<String>, LocatedExpr), Vec<Diagnostic>> {
        let words = self.trimmed(0..self.text.len());
        let inner = &self.text[words.clone()];
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name_len = inner.find(|c| !is_name(c)).unwrap_or(inner.len());
        let (name, rest) = inner.split_at(name_len);
        let over = rest.trim_start().strip_prefix("in").filter(|over| !over.starts_with(is_name));
        let (Some(over), false) =
            (over, name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()))
        else {
            return Err(vec![
                self.finding(words, "`foreach` must have the form `name in list`")
                    .with_hint("write for example `foreach: person in accepted`"),
            ]);
        };
        let mut list = self.trimmed(words.end - over.len()..words.end);
        for quote in ['"', '\''] {
            let text = &self.text[list.clone()];
            let inner = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
            if inner.is_some_and(|inner| inner.trim().starts_with("{{")) {
                list = self.trimmed(list.start + 1..list.end - 1);
            }
        }
        let name_at = self.place(words.start..words.start + name_len);
        Ok((Spanned { value: name.to_owned(), at: name_at }, self.formula_in(list)?))
    }

    fn parse(&self, range: Range<usize>) -> Result<LocatedExpr, Vec<Diagnostic>> {
        let text = &self.text[range.clone()];
        let place = Place { base: self.base(&range), whole: self.at.clone() };
        match expr::parse(text) {
            Ok(expr) => Ok(LocatedExpr { expr, place }),
            Err(errors) => Err(errors
                .into_iter()
                .map(|error| {
                    let found = self.source.finding(
                        Severity::Error,
                        codes::EXPRESSION_SYNTAX,
                        &place.find(error.at),
                        error.message,
                    );
                    Diagnostic { hint: error.hint, ..found }
                })
                .collect()),
        }
    }

    /// Converts a byte range of the string to a byte range of the file.
    /// Returns the byte range of the whole string if the file does not contain the range literally.
    fn place(&self, range: Range<usize>) -> Range<usize> {
        match self.base(&range) {
            Some(base) => base..base + range.len(),
            None => self.at.clone(),
        }
    }

    /// Returns the offset in the file at which a range of the string begins.
    /// Returns `None` if the file does not contain the range literally.
    fn base(&self, range: &Range<usize>) -> Option<usize> {
        let raw = self.source.slice(self.at);
        let unquoted = raw.strip_prefix(['"', '\'']).unwrap_or(raw);
        let skipped = raw.len() - unquoted.len();
        if unquoted.starts_with(self.text) {
            return Some(self.at.start + skipped + range.start);
        }
        let wanted = self.text[range.clone()].trim();
        let lead = self.text[range.clone()].len() - self.text[range.clone()].trim_start().len();
        let found = raw.find(wanted).filter(|_| !wanted.is_empty())?;
        (self.at.start + found).checked_sub(lead)
    }

    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        let text = &self.text[range.clone()];
        let start = range.start + (text.len() - text.trim_start().len());
        start..(start + text.trim().len())
    }

    fn finding(&self, range: Range<usize>, message: &str) -> Diagnostic {
        let at = self.place(range);
        self.source.finding(Severity::Error, codes::EXPRESSION_SYNTAX, &at, message)
    }
}

/// Returns the offset of the `}}` that ends an expression. A `}}` inside quotes does not end it.
fn closing(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut quote = None;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (quote, byte) {
            (Some(_), b'\\') => at += 1,
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'}') if bytes.get(at + 1) == Some(&b'}') => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}
