//! A verb's contract: what it takes, what it gives, what it does to the world and how safely.
//!
//! Contracts are data (`contracts/verbs.yaml`). The checker holds a method against them before it
//! runs, the driver holds every call and every result against them while it runs.

mod load;
mod schema;
mod terms;

use std::collections::BTreeMap;

pub use schema::{Schema, SchemaFault, XType};
pub use terms::{Effect, FollowUp, Gate, Idempotency, Implies, Recipients, Risk, Sends};

use crate::base::{Digest, Problem, Span, Value};

/// The contract of one verb.
#[derive(Debug, Clone)]
pub struct Contract {
    /// The verb's name, as a method calls it.
    pub name: String,
    /// Grows by one with each change that an older caller could notice.
    pub version: u32,
    /// One sentence: what it does.
    pub summary: String,
    /// What it does to the world.
    pub effect: Effect,
    /// What a second call with the same arguments does.
    pub idempotency: Idempotency,
    /// How much can go wrong.
    pub risk: Risk,
    /// Bound of one call, of all attempts together; for a verb that waits, of what it does before.
    pub timeout: Span,
    /// The member of the result that `out` binds; none binds the whole result.
    pub value: Option<String>,
    /// The argument that bounds how many items `out` can have.
    pub at_most: Option<String>,
    /// The variable that it fills besides `out`.
    pub implies: Option<Implies>,
    /// Somebody answers it later: the answer comes as a message of the name of its `out`.
    pub answered_later: bool,
    /// It schedules messages to its run; they go with the run when that ends.
    pub sets_timers: bool,
    /// The messages it sends, where it sends any.
    pub sends: Option<Sends>,
    /// The messages that it leads to later.
    pub follow_ups: Vec<FollowUp>,
    /// What it takes.
    pub args: Schema,
    /// What it gives.
    pub result: Schema,
    digest: Digest,
}

impl Contract {
    /// True where a run waits for people in it.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.effect == Effect::Wait
    }

    /// Of everything the contract says: a run pins it.
    #[must_use]
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// What `out` binds of a result.
    #[must_use]
    pub fn value_of<'a>(&self, result: &'a Value) -> &'a Value {
        match &self.value {
            Some(member) => result.get(member).unwrap_or(&Value::Null),
            None => result,
        }
    }

    /// What a result adds to the variable that the contract implies.
    #[must_use]
    pub fn implied_of<'a>(&self, result: &'a Value) -> Option<&'a Value> {
        let implies = self.implies.as_ref()?;
        let yes = |member: &String| result.get(member) == Some(&Value::Bool(true));
        result.get(&implies.item).filter(|_| implies.only_if.as_ref().is_none_or(yes))
    }

    /// The schema of what `out` binds.
    #[must_use]
    pub fn value_schema(&self) -> &Value {
        match &self.value {
            Some(member) => self.result.member(member).unwrap_or(&Value::Null),
            None => self.result.value(),
        }
    }

    /// Holds evaluated arguments against the contract.
    ///
    /// # Errors
    /// `args_invalid`, naming every member that is wrong.
    pub fn check_args(&self, args: &Value) -> Result<(), Problem> {
        self.args.check(args).map_err(|faults| {
            Problem::author(
                "args_invalid",
                format!("the arguments of `{}` are wrong: {faults}", self.name),
            )
            .with_hint(format!("`abide tools show {}` lists what it takes", self.name))
        })
    }

    /// Holds a verb's result against the contract.
    ///
    /// # Errors
    /// `output_invalid`: the verb's code broke its promise.
    pub fn check_result(&self, result: &Value) -> Result<(), Problem> {
        self.result.check(result).map_err(|faults| {
            let message = format!("the result of `{}` breaks its contract: {faults}", self.name);
            Problem::new(crate::base::problem::Blame::Bug, "output_invalid", message)
        })
    }
}

/// Every contract of a home.
#[derive(Debug, Clone, Default)]
pub struct Contracts {
    by_name: BTreeMap<String, Contract>,
}

impl Contracts {
    /// The contract of that verb.
    #[must_use]
    pub fn get(&self, verb: &str) -> Option<&Contract> {
        self.by_name.get(verb)
    }

    /// The verbs, by name.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// The contracts, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Contract> {
        self.by_name.values()
    }

    /// Adds the contracts of another file; a verb that both know is taken from `other`.
    pub fn extend(&mut self, other: Self) {
        self.by_name.extend(other.by_name);
    }
}
