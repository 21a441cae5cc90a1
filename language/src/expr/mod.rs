//! The expression language of methods. It is small and typed, and every evaluation terminates.
//!
//! A source is scanned ([`lexer`]), parsed into a tree ([`ast`], [`parser`]),
//! checked against the types of the variables in scope ([`check`]) and evaluated ([`eval`]).
//! There are no loops and no clock except `now`. Depth, size and work are limited.
//! The evaluator does not read the database. If a function needs a value from the database,
//! the evaluation stops and returns the query. The caller runs the query and evaluates again.

mod arithmetic;
pub mod ast;
pub mod check;
pub mod error;
pub mod eval;
mod form;
pub mod functions;
mod lexer;
mod number;
mod operators;
mod parser;
mod printer;
pub mod scope;
mod trouble;
pub mod types;
mod value;

pub use ast::{BinaryOp, Expr, ExprKind, NOW, RESERVED, Range, UnaryOp, variables};
pub use check::{ExprDiagnostic, TypeScope, check, check_condition};
pub use error::{SyntaxError, excerpt};
pub use eval::{eval, holds};
pub use functions::facts;
pub use parser::parse;
pub use printer::print;
pub use scope::{EvalError, ExprFault, FactCall, Lookup, Need, Scope};
pub use types::Type;

#[cfg(test)]
mod tests;
