//! Renders the step graph of a method: as SVG for people,
//! as DOT and Mermaid for other drawing tools, and as JSON for programs.
//!
//! All four formats are written from one [`picture::Picture`], so they show the same nodes,
//! edges and labels. The module is pure and deterministic: the same graph gives the same bytes.
//!
//! `compose` builds the picture from the graph, with the strings of `words`.
//! `dot`, `mermaid` and `json` write the picture without a layout.
//! For SVG, `card` measures a step, `limb` measures a step with its nested steps,
//! `block` stacks a sequence, `layout` places blocks, decisions and ends, and `svg` draws them.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use utoipa::ToSchema;

use crate::base::Problem;
use crate::method::graph::Graph;
use crate::proof::Figure;

mod block;
mod card;
mod compose;
mod curve;
mod dot;
mod json;
mod layout;
mod limb;
mod mermaid;
mod picture;
mod svg;
mod text;
mod words;

pub use json::{
    GraphEdge, GraphForeach, GraphNode, GraphNodeKind, GraphStep, GraphView, GraphWait,
};

/// An output format of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToSchema)]
#[schema(as = GraphFormat, rename_all = "snake_case")]
pub enum DrawingFormat {
    /// A self-contained picture: no scripts, external fonts or external images.
    Svg,
    /// The DOT language of Graphviz.
    Dot,
    /// A Mermaid flowchart.
    Mermaid,
    /// Nodes and edges as JSON. The keys of the nodes are the keys that runs use for their positions.
    Json,
}

impl DrawingFormat {
    /// All formats, in the order in which help texts list them.
    pub const ALL: [Self; 4] = [Self::Svg, Self::Dot, Self::Mermaid, Self::Json];

    /// Returns the name of the format on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Dot => "dot",
            Self::Mermaid => "mermaid",
            Self::Json => "json",
        }
    }

    /// Returns the media type of the output, for HTTP responses.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Svg => "image/svg+xml; charset=utf-8",
            Self::Dot => "text/vnd.graphviz; charset=utf-8",
            Self::Mermaid => "text/vnd.mermaid; charset=utf-8",
            Self::Json => "application/json",
        }
    }
}

impl fmt::Display for DrawingFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DrawingFormat {
    type Err = Problem;
    fn from_str(text: &str) -> Result<Self, Problem> {
        Self::ALL.into_iter().find(|format| format.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            let shown: String = text.chars().take(60).collect();
            Problem::caller("unknown_format", format!("unknown format `{shown}`"))
                .with_hint(format!("the formats are: {names}"))
        })
    }
}

/// The position of a run, by the keys of the graph's nodes (`steps/0`, `fallbacks/0/then/1`).
///
/// Keys that the graph does not have are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// Key of the step that the run is at.
    pub current: Option<String>,
    /// Keys of the steps that are done, including skipped steps.
    pub finished: BTreeSet<String>,
    /// Key figures of the method's proof, for the foot of the picture.
    pub figures: Vec<Figure>,
}

/// Renders the graph in the format `format` and marks the position of a run.
#[must_use]
pub fn draw(graph: &Graph, format: DrawingFormat, marks: &Marks) -> String {
    let picture = compose::compose(graph, marks);
    match format {
        DrawingFormat::Svg => svg::write(&picture),
        DrawingFormat::Dot => dot::write(&picture),
        DrawingFormat::Mermaid => mermaid::write(&picture),
        DrawingFormat::Json => json::write(&picture),
    }
}

#[cfg(test)]
mod tests;
