//! The contracts of tools: arguments, result, effect, idempotency, risk and what carries a call out.
//! The tools that the methods of the church call are also named verbs.
//!
//! Contracts are data (`contracts/*.yaml`), loaded once when the program starts.
//! Before a method runs, the checker checks the method against the contracts.
//! While the method runs, the driver checks the arguments and the result of every call.

mod data;
mod fault;
mod file_schema;
mod handler;
mod load;
mod remote;
mod schema;
mod terms;
mod tighten;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use data::{DataAction, DataSource, DataTool, OneOf, PromisedPeriod};
pub use file_schema::file_schema;
pub use handler::Handler;
pub use remote::{RemoteTool, host_of};
pub use schema::{Schema, SchemaFault, XType};
pub use terms::{
    Approvers, Effect, FollowUp, Gate, Idempotency, Implies, NotConfigured, Recipients, Risk,
    SUPERVISOR, Sends,
};

use crate::base::{Digest, Problem, Span, Value};

/// Maximum length of a tool's name in characters, because names appear in keys, columns and diagrams.
const NAME_CHARS_MAX: usize = 80;

/// Maximum number of people who must approve one call: with more, nobody would ever finish.
const APPROVERS_MAX: u32 = 10;

/// The contract of one tool.
#[derive(Debug, Clone)]
pub struct Contract {
    /// The name by which methods and programs call the tool: its domain, a dot and what it does.
    /// The names of the church's tools have no domain.
    pub name: String,
    /// The version of the contract. It grows by one with each change that could affect an existing method.
    pub version: u32,
    /// What the tool does, in one sentence.
    pub description: String,
    /// How a call acts on the world.
    pub effect: Effect,
    /// What happens on a second call with the same arguments.
    pub idempotency: Idempotency,
    /// The argument whose value is the idempotency key of a call that gives no key itself.
    pub key_field: Option<String>,
    /// How much harm a call can do.
    pub risk: Risk,
    /// Time limit of one call, all attempts included.
    /// For a verb that waits, the limit applies to its work before the wait.
    pub timeout: Span,
    /// What carries out a call.
    pub handler: Handler,
    /// What the tool may touch, such as `write:db`.
    pub permissions: Vec<String>,
    /// The members of a receipt that prove what a call did, such as `result.lead_id`.
    pub receipt_fields: Vec<String>,
    /// The kinds of facts that the tool needs, by name.
    pub consumes: Vec<String>,
    /// The kinds of facts that the tool provides, by name.
    pub produces: Vec<String>,
    /// The kinds of obligations that a call can discharge, by name.
    pub satisfies: Vec<String>,
    /// The obligations that a call can break, such as `AVOID(ball.touch_wall)`.
    pub breaks: Vec<String>,
    /// What must hold before a call, in words or as expressions.
    pub preconditions: Vec<String>,
    /// What holds after a successful call, in words or as expressions.
    pub postconditions: Vec<String>,
    /// The cost of one call, in the currency of the tenant.
    pub cost: Option<f64>,
    /// The share of calls that are expected to succeed, from 0 to 1.
    pub reliability: Option<f64>,
    /// The time that a call is expected to take.
    pub latency: Option<Span>,
    /// A tool that does less harm and often serves the purpose too, such as a draft instead of a text.
    pub safer: Option<String>,
    /// Who must approve a call that needs an approval, one link after the other, and no one twice. If the
    /// list is empty, one supervisor.
    pub approvers: Vec<Approvers>,
    /// The tool that makes up for a call, if there is one.
    pub compensated_by: Option<String>,
    /// Whether nothing makes up for a call. A contract of risk T4 says so, or names the tool that does.
    pub irreversible: bool,
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
    pub input: Schema,
    /// The schema of the result.
    pub output: Schema,
    /// The contract as written, with today's keys.
    written: Arc<Value>,
    /// The files that define the contract: the file of the program, and those of a home that tighten it.
    files: Vec<String>,
    /// The domain of the program that the tool belongs to.
    belongs_to: Option<String>,
    digest: Digest,
}

/// Returns the predicate in `MAINTAIN(ball.within_radius)`.
fn predicate_of(entry: &str) -> Option<&str> {
    entry.split_once('(').map(|(_, rest)| rest.trim_end_matches(')'))
}

impl Contract {
    /// Whether a run waits for people in a call of this verb.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.effect == Effect::Wait
    }

    /// Returns the states that a call can bring about or end: the predicates of what it breaks, and of what it achieves.
    pub fn touched(&self) -> impl Iterator<Item = &str> {
        let achieved = self.satisfies.iter().filter(|entry| entry.starts_with("ACHIEVE("));
        self.breaks.iter().chain(achieved).filter_map(|entry| predicate_of(entry))
    }

    /// Returns the states that a call can bring about: those that it achieves, and those whose `AVOID` it breaks.
    pub fn brings_about(&self) -> impl Iterator<Item = &str> {
        let avoided = self.breaks.iter().filter(|entry| entry.starts_with("AVOID("));
        let achieved = self.satisfies.iter().filter(|entry| entry.starts_with("ACHIEVE("));
        avoided.chain(achieved).filter_map(|entry| predicate_of(entry))
    }

    /// Returns the risk of a call that no method has planned: a message that it sends reaches people unasked.
    #[must_use]
    pub fn risk_unplanned(&self) -> Risk {
        if self.sends.is_some() { self.risk.max(Risk::T3) } else { self.risk }
    }

    /// Returns who must approve a call that needs an approval: the chain of the contract, or one supervisor.
    #[must_use]
    pub fn approver_chain(&self) -> Vec<Approvers> {
        match &self.approvers[..] {
            [] => Approvers::one_supervisor(),
            chain => chain.to_vec(),
        }
    }

    /// Whether one supervisor alone may approve a call.
    #[must_use]
    pub fn one_supervisor_approves(&self) -> bool {
        self.approver_chain() == Approvers::one_supervisor()
    }

    /// Returns the domain of the tool: the part of its name before the first dot.
    /// Returns `None` for a tool of the church, whose name has one part.
    #[must_use]
    pub fn domain(&self) -> Option<&str> {
        self.name.split_once('.').map(|(domain, _)| domain)
    }

    /// Whether calls of the tool do something. A tool that is not configured only says what is missing.
    #[must_use]
    pub const fn is_implemented(&self) -> bool {
        !matches!(self.handler, Handler::NotConfigured(_))
    }

    /// Returns the domain of the program that the tool belongs to, such as `trade`: only tenants with that
    /// domain can call it. Returns `None` for a tool of a home, which every tenant can call.
    #[must_use]
    pub fn belongs_to(&self) -> Option<&str> {
        self.belongs_to.as_deref()
    }

    /// Returns the files that define the contract.
    #[must_use]
    pub fn files(&self) -> &[String] {
        &self.files
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
            Some(member) => self.output.member(member).unwrap_or(&Value::Null),
            None => self.output.value(),
        }
    }

    /// Checks evaluated arguments against the contract.
    ///
    /// # Errors
    /// `args_invalid`. The message names the members that violate the schema.
    pub fn check_args(&self, args: &Value) -> Result<(), Problem> {
        self.input.check(args).map_err(|faults| {
            Problem::author(
                "args_invalid",
                format!("the arguments of `{}` are wrong: {faults}", self.name),
            )
            .with_hint(match self.input.hint_at_other_members(args) {
                None => format!("run `abide tools show {}` to see its input", self.name),
                Some(hint) => hint.to_owned(),
            })
        })
    }

    /// Checks a verb's result against the contract.
    ///
    /// # Errors
    /// `output_invalid`, which is a bug of the verb: its code returned a result that the contract forbids.
    pub fn check_result(&self, result: &Value) -> Result<(), Problem> {
        self.output.check(result).map_err(|faults| {
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

    /// Returns the domains of the program that the tools belong to.
    #[must_use]
    pub fn owners(&self) -> BTreeSet<&str> {
        self.iter().filter_map(Contract::belongs_to).collect()
    }

    /// Adds the contracts of another file.
    /// If both files have a contract for a verb, the contract of the added file applies.
    pub fn extend(&mut self, other: Self) {
        self.by_name.extend(other.by_name);
    }
}
