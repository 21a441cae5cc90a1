//! The step graph: what a method compiles into, what is stored, and what a run executes.
//!
//! A stored graph is run as it was stored; a newer compiler never renumbers a waiting run. The
//! form is versioned by [`GRAPH_V`], and a version that this build does not know is refused.

use serde::{Deserialize, Serialize};

use super::arg::Arg;
use super::retry::Retry;
use crate::base::{Span, Value};
use crate::expr::Expr;

/// The version of the stored form.
pub const GRAPH_V: u32 = 1;

/// The index of a node in [`Graph::nodes`].
pub type NodeIx = u32;

/// Steps that are done one after another.
pub type Block = Vec<NodeIx>;

/// A compiled method.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Graph {
    /// The method's name.
    pub method: String,
    /// What it is for, in its author's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The goals it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applicable_if: Option<Expr>,
    /// The JSON Schema of `goal`, checked when a run starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Value>,
    /// What a run may use up.
    #[serde(default)]
    pub limits: MethodLimits,
    /// Every step, each before the steps inside it; main steps first, then each fallback's, then
    /// those of `on_cancel`.
    pub nodes: Vec<Node>,
    /// The main steps.
    pub main: Block,
    /// All of them hold: the run succeeded. None given: it succeeded when the steps are done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub success_when: Vec<Expr>,
    /// Tried in order while `success_when` does not hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<Fallback>,
    /// Done when the run is cancelled, after everything else has come to an end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_cancel: Block,
    /// The variables that `success_when` and the fallbacks' conditions name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ending_reads: Vec<String>,
}

/// What a run, or a step with all that is inside it, may use up; the tenant's own limits hold
/// besides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodLimits {
    /// From its start to its end, waits included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_duration: Option<Span>,
    /// Messages to people, all steps together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_messages: Option<u64>,
}

/// Steps that are done where the main steps did not succeed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fallback {
    /// Its place in the YAML: `fallbacks/0`.
    pub key: String,
    /// The line it begins at, from 1.
    pub line: u32,
    /// Tried only if this holds.
    pub condition: Expr,
    /// Its steps.
    pub steps: Block,
    /// The variables that its condition names.
    pub reads: Vec<String>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its place in the YAML: `steps/0`, `fallbacks/0/then/1`. Positions of runs name it.
    pub key: String,
    /// The author's id, or the name of what it does, numbered from the second on.
    pub step_id: String,
    /// The line it begins at, from 1.
    pub line: u32,
    /// Skipped unless this holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Expr>,
    /// Once for each item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreach: Option<Foreach>,
    /// What it does.
    pub act: Act,
    /// What it may use up, with all that is inside it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limits: MethodLimits,
    /// Done when it has failed for good; the run goes on behind it then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_error: Block,
    /// The variables that any of its own expressions names, its foreach variable left out.
    pub reads: Vec<String>,
}

/// `foreach: person in accepted`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Foreach {
    /// The name of one item, known inside the step only.
    pub variable: String,
    /// The list.
    pub over: Expr,
    /// So many items at a time, each a child run; none: one after another inside the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abreast: Option<u32>,
    /// The variables that a round fills, where the rounds are child runs one after another: the next
    /// round sees them, and so does what follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fills: Vec<String>,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Calls a verb.
    Call(Call),
    /// Starts another method as a child run and waits for its end.
    Method(MethodCall),
    /// Assigns variables, in order.
    Set(Vec<(String, Arg)>),
    /// Waits for a message from outside, or for time to pass.
    Await(Await),
    /// Does the first case whose condition holds.
    Switch(Vec<Case>),
    /// Does its steps again and again.
    Repeat(Repeat),
    /// Does several lists of steps side by side, each a child run.
    Parallel(Parallel),
    /// Does its steps: a bracket for `foreach`, `when`, `on_error` and `limits`.
    Steps(Block),
}

/// The call of a verb.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The verb's name in the contract registry.
    pub verb: String,
    /// Its arguments, always an object.
    pub args: Arg,
    /// The variable that the result is bound to. A verb repeated in a fallback without `out` has
    /// the variable here that it filled in the main steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
    /// The variable that it fills besides `out`, as its contract says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implies: Option<String>,
    /// What happens when it fails.
    pub retry: Retry,
    /// Of all attempts together; for a verb that waits, of what it does before it waits.
    pub timeout: Span,
    /// Sets a message apart from an earlier one of the same template to the same person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occasion: Option<String>,
    /// Undoes the call when the run fails or is cancelled later: a node that calls a verb.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undo: Block,
    /// The verb waits for people.
    #[serde(default, skip_serializing_if = "is_default")]
    pub waits: bool,
    /// Some expression asks the database, so the step reads under the request's lock.
    #[serde(default, skip_serializing_if = "is_default")]
    pub facts: bool,
}

/// The call of a method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodCall {
    /// Its name among the methods of the bundle.
    pub method: String,
    /// What the child run begins with: `goal`, and `vars` if any.
    pub with: Arg,
    /// The variable that `{run_id, outcome, vars}` of the child is bound to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
    /// The child is cancelled, and the step fails, when it takes longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
}

/// A wait for the first of several messages from outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Await {
    /// What is waited for; empty for a pause.
    pub signals: Vec<Awaited>,
    /// How long; `timeout` is true afterwards if nothing came.
    pub timeout: Span,
}

/// One message that is waited for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Awaited {
    /// Its name.
    pub signal: String,
    /// The variable that its data are bound to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
}

/// One way of a `switch`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Taken if this holds; none: `else`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<Expr>,
    /// Its steps.
    pub steps: Block,
}

/// A loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Repeat {
    /// Looked at after each round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Expr>,
    /// Rounds at most.
    pub max: u32,
    /// The steps of one round.
    pub steps: Block,
}

/// Branches side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parallel {
    /// The steps of each.
    pub branches: Vec<Block>,
    /// So many branches must come to a good end; the others are cancelled then.
    pub need: usize,
    /// The variables that each branch fills: they are the run's from the join on.
    pub fills: Vec<Vec<String>>,
}

impl Node {
    /// The call of a verb, if it is one.
    #[must_use]
    pub const fn call(&self) -> Option<&Call> {
        match &self.act {
            Act::Call(call) => Some(call),
            _ => None,
        }
    }

    /// The variable that its result is bound to.
    #[must_use]
    pub fn out(&self) -> Option<&str> {
        match &self.act {
            Act::Call(call) => call.out.as_deref(),
            Act::Method(call) => call.out.as_deref(),
            _ => None,
        }
    }

    /// The variable that it fills besides `out`.
    #[must_use]
    pub fn implies(&self) -> Option<&str> {
        self.call().and_then(|call| call.implies.as_deref())
    }

    /// Calls `visit` with every expression of its own.
    fn each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.when.iter().for_each(&mut *visit);
        self.foreach.iter().for_each(|foreach| visit(&foreach.over));
        match &self.act {
            Act::Call(call) => call.args.each_expr(visit),
            Act::Method(call) => call.with.each_expr(visit),
            Act::Set(all) => all.iter().for_each(|(_, arg)| arg.each_expr(visit)),
            Act::Switch(cases) => {
                cases.iter().filter_map(|case| case.condition.as_ref()).for_each(visit);
            }
            Act::Repeat(repeat) => repeat.until.iter().for_each(visit),
            Act::Await(_) | Act::Parallel(_) | Act::Steps(_) => {}
        }
    }

    /// What it does, in one word: the verb, the method, or the word of the language.
    #[must_use]
    pub fn does(&self) -> &str {
        match &self.act {
            Act::Call(call) => &call.verb,
            Act::Method(call) => &call.method,
            Act::Set(_) => "set",
            Act::Await(_) => "await",
            Act::Switch(_) => "switch",
            Act::Repeat(_) => "repeat",
            Act::Parallel(_) => "parallel",
            Act::Steps(_) => "steps",
        }
    }
}

impl Graph {
    /// The node of that index.
    #[must_use]
    pub fn node(&self, ix: NodeIx) -> Option<&Node> {
        usize::try_from(ix).ok().and_then(|ix| self.nodes.get(ix))
    }

    /// The index of one of its nodes.
    #[must_use]
    pub fn ix_of(&self, node: &Node) -> Option<NodeIx> {
        let ix = self.nodes.iter().position(|other| other.key == node.key)?;
        NodeIx::try_from(ix).ok()
    }

    /// The index of the step with that id, as `fork --from` and people name it.
    #[must_use]
    pub fn find(&self, step_id: &str) -> Option<NodeIx> {
        self.nodes
            .iter()
            .position(|node| node.step_id == step_id)
            .and_then(|ix| u32::try_from(ix).ok())
    }

    /// Calls `visit` with every expression in it.
    pub fn each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.success_when.iter().for_each(&mut *visit);
        self.fallbacks.iter().for_each(|fallback| visit(&fallback.condition));
        for node in &self.nodes {
            node.each_expr(visit);
        }
    }

    /// The methods that it calls.
    pub fn methods(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter_map(|node| match &node.act {
            Act::Method(call) => Some(call.method.as_str()),
            _ => None,
        })
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
