//! What is to be seen, before anybody decides where: nodes, ways between them, words.

use crate::proof::Figure;

/// A method, ready to be drawn in any format.
pub(super) struct Picture {
    pub(super) title: String,
    pub(super) description: Option<String>,
    /// Remarks below the description, each with its label: whom it is for, what it may use up.
    pub(super) remarks: Vec<(&'static str, String)>,
    /// What was proved of the method, at the foot.
    pub(super) figures: Vec<Figure>,
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    pub(super) story: Story,
    /// A position is marked, so the legend explains the marks.
    pub(super) marked: bool,
}

/// How the nodes tell the method from its start to its end, by their indices.
#[derive(Default)]
pub(super) struct Story {
    /// The start and the main steps.
    pub(super) main: Vec<Limb>,
    /// The decision on success; none where the main steps are success enough.
    pub(super) decision: Option<usize>,
    pub(super) fallbacks: Vec<Branch>,
    pub(super) succeeded: usize,
    /// There is one wherever there is a decision.
    pub(super) fell_short: Option<usize>,
    /// What is done when the run is called off: its own start, its steps.
    pub(super) on_cancel: Vec<Limb>,
}

/// A fallback: asked, done, and success looked at again.
pub(super) struct Branch {
    pub(super) question: usize,
    pub(super) steps: Vec<Limb>,
    pub(super) decision: usize,
}

/// A node with the steps that hang on it.
pub(super) struct Limb {
    pub(super) node: usize,
    pub(super) shape: Shape,
    /// The lists of steps inside it.
    pub(super) lanes: Vec<Lane>,
    /// The lists of steps beside it: what undoes it, what is done when it fails.
    pub(super) asides: Vec<Lane>,
}

/// How the lanes inside a step are done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// There are none.
    Plain,
    /// All of them side by side.
    Parallel,
    /// One of them.
    Choice,
    /// The only one, again and again; the word says when.
    Loop(&'static str),
    /// The only one, once.
    Bracket,
}

/// A list of steps that hangs on another.
pub(super) struct Lane {
    pub(super) way: Way,
    /// The words on the way into it.
    pub(super) label: Option<String>,
    pub(super) steps: Vec<Limb>,
}

/// One thing that is drawn.
pub(super) struct Node {
    /// Unique in the picture; of a step, its key in the graph.
    pub(super) id: String,
    pub(super) body: Body,
}

/// The kinds of nodes.
pub(super) enum Body {
    Start,
    /// The start of what is done when the run is called off.
    Cancelled,
    Step(Box<Step>),
    /// A question with two ways out.
    Decision {
        caption: String,
        /// What is asked, each a condition of its own; all of them must hold.
        conditions: Vec<String>,
    },
    End(Ending),
}

/// How a run can end by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Succeeded,
    FellShort,
}

/// A step in short texts. Nothing is cut here: whoever draws knows the room there is.
pub(super) struct Step {
    pub(super) id: String,
    /// Which list of steps it stands in, if not in the method's own.
    pub(super) inside: Option<String>,
    pub(super) line: u32,
    pub(super) verb: String,
    /// Names (`filter.roles`) and values, in the author's order.
    pub(super) args: Vec<(String, String)>,
    pub(super) out: Option<String>,
    /// The variable and the list.
    pub(super) foreach: Option<(String, String)>,
    pub(super) when: Option<String>,
    /// Of a call: how often it is tried (`5 tries from 2s`), and how long all of that takes at most.
    pub(super) policy: Option<(String, String)>,
    pub(super) occasion: Option<String>,
    pub(super) wait: Option<Wait>,
    pub(super) state: State,
}

/// When each of the three ways out of a wait is taken.
pub(super) struct Wait {
    pub(super) enough: String,
    pub(super) exhausted: String,
    pub(super) timeout: String,
}

/// Where a step stands in the run that is marked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Ahead,
    Current,
    Finished,
}

/// A way from one node to another, by their indices.
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) way: Way,
    /// The condition on the way, where it has one.
    pub(super) label: Option<String>,
}

impl Edge {
    /// The words on it.
    pub(super) fn words(&self) -> Option<&str> {
        self.label.as_deref().or(self.way.label())
    }
}

/// Why this way is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// There is no other.
    Next,
    Yes,
    No,
    /// A wait: as many said yes as are needed.
    Enough,
    /// A wait: nobody is left who could say yes.
    Exhausted,
    /// A wait: its time is over.
    Timeout,
    /// One of several branches side by side.
    Branch,
    /// A case of a choice; its condition is the edge's label.
    Case,
    /// Once more, of a loop.
    Again,
    /// It has failed for good.
    Fails,
    /// What it did is taken back.
    Undone,
}

impl Way {
    /// The three ways out of a wait, as they are drawn from left to right.
    pub(super) const OF_A_WAIT: [Self; 3] = [Self::Enough, Self::Exhausted, Self::Timeout];

    /// The word on the way.
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

    /// The name in classes and in JSON.
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
    /// As people read it.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::FellShort => "fell short",
        }
    }

    /// The outcome as the API names it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::FellShort => "fell_short",
        }
    }
}

impl State {
    /// The name in classes and in JSON.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ahead => "ahead",
            Self::Current => "current",
            Self::Finished => "finished",
        }
    }
}

impl Limb {
    /// A node that nothing hangs on.
    pub(super) fn plain(node: usize) -> Self {
        Self { node, shape: Shape::Plain, lanes: Vec::new(), asides: Vec::new() }
    }
}

impl Picture {
    /// The step of a node, if it is one.
    pub(super) fn step(&self, node: usize) -> Option<&Step> {
        match &self.nodes.get(node)?.body {
            Body::Step(step) => Some(step),
            _ => None,
        }
    }

    /// All steps, in order.
    pub(super) fn steps(&self) -> impl Iterator<Item = &Step> {
        (0..self.nodes.len()).filter_map(|node| self.step(node))
    }
}

impl Step {
    /// The step as lines of plain text for formats without a layout of their own, each cut at
    /// `max` characters.
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
