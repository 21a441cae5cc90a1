//! How a value is written.

use std::fmt;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, Zero};

use super::MathValue;

/// Maximum number of decimals. A value with more is shown as a fraction, which is shorter.
const DECIMALS_MAX: u32 = 40;

impl fmt::Display for MathValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.number.is_integer() {
            return write!(f, "{}", self.number.numer());
        }
        match decimals(&self.number).filter(|_| self.is_decimal) {
            None => write!(f, "{}/{}", self.number.numer(), self.number.denom()),
            Some(places) => {
                let scale = BigRational::from_integer(Pow::pow(BigInt::from(10), places));
                let digits = (&self.number * scale).to_integer().abs().to_string();
                let width = places as usize;
                let padded = format!("{digits:0>at_least$}", at_least = width + 1);
                let (whole, fraction) = padded.split_at(padded.len() - width);
                let sign = if self.number.is_negative() { "-" } else { "" };
                write!(f, "{sign}{whole}.{fraction}")
            }
        }
    }
}

/// Returns the number of decimals of a value; `None` if they never end or are too many.
fn decimals(value: &BigRational) -> Option<u32> {
    let mut rest = value.denom().clone();
    let mut count = |factor: u32| {
        let mut times = 0;
        while times <= DECIMALS_MAX && (&rest % factor).is_zero() {
            rest /= factor;
            times += 1;
        }
        times
    };
    let places = count(2).max(count(5));
    (rest.is_one() && places <= DECIMALS_MAX).then_some(places)
}
