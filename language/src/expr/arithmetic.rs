//! The operators `+ - * / %` on numbers, strings, lists, instants and durations.

use std::borrow::Cow;

use crate::base::{Span, Timestamp, Value};

use super::ast::BinaryOp;
use super::number::Num;
use super::trouble::{Fuel, Trouble};
use super::value::{Duration, Instant, Json, Typed, align};

type Answer<'a> = Result<Typed<'a>, Trouble>;

/// Applies an arithmetic operator to two values.
pub(super) fn apply<'a>(
    op: BinaryOp,
    left: Typed<'a>,
    right: Typed<'a>,
    fuel: &mut Fuel,
) -> Answer<'a> {
    let (left, right) = operands(op, left, right)?;
    match (&left, &right) {
        (Json(a), Json(b)) => match (&**a, &**b) {
            (Value::Number(a), Value::Number(b)) => {
                numbers(op, Num::of(a)?, Num::of(b)?).map(Typed::from)
            }
            (Value::String(a), Value::String(b)) if op == BinaryOp::Add => {
                fuel.spend_text(a.len() + b.len())?;
                Ok(format!("{a}{b}").into())
            }
            (Value::Array(a), Value::Array(b)) if op == BinaryOp::Add => {
                fuel.spend_on(&json(&left))?;
                fuel.spend_on(&json(&right))?;
                Ok(Value::Array(a.iter().chain(b).cloned().collect()).into())
            }
            _ => Err(mismatch(op, &left, &right)),
        },
        (Json(number), Duration(span)) | (Duration(span), Json(number)) => {
            let Value::Number(number) = &**number else { return Err(mismatch(op, &left, &right)) };
            match op {
                BinaryOp::Multiply => scaled(*span, Num::of(number)?),
                BinaryOp::Divide if matches!(left, Duration(_)) => divided(*span, Num::of(number)?),
                _ => Err(mismatch(op, &left, &right)),
            }
        }
        _ => times(op, &left, &right),
    }
}

/// Negates a number or a duration.
pub(super) fn negate(operand: &Typed<'_>) -> Answer<'static> {
    match operand {
        Duration(span) => span_of(0_i64.checked_sub(span.micros())),
        Json(value) => match &**value {
            Value::Number(number) => Num::of(number)?.negated().map(Typed::from),
            _ => Err(Trouble::new(format!("cannot negate {}", operand.describe()))),
        },
        Instant(_) => Err(Trouble::new("cannot negate an instant")),
    }
}

/// Converts string operands to instants or durations. A string is converted if the other operand
/// is an instant or a duration. A subtraction of two strings converts both strings.
fn operands<'a>(
    op: BinaryOp,
    left: Typed<'a>,
    right: Typed<'a>,
) -> Result<(Typed<'a>, Typed<'a>), Trouble> {
    let is_text = |side: &Typed<'_>| matches!(side, Json(value) if value.is_string());
    if op == BinaryOp::Subtract && is_text(&left) && is_text(&right) {
        return Ok((left.temporal()?, right.temporal()?));
    }
    align(left, right)
}

fn json<'v>(side: &'v Typed<'_>) -> Cow<'v, Value> {
    match side {
        Json(value) => Cow::Borrowed(&**value),
        _ => Cow::Owned(Value::Null),
    }
}

fn numbers(op: BinaryOp, a: Num, b: Num) -> Result<Num, Trouble> {
    match op {
        BinaryOp::Add => a.plus(b),
        BinaryOp::Subtract => a.minus(b),
        BinaryOp::Multiply => a.times(b),
        BinaryOp::Divide => a.over(b),
        BinaryOp::Remainder => a.modulo(b),
        other => Err(Trouble::new(format!("`{}` is not an arithmetic operator", other.symbol()))),
    }
}

fn times(op: BinaryOp, left: &Typed<'_>, right: &Typed<'_>) -> Answer<'static> {
    match (op, left, right) {
        (BinaryOp::Add, Instant(at), Duration(span))
        | (BinaryOp::Add, Duration(span), Instant(at)) => {
            instant_of(at.micros().checked_add(span.micros()))
        }
        (BinaryOp::Add, Duration(a), Duration(b)) => span_of(a.micros().checked_add(b.micros())),
        (BinaryOp::Subtract, Instant(at), Duration(span)) => {
            instant_of(at.micros().checked_sub(span.micros()))
        }
        (BinaryOp::Subtract, Instant(a), Instant(b)) => span_of(a.micros().checked_sub(b.micros())),
        (BinaryOp::Subtract, Duration(a), Duration(b)) => {
            span_of(a.micros().checked_sub(b.micros()))
        }
        (BinaryOp::Divide, Duration(a), Duration(b)) => {
            Num::Whole(a.micros()).over(Num::Whole(b.micros())).map(Typed::from)
        }
        _ => Err(mismatch(op, left, right)),
    }
}

fn scaled(span: Span, by: Num) -> Answer<'static> {
    match Num::Whole(span.micros()).times(by)? {
        Num::Whole(micros) => span_of(Some(micros)),
        Num::Fraction(micros) => span_of(rounded(micros)),
    }
}

fn divided(span: Span, by: Num) -> Answer<'static> {
    match Num::Whole(span.micros()).over(by)? {
        Num::Whole(micros) => span_of(Some(micros)),
        Num::Fraction(micros) => span_of(rounded(micros)),
    }
}

/// Rounds to the nearest whole number. Returns `None` if the number does not fit into 64 bits.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked in the condition")]
pub(super) fn rounded(value: f64) -> Option<i64> {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    let whole = value.round();
    (-BEYOND..BEYOND).contains(&whole).then_some(whole as i64)
}

/// Creates an instant from microseconds since 1970. Fails if `micros` is `None`, which
/// stands for an overflow, or if the calendar does not include the year of the instant.
fn instant_of(micros: Option<i64>) -> Answer<'static> {
    micros
        .filter(|micros| jiff::Timestamp::from_microsecond(*micros).is_ok())
        .map(|micros| Instant(Timestamp::from_micros(micros)))
        .ok_or_else(|| Trouble::new("the result is outside the years -9999 to 9999"))
}

fn span_of(micros: Option<i64>) -> Answer<'static> {
    micros
        .map(|micros| Duration(Span::from_micros(micros)))
        .ok_or_else(|| Trouble::new("the result is too long for a duration"))
}

fn mismatch(op: BinaryOp, left: &Typed<'_>, right: &Typed<'_>) -> Trouble {
    let (a, b) = (left.describe(), right.describe());
    let trouble = Trouble::new(format!("`{}` cannot be applied to {a} and {b}", op.symbol()));
    if left.is_null() || right.is_null() {
        return trouble.with_hint("set a default for a value that may be missing: `default(x, 0)`");
    }
    match (op, a, b) {
        (BinaryOp::Add, "a text", _) | (BinaryOp::Add, _, "a text") => {
            trouble.with_hint("convert the other value to a text: `str(x)`")
        }
        (BinaryOp::Subtract, "a list", _) => {
            trouble.with_hint("to remove items from a list, write `a.minus(b)`")
        }
        _ => trouble,
    }
}
