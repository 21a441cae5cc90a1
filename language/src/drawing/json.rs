//! Writes the picture as JSON, for use by programs: nodes and edges,
//! with the keys that runs use for their positions.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::picture::{Body, Edge, Node, Picture, Step};

/// The step graph of a method.
#[derive(Debug, Serialize, ToSchema)]
pub struct GraphView {
    /// Name of the method.
    method: String,
    /// Description of the method, by its author.
    #[schema(required = true)]
    description: Option<String>,
    /// Steps, decisions, starts and ends.
    nodes: Vec<GraphNode>,
    /// Edges from one node to another.
    edges: Vec<GraphEdge>,
    /// Figures of the method's proof, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    figures: BTreeMap<String, String>,
}

/// An edge from one node to another.
#[derive(Debug, Serialize, ToSchema)]
pub struct GraphEdge {
    /// Key of the node that the edge leaves.
    from: String,
    /// Key of the node that the edge reaches.
    to: String,
    /// When the edge is taken: `next`, `yes`, `no`, `enough`, `exhausted`, `timeout`, `branch`, `case` …
    way: String,
    /// Condition of the edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
}

/// A node of the graph.
#[derive(Debug, Serialize, ToSchema)]
pub struct GraphNode {
    /// Key of the node, unique in the graph. For a step it is the path at which runs refer to the step.
    key: String,
    #[serde(flatten)]
    kind: GraphNodeKind,
}

/// The kind of a node.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GraphNodeKind {
    /// The start of the run.
    Start,
    /// The start of the steps for a cancelled run.
    Cancelled,
    /// A step.
    Step(GraphStep),
    /// A step that waits for replies.
    Wait(GraphStep),
    /// A question with two exits.
    Decision {
        /// The question, in words.
        label: String,
        /// Conditions of the question; all of them must hold.
        conditions: Vec<String>,
    },
    /// One of the ends of the run.
    End {
        /// `succeeded` or `fell_short`.
        outcome: String,
    },
}

/// A step of the graph.
#[derive(Debug, Serialize, ToSchema)]
pub struct GraphStep {
    /// Id of the step.
    step_id: String,
    /// The list of steps that contains the step, unless it is the main list.
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<String>,
    /// Line of the step in the YAML source of the method, from 1.
    line: u32,
    /// The verb that the step calls, or the keyword of a block.
    verb: String,
    /// Arguments, as written in the source.
    args: BTreeMap<String, String>,
    /// The variable that the step binds.
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<String>,
    /// The list for whose items the step is repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    foreach: Option<GraphForeach>,
    /// The condition under which the step runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    when: Option<String>,
    /// How often the step is tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry: Option<String>,
    /// How long all attempts of the step together may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<String>,
    /// The occasion of the step's messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    occasion: Option<String>,
    /// When the wait ends, if the step waits for replies.
    #[serde(skip_serializing_if = "Option::is_none")]
    wait: Option<GraphWait>,
    /// `ahead`, `current` or `finished`.
    state: String,
}

/// The list for whose items a step is repeated.
#[derive(Debug, Serialize, ToSchema)]
pub struct GraphForeach {
    /// The variable that holds the current item.
    variable: String,
    /// The list, as an expression.
    over: String,
}

/// When a wait for replies ends.
#[derive(Debug, Serialize, ToSchema)]
pub struct GraphWait {
    /// The number of replies that ends the wait.
    enough: String,
    /// When no further reply can arrive.
    exhausted: String,
    /// The deadline of the wait.
    timeout: String,
}

/// Writes pretty-printed JSON that ends with a line feed.
pub(super) fn write(picture: &Picture) -> String {
    let view = GraphView {
        method: picture.title.clone(),
        description: picture.description.clone(),
        nodes: picture.nodes.iter().map(node).collect(),
        edges: picture.edges.iter().map(|one| edge(picture, one)).collect(),
        figures: picture
            .figures
            .iter()
            .map(|figure| (figure.name.to_owned(), figure.value.clone()))
            .collect(),
    };
    let graph = serde_json::to_value(view).unwrap_or_default();
    format!("{graph:#}\n")
}

fn edge(picture: &Picture, edge: &Edge) -> GraphEdge {
    let key = |node: usize| picture.nodes[node].id.clone();
    GraphEdge {
        from: key(edge.from),
        to: key(edge.to),
        way: edge.way.name().to_owned(),
        label: edge.label.clone(),
    }
}

fn node(node: &Node) -> GraphNode {
    let kind = match &node.body {
        Body::Start => GraphNodeKind::Start,
        Body::Cancelled => GraphNodeKind::Cancelled,
        Body::Step(step) if step.wait.is_some() => GraphNodeKind::Wait(self::step(step)),
        Body::Step(step) => GraphNodeKind::Step(self::step(step)),
        Body::Decision { caption, conditions } => {
            GraphNodeKind::Decision { label: caption.clone(), conditions: conditions.clone() }
        }
        Body::End(ending) => GraphNodeKind::End { outcome: ending.name().to_owned() },
    };
    GraphNode { key: node.id.clone(), kind }
}

fn step(step: &Step) -> GraphStep {
    let policy = step.policy.clone();
    GraphStep {
        step_id: step.id.clone(),
        inside: step.inside.clone(),
        line: step.line,
        verb: step.verb.clone(),
        args: step.args.iter().cloned().collect(),
        out: step.out.clone(),
        foreach: step.foreach.clone().map(|(variable, over)| GraphForeach { variable, over }),
        when: step.when.clone(),
        retry: policy.clone().map(|(tries, _)| tries),
        timeout: policy.map(|(_, limit)| limit),
        occasion: step.occasion.clone(),
        wait: step.wait.as_ref().map(|wait| GraphWait {
            enough: wait.enough.clone(),
            exhausted: wait.exhausted.clone(),
            timeout: wait.timeout.clone(),
        }),
        state: step.state.name().to_owned(),
    }
}
