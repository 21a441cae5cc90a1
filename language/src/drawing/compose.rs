//! Builds the picture from the step graph: its nodes and the edges between them.
//!
//! The main steps follow each other, and a decision on `success_when` follows them.
//! A fallback consists of a question such as "if timeout", its steps, and another decision on success,
//! because the run evaluates `success_when` again after the fallback.

use super::Marks;
use super::picture::{
    Body, Branch, Edge, Ending, Lane, Limb, Node, Picture, Shape, State, Step, Story, Wait, Way,
};
use super::words;
use crate::expr::Expr;
use crate::method::graph::{self, Fallback, Graph, MethodLimits, NodeIndex};
use crate::method::{Arg, StepAction};

/// Builds the picture of a graph, with the marks on the steps of the graph.
pub(super) fn compose(graph: &Graph, marks: &Marks) -> Picture {
    let mut composer = Composer { graph, marks, nodes: Vec::new(), edges: Vec::new() };
    let story = composer.story();
    Picture {
        title: graph.method.clone(),
        description: graph.description.as_deref().map(words::one_line).filter(|d| !d.is_empty()),
        remarks: remarks(graph),
        figures: marks.figures.clone(),
        marked: composer.nodes.iter().any(is_marked),
        nodes: composer.nodes,
        edges: composer.edges,
        story,
    }
}

/// An edge whose target node is not known yet.
#[derive(Clone)]
struct Loose {
    from: usize,
    way: Way,
    label: Option<String>,
}

impl Loose {
    fn of(from: usize, way: Way) -> Self {
        Self { from, way, label: None }
    }
}

struct Composer<'a> {
    graph: &'a Graph,
    marks: &'a Marks,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

impl Composer<'_> {
    fn story(&mut self) -> Story {
        let start = self.node("start", Body::Start);
        let (steps, done) = self.steps(&self.graph.main, None, vec![Loose::of(start, Way::Next)]);
        let main = std::iter::once(Limb::plain(start)).chain(steps).collect();
        let mut story = Story { main, ..Story::default() };
        if self.graph.success_when.is_empty() {
            // Without `success_when`, the run succeeds as soon as
            // its main steps are done, so no fallback can run.
            story.succeeded = self.end(Ending::Succeeded, done);
        } else {
            self.decide(&mut story, done);
        }
        if !self.graph.on_cancel.is_empty() {
            let start = self.node("on_cancel", Body::Cancelled);
            let before = vec![Loose::of(start, Way::Next)];
            let (steps, _) = self.steps(&self.graph.on_cancel, None, before);
            story.on_cancel = std::iter::once(Limb::plain(start)).chain(steps).collect();
        }
        story
    }

    /// Adds the decision on success, the fallbacks and both ends of the run.
    fn decide(&mut self, story: &mut Story, done: Vec<Loose>) {
        let conditions = self.graph.success_when.iter().map(words::expression).collect();
        let caption = "succeeded when".into();
        let decision = self.node("success_when", Body::Decision { caption, conditions });
        self.connect(done, decision);
        story.decision = Some(decision);
        let mut won = vec![Loose::of(decision, Way::Yes)];
        let mut lost = vec![Loose::of(decision, Way::No)];
        for fallback in &self.graph.fallbacks {
            let branch = self.fallback(fallback, lost);
            won.push(Loose::of(branch.decision, Way::Yes));
            let still_short = [branch.question, branch.decision];
            lost = still_short.map(|from| Loose::of(from, Way::No)).into();
            story.fallbacks.push(branch);
        }
        story.succeeded = self.end(Ending::Succeeded, won);
        story.fell_short = Some(self.end(Ending::FellShort, lost));
    }

    /// Adds a fallback. Connects the edges of the list `before` to the fallback.
    fn fallback(&mut self, fallback: &Fallback, before: Vec<Loose>) -> Branch {
        let conditions = vec![words::expression(&fallback.condition)];
        let asked = Body::Decision { caption: "fallback if".into(), conditions };
        let question = self.node(&fallback.key, asked);
        self.connect(before, question);
        let (steps, loose) = self.steps(&fallback.steps, None, vec![Loose::of(question, Way::Yes)]);
        let again = Body::Decision { caption: "succeeded now?".into(), conditions: Vec::new() };
        let decision = self.node(&format!("{}/success_when", fallback.key), again);
        self.connect(loose, decision);
        Branch { question, steps, decision }
    }

    fn end(&mut self, ending: Ending, before: Vec<Loose>) -> usize {
        let node = self.node(ending.name(), Body::End(ending));
        self.connect(before, node);
        node
    }

    fn ways_out(&self, from: usize) -> Vec<Loose> {
        let waits = matches!(&self.nodes[from].body, Body::Step(step) if step.wait.is_some());
        let ways = if waits { &Way::OF_A_WAIT[..] } else { &[Way::Next] };
        ways.iter().map(|&way| Loose::of(from, way)).collect()
    }

    fn connect(&mut self, loose: Vec<Loose>, to: usize) {
        let edges =
            loose.into_iter().map(|Loose { from, way, label }| Edge { from, to, way, label });
        self.edges.extend(edges);
    }

    fn node(&mut self, id: &str, body: Body) -> usize {
        self.nodes.push(Node { id: id.to_owned(), body });
        self.nodes.len() - 1
    }

    /// Adds a list of steps and connects the edges in `loose` to the first step. Returns the steps
    /// and the edges that leave the list. Skips indices that the graph does not have.
    fn steps(
        &mut self,
        block: &[NodeIndex],
        inside: Option<&str>,
        mut loose: Vec<Loose>,
    ) -> (Vec<Limb>, Vec<Loose>) {
        let graph = self.graph;
        let mut limbs = Vec::new();
        for node in block.iter().filter_map(|&ix| graph.node(ix)) {
            let step = Step {
                inside: inside.map(str::to_owned),
                ..step(node, state(&node.key, self.marks))
            };
            let ix = self.node(&node.key, Body::Step(Box::new(step)));
            self.connect(loose, ix);
            let (limb, out) = self.limb(node, ix);
            limbs.push(limb);
            loose = out;
        }
        (limbs, loose)
    }

    /// Adds the steps nested in a step or attached to it. Returns them and the edges that leave the step.
    fn limb(&mut self, node: &graph::Node, ix: usize) -> (Limb, Vec<Loose>) {
        let mut limb = Limb { shape: words::shape(node), ..Limb::plain(ix) };
        let mut out = Vec::new();
        for inner in words::lanes(node) {
            let loose = Loose { from: ix, way: inner.way, label: inner.label.clone() };
            let (steps, ends) = self.steps(inner.steps, Some(&inner.inside), vec![loose]);
            if let Shape::Loop(_) = limb.shape {
                let again = ends.iter().map(|end| Edge {
                    from: end.from,
                    to: ix,
                    way: Way::Again,
                    label: None,
                });
                self.edges.extend(again.collect::<Vec<_>>());
            }
            out.extend(ends);
            limb.lanes.push(Lane { way: inner.way, label: inner.label, steps });
        }
        if limb.lanes.is_empty() {
            out = self.ways_out(ix);
        }
        for inner in words::asides(node) {
            let loose = Loose::of(ix, inner.way);
            let (steps, ends) = self.steps(inner.steps, Some(&inner.inside), vec![loose]);
            // Steps that undo a call have no successor, because the run is ending.
            out.extend(ends.into_iter().filter(|_| inner.way == Way::Fails));
            limb.asides.push(Lane { way: inner.way, label: None, steps });
        }
        (limb, out)
    }
}

fn step(node: &graph::Node, state: State) -> Step {
    let call = node.call();
    let wait = call.filter(|call| call.waits).map(|call| wait(&call.args));
    let mut args = words::action(&node.action);
    if wait.is_some() {
        args.retain(|(name, _)| name != "count" && name != "timeout");
    }
    if let StepAction::Switch(_) = node.action {
        args.clear(); // The edges show the conditions of the `switch`.
    }
    Step {
        id: node.step_id.clone(),
        inside: None,
        line: node.line,
        verb: node.action_name().to_owned(),
        args,
        out: node.out().map(str::to_owned),
        foreach: node.foreach.as_ref().map(|f| (f.variable.clone(), words::expression(&f.over))),
        when: node.when.as_ref().map(words::expression),
        policy: call.map(|call| (words::tries(&call.retry), words::span(call.timeout))),
        occasion: call.and_then(|call| call.occasion.as_deref()).map(words::one_line),
        wait,
        state,
    }
}

/// Describes when a wait ends. By contract, the arguments of a waiting verb
/// include the number `count` of replies needed and the `timeout`.
fn wait(args: &Arg) -> Wait {
    Wait {
        enough: words::named(args, "count").map_or_else(|| "all yes".into(), quorum),
        exhausted: "none open".into(),
        timeout: words::named(args, "timeout").unwrap_or_else(|| "no limit".into()),
    }
}

/// Adds the word `yes` to the number of replies needed, unless the number is an expression.
fn quorum(count: String) -> String {
    if count.parse::<u64>().is_ok() { format!("{count} yes") } else { count }
}

fn state(key: &str, marks: &Marks) -> State {
    if marks.current.as_deref() == Some(key) {
        State::Current
    } else if marks.finished.contains(key) {
        State::Finished
    } else {
        State::Ahead
    }
}

fn is_marked(node: &Node) -> bool {
    matches!(&node.body, Body::Step(step) if step.state != State::Ahead)
}

fn remarks(graph: &Graph) -> Vec<(&'static str, String)> {
    let applicable =
        graph.applicable_if.as_ref().map(|e: &Expr| ("applies if", words::expression(e)));
    let limits = limits(&graph.limits).map(|text| ("limits", text));
    let idle = graph.success_when.is_empty() && !graph.fallbacks.is_empty();
    let idle = idle.then(|| ("note", "no success_when, so no fallback is ever tried".to_owned()));
    applicable.into_iter().chain(limits).chain(idle).collect()
}

fn limits(limits: &MethodLimits) -> Option<String> {
    let duration = limits.max_duration.map(words::span);
    let messages = limits.max_messages.map(|n| format!("{n} messages"));
    let calls = limits.max_tool_calls.map(|n| format!("{n} calls"));
    let parts: Vec<String> = duration.into_iter().chain(messages).chain(calls).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
