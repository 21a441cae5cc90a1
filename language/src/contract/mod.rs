//! The contracts of verbs: arguments, result, effect, idempotency and risk.
//!
//! Contracts are data (`contracts/verbs.yaml`).
//! Before a method runs, the checker checks the method against the contracts.
//! While the method runs, the driver checks the arguments and the result of every call.

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
    /// The name by which methods call the verb.
    pub name: String,
    /// The version of the contract. It grows by one with each change that could affect an existing method.
    pub version: u32,
    /// Summary of the verb, in one sentence.
    pub summary: String,
    /// How a call acts on the world.
    pub effect: Effect,
    /// What happens on a second call with the same arguments.
    pub idempotency: Idempotency,
    /// How much harm a call can do.
    pub risk: Risk,
    /// Time limit of one call, all attempts included.
    /// For a verb that waits, the limit applies to its work before the wait.
    pub timeout: Span,
    /// A step's `out` is set to this member of the result, or to the whole result if this is `None`.
    pub value: Option<String>,
    /// The argument that limits the number of items of the list in `out`, if there is such an argument.
    pub at_most: Option<String>,
    /// The variable that a call assigns besides `out`.
    pub implies: Option<Implies>,
    /// Whether a person answers the call later. The answer arrives as a signal named like the call's `out`.
    pub answered_later: bool,
    /// Whether a call schedules messages to the run that makes
    /// the call. The messages are deleted when the run ends.
    pub sets_timers: bool,
    /// The messages that a call sends, if any.
    pub sends: Option<Sends>,
    /// The messages that a call can cause later.
    pub follow_ups: Vec<FollowUp>,
    /// The schema of the arguments.
    pub args: Schema,
    /// The schema of the result.
    pub result: Schema,
    digest: Digest,
}

impl Contract {
    /// Whether a run waits for people in a call of this verb.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.effect == Effect::Wait
    }

    /// Returns the digest of the whole contract, by which runs pin the contract.
    #[must_use]
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns the value to which a step's `out` is set: a member of the
    /// result, or the whole result. Returns null if the member is missing.
    #[must_use]
    pub fn value_of<'a>(&self, result: &'a Value) -> &'a Value {
        match &self.value {
            Some(member) => result.get(member).unwrap_or(&Value::Null),
            None => result,
        }
    }

    /// Returns the item that a result adds to the implied variable of the verb.
    /// Returns `None` if the result adds no item.
    #[must_use]
    pub fn implied_of<'a>(&self, result: &'a Value) -> Option<&'a Value> {
        let implies = self.implies.as_ref()?;
        let yes = |member: &String| result.get(member) == Some(&Value::Bool(true));
        result.get(&implies.item).filter(|_| implies.only_if.as_ref().is_none_or(yes))
    }

    /// Returns the schema of the value to which a step's `out` is set.
    #[must_use]
    pub fn value_schema(&self) -> &Value {
        match &self.value {
            Some(member) => self.result.member(member).unwrap_or(&Value::Null),
            None => self.result.value(),
        }
    }

    /// Checks evaluated arguments against the contract.
    ///
    /// # Errors
    /// `args_invalid`. The message names the members that violate the schema.
    pub fn check_args(&self, args: &Value) -> Result<(), Problem> {
        self.args.check(args).map_err(|faults| {
            Problem::author(
                "args_invalid",
                format!("the arguments of `{}` are wrong: {faults}", self.name),
            )
            .with_hint(format!("run `abide docs verbs` to see the arguments of `{}`", self.name))
        })
    }

    /// Checks a verb's result against the contract.
    ///
    /// # Errors
    /// `output_invalid`, which is a bug of the verb: its code returned a result that the contract forbids.
    pub fn check_result(&self, result: &Value) -> Result<(), Problem> {
        self.result.check(result).map_err(|faults| {
            let message = format!("the result of `{}` violates its contract: {faults}", self.name);
            Problem::new(crate::base::problem::Blame::Bug, "output_invalid", message)
        })
    }
}

/// The contracts of all verbs, by name.
#[derive(Debug, Clone, Default)]
pub struct Contracts {
    by_name: BTreeMap<String, Contract>,
}

impl Contracts {
    /// Returns the contract of a verb.
    #[must_use]
    pub fn get(&self, verb: &str) -> Option<&Contract> {
        self.by_name.get(verb)
    }

    /// Returns the names of the verbs, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Returns the contracts, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Contract> {
        self.by_name.values()
    }

    /// Adds the contracts of another file.
    /// If both files have a contract for a verb, the contract of the added file applies.
    pub fn extend(&mut self, other: Self) {
        self.by_name.extend(other.by_name);
    }
}
