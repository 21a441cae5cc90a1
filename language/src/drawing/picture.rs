//! The content of a picture before layout: nodes, edges and labels.

use crate::proof::Figure;

/// A method, ready to be drawn in any format.
pub(super) struct Picture {
    pub(super) title: String,
    pub(super) description: Option<String>,
    /// Remarks below the description, each with its label, such as the method's condition and its limits.
    pub(super) remarks: Vec<(&'static str, String)>,
    /// Key figures of the method's proof, shown at the foot of the picture.
    pub(super) figures: Vec<Figure>,
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    pub(super) story: Story,
    /// Whether any step is marked. If so, the legend explains the marks.
    pub(super) marked: bool,
}

/// The structure of the method from its start to its ends, by indices of nodes.
#[derive(Default)]
pub(super) struct Story {
    /// The start node and the main steps.
    pub(super) main: Vec<Limb>,
    /// The decision whether the run succeeded; `None` if the method has no `success_when`.
    pub(super) decision: Option<usize>,
    pub(super) fallbacks: Vec<Branch>,
    pub(super) succeeded: usize,
    /// The end "fell short"; present if and only if there is a decision.
    pub(super) fell_short: Option<usize>,
    /// The steps of `on_cancel`, with a start node of their own.
    pub(super) on_cancel: Vec<Limb>,
}

/// A fallback: the question whether to try it, its steps, and the decision whether the run succeeded.
pub(super) struct Branch {
    pub(super) question: usize,
    pub(super) steps: Vec<Limb>,
    pub(super) decision: usize,
}

/// A node with its nested and attached steps.
pub(super) struct Limb {
    pub(super) node: usize,
    pub(super) shape: Shape,
    /// Lists of steps inside the node.
    pub(super) lanes: Vec<Lane>,
    /// Lists of steps attached to the node: error handling and undo.
    pub(super) asides: Vec<Lane>,
}

/// How the lanes inside a step are executed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// The step has no lanes.
    Plain,
    /// All lanes are executed concurrently.
    Parallel,
    /// One of the lanes is executed.
    Choice,
    /// The only lane is executed repeatedly; the string labels the back edge.
    Loop(&'static str),
    /// The only lane is executed once.
    Bracket,
}

/// A list of steps nested in or attached to a step.
pub(super) struct Lane {
    pub(super) way: Way,
    /// Label on the edge into the lane.
    pub(super) label: Option<String>,
    pub(super) steps: Vec<Limb>,
}

/// A node of the picture.
pub(super) struct Node {
    /// Unique id in the picture; for a step, its key in the graph.
    pub(super) id: String,
    pub(super) body: Body,
}

/// The kind of a node, with its content.
pub(super) enum Body {
    Start,
    /// The start of `on_cancel`.
    Cancelled,
    Step(Box<Step>),
    /// A question with the exits "yes" and "no".
    Decision {
        caption: String,
        /// The conditions, all of which must hold.
        conditions: Vec<String>,
    },
    End(Ending),
}

/// The two outcomes of a completed run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Succeeded,
    FellShort,
}

/// A step as short strings.
/// The strings are not truncated here, because each format knows how much space it has.
pub(super) struct Step {
    pub(super) id: String,
    /// Description of the list of steps that contains the step; `None` for the method's own lists.
    pub(super) inside: Option<String>,
    pub(super) line: u32,
    pub(super) verb: String,
    /// Names (`filter.roles`) and values of the step's arguments, in the author's order.
    pub(super) args: Vec<(String, String)>,
    pub(super) out: Option<String>,
    /// Variable and list of the step's `foreach`.
    pub(super) foreach: Option<(String, String)>,
    pub(super) when: Option<String>,
    /// For a call: the number of attempts (`5 tries from 2s`), and the time limit for all of them.
    pub(super) policy: Option<(String, String)>,
    pub(super) occasion: Option<String>,
    pub(super) wait: Option<Wait>,
    pub(super) state: State,
}

/// The conditions of the three exits of a wait.
pub(super) struct Wait {
    pub(super) enough: String,
    pub(super) exhausted: String,
    pub(super) timeout: String,
}

/// Whether the marked run has reached a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Ahead,
    Current,
    Finished,
}

/// An edge between two nodes, by their indices.
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) way: Way,
    /// Condition of the edge, if it has one.
    pub(super) label: Option<String>,
}

impl Edge {
    /// Returns the words on the edge: its condition, or else the label of its kind.
    pub(super) fn words(&self) -> Option<&str> {
        self.label.as_deref().or(self.way.label())
    }
}

/// The kind of an edge, which tells why a run follows the edge.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The only edge that leaves the node.
    Next,
    Yes,
    No,
    /// Leaves a wait when enough people said yes.
    Enough,
    /// Leaves a wait when nobody is left who could say yes.
    Exhausted,
    /// Leaves a wait when its timeout has passed.
    Timeout,
    /// Leads into a branch of a `parallel`.
    Branch,
    /// Leads into a case of a `switch`; the condition of the case is the edge's label.
    Case,
    /// Leads back to the start of a loop.
    Again,
    /// Leads into the steps of `on_error`.
    Fails,
    /// Leads into the call that undoes the step.
    Undone,
}

impl Way {
    /// The edges from the three exits of a wait, in the order in which they are drawn from left to right.
    pub(super) const OF_A_WAIT: [Self; 3] = [Self::Enough, Self::Exhausted, Self::Timeout];

    /// Returns the words on an edge of this kind that has no condition; `None` if the edge has no words.
    pub(super) const fn label(self) -> Option<&'static str> {
        match self {
            Self::Next | Self::Branch => None,
            Self::Case => Some("else"),
            Self::Again => Some("again"),
            Self::Fails => Some("fails"),
            Self::Undone => Some("undone by"),
            Self::Yes => Some("yes"),
            Self::No => Some("no"),
            Self::Enough => Some("enough"),
            Self::Exhausted => Some("exhausted"),
            Self::Timeout => Some("timeout"),
        }
    }

    /// Returns the name of the kind in CSS classes and in JSON.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Case => "case",
            Self::Undone => "undone",
            _ => match self.label() {
                Some(label) => label,
                None => "next",
            },
        }
    }
}

impl Ending {
    /// Returns the name of the outcome for people.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::FellShort => "fell short",
        }
    }

    /// Returns the name of the outcome in the API.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::FellShort => "fell_short",
        }
    }
}

impl State {
    /// Returns the name of the state in CSS classes and in JSON.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ahead => "ahead",
            Self::Current => "current",
            Self::Finished => "finished",
        }
    }
}

impl Limb {
    /// Creates a node without nested or attached steps.
    pub(super) fn plain(node: usize) -> Self {
        Self { node, shape: Shape::Plain, lanes: Vec::new(), asides: Vec::new() }
    }
}

impl Picture {
    /// Returns the step of a node; `None` if the node is not a step.
    pub(super) fn step(&self, node: usize) -> Option<&Step> {
        match &self.nodes.get(node)?.body {
            Body::Step(step) => Some(step),
            _ => None,
        }
    }

    /// Returns all steps of the picture, in the order of the nodes.
    pub(super) fn steps(&self) -> impl Iterator<Item = &Step> {
        (0..self.nodes.len()).filter_map(|node| self.step(node))
    }
}

impl Step {
    /// Returns the step as lines of plain text, each truncated to `max` characters.
    /// These lines are shown in DOT and Mermaid, whose layout is left to other programs,
    /// and in the tooltips of the SVG.
    pub(super) fn lines(&self, max: usize) -> Vec<String> {
        let glyph = if self.wait.is_some() { "⏱ " } else { "" };
        let mut lines = vec![format!("{glyph}{}", self.id)];
        lines.extend(self.inside.clone());
        lines.extend((self.verb != self.id).then(|| self.verb.clone()));
        lines.extend(self.foreach.as_ref().map(|(one, all)| format!("for each {one} in {all}")));
        lines.extend(self.when.as_ref().map(|when| format!("when {when}")));
        lines.extend(self.args.iter().map(|(name, value)| format!("{name}: {value}")));
        if let Some(wait) = &self.wait {
            lines.push(format!("until {}, {} or {}", wait.enough, wait.exhausted, wait.timeout));
        }
        lines.extend(self.policy.as_ref().map(|(tries, limit)| format!("{tries} within {limit}")));
        lines.extend(self.out.as_ref().map(|out| format!("→ {out}")));
        lines.iter().map(|line| cut(line, max)).collect()
    }
}

fn cut(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let kept: String = text.chars().take(max.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}
