//! Computes the worst case of a method from its step graph, before the method runs.
//!
//! The analysis visits every construct once and computes with upper bounds instead of values:
//! bounds on the number of people in a list, the number of rounds of a loop, and the duration of a wait.
//! A quantity that the method does not bound becomes a symbol in the formulas, such as `candidates`.
//! The largest value of each symbol is reported as an assumption.
//! The module is pure. Its results are upper bounds, not forecasts.
//!
//! [`walk`] visits the graph, and [`sizes`] bounds the lengths of lists.
//! Each of the following files computes one result:
//!
//! * [`ending`]: whether every path ends;
//! * [`waiting`]: whether every wait has a way out;
//! * [`sending`]: the messages by step and by person;
//! * [`cost`]: the cost of the messages;
//! * [`finish`]: the latest end of a run;
//! * [`quiet`]: the messages that quiet hours delay.

mod amount;
mod cost;
mod ending;
mod figures;
mod finish;
mod given;
mod moment;
mod quiet;
mod report;
mod round;
mod sending;
mod sizes;
mod symbols;
#[cfg(test)]
mod tests;
mod usage;
mod waiting;
mod walk;

use std::collections::BTreeMap;

pub use amount::{Amount, Bound};
pub use cost::{Cost, of_call as cost_of_call};
pub use ending::{Law, Loop, ProofFault};
pub use figures::{Figure, figures, thousands};
pub use finish::Finish;
pub use given::{Given, ProofStart};
pub use quiet::Clash;
pub use report::{Approvals, Messages, Proof};
pub use sending::Sending;
pub use symbols::Assumption;
pub use waiting::{Wait, WayOut};

use crate::contract::Contracts;
use crate::method::Graph;
use crate::template::Templates;

/// The definitions that a method can refer to.
#[derive(Debug, Clone)]
pub struct ProofDefinitions<'a> {
    /// Contracts of the verbs.
    pub contracts: &'a Contracts,
    /// Templates of the messages.
    pub templates: &'a Templates,
    /// Compiled graphs of the methods that can be called, by name.
    pub methods: BTreeMap<&'a str, &'a Graph>,
}

/// Computes the worst case of a method: whether every path ends,
/// and upper bounds on the messages, the cost and the duration of a run.
#[must_use]
pub fn prove(graph: &Graph, world: &ProofDefinitions<'_>, given: &Given) -> Proof {
    walk::Prover::new(world, given).prove(graph)
}
