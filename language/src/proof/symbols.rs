//! The symbols of a proof, and the largest value that each is taken to have.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::amount::{Amount, Bound};

/// A symbol of the formulas, and why it has the bound it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assumption {
    /// As the formulas name it.
    pub name: String,
    /// Its largest value; none where nothing bounds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u64>,
    /// What says so.
    pub why: String,
}

/// The symbols that came up so far, by name.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    known: BTreeMap<String, Assumption>,
}

impl Symbols {
    /// A symbol with its bound; one that came up before keeps the larger.
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

    /// Those that stand in any of the formulas.
    pub(super) fn of<'a>(self, formulas: impl Iterator<Item = &'a Amount>) -> Vec<Assumption> {
        let shown: BTreeSet<&str> = formulas.flat_map(Amount::symbols).collect();
        self.known.into_values().filter(|one| shown.contains(one.name.as_str())).collect()
    }
}
