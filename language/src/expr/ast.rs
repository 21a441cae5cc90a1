//! The tree of an expression: what a method's graph stores and the evaluator walks.

use std::collections::BTreeSet;
use std::fmt;

use crate::base::{Span, Value};

use super::functions;

/// A stretch of an expression's own text, in bytes, end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Range {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Range {
    /// The smallest stretch that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl From<std::ops::Range<usize>> for Range {
    /// Texts are bounded far below 4 GiB; a longer one would point at its end.
    fn from(range: std::ops::Range<usize>) -> Self {
        let cut = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: cut(range.start), end: cut(range.end) }
    }
}

/// An expression and where it stands in its text.
///
/// Two expressions are equal when they mean the same tree, wherever they stand.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub at: Range,
}

/// The forms of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// A number (never negative), a text, `true`, `false` or `null`.
    Literal(Value),
    /// An elapsed duration such as `24h`.
    Duration(Span),
    /// A variable and members of it: `goal.targets.nursery`.
    Path(Vec<String>),
    /// An item of a list or a member of an object by a computed key: `people[0]`, `targets[role]`.
    Index(Box<Expr>, Box<Expr>),
    /// A list of values.
    List(Vec<Expr>),
    /// An operator before its operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator between its operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A call, also in the form `receiver.name(…)`.
    Call {
        /// The function.
        name: String,
        /// What stands before the point; it is the first argument.
        receiver: Option<Box<Expr>>,
        /// The arguments without a name, in order.
        args: Vec<Expr>,
        /// The arguments with a name, as written.
        named: Vec<(String, Expr)>,
    },
}

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnaryOp {
    /// `not x`
    Not,
    /// `-x`
    Negate,
}

/// Operators with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BinaryOp {
    /// `a or b`, which does not look at `b` when `a` is true.
    Or,
    /// `a and b`, which does not look at `b` when `a` is false.
    And,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `a < b`
    Less,
    /// `a <= b`
    LessOrEqual,
    /// `a > b`
    Greater,
    /// `a >= b`
    GreaterOrEqual,
    /// `a in b`
    In,
    /// `a not in b`
    NotIn,
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`
    Divide,
    /// `a % b`
    Remainder,
}

impl UnaryOp {
    /// As it is written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Not => "not",
            Self::Negate => "-",
        }
    }
}

impl BinaryOp {
    /// Every operator, loosest first.
    pub const ALL: [Self; 15] = [
        Self::Or,
        Self::And,
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessOrEqual,
        Self::Greater,
        Self::GreaterOrEqual,
        Self::In,
        Self::NotIn,
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::Divide,
        Self::Remainder,
    ];

    /// As it is written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Or => "or",
            Self::And => "and",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::In => "in",
            Self::NotIn => "not in",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&super::print(self))
    }
}

impl Expr {
    /// The expressions directly inside this one, in the order in which they are written.
    pub fn children(&self) -> impl Iterator<Item = &Self> {
        let mut inner: Vec<&Self> = Vec::new();
        match &self.kind {
            ExprKind::Literal(_) | ExprKind::Duration(_) | ExprKind::Path(_) => {}
            ExprKind::Unary(_, operand) => inner.push(operand),
            ExprKind::Index(left, right) | ExprKind::Binary(_, left, right) => {
                inner.extend([&**left, &**right]);
            }
            ExprKind::List(items) => inner.extend(items),
            ExprKind::Call { receiver, args, named, .. } => {
                inner.extend(receiver.as_deref());
                inner.extend(args);
                inner.extend(named.iter().map(|(_, value)| value));
            }
        }
        inner.into_iter()
    }

    /// This expression and everything inside it.
    fn walk(&self, visit: &mut impl FnMut(&Self)) {
        visit(self);
        self.children().for_each(|child| child.walk(visit));
    }
}

/// The variables that an expression reads, by their root names; `now` is not one of them.
#[must_use]
pub fn variables(expr: &Expr) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    expr.walk(&mut |inner| {
        if let ExprKind::Path(path) = &inner.kind
            && let Some(root) = path.first().filter(|root| *root != NOW)
        {
            names.insert(root.clone());
        }
    });
    names
}

/// True where an expression calls a function that reads the database.
#[must_use]
pub fn facts(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |inner| {
        if let ExprKind::Call { name, .. } = &inner.kind {
            found |= functions::find(name).is_some_and(|function| function.is_fact());
        }
    });
    found
}

/// The step's time, which every expression may read and no step may assign.
pub const NOW: &str = "now";

/// Words with a meaning of their own; none of them names a variable.
pub const RESERVED: [&str; 8] = ["and", "false", "in", "not", NOW, "null", "or", "true"];
