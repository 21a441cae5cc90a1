//! The variables that are visible to a step: their types and their maximum numbers of items.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::base::Value;
use crate::expr::{BinaryOp, Expr, ExprKind, Type, TypeScope};

/// What is known about a variable before the run: its type and its maximum number of items.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Variable {
    pub ty: Type,
    /// Maximum number of items, if known.
    pub at_most: Option<u64>,
}

/// The variables that a step can read. Each list of steps gets a
/// copy. Copies share their content, so that copying is cheap.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    assigned: BTreeMap<Rc<str>, Rc<Variable>>,
    /// Variables that some step assigns, each with the line of the first such step.
    later: Rc<BTreeMap<String, u32>>,
    /// Item variables of the `foreach` steps that enclose the step, innermost last.
    items: Vec<(String, Variable)>,
    /// JSON Schema of `goal`.
    inputs: Rc<Value>,
    /// Whether hints suggest similar names. False once no further errors are kept: their hints are not
    /// kept either, and each suggestion costs a search of all names.
    pub suggest: bool,
}

impl Scope {
    /// Returns the scope with the variables that exist in every method.
    pub(super) fn implied(inputs: Option<&Value>) -> Self {
        let goal = inputs.map_or_else(Type::object, Type::of_schema);
        let ctx = [
            ("tenant", Type::Text),
            ("campus", Type::Text),
            ("time_zone", Type::Text),
            ("region", Type::Text),
            ("scheduled_at", Type::Instant),
        ];
        let req = [
            ("id", Type::Text),
            ("service_time", Type::Instant),
            ("targets", Type::object()),
            ("version", Type::Number),
            ("status", Type::Text),
        ];
        let run = [("id", Type::Text), ("method", Type::Text)];
        let implied = [
            ("goal", goal),
            ("ctx", Type::record(ctx)),
            ("req", Type::record(req)),
            ("run", Type::record(run)),
            ("timeout", Type::Bool),
        ];
        let inputs = Rc::new(inputs.cloned().unwrap_or_default());
        let mut scope = Self { inputs, suggest: true, ..Self::default() };
        for (name, ty) in implied {
            scope.assign(name, Variable { ty, at_most: None });
        }
        scope
    }

    /// Returns the scope of an expression that is evaluated before a run starts.
    /// This scope has only `goal` and `ctx`.
    pub(super) fn before_start(inputs: Option<&Value>) -> Self {
        let mut scope = Self::implied(inputs);
        scope.assigned.retain(|name, _| matches!(&**name, "goal" | "ctx"));
        scope
    }

    /// Records that a step at `line` assigns a variable.
    pub(super) fn announce(&mut self, name: &str, line: u32) {
        Rc::make_mut(&mut self.later).entry(name.to_owned()).or_insert(line);
    }

    /// Assigns a variable, so that the following steps may read the variable.
    pub(super) fn assign(&mut self, name: &str, variable: Variable) {
        self.assigned.insert(name.into(), Rc::new(variable));
    }

    /// Assigns a variable in a step that may be skipped.
    /// If the step is skipped, the variable keeps its previous value.
    pub(super) fn assign_maybe(&mut self, name: &str, variable: Variable) {
        let merged = match self.assigned.remove(name) {
            Some(before) => Variable {
                ty: before.ty.clone().or(variable.ty),
                at_most: before.at_most.zip(variable.at_most).map(|(a, b)| a.max(b)),
            },
            None => variable,
        };
        self.assign(name, merged);
    }

    /// Returns the variable `error`, which describes the failure to the steps of `on_error`.
    pub(super) fn error() -> Variable {
        let members = ["code", "message", "hint", "step_id"].map(|name| (name, Type::Text));
        Variable { ty: Type::record(members), at_most: None }
    }

    /// Removes a variable from the scope.
    pub(super) fn forget(&mut self, name: &str) {
        self.assigned.remove(name);
    }

    /// Marks variables as possibly unassigned, because the steps that assign them may be skipped.
    /// The parameter `before` is the scope before these steps, and `self` is the scope after them.
    pub(super) fn mark_maybe_assigned(&mut self, before: Self) {
        let after = std::mem::replace(self, before);
        self.merge_path(&after);
    }

    /// Merges `other` into this scope. `other` is the scope after a path that a run may or may not take,
    /// so a variable may have the type and size of either scope.
    pub(super) fn merge_path(&mut self, other: &Self) {
        for (name, variable) in &other.assigned {
            let same = |known: &Rc<Variable>| Rc::ptr_eq(known, variable) || known == variable;
            if !self.assigned.get(name).is_some_and(same) {
                self.assign_maybe(name, Variable::clone(variable));
            }
        }
    }

    /// Adds the item variable of a `foreach` for the steps inside it.
    pub(super) fn enter_item(&mut self, name: &str, item: Variable) {
        self.items.push((name.to_owned(), item));
    }

    /// Removes the innermost item variable.
    pub(super) fn leave_item(&mut self) {
        self.items.pop();
    }

    /// Returns the line of the first step that assigns a variable.
    /// Returns `None` if the variable is assigned already, or if no step assigns it.
    pub(super) fn assigned_later(&self, name: &str) -> Option<u32> {
        let known = self.assigned.contains_key(name) || self.item_named(name).is_some();
        self.later.get(name).copied().filter(|_| !known)
    }

    fn item_named(&self, name: &str) -> Option<&Variable> {
        self.items.iter().rev().find(|(item, _)| item == name).map(|(_, variable)| variable)
    }

    fn get(&self, name: &str) -> Option<&Variable> {
        self.item_named(name).or_else(|| self.assigned.get(name).map(Rc::as_ref))
    }

    /// Returns the maximum number of items of a list; `None` if it is not known before the run.
    pub(super) fn at_most(&self, expr: &Expr) -> Option<u64> {
        match &expr.kind {
            ExprKind::List(items) => u64::try_from(items.len()).ok(),
            ExprKind::Path(path) => match path.as_slice() {
                [name] => self.get(name)?.at_most,
                [root, members @ ..] if root == "goal" => {
                    self.input(members)?.get("maxItems")?.as_u64()
                }
                _ => None,
            },
            ExprKind::Binary(BinaryOp::Add, left, right) => {
                self.at_most(left)?.checked_add(self.at_most(right)?)
            }
            ExprKind::Binary(BinaryOp::Subtract, left, _) => self.at_most(left),
            ExprKind::Call { name, receiver, args, .. } => {
                let all: Vec<&Expr> = receiver.as_deref().into_iter().chain(args).collect();
                self.call_at_most(name, &all)
            }
            _ => None,
        }
    }

    fn call_at_most(&self, function: &str, args: &[&Expr]) -> Option<u64> {
        let first = args.first().and_then(|list| self.at_most(list));
        let second = || args.get(1).and_then(|list| self.at_most(list));
        match function {
            "take" | "latest" => {
                let number = args.get(1).and_then(|number| self.number_at_most(number));
                match (first, number) {
                    (Some(items), Some(number)) => Some(items.min(number)),
                    (one, other) => one.or(other),
                }
            }
            "intersect" => match (first, second()) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (one, other) => one.or(other),
            },
            "plus" | "union" => first?.checked_add(second()?),
            "minus" | "distinct" | "sort" | "filter" => first,
            "default" | "coalesce" => Some(first?.max(second()?)),
            _ => None,
        }
    }

    /// Returns the largest value that a numeric expression can have; `None` if not known before the run.
    pub(super) fn number_at_most(&self, expr: &Expr) -> Option<u64> {
        match &expr.kind {
            ExprKind::Literal(Value::Number(number)) => number.as_u64(),
            ExprKind::Path(path) => match path.as_slice() {
                [root, members @ ..] if root == "goal" => {
                    self.input(members)?.get("maximum")?.as_u64()
                }
                _ => None,
            },
            ExprKind::Call { name, args, .. } if name == "min" => {
                args.iter().filter_map(|arg| self.number_at_most(arg)).min()
            }
            _ => None,
        }
    }

    /// Returns the schema of a member of the goal. `members` is the path of the member.
    fn input(&self, members: &[String]) -> Option<&Value> {
        members.iter().try_fold(&*self.inputs, |schema, name| schema.get("properties")?.get(name))
    }
}

impl TypeScope for Scope {
    fn variable(&self, name: &str) -> Option<Type> {
        match self.get(name) {
            Some(variable) => Some(variable.ty.clone()),
            None => self.later.contains_key(name).then_some(Type::Any),
        }
    }

    fn names(&self) -> Vec<String> {
        if !self.suggest {
            return Vec::new();
        }
        let assigned = self.assigned.keys().map(|name| &**name);
        let items = self.items.iter().map(|(name, _)| name);
        let rest = self.later.keys().chain(items).map(String::as_str);
        assigned.chain(rest).map(str::to_owned).collect()
    }
}
