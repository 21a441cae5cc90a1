//! Output for programs: nodes and edges, with the keys that runs use for their positions.

use serde_json::{Map, Value, json};

use super::picture::{Body, Node, Picture, Step};

/// Writes pretty-printed JSON that ends with a line feed.
pub(super) fn write(picture: &Picture) -> String {
    let id = |node: usize| picture.nodes[node].id.as_str();
    let edges: Vec<Value> = picture
        .edges
        .iter()
        .map(|edge| {
            let mut one =
                json!({ "from": id(edge.from), "to": id(edge.to), "way": edge.way.name() });
            if let Some(label) = &edge.label {
                one["label"] = label.as_str().into();
            }
            one
        })
        .collect();
    let mut graph = json!({
        "method": picture.title,
        "description": picture.description,
        "nodes": picture.nodes.iter().map(node).collect::<Vec<_>>(),
        "edges": edges,
    });
    if !picture.figures.is_empty() {
        let figures = picture.figures.iter();
        graph["figures"] =
            figures.map(|one| (one.name.to_owned(), Value::from(one.value.as_str()))).collect();
    }
    format!("{graph:#}\n")
}

fn node(node: &Node) -> Value {
    let mut members = match &node.body {
        Body::Start => json!({ "kind": "start" }),
        Body::Cancelled => json!({ "kind": "cancelled" }),
        Body::Step(step) => self::step(step),
        Body::Decision { caption, conditions } => {
            json!({ "kind": "decision", "label": caption, "conditions": conditions })
        }
        Body::End(ending) => json!({ "kind": "end", "outcome": ending.name() }),
    };
    if let Value::Object(members) = &mut members {
        members.insert("key".into(), Value::from(node.id.as_str()));
        members.retain(|_, value| !value.is_null());
    }
    members
}

fn step(step: &Step) -> Value {
    let args: Map<String, Value> =
        step.args.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
    json!({
        "kind": if step.wait.is_some() { "wait" } else { "step" },
        "step_id": step.id,
        "inside": step.inside,
        "line": step.line,
        "verb": step.verb,
        "args": args,
        "out": step.out,
        "foreach": step.foreach.as_ref().map(|(variable, over)| json!({ "variable": variable, "over": over })),
        "when": step.when,
        "retry": step.policy.as_ref().map(|(tries, _)| tries),
        "timeout": step.policy.as_ref().map(|(_, limit)| limit),
        "occasion": step.occasion,
        "wait": step.wait.as_ref().map(|wait| json!({
            "enough": wait.enough, "exhausted": wait.exhausted, "timeout": wait.timeout,
        })),
        "state": step.state.name(),
    })
}
