//! The functions that compute with numbers, and the functions that sum or compare other values.

use std::cmp::Ordering;

use crate::base::Value;

use super::super::arithmetic::{self, rounded};
use super::super::ast::BinaryOp;
use super::super::number::Num;
use super::super::trouble::{Fuel, Trouble};
use super::super::value::{Json, Typed, order, shown};
use super::{Args, ArgumentType, Body, Function, Gives, many, maybe, one};

type Answer<'a> = Result<Typed<'a>, Trouble>;

pub(super) const TABLE: &[Function] = &[
    Function {
        name: "sum",
        parameters: &[one("items", ArgumentType::List)],
        gives: Gives::Item,
        doc: "the sum of numbers or durations; 0 for an empty list",
        body: Body::Pure(sum),
    },
    Function {
        name: "average",
        parameters: &[one("items", ArgumentType::List)],
        gives: Gives::Item,
        doc: "the mean of numbers or durations; null for an empty list",
        body: Body::Pure(average),
    },
    Function {
        name: "min",
        parameters: &[many("values", ArgumentType::Any)],
        gives: Gives::OneOf(0),
        doc: "the smallest of the values, or of the items of a single list; null for an empty list",
        body: Body::Pure(|args, fuel| extreme(args, fuel, Ordering::Less)),
    },
    Function {
        name: "max",
        parameters: &[many("values", ArgumentType::Any)],
        gives: Gives::OneOf(0),
        doc: "the largest of the values, or of the items of a single list; null for an empty list",
        body: Body::Pure(|args, fuel| extreme(args, fuel, Ordering::Greater)),
    },
    Function {
        name: "abs",
        parameters: &[one("x", ArgumentType::Number)],
        gives: Gives::Always(ArgumentType::Number),
        doc: "the absolute value",
        body: Body::Pure(|args, _| {
            let x = args.number(0)?;
            if x < Num::Whole(0) { x.negated().map(Typed::from) } else { Ok(x.into()) }
        }),
    },
    Function {
        name: "round",
        parameters: &[one("x", ArgumentType::Number), maybe("digits", ArgumentType::Number)],
        gives: Gives::Always(ArgumentType::Number),
        doc: "the number rounded to `digits` decimal places (0 to 15, default 0); halves round away from 0",
        body: Body::Pure(round),
    },
    Function {
        name: "floor",
        parameters: &[one("x", ArgumentType::Number)],
        gives: Gives::Always(ArgumentType::Number),
        doc: "the largest whole number that is not greater than x",
        body: Body::Pure(|args, _| whole(args.number(0)?, f64::floor)),
    },
    Function {
        name: "ceil",
        parameters: &[one("x", ArgumentType::Number)],
        gives: Gives::Always(ArgumentType::Number),
        doc: "the smallest whole number that is not less than x",
        body: Body::Pure(|args, _| whole(args.number(0)?, f64::ceil)),
    },
    Function {
        name: "int",
        parameters: &[one("of", ArgumentType::Any)],
        gives: Gives::Always(ArgumentType::Number),
        doc: "a number, or the number in a text, without its fraction",
        body: Body::Pure(|args, _| {
            let number = number_in(args)?;
            whole(number, f64::trunc)
        }),
    },
    Function {
        name: "number",
        parameters: &[one("of", ArgumentType::Any)],
        gives: Gives::Always(ArgumentType::Number),
        doc: "the number that a text contains",
        body: Body::Pure(|args, _| number_in(args).map(Typed::from)),
    },
    Function {
        name: "range",
        parameters: &[one("from", ArgumentType::Number), maybe("to", ArgumentType::Number)],
        gives: Gives::Numbers,
        doc: "the whole numbers from `from` to `to`, without `to`; a single argument is `to`, `from` is 0",
        body: Body::Pure(range),
    },
];

fn sum<'a>(args: &mut Args<'a>, fuel: &mut Fuel) -> Answer<'a> {
    let items = args.list(0)?;
    total(&items, fuel)
}

fn average<'a>(args: &mut Args<'a>, fuel: &mut Fuel) -> Answer<'a> {
    let items = args.list(0)?;
    if items.is_empty() {
        return Ok(Value::Null.into());
    }
    let count = Num::Whole(i64::try_from(items.len()).unwrap_or(i64::MAX));
    let total = total(&items, fuel)?;
    arithmetic::apply(BinaryOp::Divide, total, count.into(), fuel)
}

fn total<'a>(items: &[Value], fuel: &mut Fuel) -> Answer<'a> {
    let mut total: Option<Typed<'a>> = None;
    for item in items {
        fuel.spend_on(item)?;
        // A string can be summed only as an instant or a duration, so each string is converted.
        let item = Typed::from(item.clone()).temporal()?;
        total = Some(match total {
            Some(before) => arithmetic::apply(BinaryOp::Add, before, item, fuel)?,
            None => item,
        });
    }
    Ok(total.unwrap_or_else(|| Num::Whole(0).into()))
}

fn extreme<'a>(args: &mut Args<'a>, fuel: &mut Fuel, wanted: Ordering) -> Answer<'a> {
    let mut values = args.all(0);
    if let [Json(only)] = values.as_slice()
        && let Value::Array(items) = &**only
    {
        items.iter().try_for_each(|item| fuel.spend_on(item))?;
        values = items.iter().map(|item| Typed::from(item.clone())).collect();
    }
    let mut best: Option<Typed<'a>> = None;
    for value in values {
        fuel.spend(1)?;
        best = Some(match best {
            Some(best) if order(&value, &best)? != wanted => best,
            _ => value,
        });
    }
    Ok(best.unwrap_or_else(|| Value::Null.into()))
}

fn round<'a>(args: &mut Args<'a>, _: &mut Fuel) -> Answer<'a> {
    const DIGITS_MAX: usize = 15;
    let x = args.number(0)?;
    let digits = match args.option(1) {
        Some(digits) => args.as_number(1, &digits)?.count("digits")?.min(DIGITS_MAX),
        None => 0,
    };
    if digits == 0 {
        return whole(x, f64::round);
    }
    let shift = 10_f64.powi(i32::try_from(digits).unwrap_or(0));
    let shifted = x.as_f64() * shift;
    // If the multiplication overflows, the number is too large to
    // have decimal places, so the number is already rounded.
    if shifted.is_finite() {
        Num::fraction(shifted.round() / shift).map(Typed::from)
    } else {
        Ok(x.into())
    }
}

fn whole(x: Num, cut: fn(f64) -> f64) -> Answer<'static> {
    match x {
        Num::Whole(_) => Ok(x.into()),
        Num::Fraction(fraction) => rounded(cut(fraction))
            .map(|n| Num::Whole(n).into())
            .ok_or_else(|| Trouble::new(format!("`{x}` is too large for a whole number"))),
    }
}

fn number_in(args: &mut Args<'_>) -> Result<Num, Trouble> {
    let of = args.take(0);
    let Json(value) = &of else { return Err(args.unlike(0, "a number or a text", &of)) };
    let Value::String(text) = &**value else { return args.as_number(0, &of) };
    let digits = text.trim();
    let number = digits.parse::<i64>().ok().map(Num::Whole);
    let plain = digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E'));
    let fraction = || digits.parse::<f64>().ok().filter(|_| plain);
    match number {
        Some(number) => Ok(number),
        None => fraction()
            .and_then(|x| Num::fraction(x).ok())
            .ok_or_else(|| Trouble::new(format!("`{}` is not a number", shown(text)))),
    }
}

fn range<'a>(args: &mut Args<'a>, fuel: &mut Fuel) -> Answer<'a> {
    let first = args.number(0)?;
    let (from, to) = match args.option(1) {
        Some(to) => (first, args.as_number(1, &to)?),
        None => (Num::Whole(0), first),
    };
    let (Num::Whole(from), Num::Whole(to)) = (from, to) else {
        return Err(Trouble::new("`range` needs whole numbers"));
    };
    fuel.spend(usize::try_from(to.saturating_sub(from).max(0)).unwrap_or(usize::MAX))?;
    Ok(Value::Array((from..to).map(Value::from).collect()).into())
}
