//! Amounts as formulas with symbols, such as `3 × candidates + 12`.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

/// Maximum number of terms that a printed formula shows; a longer sum does not help a reader.
const TERMS_SHOWN: usize = 8;

/// A sum of products of symbols, each with a factor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Amount {
    /// The factor of each product of symbols. The factor of the empty product is the constant term.
    terms: BTreeMap<Vec<String>, u64>,
}

impl Amount {
    fn number(n: u64) -> Self {
        Self { terms: (n > 0).then(|| (Vec::new(), n)).into_iter().collect() }
    }

    fn symbol(name: &str) -> Self {
        Self { terms: BTreeMap::from([(vec![name.to_owned()], 1)]) }
    }

    fn plus(mut self, other: &Self) -> Self {
        for (product, n) in &other.terms {
            let sum = self.terms.entry(product.clone()).or_default();
            *sum = sum.saturating_add(*n);
        }
        self
    }

    fn times(&self, other: &Self) -> Self {
        let mut terms: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for (left, n) in &self.terms {
            for (right, m) in &other.terms {
                let mut product: Vec<String> = left.iter().chain(right).cloned().collect();
                product.sort();
                let sum = terms.entry(product).or_default();
                *sum = sum.saturating_add(n.saturating_mul(*m));
            }
        }
        Self { terms }
    }

    /// Returns an upper bound of both amounts, which has the larger factor of each term.
    fn either(mut self, other: &Self) -> Self {
        for (product, n) in &other.terms {
            let most = self.terms.entry(product.clone()).or_default();
            *most = (*most).max(*n);
        }
        self
    }

    /// Returns the symbols that occur in the formula.
    pub(super) fn symbols(&self) -> impl Iterator<Item = &str> {
        self.terms.keys().flatten().map(String::as_str)
    }

    /// Whether the amount is a constant: no symbol occurs in it.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.terms.keys().all(Vec::is_empty)
    }
}

impl fmt::Display for Amount {
    /// Writes the products first and the constant term last.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let products = self.terms.iter().filter(|(product, _)| !product.is_empty());
        let mut written: Vec<String> = products
            .map(|(product, n)| match n {
                1 => product.join(" × "),
                n => format!("{n} × {}", product.join(" × ")),
            })
            .collect();
        written.extend(self.terms.get(&Vec::new()).map(u64::to_string));
        match written.len() {
            0 => f.write_str("0"),
            n if n <= TERMS_SHOWN => f.write_str(&written.join(" + ")),
            n => {
                let shown = written[..TERMS_SHOWN].join(" + ");
                write!(f, "{shown} + {} more terms", n - TERMS_SHOWN)
            }
        }
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

/// An upper bound: a formula, and a number if all symbols of the formula are bounded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bound {
    /// The bound as a formula.
    pub formula: Amount,
    /// The bound as a number; `None` if a symbol is unbounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u64>,
}

impl Bound {
    /// Creates a constant bound.
    #[must_use]
    pub fn number(n: u64) -> Self {
        Self { formula: Amount::number(n), at_most: Some(n) }
    }

    pub(super) fn none() -> Self {
        Self::number(0)
    }

    pub(super) fn symbol(name: &str, at_most: Option<u64>) -> Self {
        Self { formula: Amount::symbol(name), at_most }
    }

    pub(super) fn plus(self, other: &Self) -> Self {
        let at_most = self.at_most.zip(other.at_most).map(|(a, b)| a.saturating_add(b));
        Self { formula: self.formula.plus(&other.formula), at_most }
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let at_most = match (self.at_most, other.at_most) {
            (Some(0), _) | (_, Some(0)) => Some(0),
            (a, b) => a.zip(b).map(|(a, b)| a.saturating_mul(b)),
        };
        Self { formula: self.formula.times(&other.formula), at_most }
    }

    /// Returns the larger of two bounds. If either has no number, the result is a formula that bounds both.
    pub(super) fn either(self, other: &Self) -> Self {
        match self.at_most.zip(other.at_most) {
            Some((a, b)) if b > a => other.clone(),
            Some(_) => self,
            None => Self { formula: self.formula.either(&other.formula), at_most: None },
        }
    }

    /// Limits `at_most`, the bound as a number, to `limit`. The formula does not change.
    pub(super) fn capped(self, limit: u64) -> Self {
        let at_most = Some(self.at_most.map_or(limit, |n| n.min(limit)));
        Self { at_most, ..self }
    }

    pub(super) fn is_none(&self) -> bool {
        self.at_most == Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people() -> Bound {
        Bound::symbol("people", Some(10))
    }

    #[test]
    fn sums_and_products_read_as_on_paper() {
        let one = Bound::number(1);
        let sum = people().plus(&people()).plus(&Bound::symbol("staff", None)).plus(&one);
        assert_eq!(sum.formula.to_string(), "2 × people + staff + 1");
        assert_eq!(sum.at_most, None);
        let square = people().times(&people().plus(&one));
        assert_eq!(square.formula.to_string(), "people + people × people");
        assert_eq!(square.at_most, Some(110));
        assert_eq!(Bound::none().times(&Bound::symbol("x", None)), Bound::none());
    }

    #[test]
    fn either_is_at_least_both() {
        let one = people().times(&Bound::number(3)).plus(&Bound::number(1));
        let other = people().plus(&Bound::number(40));
        assert_eq!(one.clone().either(&other), other);
        assert_eq!(other.either(&one.clone()).at_most, Some(50));
        let unknown = people().plus(&Bound::symbol("staff", None));
        assert_eq!(one.clone().either(&unknown).formula.to_string(), "3 × people + staff + 1");
        assert_eq!(one.capped(7).at_most, Some(7));
    }
}
