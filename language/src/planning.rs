//! Finds the method for a goal, and writes down the plan that a run of the method follows.
//!
//! A plan has no effect: it is read by people and kept in the ledger. It follows from the method and the goal
//! alone, so the same goal gives the same plan everywhere.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::base::{Problem, Timestamp, Value, limits, text};
use crate::contract::Contracts;
use crate::expr::{self, FactCall, Lookup, Scope};
use crate::method::{Graph, Node, StepAction, step_members};

/// Maximum number of characters of a rationale: it is read on a phone.
pub const RATIONALE_CHARS_MAX: usize = 120;
/// A plan with a higher score waits for a supervisor.
pub const COMPLEXITY_MAX: f64 = 12.0;
/// What one step adds to the score; each verb adds 1, however often the plan calls it.
const COMPLEXITY_OF_STEP: f64 = 0.5;
/// How the path of a main step, and of a step inside one, begins.
const MAIN: &str = "steps/";

/// A plan: which method serves a goal, why, and what it calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The goal.
    pub goal: Value,
    /// Name of the method.
    pub method: String,
    /// Why this method, in at most [`RATIONALE_CHARS_MAX`] characters.
    pub rationale: String,
    /// The calls of the main steps, in the order of the method.
    pub steps: Vec<PlanStep>,
    /// The conditions of success.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub success_when: Vec<String>,
    /// The number of different verbs, plus half the number of steps.
    #[serde(default)]
    pub complexity_score: f64,
}

/// A call of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanStep {
    /// Name of the verb or method.
    pub call: String,
    /// The arguments as the method writes them.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub args: Value,
    /// The variable to which the result is bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
    /// For whose items the call is repeated: `person in accepted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreach: Option<String>,
}

impl Plan {
    /// Writes the plan of a method for a goal.
    #[must_use]
    pub fn of(graph: &Graph, goal: &Value) -> Self {
        let steps: Vec<PlanStep> = graph
            .nodes
            .iter()
            .filter(|node| node.key.starts_with(MAIN))
            .filter_map(|node| planned(graph, node))
            .collect();
        let conditions = graph.success_when.iter().map(expr::print);
        Self {
            goal: goal.clone(),
            method: graph.method.clone(),
            rationale: rationale(graph),
            complexity_score: complexity(&steps),
            steps,
            success_when: conditions.collect(),
        }
    }

    /// Reads a plan, and checks that it calls only what exists. The score is computed, not believed.
    ///
    /// # Errors
    /// `plan_invalid`, with the first fault.
    pub fn read(value: &Value, known: &PlanRegistry<'_>) -> Result<Self, Problem> {
        let plan = Self::deserialize(value).map_err(|error| invalid(error.to_string()))?;
        plan.check(known)?;
        Ok(Self { complexity_score: complexity(&plan.steps), ..plan })
    }

    /// Checks that a plan calls only what exists.
    ///
    /// # Errors
    /// `plan_invalid`, with the first fault.
    pub fn check(&self, known: &PlanRegistry<'_>) -> Result<(), Problem> {
        if !self.goal.is_object() {
            return Err(invalid("`goal` is not an object".to_owned()));
        }
        if !known.methods.contains(self.method.as_str()) {
            return Err(invalid(format!("there is no method `{}`", shown(&self.method))));
        }
        let length = self.rationale.chars().count();
        if self.rationale.trim().is_empty() || length > RATIONALE_CHARS_MAX {
            let why =
                format!("`rationale` has {length} characters, not 1 to {RATIONALE_CHARS_MAX}");
            return Err(invalid(why));
        }
        if self.steps.is_empty() {
            return Err(invalid("`steps` is empty".to_owned()));
        }
        let exists =
            |name: &str| known.contracts.get(name).is_some() || known.methods.contains(name);
        if let Some(step) = self.steps.iter().find(|step| !exists(&step.call)) {
            return Err(invalid(format!("there is no verb or method `{}`", shown(&step.call))));
        }
        Ok(())
    }

    /// Whether a supervisor must agree before the plan is carried out.
    #[must_use]
    pub fn is_complex(&self) -> bool {
        self.complexity_score > COMPLEXITY_MAX
    }
}

/// What a plan may name.
pub struct PlanRegistry<'a> {
    /// The contracts of all verbs and tools.
    pub contracts: &'a Contracts,
    /// The names of all methods.
    pub methods: BTreeSet<&'a str>,
}

/// Whether a method says that it serves a goal. A method without `applicable_if` serves only those who name it.
///
/// `ctx` is the variable of that name. A condition that cannot be evaluated for this goal does not hold.
#[must_use]
pub fn applies(graph: &Graph, goal: &Value, ctx: &Value, now: Timestamp) -> bool {
    let Some(condition) = &graph.applicable_if else { return false };
    expr::holds(condition, &GoalScope { goal, ctx, now }).unwrap_or(false)
}

/// The values that are known before a run begins.
struct GoalScope<'a> {
    goal: &'a Value,
    ctx: &'a Value,
    now: Timestamp,
}

impl Scope for GoalScope<'_> {
    fn variable(&self, name: &str) -> Lookup<'_> {
        match name {
            "goal" => Lookup::Found(self.goal),
            "ctx" => Lookup::Found(self.ctx),
            _ => Lookup::Unset,
        }
    }

    fn now(&self) -> Timestamp {
        self.now
    }

    fn fact(&self, _: &FactCall) -> Option<&Value> {
        None
    }
}

/// Returns a step as a plan shows it; `None` for a step that calls nothing.
fn planned(graph: &Graph, node: &Node) -> Option<PlanStep> {
    if !matches!(node.action, StepAction::Call(_) | StepAction::Method(_)) {
        return None;
    }
    let members = step_members(graph, node);
    let named = |name: &str| members.get(name).and_then(Value::as_str).map(str::to_owned);
    let prefixed = members
        .iter()
        .filter_map(|(name, value)| Some((name.strip_prefix("args.")?.to_owned(), value.clone())));
    let args: serde_json::Map<String, Value> = prefixed.collect();
    let whole = members.get("args").or_else(|| members.get("with")).cloned();
    Some(PlanStep {
        call: node.action_name().to_owned(),
        args: whole.unwrap_or(Value::Object(args)),
        out: named("out"),
        foreach: named("foreach"),
    })
}

/// Returns the number of different verbs, plus half the number of steps.
fn complexity(steps: &[PlanStep]) -> f64 {
    let verbs: BTreeSet<&str> = steps.iter().map(|step| step.call.as_str()).collect();
    let count = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    count(verbs.len()) + COMPLEXITY_OF_STEP * count(steps.len())
}

/// Says why the method serves the goal: in the words of its author, or else by what it calls.
fn rationale(graph: &Graph) -> String {
    let described = graph.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let words = match described {
        Some(description) => description.split_whitespace().collect::<Vec<_>>().join(" "),
        None => format!("`{}` applies to this goal.", graph.method),
    };
    let fits = |words: &str| words.chars().count() <= RATIONALE_CHARS_MAX;
    let first = words.split_inclusive(['.', ';']).next().unwrap_or(&words);
    let kept = if fits(&words) { &words } else { first.trim_end_matches(';') };
    text::shortened(kept, RATIONALE_CHARS_MAX)
}

fn shown(name: &str) -> String {
    text::shortened(name, limits::FAULT_CHARS_MAX)
}

fn invalid(why: String) -> Problem {
    Problem::caller("plan_invalid", text::shortened(&why, limits::FAULT_CHARS_MAX))
        .with_hint("see `docs/method-language.md` for what a plan may call")
}
