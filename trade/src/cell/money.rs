//! Amounts of money and other decimal numbers, in exact decimal arithmetic.

use abide_engine::base::Value;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

/// Maximum number of digits of a number from outside: below it, no sum of amounts overflows.
const DIGITS_MAX: usize = 18;
/// Maximum number of decimals of a quantity.
const DECIMALS_MAX: u32 = 6;
/// Maximum amount of money in cents: ten billion dollars. A million such amounts can be added up.
pub const CENTS_MAX: i64 = 1_000_000_000_000;

/// Reads an amount of money, given as a decimal string or as a number, in cents.
///
/// # Errors
/// A sentence without its subject, if the value is not an amount with at most two decimals.
pub fn cents(value: &Value) -> Result<i64, String> {
    let amount = number(value).ok_or("is not an amount of money such as `1250.00`")?;
    if amount.scale() > 2 {
        return Err("is not an amount of money: it must have at most two decimals".to_owned());
    }
    let cents = amount.checked_mul(Decimal::ONE_HUNDRED).and_then(|cents| cents.to_i64());
    let cents = cents.filter(|cents| cents.abs() <= CENTS_MAX);
    cents.ok_or_else(|| "is too large for an amount of money".to_owned())
}

/// Formats an amount of cents as a decimal string with two decimals, such as `1250.00`.
#[must_use]
pub fn money(cents: i64) -> String {
    Decimal::new(cents, 2).to_string()
}

/// Reads a decimal number, given as a string or as a number. Returns it without surplus zeros.
///
/// # Errors
/// A sentence without its subject, if the value is not a number with at most six decimals.
pub fn decimal(value: &Value) -> Result<String, String> {
    let number = number(value).filter(|number| number.scale() <= DECIMALS_MAX);
    let number = number.ok_or("is not a number with at most six decimals, such as `2.5`")?;
    Ok(number.to_string())
}

/// Reads a decimal number without surplus zeros. A JSON number is read from its shortest decimal form,
/// which is the form that a person wrote.
fn number(value: &Value) -> Option<Decimal> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, "0"));
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    let digits = |part: &str| {
        !part.is_empty() && part.len() <= DIGITS_MAX && part.bytes().all(|b| b.is_ascii_digit())
    };
    let decimals = decimals.trim_end_matches('0');
    if !digits(whole) || !(decimals.is_empty() || digits(decimals)) || text.ends_with('.') {
        return None;
    }
    Decimal::from_str_exact(&text).ok().map(|number| number.normalize())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn amounts_are_exact_cents() {
        let cases = [
            (json!("1250.00"), 125_000),
            (json!("1250"), 125_000),
            (json!(1250), 125_000),
            (json!(1250.1), 125_010),
            (json!(0.07), 7),
            (json!("0.070"), 7),
            (json!("-3.5"), -350),
            (json!("-0"), 0),
            (json!("007"), 700),
            (json!(10_000_000_000_i64), CENTS_MAX),
        ];
        for (value, expected) in cases {
            assert_eq!(cents(&value), Ok(expected), "{value}");
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        let none = [
            json!("12,50"),
            json!("1_000"),
            json!("1e3"),
            json!(1e30),
            json!("+5"),
            json!(""),
            json!("-"),
            json!("."),
            json!("5."),
            json!(".5"),
            json!(" 5"),
            json!("--5"),
            json!("٣"),
            json!(true),
            json!(null),
            json!(["5"]),
            json!("9".repeat(40)),
        ];
        for value in none {
            assert!(cents(&value).is_err_and(|why| why.contains("such as")), "{value}");
        }
        for value in [json!("1.005"), json!(0.1 + 0.2)] {
            assert!(cents(&value).is_err_and(|why| why.contains("two decimals")), "{value}");
        }
        assert!(cents(&json!("10000000000.01")).is_err_and(|why| why.contains("too large")));
    }

    #[test]
    fn amounts_are_shown_with_two_decimals() {
        for (cents, shown) in [(0, "0.00"), (5, "0.05"), (-5, "-0.05"), (125_000, "1250.00")] {
            assert_eq!(money(cents), shown);
        }
    }

    #[test]
    fn quantities_lose_surplus_zeros_only() {
        for (value, stored) in [
            (json!("2.50"), "2.5"),
            (json!(3), "3"),
            (json!("0.000001"), "0.000001"),
            (json!("-0.0"), "0"),
        ] {
            assert_eq!(decimal(&value).as_deref(), Ok(stored), "{value}");
        }
        assert!(decimal(&json!("0.0000001")).is_err());
        assert!(decimal(&json!("two")).is_err());
    }
}
