//! Evaluates an expression, or returns which value must be loaded before the evaluation.

use std::borrow::Cow;

use crate::base::{Value, limits};

use super::arithmetic;
use super::ast::{BinaryOp, Expr, ExprKind, NOW, Range, UnaryOp};
use super::functions::{self, Args, Body, Function, Lazy};
use super::number::Num;
use super::scope::{EvalError, ExprFault, FactCall, Lookup, Need, Scope};
use super::trouble::{Fuel, Trouble};
use super::value::{Instant, Json, Typed, equal, order, shown};

/// Evaluates an expression.
///
/// The result depends only on the expression and the scope.
/// After a [`Need`], the caller loads the missing value and evaluates again from the start.
///
/// # Errors
/// [`EvalError::Need`] if a value must be loaded first. [`EvalError::Fault`]
/// if the expression has no value, such as `1 / 0`, or needs more work than [`limits::EXPR_FUEL_MAX`].
pub fn eval(expr: &Expr, scope: &dyn Scope) -> Result<Value, EvalError> {
    let mut evaluator = Evaluator::new(scope);
    let value = evaluator.value(expr)?;
    if let Json(Cow::Borrowed(borrowed)) = &value {
        evaluator.fuel.spend_on(borrowed).map_err(|trouble| fault(trouble, expr.at))?;
    }
    Ok(value.into_value())
}

/// Evaluates a condition. A variable that no step has assigned reads as null, and null counts as false.
///
/// # Errors
/// The errors of [`eval`]; also [`EvalError::Fault`] if the value is neither null nor a boolean.
pub fn holds(expr: &Expr, scope: &dyn Scope) -> Result<bool, EvalError> {
    let mut evaluator = Evaluator::new(scope);
    evaluator.value(expr)?.truth().map_err(|trouble| fault(trouble, expr.at))
}

struct Evaluator<'a> {
    scope: &'a dyn Scope,
    fuel: Fuel,
    facts: usize,
}

type Evaluated<'a> = Result<Typed<'a>, EvalError>;

fn fault(trouble: Trouble, at: Range) -> EvalError {
    EvalError::Fault(ExprFault { message: trouble.message, at, hint: trouble.hint })
}

impl<'a> Evaluator<'a> {
    fn new(scope: &'a dyn Scope) -> Self {
        Self { scope, fuel: Fuel::full(), facts: 0 }
    }

    fn value(&mut self, expr: &'a Expr) -> Evaluated<'a> {
        self.fuel.spend(1).map_err(|trouble| fault(trouble, expr.at))?;
        match &expr.kind {
            ExprKind::Literal(value) => Ok(value.into()),
            ExprKind::Duration(span) => Ok(Typed::Duration(*span)),
            ExprKind::Path(names) => self.path(names, expr.at),
            ExprKind::List(items) => self.list(items),
            ExprKind::Index(base, key) => {
                let (of, by) = (self.value(base)?, self.value(key)?);
                index(of, &by).map_err(|trouble| fault(trouble, key.at))
            }
            ExprKind::Unary(UnaryOp::Not, operand) => Ok((!self.condition(operand)?).into()),
            ExprKind::Unary(UnaryOp::Negate, operand) => {
                let operand = self.value(operand)?;
                arithmetic::negate(&operand).map_err(|trouble| fault(trouble, expr.at))
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr.at),
            ExprKind::Call { name, receiver, args, named } => {
                let function = functions::find(name).ok_or_else(|| {
                    fault(Trouble::new(format!("there is no function `{name}`")), expr.at)
                })?;
                let plain = receiver.as_deref().into_iter().chain(args);
                match function.body {
                    Body::Fact => self.fact(function, plain, named, expr.at),
                    _ => {
                        let bound = functions::bind(function, plain, named, expr.at)
                            .map_err(|misfit| fault(Trouble::new(misfit.message), misfit.at))?;
                        self.call(function, &bound.slots, expr.at)
                    }
                }
            }
        }
    }

    fn condition(&mut self, expr: &'a Expr) -> Result<bool, EvalError> {
        self.value(expr)?.truth().map_err(|trouble| fault(trouble, expr.at))
    }

    fn path(&mut self, names: &'a [String], at: Range) -> Evaluated<'a> {
        let Some((root, members)) = names.split_first() else { return Ok(Value::Null.into()) };
        let mut value: Typed<'a> = match root.as_str() {
            NOW => Instant(self.scope.now()),
            name => match self.scope.variable(name) {
                Lookup::Found(value) => value.into(),
                Lookup::Unset => Value::Null.into(),
                Lookup::NotLoaded => {
                    return Err(EvalError::Need(Need::Variable(name.to_owned())));
                }
            },
        };
        for name in members {
            value = member(value, name).map_err(|trouble| fault(trouble, at))?;
        }
        Ok(value)
    }

    fn list(&mut self, items: &'a [Expr]) -> Evaluated<'a> {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            let value = self.value(item)?.into_value();
            self.fuel.spend_on(&value).map_err(|trouble| fault(trouble, item.at))?;
            values.push(value);
        }
        Ok(Value::Array(values).into())
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &'a Expr,
        right: &'a Expr,
        at: Range,
    ) -> Evaluated<'a> {
        match op {
            BinaryOp::And => return Ok((self.condition(left)? && self.condition(right)?).into()),
            BinaryOp::Or => return Ok((self.condition(left)? || self.condition(right)?).into()),
            _ => {}
        }
        let (left, right) = (self.value(left)?, self.value(right)?);
        self.operation(op, left, right).map_err(|trouble| fault(trouble, at))
    }

    fn operation(
        &mut self,
        op: BinaryOp,
        left: Typed<'a>,
        right: Typed<'a>,
    ) -> Result<Typed<'a>, Trouble> {
        Ok(match op {
            BinaryOp::Equal => self.same(&left, &right)?.into(),
            BinaryOp::NotEqual => (!self.same(&left, &right)?).into(),
            BinaryOp::Less => order(&left, &right)?.is_lt().into(),
            BinaryOp::LessOrEqual => order(&left, &right)?.is_le().into(),
            BinaryOp::Greater => order(&left, &right)?.is_gt().into(),
            BinaryOp::GreaterOrEqual => order(&left, &right)?.is_ge().into(),
            BinaryOp::In => functions::contains(&right, &left, &mut self.fuel)?.into(),
            BinaryOp::NotIn => (!functions::contains(&right, &left, &mut self.fuel)?).into(),
            _ => arithmetic::apply(op, left, right, &mut self.fuel)?,
        })
    }

    fn same(&mut self, left: &Typed<'_>, right: &Typed<'_>) -> Result<bool, Trouble> {
        for side in [left, right] {
            if let Json(value) = side {
                self.fuel.spend_on(value)?;
            }
        }
        equal(left, right)
    }

    fn call(
        &mut self,
        function: &'static Function,
        slots: &[Vec<&'a Expr>],
        at: Range,
    ) -> Evaluated<'a> {
        match &function.body {
            Body::Lazy(Lazy::If) => {
                let mut given = slots.iter().flatten();
                let chosen = match given.next() {
                    Some(condition) if self.condition(condition)? => given.next(),
                    _ => given.nth(1),
                };
                chosen.map_or_else(|| Ok(Value::Null.into()), |chosen| self.value(chosen))
            }
            Body::Lazy(Lazy::FirstKnown) => {
                for candidate in slots.iter().flatten() {
                    let value = self.value(candidate)?;
                    if !value.is_null() {
                        return Ok(value);
                    }
                }
                Ok(Value::Null.into())
            }
            Body::Pure(body) => {
                let mut values = Vec::with_capacity(slots.len());
                for slot in slots {
                    let slot: Result<Vec<_>, _> =
                        slot.iter().map(|argument| self.value(argument)).collect();
                    values.push(slot?);
                }
                body(&mut Args::new(function, values), &mut self.fuel)
                    .map_err(|trouble| fault(trouble, at))
            }
            Body::Fact => Ok(Value::Null.into()),
        }
    }

    /// Evaluates the arguments of a function that queries the database, and looks up the function's
    /// result in the scope. If the scope does not contain the result, returns the query as a [`Need`].
    fn fact(
        &mut self,
        function: &'static Function,
        plain: impl Iterator<Item = &'a Expr>,
        named: &'a [(String, Expr)],
        at: Range,
    ) -> Evaluated<'a> {
        self.facts += 1;
        if self.facts > limits::EXPR_FACTS_MAX {
            let most = limits::EXPR_FACTS_MAX;
            let message = format!("an expression can query the database at most {most} times");
            return Err(fault(Trouble::new(message), at));
        }
        let mut asked = |expr: &'a Expr| {
            let value = self.value(expr)?.into_value();
            self.fuel.spend_on(&value).map_err(|trouble| fault(trouble, expr.at))?;
            Ok(value)
        };
        let args = plain.map(&mut asked).collect::<Result<_, EvalError>>()?;
        let mut named: Vec<(String, Value)> = named
            .iter()
            .map(|(name, value)| Ok((name.clone(), asked(value)?)))
            .collect::<Result<_, EvalError>>()?;
        named.sort_by(|(a, _), (b, _)| a.cmp(b));
        let call = FactCall { function: function.name.to_owned(), args, named };
        match self.scope.fact(&call) {
            Some(answer) => Ok(answer.into()),
            None => Err(EvalError::Need(Need::Fact(call))),
        }
    }
}

/// Returns a member of an object. A missing member is null, and so is every member of null.
fn member<'a>(of: Typed<'a>, name: &str) -> Result<Typed<'a>, Trouble> {
    match of {
        Json(Cow::Borrowed(value)) if value.is_object() || value.is_null() => {
            Ok(value.get(name).map_or(Value::Null.into(), Typed::from))
        }
        Json(Cow::Owned(Value::Object(mut members))) => {
            Ok(members.remove(name).unwrap_or(Value::Null).into())
        }
        Json(Cow::Owned(Value::Null)) => Ok(Value::Null.into()),
        other => {
            let trouble = Trouble::new(format!("{} has no member `{name}`", other.describe()));
            let list = matches!(&other, Json(value) if value.is_array());
            Err(match list {
                true => trouble.with_hint(format!(
                    "take one item with `[0]`, or the member of all with `pluck(…, \"{name}\")`"
                )),
                false => trouble,
            })
        }
    }
}

/// Returns an item of a list or a member of an object.
/// Positions count from 0; negative positions count from the end.
fn index<'a>(of: Typed<'a>, by: &Typed<'_>) -> Result<Typed<'a>, Trouble> {
    let Json(key) = by else {
        return Err(Trouble::new(format!(
            "the index must be a position or a name, got {}",
            by.describe()
        )));
    };
    match &**key {
        Value::String(name) => member(of, name),
        Value::Number(position) => item(of, Num::of(position)?),
        Value::Null if of.is_null() => Ok(of),
        _ => Err(Trouble::new(format!(
            "the index must be a position or a name, got {}",
            by.describe()
        ))),
    }
}

fn item<'a>(of: Typed<'a>, position: Num) -> Result<Typed<'a>, Trouble> {
    let Num::Whole(position) = position else {
        return Err(Trouble::new(format!(
            "a position in a list must be a whole number, got `{position}`"
        )));
    };
    let place = |length: usize| {
        let from_end = usize::try_from(position.unsigned_abs()).ok();
        match usize::try_from(position) {
            Ok(position) => Some(position),
            Err(_) => from_end.and_then(|back| length.checked_sub(back)),
        }
    };
    match of {
        Json(Cow::Borrowed(Value::Array(items))) => {
            let item = place(items.len()).and_then(|at| items.get(at));
            Ok(item.map_or(Value::Null.into(), Typed::from))
        }
        Json(Cow::Owned(Value::Array(mut items))) => {
            let at = place(items.len()).filter(|at| *at < items.len());
            Ok(at.map_or(Value::Null, |at| items.swap_remove(at)).into())
        }
        other if other.is_null() => Ok(other),
        other => {
            let text = match &other {
                Json(value) => value.as_str().map(shown),
                _ => None,
            };
            let of = text.map_or(other.describe().to_owned(), |text| format!("the text `{text}`"));
            Err(Trouble::new(format!("{of} has no items")))
        }
    }
}
