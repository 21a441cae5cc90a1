//! Exact arithmetic on written expressions: `2+2`, `(4+5)*(10-3)`, `240*15/100`, `sqrt(144)`.
//!
//! `token` cuts an expression into numbers and signs, `formula` reads them by the usual precedence, and `value`
//! computes with integers and fractions of any size up to a limit. Nothing is rounded: a result is an integer, a
//! fraction in lowest terms, or a finite decimal if the expression was written with decimals.

mod formula;
mod show;
mod token;
mod value;

use num_rational::BigRational;
use serde::{Deserialize, Serialize};

use super::wire::Payload;

/// Maximum length of an expression in characters. What people ask by text is far shorter, and a longer
/// expression costs time to evaluate.
pub const EXPR_CHARS_MAX: usize = 1_000;
/// Maximum depth of nested parentheses, signs and exponents, because the evaluation is recursive.
const DEPTH_MAX: usize = 64;
/// Maximum size of an exponent; its root is taken up to the same number. `2^10000` is already too large to show.
const EXPONENT_MAX: u32 = 8_192;
/// Maximum size of every number on the way to the result, in bits: about 2,400 digits, which fill ten messages.
const BITS_MAX: u64 = 8_192;
/// The largest number whose factorial is computed: more does not fit into [`BITS_MAX`].
const FACTORIAL_MAX: u32 = 900;

/// The payload of a `REPORT` of arithmetic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MathQuestion {
    /// The expression, which is not solved yet.
    pub expr: String,
}

impl Payload for MathQuestion {
    const KIND: &'static str = "math";
}

/// The exact value of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MathValue {
    /// The value.
    number: BigRational,
    /// Whether it is shown as a decimal if it has a finite one.
    is_decimal: bool,
}

/// Why an expression has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MathFault {
    /// The text is not an expression.
    #[error("not an expression")]
    NotAnExpression,
    /// A divisor is zero.
    #[error("division by zero")]
    DivisionByZero,
    /// The expression, or a number on the way to the result, is over the limits.
    #[error("number too large")]
    TooLarge,
    /// The result is no fraction, such as the square root of two.
    #[error("no exact value")]
    NotExact,
    /// An operation for integers got a fraction or a negative number, such as `2.5!`.
    #[error("needs a whole number")]
    NotWhole,
}

/// Evaluates an expression exactly.
///
/// # Errors
/// Says why it has no value. The text of the error is the claim of a `JUSTIFY`.
pub fn evaluate(expr: &str) -> Result<MathValue, MathFault> {
    let formula = formula::parse(expr)?;
    let number = value::of(&formula)?;
    Ok(MathValue { number, is_decimal: expr.contains('.') })
}

/// Whether a text is an expression, whatever its value is.
#[must_use]
pub fn parses(expr: &str) -> bool {
    formula::parse(expr).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cases: &[(&str, &str)]) {
        let mut wrong = Vec::new();
        for (expr, expected) in cases {
            let found = match evaluate(expr) {
                Ok(value) => value.to_string(),
                Err(fault) => fault.to_string(),
            };
            if found != *expected {
                wrong.push(format!("{expr}: {found}, expected {expected}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn integers_are_exact_at_any_size() {
        check(&[
            ("2+2", "4"),
            ("(4+5)*(10-3)", "63"),
            ("((18-4)*(3+9))/(7*2)-5", "7"),
            ("18-25", "-7"),
            ("123456789 * 987654321", "121932631112635269"),
            ("2^100", "1267650600228229401496703205376"),
            ("99999999999999999999+1", "100000000000000000000"),
            ("25!/23!", "600"),
            ("1,000,000-1", "999999"),
        ]);
    }

    #[test]
    fn what_is_no_integer_is_a_fraction_or_a_decimal_as_it_was_asked() {
        check(&[
            ("4/6", "2/3"),
            ("12*11-2/4", "263/2"),
            ("7/2", "7/2"),
            ("7/2.0", "3.5"),
            ("0.1+0.2", "0.3"),
            ("2.5+2.50+0.75", "5.75"),
            ("0.1/0.3", "1/3"),
            (".5*-.5", "-0.25"),
            ("1.5+1.5", "3"),
            ("12.5%*80", "10"),
            ("2^-3", "1/8"),
            ("-7/2", "-7/2"),
        ]);
    }

    #[test]
    fn precedence_is_the_usual_one() {
        check(&[
            ("2+3*4", "14"),
            ("2*3^2", "18"),
            ("2^3^2", "512"),
            ("-2^2", "-4"),
            ("(-2)^2", "4"),
            ("2--2", "4"),
            ("5 * -6", "-30"),
            ("100/10/2", "5"),
            ("17 % 5", "2"),
            ("17 mod 5 * 2", "4"),
            ("-7 mod 3", "2"),
            ("20%", "1/5"),
            ("2(3+4)", "14"),
            ("(1+1)(2+3)", "10"),
            ("3!^2", "36"),
            ("1/2 of 30", "15"),
            ("6 ÷ 2 × 3 − 1", "8"),
            ("2**5", "32"),
        ]);
    }

    #[test]
    fn roots_and_functions_are_computed_where_they_are_exact() {
        check(&[
            ("sqrt(144)", "12"),
            ("sqrt(9/16)", "3/4"),
            ("sqrt(6.25)", "2.5"),
            ("cbrt(-27)", "-3"),
            ("8^(1/3)", "2"),
            ("4^1.5", "8"),
            ("sqrt(2)", "no exact value"),
            ("sqrt(-4)", "no exact value"),
            ("abs(3-10)", "7"),
            ("min(3, 1/2, 4)", "1/2"),
            ("max(3,7)", "7"),
            ("gcd(84,36)", "12"),
            ("lcm(4,6,10)", "60"),
            ("gcd(1.5,3)", "needs a whole number"),
            ("2.5!", "needs a whole number"),
        ]);
    }

    #[test]
    fn nothing_is_divided_by_zero() {
        check(&[
            ("5/0", "division by zero"),
            ("1/(2-2)", "division by zero"),
            ("0^-1", "division by zero"),
            ("5 mod 0", "division by zero"),
            ("0/5", "0"),
            ("0^0", "1"),
        ]);
    }

    #[test]
    fn what_would_take_too_long_is_refused() {
        let deep = format!("{}1{}", "(".repeat(200), ")".repeat(200));
        let long = "1+".repeat(600) + "1";
        let wide = "1+".repeat(400) + "1";
        check(&[
            ("9^9999", "number too large"),
            ("9^9^9^9", "number too large"),
            ("2^0.00001", "number too large"),
            ("99999!", "number too large"),
            ("(9^2000)*(9^2000)*(9^2000)", "number too large"),
            ("1^99999999999999999999", "1"),
            (&deep, "number too large"),
            (&long, "number too large"),
            (&wide, "401"),
            (&"-".repeat(500), "number too large"),
        ]);
    }

    #[test]
    fn other_texts_are_no_expressions() {
        for text in
            ["", "two", "2+", "+", "2 2", "(2", "2)", "1..2", "1,00", "min()", "a+b", "5 5!"]
        {
            assert_eq!(evaluate(text), Err(MathFault::NotAnExpression), "{text}");
        }
        assert!(parses("1/0"));
    }
}
