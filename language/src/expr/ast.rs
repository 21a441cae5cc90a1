//! The syntax tree of an expression. A method's graph stores the tree, and the evaluator walks it.

use std::collections::BTreeSet;
use std::fmt;

use crate::base::{Span, Value};

/// A byte range in the source of an expression; the end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Range {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Range {
    /// Returns the smallest range that contains both ranges.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl From<std::ops::Range<usize>> for Range {
    /// Converts a range of byte offsets. Clamps offsets above 4 GiB, which no source of an expression has.
    fn from(range: std::ops::Range<usize>) -> Self {
        let cut = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: cut(range.start), end: cut(range.end) }
    }
}

/// An expression, with its position in its source.
///
/// Two expressions are equal if their trees are equal, even if their positions differ.
#[derive(Debug, Clone)]
pub struct Expr {
    /// The root of the expression's tree, such as a literal or an operator with its operands.
    pub kind: ExprKind,
    /// The byte range of the expression in its source.
    pub at: Range,
}

/// A node of the syntax tree, with its subexpressions.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// A number (never negative), a string, `true`, `false` or `null`.
    Literal(Value),
    /// An elapsed duration such as `24h`.
    Duration(Span),
    /// A variable, or a member inside the value of a variable, such as `goal.targets.nursery`.
    Path(Vec<String>),
    /// An item of a list, or a member of an object by a computed name: `people[0]`, `targets[role]`.
    Index(Box<Expr>, Box<Expr>),
    /// A list of values.
    List(Vec<Expr>),
    /// A unary operator and its operand.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator and its operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A function call, `name(…)` or `receiver.name(…)`.
    Call {
        /// The name of the function.
        name: String,
        /// The expression before the dot, which is the first argument; `None` for `name(…)`.
        receiver: Option<Box<Expr>>,
        /// The positional arguments after the receiver, in the order in which they are written.
        args: Vec<Expr>,
        /// The named arguments, in the order in which they are written.
        named: Vec<(String, Expr)>,
    },
}

/// An operator with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnaryOp {
    /// `not x`
    Not,
    /// `-x`
    Negate,
}

/// An operator with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BinaryOp {
    /// `a or b`. Does not evaluate `b` if `a` is true.
    Or,
    /// `a and b`. Does not evaluate `b` if `a` is false.
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
    /// Returns the operator as it is written in an expression.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Not => "not",
            Self::Negate => "-",
        }
    }
}

impl BinaryOp {
    /// All binary operators, from the loosest binding to the tightest.
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

    /// Returns the operator as it is written in an expression.
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
    /// Returns the direct subexpressions, in the order in which they are written.
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

    /// Visits this expression and all expressions inside it, parents first.
    pub(super) fn walk(&self, visit: &mut impl FnMut(&Self)) {
        visit(self);
        self.children().for_each(|child| child.walk(visit));
    }
}

/// Returns the names of the variables that an expression reads, except `now`.
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

/// The variable that holds the time of the step. Every expression can read it, and no step can assign it.
pub const NOW: &str = "now";

/// Reserved words, which cannot name a variable.
pub const RESERVED: [&str; 8] = ["and", "false", "in", "not", NOW, "null", "or", "true"];
