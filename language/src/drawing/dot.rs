//! Writes the picture for Graphviz, as DOT.

use std::fmt::Write as _;

use super::picture::{Body, Ending, Picture, State, Step, Way};

/// Maximum number of characters in a line, because Graphviz makes a box as wide as its longest line.
const LINE_CHARS_MAX: usize = 60;

/// Writes a `digraph` that `dot` lays out from top to bottom.
pub(super) fn write(picture: &Picture) -> String {
    let mut dot = format!(
        "digraph {} {{\n  label={};\n  labelloc=t;\n  rankdir=TB;\n  fontname=\"Helvetica\";\n  \
         node [fontname=\"Helvetica\", fontsize=11, style=\"rounded,filled\", fillcolor=white];\n  \
         edge [fontname=\"Helvetica\", fontsize=10, color=\"#64748b\"];\n",
        quote(&picture.title),
        quote(&heading(picture)),
    );
    for node in &picture.nodes {
        let id = quote(&node.id);
        let attributes = match &node.body {
            Body::Start => "label=start, shape=circle, fillcolor=\"#e2e8f0\"".into(),
            Body::Cancelled => "label=cancelled, shape=oval, fillcolor=\"#e2e8f0\"".into(),
            Body::Step(step) => self::step(step),
            Body::Decision { caption, conditions } => {
                let label = std::iter::once(caption).chain(conditions).cloned().collect::<Vec<_>>();
                let label = quote(&label.join("\n"));
                format!(
                    "label={label}, shape=hexagon, style=filled, fillcolor=\"#f5f3ff\", color=\"#8b5cf6\""
                )
            }
            Body::End(ending) => {
                let fill = if *ending == Ending::Succeeded { "#dcfce7" } else { "#ffe4e6" };
                format!("label={}, shape=doublecircle, fillcolor=\"{fill}\"", quote(ending.label()))
            }
        };
        let _ = writeln!(dot, "  {id} [{attributes}];");
    }
    for edge in &picture.edges {
        let (from, to) = (quote(&picture.nodes[edge.from].id), quote(&picture.nodes[edge.to].id));
        let style = if matches!(edge.way, Way::Timeout | Way::Fails | Way::Undone) {
            ", style=dashed"
        } else {
            ""
        };
        let label = edge.words().map(|label| format!(" [label={}{style}]", quote(label)));
        let _ = writeln!(dot, "  {from} -> {to}{};", label.unwrap_or_default());
    }
    dot.push_str("}\n");
    dot
}

fn heading(picture: &Picture) -> String {
    let lines = std::iter::once(picture.title.clone()).chain(picture.description.clone());
    lines.collect::<Vec<_>>().join("\n")
}

fn step(step: &Step) -> String {
    let shape = if step.wait.is_some() {
        "shape=box3d, fillcolor=\"#fffbeb\", color=\"#d97706\""
    } else {
        "shape=box, color=\"#3b82f6\""
    };
    let mark = match step.state {
        State::Ahead => "",
        State::Current => ", penwidth=3",
        State::Finished => ", fillcolor=\"#f0fdf4\"",
    };
    format!("label={}, {shape}{mark}", quote(&step.lines(LINE_CHARS_MAX).join("\n")))
}

/// Quotes a string for DOT. Graphviz reads `\"`, `\\`, `\n` and similar sequences as escapes.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push('\u{fffd}'),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
