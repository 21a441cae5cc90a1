//! The value of an expression. Every step checks the limits before it computes.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};

use super::formula::{Binary, Call, Formula, Operator};
use super::token::Function;
use super::{BITS_MAX, EXPONENT_MAX, FACTORIAL_MAX, MathFault};

/// Computes an expression.
pub(super) fn of(formula: &Formula) -> Result<BigRational, MathFault> {
    let value = match formula {
        Formula::Number(digits) => number(digits)?,
        Formula::Negative(inner) => -of(inner)?,
        Formula::Percent(inner) => of(inner)? / BigRational::from_integer(100.into()),
        Formula::Factorial(inner) => factorial(&whole(&of(inner)?)?)?,
        Formula::Call(call) => function(call)?,
        Formula::Binary(binary) => operation(binary)?,
    };
    if bits(&value) > BITS_MAX { Err(MathFault::TooLarge) } else { Ok(value) }
}

/// Returns the size of a number in bits.
fn bits(value: &BigRational) -> u64 {
    value.numer().bits().max(value.denom().bits())
}

fn number(digits: &str) -> Result<BigRational, MathFault> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let parse = |digits: &str| digits.parse::<BigInt>().map_err(|_| MathFault::NotAnExpression);
    let places = u32::try_from(fraction.len()).map_err(|_| MathFault::TooLarge)?;
    let scale = Pow::pow(BigInt::from(10), places);
    Ok(BigRational::new(parse(&format!("{whole}{fraction}"))?, scale))
}

fn operation(binary: &Binary) -> Result<BigRational, MathFault> {
    let (left, right) = (of(&binary.left)?, of(&binary.right)?);
    match binary.operator {
        Operator::Plus => Ok(left + right),
        Operator::Minus => Ok(left - right),
        Operator::Times => Ok(left * right),
        Operator::Over | Operator::Modulo if right.is_zero() => Err(MathFault::DivisionByZero),
        Operator::Over => Ok(left / right),
        Operator::Modulo => {
            let times = (&left / &right).floor();
            Ok(left - right * times)
        }
        Operator::Power => power(&left, &right),
    }
}

fn power(base: &BigRational, exponent: &BigRational) -> Result<BigRational, MathFault> {
    if base.is_one() || exponent.is_zero() {
        return Ok(BigRational::one());
    }
    if base.is_zero() {
        let is_inverse = exponent.is_negative();
        return if is_inverse { Err(MathFault::DivisionByZero) } else { Ok(BigRational::zero()) };
    }
    let limited = |number: &BigInt| number.to_u32().filter(|number| *number <= EXPONENT_MAX);
    let degree = limited(exponent.denom()).ok_or(MathFault::TooLarge)?;
    let root = if degree == 1 { base.clone() } else { root(base, degree)? };
    let times = limited(&exponent.numer().abs()).ok_or(MathFault::TooLarge)?;
    let is_one = root.numer().magnitude().is_one() && root.denom().is_one();
    if !is_one && (bits(&root) - 1).saturating_mul(u64::from(times)) > BITS_MAX {
        return Err(MathFault::TooLarge);
    }
    let power = Pow::pow(root, times);
    Ok(if exponent.is_negative() { power.recip() } else { power })
}

/// Returns the root of a number, if it is a fraction.
fn root(value: &BigRational, degree: u32) -> Result<BigRational, MathFault> {
    if value.is_negative() && degree.is_multiple_of(2) {
        return Err(MathFault::NotExact);
    }
    let exact = |number: &BigInt| {
        let root = number.nth_root(degree);
        (Pow::pow(root.clone(), degree) == *number).then_some(root).ok_or(MathFault::NotExact)
    };
    Ok(BigRational::new(exact(value.numer())?, exact(value.denom())?))
}

fn function(call: &Call) -> Result<BigRational, MathFault> {
    let values = call.arguments.iter().map(of).collect::<Result<Vec<_>, _>>()?;
    let single = || match &values[..] {
        [value] => Ok(value),
        _ => Err(MathFault::NotAnExpression),
    };
    let several = || values.iter().cloned().reduce(|a, b| if b < a { b } else { a });
    match call.function {
        Function::SquareRoot => root(single()?, 2),
        Function::CubeRoot => root(single()?, 3),
        Function::Absolute => Ok(single()?.abs()),
        Function::Least => several().ok_or(MathFault::NotAnExpression),
        Function::Greatest => values.into_iter().max().ok_or(MathFault::NotAnExpression),
        Function::CommonDivisor => fold(&values, divisor),
        Function::CommonMultiple => fold(&values, |a, b| {
            let divisor = divisor(a.clone(), b.clone());
            if divisor.is_zero() { divisor } else { (a / divisor * b).abs() }
        }),
    }
}

/// Combines whole numbers, two at a time.
fn fold(
    values: &[BigRational],
    combine: fn(BigInt, BigInt) -> BigInt,
) -> Result<BigRational, MathFault> {
    let mut combined: Option<BigInt> = None;
    for value in values {
        let next = whole(value)?;
        let result = combined.map_or_else(|| next.clone(), |before| combine(before, next.clone()));
        if result.bits() > BITS_MAX {
            return Err(MathFault::TooLarge);
        }
        combined = Some(result);
    }
    combined.map(BigRational::from_integer).ok_or(MathFault::NotAnExpression)
}

/// Returns the greatest common divisor.
fn divisor(mut a: BigInt, mut b: BigInt) -> BigInt {
    while !b.is_zero() {
        (a, b) = (b.clone(), a % b);
    }
    a.abs()
}

fn whole(value: &BigRational) -> Result<BigInt, MathFault> {
    if value.is_integer() { Ok(value.to_integer()) } else { Err(MathFault::NotWhole) }
}

fn factorial(number: &BigInt) -> Result<BigRational, MathFault> {
    if number.is_negative() {
        return Err(MathFault::NotWhole);
    }
    let last = number.to_u32().filter(|last| *last <= FACTORIAL_MAX).ok_or(MathFault::TooLarge)?;
    let product = (1..=last).fold(BigInt::one(), |product, factor| product * factor);
    Ok(BigRational::from_integer(product))
}
