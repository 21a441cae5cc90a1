//! What a line costs: its net amount and its tax, in exact decimal arithmetic.

use abide_engine::policy::Region;
use rust_decimal::prelude::ToPrimitive as _;
use rust_decimal::{Decimal, RoundingStrategy};

use crate::cell::CENTS_MAX;

/// Maximum number of decimals of a quantity, as in the contracts.
const QUANTITY_DECIMALS_MAX: u32 = 4;

/// The amounts of a line in cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineAmounts {
    /// Quantity times unit price.
    pub(super) net: i64,
    /// The tax on the net amount.
    pub(super) tax: i64,
}

impl LineAmounts {
    /// Multiplies a quantity by a unit price in cents, and adds the tax of the region. Both amounts are
    /// rounded to whole cents, and halves of a cent to the even neighbour.
    ///
    /// # Errors
    /// A sentence about the quantity, without its subject.
    pub(super) fn of(quantity: &str, unit_price: i64, region: Region) -> Result<Self, String> {
        let quantity = Decimal::from_str_exact(quantity);
        let quantity = quantity.map_err(|_| "is not a number such as `2.5`")?;
        if quantity <= Decimal::ZERO {
            return Err("must be more than zero".to_owned());
        }
        if quantity.scale() > QUANTITY_DECIMALS_MAX {
            return Err(format!("must have at most {QUANTITY_DECIMALS_MAX} decimals"));
        }
        let net = quantity.checked_mul(unit_price.into()).and_then(cents);
        let net = net.filter(|net| net.abs() <= CENTS_MAX);
        let net = net.ok_or("times `unit_price` is too large for an amount of money")?;
        let tax = cents(tax_rate(region) * Decimal::from(net));
        Ok(Self { net, tax: tax.ok_or("makes a tax that is too large")? })
    }
}

/// Returns the share of the net amount that is added as tax.
fn tax_rate(region: Region) -> Decimal {
    match region {
        Region::Us => Decimal::ZERO,
        Region::Au => Decimal::new(10, 2), // GST of 10 %
    }
}

/// Rounds an amount to whole cents.
fn cents(amount: Decimal) -> Option<i64> {
    amount.round_dp_with_strategy(0, RoundingStrategy::MidpointNearestEven).to_i64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_a_cent_are_rounded_to_the_even_neighbour() {
        let cases = [
            ("1", 10_000, 10_000, 1_000),
            ("2.5", 1_001, 2_502, 250),     // 25.025 is 25.02
            ("2.5", 1_003, 2_508, 251),     // 25.075 is 25.08
            ("0.5", 1, 0, 0),               // 0.005 is 0.00
            ("0.5", 3, 2, 0),               // 0.015 is 0.02
            ("1", 5, 5, 0),                 // tax 0.005 is 0.00
            ("1", 15, 15, 2),               // tax 0.015 is 0.02
            ("1", 25, 25, 2),               // tax 0.025 is 0.02
            ("0.0001", 4_999, 0, 0),        // 0.004999
            ("0.0001", 10_001, 1, 0),       // 0.010001
            ("3", -3_335, -10_005, -1_000), // a discount of 100.05; tax 10.005 is 10.00
            ("1", -15, -15, -2),
            ("0.5", -1, 0, 0),
        ];
        for (quantity, price, net, tax) in cases {
            let amounts = LineAmounts::of(quantity, price, Region::Au);
            assert_eq!(amounts, Ok(LineAmounts { net, tax }), "{quantity} × {price}");
            let untaxed = LineAmounts::of(quantity, price, Region::Us);
            assert_eq!(untaxed, Ok(LineAmounts { net, tax: 0 }), "{quantity} × {price}");
        }
    }

    #[test]
    fn tax_is_rounded_on_each_line() {
        let line = LineAmounts::of("1", 5, Region::Au).expect("amounts");
        let both = LineAmounts::of("2", 5, Region::Au).expect("amounts");
        assert_eq!((line.tax * 2, both.tax), (0, 1));
    }

    #[test]
    fn what_no_line_can_cost_is_refused() {
        let cases = [
            ("0", 1, "more than zero"),
            ("-1", 1, "more than zero"),
            ("0.00001", 1, "at most 4 decimals"),
            ("1000000", 1_000_001, "too large"),
            ("1000000", -100_000_000_000, "too large"),
            ("many", 1, "is not a number"),
        ];
        for (quantity, price, words) in cases {
            let why = LineAmounts::of(quantity, price, Region::Au).expect_err(quantity);
            assert!(why.contains(words), "{quantity}: {why}");
        }
        let most = LineAmounts::of("1000000", 1_000_000, Region::Au).expect("amounts");
        assert_eq!(most, LineAmounts { net: CENTS_MAX, tax: CENTS_MAX / 10 });
    }
}
