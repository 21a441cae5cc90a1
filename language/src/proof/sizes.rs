//! Computes upper bounds of expressions: the lengths of lists, the values of numbers, and durations.

use std::collections::BTreeMap;

use super::amount::Bound;
use super::given::Given;
use super::symbols::Symbols;
use crate::base::{Span, Value, limits};
use crate::expr::{self, BinaryOp, Expr, ExprKind};
use crate::method::{Arg, TextPart};

/// The bounds of a list.
#[derive(Debug, Clone)]
pub(super) struct Size {
    /// Maximum number of items.
    pub items: Bound,
    /// Whether the items are distinct people.
    pub people: bool,
}

/// The bounds of the variables in scope.
pub(super) struct Sizes<'a> {
    given: &'a Given,
    /// JSON Schema of `goal`.
    inputs: Option<&'a Value>,
    lists: BTreeMap<String, Size>,
    pub(super) symbols: Symbols,
}

impl<'a> Sizes<'a> {
    pub(super) fn new(given: &'a Given, inputs: Option<&'a Value>) -> Self {
        Self { given, inputs, lists: BTreeMap::new(), symbols: Symbols::default() }
    }

    /// Records that a step set the variable to a list with the bounds `size`.
    pub(super) fn fill(&mut self, variable: &str, size: Size) {
        self.lists.insert(variable.to_owned(), size);
    }

    /// Records that a step set the variable to an unknown value, or to a value that is not a list.
    pub(super) fn forget(&mut self, variable: &str) {
        self.lists.remove(variable);
    }

    /// Returns the bounds of a list of people. The symbol `name` stands for the length of the list.
    /// The list has at most as many people as `limit` (a number, and the reason for it),
    /// and at most as many people as the directory.
    pub(super) fn people(&mut self, name: &str, limit: Option<(u64, String)>) -> Size {
        let directory =
            self.given.people.map(|people| (people, "people in the directory".to_owned()));
        let least = [limit, directory].into_iter().flatten().min_by_key(|(n, _)| *n);
        let (at_most, why) =
            least.map_or((None, "no known bound".to_owned()), |(n, why)| (Some(n), why));
        Size { items: self.symbols.take(name, at_most, why), people: true }
    }

    /// Returns the maximum number of people who hold an office, but at most `limit`.
    /// The symbol `name` stands for this number.
    pub(super) fn office(&mut self, name: &str, limit: u64) -> Bound {
        let given = self.given.staff.map(|n| (n, "people per office"));
        let directory = self.given.people.map(|n| (n, "people in the directory"));
        let told = (limit, "recipient limit of one call");
        let (at_most, why) = given.or(directory).map_or(told, |(n, why)| (n.min(limit), why));
        self.symbols.take(name, Some(at_most), why)
    }

    /// Returns the bounds of the list that an expression evaluates to.
    pub(super) fn list(&mut self, expr: &Expr) -> Size {
        self.known_list(expr).unwrap_or_else(|| self.unknown(expr))
    }

    /// Returns the bounds of a list of unknown length, which only the item limit of `foreach` bounds.
    fn unknown(&mut self, expr: &Expr) -> Size {
        let most = limits::FOREACH_ITEMS_MAX as u64;
        let name = format!("len({})", expr::print(expr));
        let items = self.symbols.take(&name, Some(most), "item limit of `foreach`");
        Size { items, people: false }
    }

    /// Returns the bounds of the list that an expression evaluates to; `None` if none are known.
    pub(super) fn known_list(&mut self, expr: &Expr) -> Option<Size> {
        let plain = |n: usize| Size { items: Bound::number(n as u64), people: false };
        match &expr.kind {
            ExprKind::List(items) => Some(plain(items.len())),
            ExprKind::Literal(Value::Null) => Some(plain(0)),
            ExprKind::Path(path) => match path.as_slice() {
                [name] if name != "goal" => self.lists.get(name).cloned(),
                [root, members @ ..] if root == "goal" => self.of_goal(expr, members, "maxItems"),
                _ => None,
            },
            ExprKind::Binary(BinaryOp::Add, left, right) => {
                let (left, right) = (self.known_list(left)?, self.known_list(right)?);
                Some(Size { items: left.items.plus(&right.items), people: false })
            }
            ExprKind::Binary(BinaryOp::Subtract, left, _) => self.known_list(left),
            ExprKind::Call { name, receiver, args, .. } => {
                let all: Vec<&Expr> = receiver.as_deref().into_iter().chain(args).collect();
                self.of_call(expr, name, &all)
            }
            _ => None,
        }
    }

    fn of_call(&mut self, expr: &Expr, function: &str, args: &[&Expr]) -> Option<Size> {
        match function {
            "take" | "latest" => {
                let most = args.get(1).and_then(|number| self.number(number));
                let size = args.first().and_then(|list| self.known_list(list));
                match (size, most) {
                    (Some(size), Some(most)) => {
                        Some(Size { items: shorter(size.items, Bound::number(most)), ..size })
                    }
                    (Some(size), None) => Some(size),
                    (None, most) => Some(Size { items: Bound::number(most?), people: false }),
                }
            }
            "intersect" => {
                let mut sizes = args.iter().filter_map(|list| self.known_list(list));
                sizes.next().map(|one| match sizes.next() {
                    Some(other) => Size { items: shorter(one.items, other.items), ..one },
                    None => one,
                })
            }
            "plus" | "union" => {
                let (one, other) =
                    (self.known_list(args.first()?)?, self.known_list(args.get(1)?)?);
                let people = function == "union" && one.people && other.people;
                Some(Size { items: one.items.plus(&other.items), people })
            }
            "minus" | "distinct" | "sort" | "filter" | "skip" | "reverse" | "where" => {
                self.known_list(args.first()?)
            }
            "pluck" => Some(Size { people: false, ..self.known_list(args.first()?)? }),
            "default" | "coalesce" => {
                let (one, other) =
                    (self.known_list(args.first()?)?, self.known_list(args.get(1)?)?);
                Some(Size {
                    items: one.items.either(&other.items),
                    people: one.people && other.people,
                })
            }
            "if" => {
                let (one, other) = (self.known_list(args.get(1)?)?, self.known_list(args.get(2)?)?);
                Some(Size {
                    items: one.items.either(&other.items),
                    people: one.people && other.people,
                })
            }
            "keys" | "values" => match &args.first()?.kind {
                ExprKind::Path(path) if path.first().is_some_and(|root| root == "goal") => {
                    self.of_goal(args.first()?, &path[1..], "maxProperties")
                }
                _ => None,
            },
            "accepted_for" | "declined_for" | "silent_for" => {
                Some(self.people(&format!("len({})", expr::print(expr)), None))
            }
            _ => None,
        }
    }

    /// Returns the bounds of a list or an object in the goal: the length of the value if the goal is
    /// known, or else a limit from the schema of the value. The parameter `most` is
    /// the keyword of this limit, such as `maxItems`.
    fn of_goal(&mut self, expr: &Expr, members: &[String], most: &str) -> Option<Size> {
        if let Some(value) = self.goal(members) {
            let items = match value {
                Value::Array(items) => items.len(),
                Value::Object(members) => members.len(),
                _ => 0,
            };
            return Some(Size { items: Bound::number(items as u64), people: false });
        }
        let limit = self.input(members)?.get(most)?.as_u64()?;
        let name = format!("len({})", expr::print(expr));
        let items = self.symbols.take(&name, Some(limit), format!("`{most}` of `inputs`"));
        Some(Size { items, people: false })
    }

    /// Returns the maximum value of a numeric expression; `None` if it is unknown.
    pub(super) fn number(&self, expr: &Expr) -> Option<u64> {
        match &expr.kind {
            ExprKind::Literal(Value::Number(number)) => number.as_u64(),
            ExprKind::Path(path) => match path.as_slice() {
                [root, members @ ..] if root == "goal" => match self.goal(members) {
                    Some(value) => value.as_u64(),
                    None => self.input(members)?.get("maximum")?.as_u64(),
                },
                _ => None,
            },
            ExprKind::Call { name, args, .. } if name == "min" => {
                args.iter().filter_map(|arg| self.number(arg)).min()
            }
            ExprKind::Call { name, args, .. } if name == "max" => {
                args.iter().map(|arg| self.number(arg)).try_fold(0, |most, n| Some(most.max(n?)))
            }
            ExprKind::Binary(BinaryOp::Add, left, right) => {
                self.number(left)?.checked_add(self.number(right)?)
            }
            ExprKind::Binary(BinaryOp::Multiply, left, right) => {
                self.number(left)?.checked_mul(self.number(right)?)
            }
            _ => None,
        }
    }

    /// Returns the maximum duration that an expression evaluates to; `None` if it is unknown.
    pub(super) fn duration(&self, expr: &Expr) -> Option<Span> {
        match &expr.kind {
            ExprKind::Duration(span) => Some(*span),
            ExprKind::Literal(value) => value.as_str()?.parse().ok(),
            ExprKind::Path(path) => match path.as_slice() {
                [root, members @ ..] if root == "goal" => {
                    self.goal(members)?.as_str()?.parse().ok()
                }
                _ => None,
            },
            ExprKind::Binary(BinaryOp::Multiply, left, right) => {
                let (span, times) = match self.duration(left) {
                    Some(span) => (span, self.number(right)?),
                    None => (self.duration(right)?, self.number(left)?),
                };
                let micros = span.micros().checked_mul(i64::try_from(times).ok()?)?;
                Some(Span::from_micros(micros))
            }
            ExprKind::Call { name, args, .. } if name == "min" => {
                args.iter().filter_map(|arg| self.duration(arg)).min()
            }
            ExprKind::Call { name, args, .. } if name == "max" => {
                let spans: Option<Vec<Span>> = args.iter().map(|arg| self.duration(arg)).collect();
                spans?.into_iter().max()
            }
            ExprKind::Call { name, args, .. } if name == "if" => {
                Some(self.duration(args.get(1)?)?.max(self.duration(args.get(2)?)?))
            }
            _ => None,
        }
    }

    /// Returns the maximum duration that an argument specifies; `None` if it is unknown.
    pub(super) fn span(&self, arg: &Arg) -> Option<Span> {
        match arg {
            Arg::Literal(value) => value.as_str()?.parse().ok(),
            Arg::Expr(expr) => self.duration(expr),
            Arg::Text(parts) => match parts.as_slice() {
                [TextPart::Expr(expr)] => self.duration(expr),
                _ => None,
            },
            _ => None,
        }
    }

    fn goal(&self, members: &[String]) -> Option<&Value> {
        let goal = self.given.goal.as_ref()?;
        Some(members.iter().try_fold(goal, |value, name| value.get(name)).unwrap_or(&Value::Null))
    }

    /// Returns the schema of the member of the goal at the path `members`.
    fn input(&self, members: &[String]) -> Option<&'a Value> {
        members.iter().try_fold(self.inputs?, |schema, name| schema.get("properties")?.get(name))
    }
}

/// Returns the lower of two bounds. If one bound has no number, returns the other bound.
fn shorter(one: Bound, other: Bound) -> Bound {
    match (one.at_most, other.at_most) {
        (Some(a), Some(b)) if b < a => other,
        (None, Some(_)) => other,
        _ => one,
    }
}
