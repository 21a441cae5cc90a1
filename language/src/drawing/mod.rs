//! The step graph of a method as a picture: SVG for people, DOT and Mermaid for their tools, JSON
//! for programs.
//!
//! All four are written from one [`picture::Picture`], so they show the same nodes, the same ways
//! out and the same short texts. Pure and deterministic: one graph, one text, byte for byte.
//!
//! `compose` reads the graph and finds the words · `dot`, `mermaid`, `json` write the picture
//! down as it is · `card` measures a step, `limb` what hangs on it, `block` stacks a sequence,
//! `layout` places blocks, decisions and ends, `svg` draws.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

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

/// How a graph is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A picture that stands alone: no script, no font and no image from elsewhere.
    Svg,
    /// Graphviz.
    Dot,
    /// A Mermaid flowchart.
    Mermaid,
    /// Nodes and edges, keyed as runs name their positions.
    Json,
}

impl Format {
    /// Every format, in the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::Svg, Self::Dot, Self::Mermaid, Self::Json];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Dot => "dot",
            Self::Mermaid => "mermaid",
            Self::Json => "json",
        }
    }

    /// The media type of the text, for an HTTP answer.
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

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
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

/// Where a run stands, by the keys of the graph's nodes (`steps/0`, `fallbacks/0/then/1`).
///
/// A key that the graph does not have marks nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// The step that the run is at.
    pub current: Option<String>,
    /// The steps that are done, skipped ones included.
    pub finished: BTreeSet<String>,
    /// What was proved of the method, for the foot of the picture.
    pub figures: Vec<Figure>,
}

/// Writes the graph in the given format, with the marks.
#[must_use]
pub fn draw(graph: &Graph, format: Format, marks: &Marks) -> String {
    let picture = compose::compose(graph, marks);
    match format {
        Format::Svg => svg::write(&picture),
        Format::Dot => dot::write(&picture),
        Format::Mermaid => mermaid::write(&picture),
        Format::Json => json::write(&picture),
    }
}

#[cfg(test)]
mod tests;
