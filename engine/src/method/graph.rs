//! The step graph: what a method compiles into, what is stored, and what a run executes.
//!
//! A stored graph is run as it was stored; a newer compiler never renumbers a waiting run. The
//! form is versioned by [`GRAPH_V`], and a version that this build does not know is refused.

use serde::{Deserialize, Serialize};

use crate::base::{Span, Value};
use crate::expr::{self, EvalError, Expr, Scope};

/// The version of the stored form.
pub const GRAPH_V: u32 = 1;

/// The index of a node in [`Graph::nodes`].
pub type NodeIx = u32;

/// A compiled method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Every step, main steps first, then each fallback's, in document order.
    pub nodes: Vec<Node>,
    /// The main steps, in order.
    pub main: Vec<NodeIx>,
    /// All of them hold: the run succeeded. None given: it succeeded when the steps are done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub success_when: Vec<Expr>,
    /// Tried in order while `success_when` does not hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<Fallback>,
    /// The variables that `success_when` and the fallbacks' conditions name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ending_reads: Vec<String>,
}

/// What a run of the method may use up; the tenant's own limits hold besides.
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
    /// Its steps, in order.
    pub steps: Vec<NodeIx>,
    /// The variables that its condition names.
    pub reads: Vec<String>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its place in the YAML: `steps/0`, `fallbacks/0/then/1`. Positions of runs name it.
    pub key: String,
    /// The author's id, or the verb's name, numbered from the second on.
    pub step_id: String,
    /// The line it begins at, from 1.
    pub line: u32,
    /// Skipped unless this holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Expr>,
    /// What it does.
    pub call: Call,
    /// The variables that any of its expressions names, its own foreach variable left out.
    pub reads: Vec<String>,
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
    /// Once for each item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreach: Option<Foreach>,
    /// What happens when it fails.
    pub retry: Retry,
    /// Of all attempts together; for a verb that waits, of what it does before it waits.
    pub timeout: Span,
    /// Sets a message apart from an earlier one of the same template to the same person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occasion: Option<String>,
    /// The verb waits for people.
    #[serde(default, skip_serializing_if = "is_false")]
    pub waits: bool,
    /// Some expression asks the database, so the step reads under the request's lock.
    #[serde(default, skip_serializing_if = "is_false")]
    pub facts: bool,
}

/// `foreach: person in accepted`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Foreach {
    /// The name of one item, known inside the step only.
    pub variable: String,
    /// The list.
    pub over: Expr,
}

/// How often and how fast a failed call is tried again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// Tries in all, the first included; at least 1.
    pub attempts: u32,
    /// How the pause grows.
    pub backoff: Backoff,
    /// The pause before the second attempt.
    pub first: Span,
    /// The longest pause.
    pub max: Span,
    /// The failures that are tried again: `transient`, or codes of problems.
    pub on: Vec<String>,
}

/// How the pause between attempts grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backoff {
    /// Always the first pause.
    Fixed,
    /// Twice as long each time, up to the longest.
    Exponential,
}

impl Default for Retry {
    /// What a step without `retry:` gets: a busy database is no reason to fail a campaign.
    fn default() -> Self {
        Self {
            attempts: 5,
            backoff: Backoff::Exponential,
            first: Span::from_secs(2),
            max: Span::from_secs(300),
            on: vec!["transient".into()],
        }
    }
}

impl Retry {
    /// The pause after `attempt` (from 1) has failed, before any jitter; none if it was the last.
    #[must_use]
    pub fn pause_after(&self, attempt: u32) -> Option<Span> {
        if attempt >= self.attempts {
            return None;
        }
        let doublings = match self.backoff {
            Backoff::Fixed => 0,
            Backoff::Exponential => attempt.saturating_sub(1).min(40),
        };
        let micros = self.first.micros().saturating_mul(1_i64 << doublings);
        Some(Span::from_micros(micros.min(self.max.micros())))
    }
}

/// An argument: a value with typed holes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arg {
    /// As it stands.
    Literal(Value),
    /// `{{expr}}` alone, or a bare expression where the schema says so: the typed value.
    Expr(Expr),
    /// Text with expressions in it: a string.
    Text(Vec<TextPart>),
    /// A list with holes somewhere in it.
    List(Vec<Arg>),
    /// A mapping with holes somewhere in it, in the author's order.
    Object(Vec<(String, Arg)>),
}

/// A piece of text with expressions in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextPart {
    /// As it stands.
    Literal(String),
    /// Its value as text.
    Expr(Expr),
}

impl Arg {
    /// The value with every hole filled.
    ///
    /// # Errors
    /// [`EvalError::Need`] names what must be loaded before it is asked again;
    /// [`EvalError::Fault`] is the author's.
    pub fn evaluate(&self, scope: &dyn Scope) -> Result<Value, EvalError> {
        match self {
            Self::Literal(value) => Ok(value.clone()),
            Self::Expr(expr) => expr::eval(expr, scope),
            Self::Text(parts) => text_of(parts, scope).map(Value::String),
            Self::List(items) => items
                .iter()
                .map(|item| item.evaluate(scope))
                .collect::<Result<_, _>>()
                .map(Value::Array),
            Self::Object(members) => members
                .iter()
                .map(|(name, arg)| Ok((name.clone(), arg.evaluate(scope)?)))
                .collect::<Result<_, _>>()
                .map(Value::Object),
        }
    }

    /// Calls `visit` with every expression in it.
    pub fn each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            Self::Literal(_) => {}
            Self::Expr(expr) => visit(expr),
            Self::Text(parts) => parts.iter().for_each(|part| {
                if let TextPart::Expr(expr) = part {
                    visit(expr);
                }
            }),
            Self::List(items) => items.iter().for_each(|item| item.each_expr(visit)),
            Self::Object(members) => members.iter().for_each(|(_, arg)| arg.each_expr(visit)),
        }
    }
}

fn text_of(parts: &[TextPart], scope: &dyn Scope) -> Result<String, EvalError> {
    let mut text = String::new();
    for part in parts {
        match part {
            TextPart::Literal(literal) => text.push_str(literal),
            TextPart::Expr(expr) => match expr::eval(expr, scope)? {
                Value::Null => {}
                Value::String(value) => text.push_str(&value),
                other => text.push_str(&other.to_string()),
            },
        }
    }
    Ok(text)
}

impl Graph {
    /// The node of that index.
    #[must_use]
    pub fn node(&self, ix: NodeIx) -> Option<&Node> {
        usize::try_from(ix).ok().and_then(|ix| self.nodes.get(ix))
    }

    /// The index of the step with that id, as `fork --from` and people name it.
    #[must_use]
    pub fn find(&self, step_id: &str) -> Option<NodeIx> {
        self.nodes
            .iter()
            .position(|node| node.step_id == step_id)
            .and_then(|ix| u32::try_from(ix).ok())
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_false(flag: &bool) -> bool {
    !*flag
}
