//! Checks the types of an expression before any run evaluates it.

use super::ast::{BinaryOp, Expr, ExprKind, NOW, Range, UnaryOp};
use super::functions::{self, Function};
use super::operators;
use super::types::Type;
use crate::base::did_you_mean;

/// The variables that an expression can read, with their types.
pub trait TypeScope {
    /// Returns the type of a variable; `None` if there is no variable of that name.
    fn variable(&self, name: &str) -> Option<Type>;
    /// Returns the names of all variables. The hint for a misspelt name suggests one of them.
    fn names(&self) -> Vec<String>;
}

/// A finding of the type checker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExprDiagnostic {
    /// The stable code, one of [`CODES`].
    pub code: &'static str,
    /// Description of the finding, in lower case, without a full stop.
    pub message: String,
    /// The remedy.
    pub hint: Option<String>,
    /// The byte range of the finding in the source of the expression.
    pub at: Range,
}

/// The codes of the type checker's findings.
pub const CODES: [&str; 6] = [
    "unknown-variable",
    "unknown-member",
    "unknown-function",
    "wrong-arguments",
    "wrong-type",
    "never-equal",
];

/// Checks an expression, adds every finding to `found`, and returns the type of its value.
pub fn check(expr: &Expr, scope: &dyn TypeScope, found: &mut Vec<ExprDiagnostic>) -> Type {
    Checker { scope, found }.type_of(expr)
}

/// Checks an expression whose value must be true or false, and adds every finding to `found`.
pub fn check_condition(expr: &Expr, scope: &dyn TypeScope, found: &mut Vec<ExprDiagnostic>) {
    Checker { scope, found }.condition(expr);
}

struct Checker<'c> {
    scope: &'c dyn TypeScope,
    found: &'c mut Vec<ExprDiagnostic>,
}

impl Checker<'_> {
    fn report(&mut self, code: &'static str, at: Range, message: String, hint: Option<String>) {
        self.found.push(ExprDiagnostic { code, message, hint, at });
    }

    fn type_of(&mut self, expr: &Expr) -> Type {
        match &expr.kind {
            ExprKind::Literal(value) => Type::of_value(value),
            ExprKind::Duration(_) => Type::Duration,
            ExprKind::Path(names) => self.path(names, expr.at),
            ExprKind::List(items) => {
                let items: Vec<Type> = items.iter().map(|item| self.type_of(item)).collect();
                Type::list(items.into_iter().reduce(Type::or).unwrap_or(Type::Any))
            }
            ExprKind::Index(base, key) => self.index(base, key),
            ExprKind::Unary(UnaryOp::Not, operand) => {
                self.condition(operand);
                Type::Bool
            }
            ExprKind::Unary(UnaryOp::Negate, operand) => {
                let of = self.type_of(operand);
                if operators::negated(&of) {
                    return of;
                }
                self.report("wrong-type", operand.at, format!("cannot negate {of}"), None);
                Type::Any
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr.at),
            ExprKind::Call { name, receiver, args, named } => {
                let plain: Vec<&Expr> = receiver.as_deref().into_iter().chain(args).collect();
                self.call(name, &plain, named, expr.at)
            }
        }
    }

    fn condition(&mut self, expr: &Expr) {
        let of = self.type_of(expr);
        if !Type::Bool.accepts(&of) {
            let hint = match of {
                Type::List(_) | Type::Offers => "compare its length: `len(…) > 0`",
                Type::Number => "compare it: `… > 0`",
                _ => "write a comparison, or test it with `exists(…)`",
            };
            let message = format!("a condition must be true or false, but this is {of}");
            self.report("wrong-type", expr.at, message, Some(hint.to_owned()));
        }
    }

    fn path(&mut self, names: &[String], at: Range) -> Type {
        let Some((root, members)) = names.split_first() else { return Type::Any };
        let mut of = match self.scope.variable(root) {
            _ if root == NOW => Type::Instant,
            Some(known) => known,
            None => {
                let hint = match did_you_mean(root, self.scope.names().iter().map(String::as_str)) {
                    Some(hint) => Some(hint),
                    None if functions::find(root).is_some() => {
                        Some(format!("to call the function, write `{root}(…)`"))
                    }
                    None => Some("to write a text, put it in quotes".to_owned()),
                };
                self.report("unknown-variable", at, format!("there is no variable `{root}`"), hint);
                Type::Any
            }
        };
        let mut so_far = root.clone();
        for name in members {
            of = self.member(&of, name, &so_far, at);
            so_far = format!("{so_far}.{name}");
        }
        of
    }

    fn member(&mut self, of: &Type, name: &str, whose: &str, at: Range) -> Type {
        match operators::member(of, name) {
            Some(member) => member,
            None => {
                let known = operators::members(of);
                let hint = did_you_mean(name, known.iter().map(String::as_str))
                    .or_else(|| member_hint(of, name, &known));
                let message = format!("`{whose}` ({of}) has no member `{name}`");
                self.report("unknown-member", at, message, hint);
                Type::Any
            }
        }
    }

    fn index(&mut self, base: &Expr, key: &Expr) -> Type {
        let (of, by) = (self.type_of(base), self.type_of(key));
        if let ExprKind::Literal(serde_json::Value::String(name)) = &key.kind {
            return self.member(&of, name, &base.to_string(), key.at);
        }
        match (&of, &by) {
            (Type::List(item), Type::Number | Type::Any) => (**item).clone(),
            (Type::Object { .. } | Type::Offers, Type::Text | Type::Any | Type::Person) => {
                Type::Any
            }
            (Type::Any | Type::Null, Type::Number | Type::Text | Type::Any) => Type::Any,
            _ => {
                let message = format!("{of} cannot be indexed with {by}");
                let hint =
                    "index a list with a position, counted from 0, and an object with a name"
                        .to_owned();
                self.report("wrong-type", key.at, message, Some(hint));
                Type::Any
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, at: Range) -> Type {
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            self.condition(left);
            self.condition(right);
            return Type::Bool;
        }
        let (a, b) = (self.type_of(left), self.type_of(right));
        match operators::result(op, &a, &b) {
            Ok(of) => of,
            Err(misuse) => {
                self.report(misuse.code, at, misuse.message, misuse.hint.map(str::to_owned));
                misuse.of
            }
        }
    }

    fn call(&mut self, name: &str, plain: &[&Expr], named: &[(String, Expr)], at: Range) -> Type {
        let Some(function) = functions::find(name) else {
            let hint = did_you_mean(name, functions::all().map(|function| function.name));
            self.report("unknown-function", at, format!("there is no function `{name}`"), hint);
            let all = plain.iter().copied().chain(named.iter().map(|(_, value)| value));
            all.for_each(|argument| drop(self.type_of(argument)));
            return Type::Any;
        };
        match functions::bind(function, plain.iter().copied(), named, at) {
            Ok(bound) => self.arguments(function, &bound),
            Err(misfit) => {
                let hint = Some(function.signature());
                self.report("wrong-arguments", misfit.at, misfit.message, hint);
                let all = plain.iter().copied().chain(named.iter().map(|(_, value)| value));
                all.for_each(|argument| drop(self.type_of(argument)));
                function.gives.of(&[])
            }
        }
    }

    fn arguments(&mut self, function: &Function, bound: &functions::Bound<'_>) -> Type {
        let mut given = Vec::new();
        for (parameter, slot) in function.parameters.iter().zip(&bound.slots) {
            for argument in slot {
                let of = self.type_of(argument);
                if !parameter.kind.admits(&of) {
                    let (function_name, name) = (function.name, parameter.name);
                    let wanted = parameter.kind.wanted();
                    let message =
                        format!("`{function_name}` needs {wanted} as `{name}`, but this is {of}");
                    self.report("wrong-type", argument.at, message, Some(function.signature()));
                }
                given.push(of);
            }
        }
        function.gives.of(&given)
    }
}

fn member_hint(of: &Type, name: &str, known: &[String]) -> Option<String> {
    if functions::find(name).is_some() {
        return Some(format!("to call the function, write `.{name}()`"));
    }
    match of {
        Type::List(_) => Some(format!(
            "take one item with `[0]`, or the member of all with `pluck(…, \"{name}\")`"
        )),
        _ if known.is_empty() => None,
        _ => Some(format!("use one of its members `{}`", known.join("`, `"))),
    }
}
