//! Numbers: whole numbers of 64 bits and finite fractions.

use std::cmp::Ordering;

use serde_json::Number;

use super::trouble::Trouble;

/// The float 2^53. Whole numbers of a smaller magnitude are exact as floats.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// The float 2^63, the smallest float above the whole numbers of 64 bits.
const BEYOND: f64 = 9_223_372_036_854_775_808.0;

/// A number. A float without a fractional part becomes a whole number if the conversion is exact.
#[derive(Debug, Clone, Copy)]
pub(super) enum Num {
    Whole(i64),
    Fraction(f64),
}

impl Num {
    /// Converts a JSON number. Fails for a whole number beyond 64 bits, instead of rounding it.
    pub(super) fn of(number: &Number) -> Result<Self, Trouble> {
        if let Some(whole) = number.as_i64() {
            return Ok(Self::Whole(whole));
        }
        match number.as_f64() {
            Some(fraction) if number.is_f64() => Self::fraction(fraction),
            _ => Err(Trouble::new(format!("`{number}` is too large for a whole number"))),
        }
    }

    /// Converts a float; a whole value becomes a whole number. Fails if the float is not finite.
    #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
    pub(super) fn fraction(value: f64) -> Result<Self, Trouble> {
        if !value.is_finite() {
            return Err(Trouble::new("the result is not a finite number"));
        }
        if value.fract() == 0.0 && value.abs() < EXACT {
            return Ok(Self::Whole(value as i64));
        }
        Ok(Self::Fraction(value))
    }

    /// Converts the number to a float. A large whole number is rounded.
    #[expect(
        clippy::cast_precision_loss,
        reason = "arithmetic with a fraction rounds, as in other languages"
    )]
    pub(super) fn as_f64(self) -> f64 {
        match self {
            Self::Whole(n) => n as f64,
            Self::Fraction(x) => x,
        }
    }

    pub(super) fn plus(self, other: Self) -> Result<Self, Trouble> {
        self.join(other, i64::checked_add, |a, b| a + b)
    }

    pub(super) fn minus(self, other: Self) -> Result<Self, Trouble> {
        self.join(other, i64::checked_sub, |a, b| a - b)
    }

    pub(super) fn times(self, other: Self) -> Result<Self, Trouble> {
        self.join(other, i64::checked_mul, |a, b| a * b)
    }

    /// Divides two numbers: `7 / 2` is `3.5` and `6 / 2` is `3`.
    pub(super) fn over(self, other: Self) -> Result<Self, Trouble> {
        let other = other.divisor()?;
        match (self, other) {
            (Self::Whole(a), Self::Whole(b)) if a.checked_rem(b) == Some(0) => {
                Ok(Self::Whole(a / b))
            }
            (Self::Whole(i64::MIN), Self::Whole(-1)) => Err(too_large()),
            _ => Self::fraction(self.as_f64() / other.as_f64()),
        }
    }

    /// Returns the remainder of a division, with the sign of `self`.
    pub(super) fn modulo(self, other: Self) -> Result<Self, Trouble> {
        let other = other.divisor()?;
        self.join(other, |a, b| Some(a.wrapping_rem(b)), |a, b| a % b)
    }

    pub(super) fn negated(self) -> Result<Self, Trouble> {
        Self::Whole(0).minus(self)
    }

    /// Converts to a count; a negative number becomes 0. `what` names the number in the error message.
    pub(super) fn count(self, what: &str) -> Result<usize, Trouble> {
        let Self::Whole(n) = self else {
            return Err(Trouble::new(format!("`{what}` must be a whole number, got `{self}`")));
        };
        // A negative number counts as 0,
        // so that `take(people, goal.count - len(accepted))` always has a value.
        Ok(usize::try_from(n.max(0)).unwrap_or(usize::MAX))
    }

    fn divisor(self) -> Result<Self, Trouble> {
        if self == Self::Whole(0) {
            return Err(Trouble::new("division by zero")
                .with_hint("check the divisor first: `if(n == 0, 0, total / n)`"));
        }
        Ok(self)
    }

    fn join(
        self,
        other: Self,
        whole: fn(i64, i64) -> Option<i64>,
        fraction: fn(f64, f64) -> f64,
    ) -> Result<Self, Trouble> {
        match (self, other) {
            (Self::Whole(a), Self::Whole(b)) => whole(a, b).map(Self::Whole).ok_or_else(too_large),
            _ => Self::fraction(fraction(self.as_f64(), other.as_f64())),
        }
    }
}

fn too_large() -> Trouble {
    Trouble::new("the result is too large for a whole number").with_hint(format!(
        "whole numbers range from `{}` to `{}`",
        i64::MIN,
        i64::MAX
    ))
}

impl std::fmt::Display for Num {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole(n) => write!(f, "{n}"),
            Self::Fraction(x) => write!(f, "{x}"),
        }
    }
}

impl PartialEq for Num {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Num {}

impl PartialOrd for Num {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Num {
    fn cmp(&self, other: &Self) -> Ordering {
        match (*self, *other) {
            (Self::Whole(a), Self::Whole(b)) => a.cmp(&b),
            (Self::Fraction(a), Self::Fraction(b)) => a.total_cmp(&b),
            (Self::Whole(n), Self::Fraction(x)) => whole_to_fraction(n, x),
            (Self::Fraction(x), Self::Whole(n)) => whole_to_fraction(n, x).reverse(),
        }
    }
}

/// Compares a whole number with a fraction, without rounding either of them.
#[expect(clippy::cast_possible_truncation, reason = "within the whole numbers, and truncated")]
fn whole_to_fraction(n: i64, x: f64) -> Ordering {
    if x >= BEYOND {
        return Ordering::Less;
    }
    if x < -BEYOND {
        return Ordering::Greater;
    }
    n.cmp(&(x.trunc() as i64)).then(0.0_f64.total_cmp(&(x.fract() + 0.0)))
}

impl From<Num> for serde_json::Value {
    fn from(number: Num) -> Self {
        match number {
            Num::Whole(n) => n.into(),
            Num::Fraction(x) => x.into(),
        }
    }
}
