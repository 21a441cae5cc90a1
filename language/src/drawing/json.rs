//! Output for programs: nodes and edges, with the keys that runs use for their positions.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::picture::{Body, Edge, Node, Picture, Step};

/// The step graph of a method.
#[derive(Debug, Serialize, ToSchema)]
pub struct GraphView {
    /// Name of the method.
    method: String,
    /// What the method is for.
    #[schema(required = true)]
    description: Option<String>,
    /// Steps, decisions, starts and ends.
    nodes: Vec<GraphNode>,
    /// Ways from one node to another.
    edges: Vec<GraphEdge>,
    /// Figures that were proved of the method, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    figures: BTreeMap<String, String>,
}

/// A way from one node to another.
#[derive(Debug, Serialize, ToSchema)]
pub struct GraphEdge {
    /// Key of the node that it leaves.
    from: String,
    /// Key of the node that it reaches.
    to: String,
    /// When it is taken: `next`, `yes`, `no`, `enough`, `exhausted`, `timeout`, `branch`, `case` …
    way: String,
    /// Its condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
}

/// A node of the graph.
#[derive(Debug, Serialize, ToSchema)]
pub struct GraphNode {
    /// Unique in the graph; of a step, the path at which runs name it.
    key: String,
    #[serde(flatten)]
    kind: GraphNodeKind,
}

/// What a node stands for.
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
    /// A question with two ways out.
    Decision {
        /// The question.
        label: String,
        /// Its conditions; all of them must hold.
        conditions: Vec<String>,
    },
    /// An end of the run.
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
    /// The list of steps that it belongs to, if not to the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<String>,
    /// Its line in the text of the method, from 1.
    line: u32,
    /// The verb that it calls, or the keyword of a block.
    verb: String,
    /// Arguments, as written.
    args: BTreeMap<String, String>,
    /// The variable that it binds.
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<String>,
    /// The list that it repeats over.
    #[serde(skip_serializing_if = "Option::is_none")]
    foreach: Option<GraphForeach>,
    /// The condition under which it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    when: Option<String>,
    /// How often it is tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry: Option<String>,
    /// How long all tries together may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<String>,
    /// The occasion of its messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    occasion: Option<String>,
    /// When a wait ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    wait: Option<GraphWait>,
    /// `ahead`, `current` or `finished`.
    state: String,
}

/// The list that a step repeats over.
#[derive(Debug, Serialize, ToSchema)]
pub struct GraphForeach {
    /// The variable of the item.
    variable: String,
    /// The list.
    over: String,
}

/// When a wait for replies ends.
#[derive(Debug, Serialize, ToSchema)]
pub struct GraphWait {
    /// With enough replies.
    enough: String,
    /// When no further reply can come.
    exhausted: String,
    /// At its deadline.
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
