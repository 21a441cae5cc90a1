//! Parses tokens into a tree, with a Pratt parser.
//!
//! | binding | operators |
//! | --- | --- |
//! | loosest | `or` |
//! | | `and` |
//! | | `not` |
//! | | `==` `!=` `<` `<=` `>` `>=` `in` `not in` (cannot be chained) |
//! | | `+` `-` |
//! | | `*` `/` `%` |
//! | | `-` before its operand |
//! | tightest | `.name` `[key]` `(…)` |

use crate::base::{Value, limits};

use super::ast::{BinaryOp, Expr, ExprKind, Range, UnaryOp};
use super::error::SyntaxError;
use super::lexer::{Token, tokens};

/// Binding strength of `not`.
pub(super) const NOT: u8 = 3;
/// Binding strength of comparisons, which cannot be chained.
pub(super) const COMPARISON: u8 = 4;
/// Binding strength of the unary `-`.
pub(super) const NEGATE: u8 = 7;
/// Binding strength of members, indexes and function calls.
pub(super) const POSTFIX: u8 = 8;

/// Returns the binding strength of a binary operator. All binary operators are left-associative.
pub(super) fn binding(op: BinaryOp) -> u8 {
    use BinaryOp as B;
    match op {
        B::Or => 1,
        B::And => 2,
        B::Equal | B::NotEqual | B::Less | B::LessOrEqual => COMPARISON,
        B::Greater | B::GreaterOrEqual | B::In | B::NotIn => COMPARISON,
        B::Add | B::Subtract => 5,
        B::Multiply | B::Divide | B::Remainder => 6,
    }
}

/// Parses one expression.
///
/// # Errors
/// All invalid tokens or, if all tokens are valid, the first syntax error. It is also an error if the
/// source is longer than [`limits::EXPR_BYTES_MAX`] or nested deeper than [`limits::EXPR_DEPTH_MAX`].
pub fn parse(text: &str) -> Result<Expr, Vec<SyntaxError>> {
    if text.len() > limits::EXPR_BYTES_MAX {
        let message = format!("an expression can have at most {} bytes", limits::EXPR_BYTES_MAX);
        let error = SyntaxError::new(message, (0..text.len()).into())
            .with_hint("assign parts of it to variables in a `set` step");
        return Err(vec![error]);
    }
    let mut parser = Parser { tokens: tokens(text)?, next: 0, nesting: 0 };
    parser.whole().map_err(|error| vec![error])
}

struct Parser<'t> {
    tokens: Vec<(Token<'t>, Range)>,
    next: usize,
    nesting: usize,
}

/// A finished subtree and its depth.
struct Part {
    expr: Expr,
    depth: usize,
}

/// The arguments of a function call, and the depth of the deepest argument.
#[derive(Default)]
struct Arguments {
    plain: Vec<Expr>,
    named: Vec<(String, Expr)>,
    depth: usize,
}

type Parsed<T> = Result<T, SyntaxError>;

impl<'t> Parser<'t> {
    fn whole(&mut self) -> Parsed<Expr> {
        if *self.peek() == Token::End {
            return Err(SyntaxError::new("an expression is missing", self.here()));
        }
        let part = self.expression(0)?;
        match self.peek() {
            Token::End => Ok(part.expr),
            Token::Symbol("=") => {
                Err(SyntaxError::new("an expression cannot assign a value", self.here())
                    .with_hint("write `==` to compare"))
            }
            _ => Err(self.unexpected("an operator or the end")),
        }
    }

    /// Parses an expression in which each operator has at least the binding strength `least`.
    fn expression(&mut self, least: u8) -> Parsed<Part> {
        self.nesting += 1;
        if self.nesting > limits::EXPR_DEPTH_MAX {
            return Err(too_deep(self.here()));
        }
        let mut left = self.operand()?;
        while let Some(op) = self.operator().filter(|op| binding(*op) >= least) {
            let at = self.here();
            self.next += if op == BinaryOp::NotIn { 2 } else { 1 };
            let right = self.expression(binding(op) + 1)?;
            left = join(left, op, right)?;
            if binding(op) == COMPARISON && self.operator().map(binding) == Some(COMPARISON) {
                return Err(SyntaxError::new("comparisons cannot be chained", at.to(self.here()))
                    .with_hint("combine them with `and`, or put one in parentheses"));
            }
        }
        self.nesting -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Parsed<Part> {
        let start = self.here();
        let part = match self.peek() {
            Token::Word("not") => return self.prefix(UnaryOp::Not, NOT),
            Token::Symbol("-") => return self.prefix(UnaryOp::Negate, NEGATE),
            Token::Symbol("(") => {
                self.next += 1;
                let inner = self.expression(0)?;
                self.close(")", start)?;
                inner
            }
            Token::Symbol("[") => {
                self.next += 1;
                let items = self.arguments("]", start, false)?;
                let at = start.to(self.last());
                part(ExprKind::List(items.plain), at, items.depth)?
            }
            Token::Literal(value) => {
                let kind = ExprKind::Literal(value.clone());
                self.leaf(kind)?
            }
            Token::Duration(span) => {
                let kind = ExprKind::Duration(*span);
                self.leaf(kind)?
            }
            Token::Word(word) => {
                let word = *word;
                self.word(word)?
            }
            _ => return Err(self.unexpected("a value")),
        };
        self.postfix(part)
    }

    fn prefix(&mut self, op: UnaryOp, binds: u8) -> Parsed<Part> {
        let start = self.here();
        self.next += 1;
        let operand = self.expression(binds)?;
        let at = start.to(operand.expr.at);
        part(ExprKind::Unary(op, Box::new(operand.expr)), at, operand.depth)
    }

    /// Parses an operand that begins with `word`: a function call, a variable with members,
    /// or one of the values `true`, `false` and `null`.
    fn word(&mut self, word: &'t str) -> Parsed<Part> {
        let start = self.here();
        match word {
            "true" => return self.leaf(ExprKind::Literal(Value::Bool(true))),
            "false" => return self.leaf(ExprKind::Literal(Value::Bool(false))),
            "null" => return self.leaf(ExprKind::Literal(Value::Null)),
            "and" | "or" | "in" => return Err(self.unexpected("a value")),
            _ => self.next += 1,
        }
        if *self.peek() == Token::Symbol("(") {
            return self.call(word, None, start);
        }
        let mut path = vec![word.to_owned()];
        // A name between a point and a parenthesis is the name of a function, and the path before
        // the point is the first argument. The method `postfix` parses the function call.
        while *self.peek() == Token::Symbol(".") && *self.token(2) != Token::Symbol("(") {
            self.next += 1;
            path.push(self.member()?.to_owned());
        }
        part(ExprKind::Path(path), start.to(self.last()), 0)
    }

    /// Parses what follows an operand: members, indexes and function calls such as `.name(…)`.
    fn postfix(&mut self, mut base: Part) -> Parsed<Part> {
        loop {
            let start = base.expr.at;
            match self.peek() {
                Token::Symbol(".") => {
                    self.next += 1;
                    let at = self.here();
                    let name = self.member()?;
                    if *self.peek() == Token::Symbol("(") {
                        base = self.call(name, Some(base), start)?;
                        continue;
                    }
                    let key = Expr { kind: ExprKind::Literal(name.into()), at };
                    let kind = ExprKind::Index(Box::new(base.expr), Box::new(key));
                    base = part(kind, start.to(at), base.depth)?;
                }
                Token::Symbol("[") => {
                    let open = self.here();
                    self.next += 1;
                    let key = self.expression(0)?;
                    self.close("]", open)?;
                    let kind = ExprKind::Index(Box::new(base.expr), Box::new(key.expr));
                    base = part(kind, start.to(self.last()), base.depth.max(key.depth))?;
                }
                Token::Symbol("(") => {
                    return Err(SyntaxError::new("only a name can be called", self.here())
                        .with_hint("write `name(…)` or `value.name(…)`"));
                }
                _ => return Ok(base),
            }
        }
    }

    fn call(&mut self, name: &str, receiver: Option<Part>, start: Range) -> Parsed<Part> {
        let open = self.here();
        self.next += 1;
        let arguments = self.arguments(")", open, true)?;
        let depth = receiver.as_ref().map_or(0, |part| part.depth).max(arguments.depth);
        let kind = ExprKind::Call {
            name: name.to_owned(),
            receiver: receiver.map(|part| Box::new(part.expr)),
            args: arguments.plain,
            named: arguments.named,
        };
        part(kind, start.to(self.last()), depth)
    }

    /// Parses values separated by commas, up to the bracket `closing`. A trailing comma is allowed.
    /// If `names` is true, the values may be named arguments.
    fn arguments(&mut self, closing: &str, open: Range, names: bool) -> Parsed<Arguments> {
        let mut found = Arguments::default();
        while *self.peek() != Token::Symbol(closing) {
            let at = self.here();
            let name = match (self.peek(), self.token(1)) {
                (Token::Word(name), Token::Symbol("=")) if names => Some((*name).to_owned()),
                _ => None,
            };
            self.next += if name.is_some() { 2 } else { 0 };
            let value = self.expression(0)?;
            found.depth = found.depth.max(value.depth);
            match name {
                Some(name) if found.named.iter().any(|(known, _)| *known == name) => {
                    return Err(SyntaxError::new(
                        format!("the argument `{name}` is given twice"),
                        at,
                    ));
                }
                Some(name) => found.named.push((name, value.expr)),
                None if found.named.is_empty() => found.plain.push(value.expr),
                None => {
                    let message = "a positional argument cannot follow a named one";
                    return Err(SyntaxError::new(message, value.expr.at)
                        .with_hint("put the positional arguments first"));
                }
            }
            if *self.peek() != Token::Symbol(",") {
                break;
            }
            self.next += 1;
        }
        self.close(closing, open)?;
        Ok(found)
    }

    fn close(&mut self, closing: &str, open: Range) -> Parsed<()> {
        if *self.peek() == Token::Symbol(closing) {
            self.next += 1;
            return Ok(());
        }
        if *self.peek() == Token::End {
            let message = format!("this bracket is not closed: `{closing}` is missing");
            return Err(SyntaxError::new(message, open));
        }
        Err(self.unexpected(&format!("an operator or `{closing}`")))
    }

    /// Parses the name after a point, where keywords are ordinary names.
    fn member(&mut self) -> Parsed<&'t str> {
        let Token::Word(name) = *self.peek() else {
            return Err(self
                .unexpected("a name after `.`")
                .with_hint("write an item of a list as `people[0]`"));
        };
        self.next += 1;
        Ok(name)
    }

    /// Returns the next token as a binary operator; `None` if the token is not a binary operator.
    fn operator(&self) -> Option<BinaryOp> {
        let symbol = match (self.peek(), self.token(1)) {
            (Token::Word("not"), Token::Word("in")) => "not in",
            (Token::Symbol(text) | Token::Word(text), _) => text,
            _ => return None,
        };
        BinaryOp::ALL.into_iter().find(|op| op.symbol() == symbol)
    }

    fn leaf(&mut self, kind: ExprKind) -> Parsed<Part> {
        let at = self.here();
        self.next += 1;
        part(kind, at, 0)
    }

    fn peek(&self) -> &Token<'t> {
        self.token(0)
    }

    fn token(&self, ahead: usize) -> &Token<'t> {
        self.tokens.get(self.next + ahead).map_or(&Token::End, |(token, _)| token)
    }

    fn here(&self) -> Range {
        self.tokens.get(self.next).or(self.tokens.last()).map_or(Range::default(), |(_, at)| *at)
    }

    fn last(&self) -> Range {
        let before = self.next.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.map_or(Range::default(), |(_, at)| *at)
    }

    fn unexpected(&self, expected: &str) -> SyntaxError {
        let found = match self.peek() {
            Token::End => "the end".to_owned(),
            Token::Word(text) | Token::Symbol(text) => format!("`{text}`"),
            Token::Literal(Value::String(_)) => "a text".to_owned(),
            Token::Literal(value) => format!("`{value}`"),
            Token::Duration(span) => format!("`{span}`"),
        };
        SyntaxError::new(format!("expected {expected}, found {found}"), self.here())
    }
}

fn join(left: Part, op: BinaryOp, right: Part) -> Parsed<Part> {
    let at = left.expr.at.to(right.expr.at);
    let kind = ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr));
    part(kind, at, left.depth.max(right.depth))
}

/// Builds a node of the tree. `below` is the depth of the node's deepest child. The printer, the checker
/// and the evaluator recurse over the tree, so the parser limits the depth of the tree.
fn part(kind: ExprKind, at: Range, below: usize) -> Parsed<Part> {
    if below >= limits::EXPR_DEPTH_MAX {
        return Err(too_deep(at));
    }
    Ok(Part { expr: Expr { kind, at }, depth: below + 1 })
}

fn too_deep(at: Range) -> SyntaxError {
    SyntaxError::new(
        format!("an expression can be nested at most {} levels deep", limits::EXPR_DEPTH_MAX),
        at,
    )
    .with_hint(
        "replace a chain of `or` with `in [ … ]`, or assign parts to variables in a `set` step",
    )
}
