//! The symbols of a proof, each with its assumed largest value.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::amount::{Amount, Bound};

/// A symbol in the formulas, its bound, and the reason for the bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assumption {
    /// Name of the symbol in the formulas.
    pub name: String,
    /// Largest value of the symbol; `None` if unbounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u64>,
    /// Reason for the bound, for people.
    pub why: String,
}

/// The symbols used so far, by name.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    known: BTreeMap<String, Assumption>,
}

impl Symbols {
    /// Registers a symbol and returns it as a bound.
    /// If the symbol is known already, it gets the larger of its old bound and the new one.
    pub(super) fn take(
        &mut self,
        name: &str,
        at_most: Option<u64>,
        why: impl Into<String>,
    ) -> Bound {
        let one = Assumption { name: name.to_owned(), at_most, why: why.into() };
        let known = self.known.entry(name.to_owned()).or_insert_with(|| one.clone());
        if known.at_most.is_some_and(|before| at_most.is_none_or(|now| now > before)) {
            *known = one;
        }
        Bound::symbol(name, at_most)
    }

    /// Returns the assumptions about the symbols that occur in the formulas.
    pub(super) fn of<'a>(self, formulas: impl Iterator<Item = &'a Amount>) -> Vec<Assumption> {
        let shown: BTreeSet<&str> = formulas.flat_map(Amount::symbols).collect();
        self.known.into_values().filter(|one| shown.contains(one.name.as_str())).collect()
    }
}
