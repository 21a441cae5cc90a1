//! The type rules of operators and members.

use super::ast::BinaryOp;
use super::types::Type;

/// A finding about an operator whose operands have the wrong types.
pub(super) struct Misuse {
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) hint: Option<&'static str>,
    /// The type that the checker assumes for the result, so that one finding does not cause others.
    pub(super) of: Type,
}

/// Returns the result type of a binary operator.
/// The type checker does not call this function for `and` and `or`, because it checks each side separately.
pub(super) fn result(op: BinaryOp, a: &Type, b: &Type) -> Result<Type, Misuse> {
    use BinaryOp as B;
    match op {
        B::Equal | B::NotEqual => match a.accepts(b) || b.accepts(a) {
            true => Ok(Type::Bool),
            false => Err(Misuse {
                code: "never-equal",
                message: format!("{a} and {b} are never equal"),
                hint: equality_hint(a, b),
                of: Type::Bool,
            }),
        },
        B::Less | B::LessOrEqual | B::Greater | B::GreaterOrEqual => match ordered(a, b) {
            true => Ok(Type::Bool),
            false => Err(misuse(op, a, b, Type::Bool)),
        },
        B::In | B::NotIn => match holds(b, a) {
            true => Ok(Type::Bool),
            false => Err(not_inside(op, a, b)),
        },
        _ => arithmetic(op, a, b).ok_or_else(|| misuse(op, a, b, Type::Any)),
    }
}

/// Whether values of a type can be negated.
pub(super) fn negated(of: &Type) -> bool {
    matches!(of, Type::Any | Type::Number | Type::Duration)
}

/// Returns the type of the member `name` of a value of the type `of`; `None` if `of` has no such member.
pub(super) fn member(of: &Type, name: &str) -> Option<Type> {
    match of {
        Type::Any | Type::Null => Some(Type::Any),
        Type::Offers => match name {
            "request" | "role" => Some(Type::Text),
            "wave" | "count" => Some(Type::Number),
            _ => None,
        },
        Type::Object { members, open } => {
            members.get(name).cloned().or_else(|| open.then_some(Type::Any))
        }
        _ => None,
    }
}

/// Returns the names of the known members of a type.
pub(super) fn members(of: &Type) -> Vec<String> {
    match of {
        Type::Object { members, .. } => members.keys().cloned().collect(),
        Type::Offers => ["count", "request", "role", "wave"].map(str::to_owned).to_vec(),
        _ => Vec::new(),
    }
}

fn misuse(op: BinaryOp, a: &Type, b: &Type, of: Type) -> Misuse {
    let hint = match (op, a, b) {
        (BinaryOp::Add, Type::Text, _) | (BinaryOp::Add, _, Type::Text) => {
            Some("convert the other value to a text: `str(…)`")
        }
        (BinaryOp::Subtract, Type::List(_), Type::List(_)) => {
            Some("to remove items from a list, write `a.minus(b)`")
        }
        (BinaryOp::Less | BinaryOp::LessOrEqual, Type::List(_), Type::Number)
        | (BinaryOp::Greater | BinaryOp::GreaterOrEqual, Type::List(_), Type::Number) => {
            Some("compare its length: `len(…)`")
        }
        _ => None,
    };
    let message = format!("`{}` cannot be applied to {a} and {b}", op.symbol());
    Misuse { code: "wrong-type", message, hint, of }
}

fn not_inside(op: BinaryOp, item: &Type, container: &Type) -> Misuse {
    if let Type::List(_) = container {
        let message = format!("{container} never contains {item}");
        return Misuse { code: "never-equal", message, hint: None, of: Type::Bool };
    }
    let hint = "search a list for an item, a text for a part of it, or an object for a member name";
    Misuse { hint: Some(hint), ..misuse(op, item, container, Type::Bool) }
}

fn equality_hint(a: &Type, b: &Type) -> Option<&'static str> {
    match (a, b) {
        (Type::Number, Type::Text) | (Type::Text, Type::Number) => {
            Some("write the number without quotes")
        }
        (Type::List(_) | Type::Offers, Type::Number)
        | (Type::Number, Type::List(_) | Type::Offers) => Some("compare its length: `len(…)`"),
        _ => None,
    }
}

/// Whether values of the two types can be compared with `<` and `>`.
/// The literal `null` cannot be compared. The checker does not know whether a variable is null;
/// if a null variable is compared, the evaluator reports it.
fn ordered(a: &Type, b: &Type) -> bool {
    let has_order = |of: &Type| {
        matches!(
            of,
            Type::Any | Type::Number | Type::Text | Type::Instant | Type::Duration | Type::Person
        )
    };
    has_order(a) && has_order(b) && (a.accepts(b) || b.accepts(a))
}

fn holds(container: &Type, item: &Type) -> bool {
    match container {
        Type::Any | Type::Null => true,
        Type::List(of) => of.accepts(item) || item.accepts(of),
        Type::Text | Type::Object { .. } => Type::Text.accepts(item),
        _ => false,
    }
}

/// Returns the result type of an arithmetic operator; `None` if the operator does not accept the operands.
/// A string may represent an instant or a duration, so the result type is not always known.
fn arithmetic(op: BinaryOp, a: &Type, b: &Type) -> Option<Type> {
    use BinaryOp as B;
    use Type::{Any, Duration, Instant, List, Null, Number, Person, Text};
    Some(match (op, a, b) {
        (B::Add, List(a), List(b)) => Type::list(a.as_ref().clone().or(b.as_ref().clone())),
        (B::Add, Text | Person, Text | Person) => Text,
        (B::Subtract, Text | Instant, Text | Instant) => Duration,
        (B::Add | B::Subtract, Duration, Duration) => Duration,
        (B::Add | B::Subtract, Instant, Duration) | (B::Add, Duration, Instant) => Instant,
        (B::Add, Text, Duration | Instant) | (B::Add, Duration | Instant, Text) => Any,
        (B::Subtract, Text, Duration) | (B::Subtract, Duration, Text) => Any,
        (B::Multiply, Number, Duration) | (B::Multiply, Duration, Number) => Duration,
        (B::Divide, Duration, Number) => Duration,
        (B::Divide, Duration, Duration | Text) | (B::Divide, Text, Duration) => Number,
        (_, Number, Number) => Number,
        (_, Any | Null, b) if operand(op, b) => Any,
        (_, a, Any | Null) if operand(op, a) => Any,
        _ => return None,
    })
}

/// Whether an operator accepts values of the type `of` on at least one of its two sides.
fn operand(op: BinaryOp, of: &Type) -> bool {
    match of {
        Type::Any | Type::Null | Type::Number => true,
        Type::Duration => op != BinaryOp::Remainder,
        Type::Text | Type::Instant | Type::Person => {
            matches!(op, BinaryOp::Add | BinaryOp::Subtract)
        }
        Type::List(_) => op == BinaryOp::Add,
        _ => false,
    }
}
