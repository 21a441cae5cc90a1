//! Proof at publishing: what a method can do at the worst, read off its step graph before it runs.
//!
//! The walk goes over every construct once, with bounds in the place of values: how many people a
//! list can name, how often a loop can go round, how long a wait can last. What cannot be bounded
//! from the text is a symbol (`candidates`), which stays in the formula and whose largest value is
//! named as an assumption. Pure; what it says is an upper bound, never a forecast.
//!
//! One file a law: [`ending`] every path ends · [`waiting`] every wait has a way out · [`sending`]
//! who is told how often · [`cost`] · [`finish`] · [`quiet`] texts that the night holds back.
//! [`walk`] leads through the graph, [`sizes`] knows how long lists can be.

mod amount;
mod cost;
mod ending;
mod figures;
mod finish;
mod given;
mod moment;
mod quiet;
mod report;
mod sending;
mod sizes;
mod symbols;
#[cfg(test)]
mod tests;
mod waiting;
mod walk;

use std::collections::BTreeMap;

pub use amount::{Amount, Bound};
pub use cost::Cost;
pub use ending::{Breach, Law, Loop};
pub use figures::{Figure, figures, thousands};
pub use finish::Finish;
pub use given::{Given, Start};
pub use quiet::Clash;
pub use report::{Messages, Proof};
pub use sending::Sending;
pub use symbols::Assumption;
pub use waiting::{Wait, WayOut};

use crate::contract::Contracts;
use crate::method::Graph;
use crate::template::Templates;

/// What a method may name, as far as it is at hand.
#[derive(Debug, Clone)]
pub struct World<'a> {
    /// The verbs.
    pub contracts: &'a Contracts,
    /// The messages.
    pub templates: &'a Templates,
    /// The methods that may be called, compiled.
    pub methods: BTreeMap<&'a str, &'a Graph>,
}

/// Proves what can be proved of a method.
#[must_use]
pub fn prove(graph: &Graph, world: &World<'_>, given: &Given) -> Proof {
    walk::Prover::new(world, given).prove(graph)
}
