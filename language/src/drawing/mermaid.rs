//! Writes the picture for Mermaid: a flowchart that GitHub and other sites render.

use std::fmt::Write as _;

use super::picture::{Body, Node, Picture, State};

/// Maximum number of characters in a line, because Mermaid makes a box as wide as its longest line.
const LINE_CHARS_MAX: usize = 48;

const CLASSES: &str = "  classDef step fill:#eff6ff,stroke:#3b82f6,color:#0f172a
  classDef wait fill:#fffbeb,stroke:#d97706,color:#0f172a
  classDef decision fill:#f5f3ff,stroke:#8b5cf6,color:#0f172a
  classDef succeeded fill:#dcfce7,stroke:#16a34a,color:#0f172a
  classDef fell_short fill:#ffe4e6,stroke:#e11d48,color:#0f172a
  classDef start fill:#e2e8f0,stroke:#475569,color:#0f172a
  classDef finished fill:#f0fdf4,stroke:#16a34a
  classDef current stroke:#1d4ed8,stroke-width:4px
";

/// Writes a flowchart from top to bottom with its title in the front matter.
pub(super) fn write(picture: &Picture) -> String {
    // A JSON string is also a valid YAML string.
    let title = serde_json::Value::from(picture.title.as_str());
    let mut chart = format!("---\ntitle: {title}\n---\nflowchart TB\n");
    for (index, node) in picture.nodes.iter().enumerate() {
        let (shape, class) = shape(node);
        let _ = writeln!(chart, "  n{index}{shape}:::{class}");
    }
    for edge in &picture.edges {
        let label = edge.words().map(|label| format!("|\"{}\"|", entities(label)));
        let label = label.unwrap_or_default();
        let _ = writeln!(chart, "  n{} -->{label} n{}", edge.from, edge.to);
    }
    chart.push_str(CLASSES);
    for index in 0..picture.nodes.len() {
        let state = picture.step(index).map_or(State::Ahead, |step| step.state);
        if state != State::Ahead {
            let _ = writeln!(chart, "  class n{index} {}", state.name());
        }
    }
    chart
}

/// Returns the node's label, in the brackets that give the node its shape, and the node's class.
fn shape(node: &Node) -> (String, &'static str) {
    match &node.body {
        Body::Start => ("([\"start\"])".into(), "start"),
        Body::Cancelled => ("([\"cancelled\"])".into(), "start"),
        Body::Step(step) if step.wait.is_some() => {
            (format!("[[\"{}\"]]", lines(&step.lines(LINE_CHARS_MAX))), "wait")
        }
        Body::Step(step) => (format!("[\"{}\"]", lines(&step.lines(LINE_CHARS_MAX))), "step"),
        Body::Decision { caption, conditions } => {
            let texts: Vec<String> = std::iter::once(caption).chain(conditions).cloned().collect();
            (format!("{{{{\"{}\"}}}}", lines(&texts)), "decision")
        }
        Body::End(ending) => (format!("([\"{}\"])", ending.label()), ending.name()),
    }
}

fn lines(texts: &[String]) -> String {
    texts.iter().map(|text| entities(text)).collect::<Vec<_>>().join("<br/>")
}

/// Replaces each character that Mermaid would read as markup
/// with an entity code, such as `#34;` for a quote.
fn entities(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '#' | '&' | '<' | '>' | '`' | '*' | ';' | '\\' => {
                let _ = write!(escaped, "#{};", c as u32);
            }
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
