//! The step graph: the compiled form of a method. Graphs are stored, and runs execute them.
//!
//! A graph is executed as it was stored, so a newer compiler never renumbers the nodes of a waiting run.
//! The stored form has the version [`GRAPH_V`]. A program rejects a version that it does not know.
//! A field that was renamed keeps its former name in the stored form.

use serde::{Deserialize, Serialize};

use super::arg::Arg;
use super::deadline::ComputedDeadline;
use super::retry::Retry;
use crate::base::{Span, Value};
use crate::expr::Expr;

/// Version of the stored form of graphs.
pub const GRAPH_V: u32 = 1;

/// Index of a node in [`Graph::nodes`].
pub type NodeIndex = u32;

/// Steps that are executed one after another.
pub type Block = Vec<NodeIndex>;

/// A compiled method.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Graph {
    /// Name of the method.
    pub method: String,
    /// Description by the method's author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Condition that a goal must meet for the method to apply to the goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applicable_if: Option<Expr>,
    /// JSON Schema of `goal`, checked when a run starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Value>,
    /// Limits of a whole run.
    #[serde(default)]
    pub limits: MethodLimits,
    /// All steps, each before the steps nested inside it: the main steps,
    /// then the steps of each fallback, then the steps of `on_cancel`.
    pub nodes: Vec<Node>,
    /// Main steps.
    pub main: Block,
    /// Conditions that must all hold for the run to succeed.
    /// Without conditions, the run succeeds when its steps are done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub success_when: Vec<Expr>,
    /// Fallbacks, tried one after another while `success_when` does not hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<Fallback>,
    /// Steps executed when the run is cancelled, after all other steps have stopped and been undone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_cancel: Block,
    /// Variables that `success_when` and the conditions of the fallbacks read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ending_reads: Vec<String>,
}

/// Limits of a run, or of a step including the steps inside it. The tenant's limits apply in addition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodLimits {
    /// Maximum time from start to end, including waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_duration: Option<Span>,
    /// Maximum number of messages to people, over all steps together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_messages: Option<u64>,
    /// Maximum number of calls of tools that a run finishes itself, without those of child runs. Only a whole
    /// method has this limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tool_calls: Option<u64>,
}

/// Steps that are executed if `success_when` does not hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fallback {
    /// Path of the fallback in the YAML source, such as `fallbacks/0`.
    pub key: String,
    /// Line at which the fallback begins, from 1.
    pub line: u32,
    /// Condition that must hold for the fallback to be tried.
    pub condition: Expr,
    /// Steps of the fallback.
    pub steps: Block,
    /// Variables that the condition reads.
    pub reads: Vec<String>,
}

/// A step of a method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Path of the step in the YAML source: `steps/0`, `fallbacks/0/then/1`.
    /// The position of a run refers to a step by this path.
    pub key: String,
    /// The author's id, or else the name of the step's action.
    /// If an earlier step has the same name, a number is added to the name.
    pub step_id: String,
    /// Line at which the step begins, from 1.
    pub line: u32,
    /// Condition under which the step is executed; if it does not hold, the step is skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Expr>,
    /// List for whose items the step is repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreach: Option<Foreach>,
    /// Action of the step.
    #[serde(rename = "act")]
    pub action: StepAction,
    /// Limits of the step, including all steps inside it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limits: MethodLimits,
    /// Steps executed when this step has failed permanently; the run then continues after this step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_error: Block,
    /// Variables that the step's own expressions read, except its `foreach` variable.
    pub reads: Vec<String>,
}

/// `foreach: person in accepted`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Foreach {
    /// Name of the variable that holds the item, visible inside the step only.
    pub variable: String,
    /// Expression for the list.
    pub over: Expr,
    /// Number of items processed at the same time, each as a child run.
    /// If `None`, the items are processed one after another inside the run itself.
    #[serde(rename = "abreast", default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// Variables that a round assigns and that the next round, and the steps after the `foreach`, can read.
    /// Empty unless the rounds are child runs that run one after another.
    #[serde(rename = "fills", default, skip_serializing_if = "Vec::is_empty")]
    pub assigns: Vec<String>,
}

/// The action of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepAction {
    /// Calls a verb.
    Call(Call),
    /// Starts another method as a child run and waits for its end.
    Method(MethodCall),
    /// Assigns variables, one after another.
    Set(Vec<(String, Arg)>),
    /// Waits for a signal, or for a fixed time.
    Await(Await),
    /// Executes the first case whose condition holds.
    Switch(Vec<Case>),
    /// Repeats its steps in a loop.
    Repeat(Repeat),
    /// Executes several lists of steps concurrently, each as a child run.
    Parallel(Parallel),
    /// Executes its steps as a group with a common `foreach`, `when`, `on_error` or `limits`.
    Steps(Block),
}

/// A call of a verb.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Name of the verb in the contract registry.
    pub verb: String,
    /// Arguments; always an object.
    pub args: Arg,
    /// Variable that the result is bound to. For a call in a fallback without `out`,
    /// this is the variable that the same verb assigned in the main steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
    /// Implied variable: the variable that the call assigns besides `out`, as the verb's contract says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implies: Option<String>,
    /// Retry rule for failed attempts.
    pub retry: Retry,
    /// Time limit of all attempts together.
    /// For a verb that waits, the limit applies to its work before the wait.
    pub timeout: Span,
    /// The word, if any, that distinguishes the call's messages from earlier messages
    /// with the same template to the same person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occasion: Option<String>,
    /// Node whose call undoes this call if the run fails
    /// or is cancelled later; empty if there is no such node.
    #[serde(rename = "undo", default, skip_serializing_if = "Vec::is_empty")]
    pub compensation: Block,
    /// Whether the verb waits for people.
    #[serde(default, skip_serializing_if = "is_default")]
    pub waits: bool,
    /// Whether an expression of the step queries the database.
    /// If so, the step evaluates its expressions while it holds the lock of its request.
    #[serde(rename = "facts", default, skip_serializing_if = "is_default")]
    pub queries_database: bool,
}

/// A call of a method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodCall {
    /// Name of the method in the bundle.
    pub method: String,
    /// Input of the child run: `goal`, and optionally `vars`.
    pub with: Arg,
    /// Variable that the child's `{run_id, outcome, vars}` is bound to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
    /// Maximum duration of the child run. A child run that takes longer is cancelled, and the step fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
}

/// A wait for the first of several signals, or for a fixed time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Await {
    /// Signals to wait for; empty if the step waits for a fixed time.
    pub signals: Vec<AwaitedSignal>,
    /// Maximum time to wait for a signal; if `signals` is empty, the time to wait.
    /// If a wait for signals times out, the variable `timeout` is true afterwards.
    pub timeout: Span,
    /// Earlier ends that depend on data; the first of all ends counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub computed: Vec<ComputedDeadline>,
}

/// A signal to wait for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AwaitedSignal {
    /// Name of the signal.
    pub signal: String,
    /// Variable that the signal's data is bound to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
}

/// A case of a `switch`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Condition of the case; `None` for `else`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<Expr>,
    /// Steps of the case.
    pub steps: Block,
}

/// A loop of steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Repeat {
    /// Condition that ends the loop, evaluated after each round; `None` if only `max` ends the loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Expr>,
    /// Maximum number of rounds.
    pub max: u32,
    /// Steps of a round.
    pub steps: Block,
}

/// Concurrent branches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parallel {
    /// Steps of each branch.
    pub branches: Vec<Block>,
    /// Number of branches that must succeed. As soon as that
    /// many have succeeded, the other branches are cancelled.
    pub need: usize,
    /// Variables that each branch assigns; they are visible to the run after the join.
    #[serde(rename = "fills")]
    pub assigns: Vec<Vec<String>>,
}

impl Node {
    /// Returns the call of the step; `None` if the step does not call a verb.
    #[must_use]
    pub const fn call(&self) -> Option<&Call> {
        match &self.action {
            StepAction::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Returns the variable that the result of the step's call is bound to, if any.
    #[must_use]
    pub fn out(&self) -> Option<&str> {
        match &self.action {
            StepAction::Call(call) => call.out.as_deref(),
            StepAction::Method(call) => call.out.as_deref(),
            _ => None,
        }
    }

    /// Returns the variable that the call assigns besides `out`, if any.
    #[must_use]
    pub fn implies(&self) -> Option<&str> {
        self.call().and_then(|call| call.implies.as_deref())
    }

    /// Passes every expression of the step itself, but not of nested steps, to `visit`.
    fn each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.when.iter().for_each(&mut *visit);
        self.foreach.iter().for_each(|foreach| visit(&foreach.over));
        match &self.action {
            StepAction::Call(call) => call.args.each_expr(visit),
            StepAction::Method(call) => call.with.each_expr(visit),
            StepAction::Set(all) => all.iter().for_each(|(_, arg)| arg.each_expr(visit)),
            StepAction::Switch(cases) => {
                cases.iter().filter_map(|case| case.condition.as_ref()).for_each(visit);
            }
            StepAction::Repeat(repeat) => repeat.until.iter().for_each(visit),
            StepAction::Await(wait) => {
                wait.computed.iter().for_each(|end| end.arg().each_expr(visit));
            }
            StepAction::Parallel(_) | StepAction::Steps(_) => {}
        }
    }

    /// Returns the name of the step's action: the verb, the method, or the keyword of the language.
    #[must_use]
    pub fn action_name(&self) -> &str {
        match &self.action {
            StepAction::Call(call) => &call.verb,
            StepAction::Method(call) => &call.method,
            StepAction::Set(_) => "set",
            StepAction::Await(_) => "await",
            StepAction::Switch(_) => "switch",
            StepAction::Repeat(_) => "repeat",
            StepAction::Parallel(_) => "parallel",
            StepAction::Steps(_) => "steps",
        }
    }
}

impl Graph {
    /// Returns the calls of verbs that the method makes itself.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.nodes.iter().filter_map(Node::call)
    }

    /// Returns the node with index `ix`.
    #[must_use]
    pub fn node(&self, ix: NodeIndex) -> Option<&Node> {
        usize::try_from(ix).ok().and_then(|ix| self.nodes.get(ix))
    }

    /// Returns the index of the node that has the same key as `node`.
    #[must_use]
    pub fn index_of(&self, node: &Node) -> Option<NodeIndex> {
        let ix = self.nodes.iter().position(|other| other.key == node.key)?;
        NodeIndex::try_from(ix).ok()
    }

    /// Returns the index of the step whose id is `step_id`; `None` if there is no such step.
    #[must_use]
    pub fn index_by_id(&self, step_id: &str) -> Option<NodeIndex> {
        self.nodes
            .iter()
            .position(|node| node.step_id == step_id)
            .and_then(|ix| u32::try_from(ix).ok())
    }

    /// Passes every expression in the graph to `visit`.
    pub fn each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.success_when.iter().for_each(&mut *visit);
        self.fallbacks.iter().for_each(|fallback| visit(&fallback.condition));
        for node in &self.nodes {
            node.each_expr(visit);
        }
    }

    /// Returns the names of the methods that the graph calls.
    pub fn methods(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter_map(|node| match &node.action {
            StepAction::Method(call) => Some(call.method.as_str()),
            _ => None,
        })
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
