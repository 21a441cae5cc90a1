//! From the step graph to the picture: which nodes there are, and which ways lead where.
//!
//! The main steps follow each other; then `success_when` decides. Each fallback is a question
//! ("if timeout"), its steps, and the same decision once more, as the run looks at it again.

use super::Marks;
use super::picture::{Body, Branch, Edge, Ending, Node, Picture, State, Step, Story, Wait, Way};
use super::words;
use crate::expr::Expr;
use crate::method::Arg;
use crate::method::graph::{self, Fallback, Graph, MethodLimits, NodeIx};

/// The picture of a graph, with the marks on its steps.
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

/// A way whose end is not known yet.
struct Loose {
    from: usize,
    way: Way,
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
        let mut main = vec![start];
        main.extend(self.steps(&self.graph.main, None));
        let done = self.chain(&main);
        let mut story = Story { main, ..Story::default() };
        if self.graph.success_when.is_empty() {
            // The run has succeeded when the main steps are done: no fallback is ever tried.
            story.succeeded = self.end(Ending::Succeeded, done);
            return story;
        }
        let conditions = self.graph.success_when.iter().map(words::expression).collect();
        let caption = "succeeded when".into();
        let decision = self.node("success_when", Body::Decision { caption, conditions });
        self.connect(done, decision);
        story.decision = Some(decision);
        let mut won = vec![Loose { from: decision, way: Way::Yes }];
        let mut lost = vec![Loose { from: decision, way: Way::No }];
        for fallback in &self.graph.fallbacks {
            let branch = self.fallback(fallback, lost);
            won.push(Loose { from: branch.decision, way: Way::Yes });
            let still_short = [branch.question, branch.decision];
            lost = still_short.map(|from| Loose { from, way: Way::No }).into();
            story.fallbacks.push(branch);
        }
        story.succeeded = self.end(Ending::Succeeded, won);
        story.fell_short = Some(self.end(Ending::FellShort, lost));
        story
    }

    /// A fallback, behind the ways that lead to it.
    fn fallback(&mut self, fallback: &Fallback, before: Vec<Loose>) -> Branch {
        let conditions = vec![words::expression(&fallback.condition)];
        let asked = Body::Decision { caption: "fallback if".into(), conditions };
        let question = self.node(&fallback.key, asked);
        self.connect(before, question);
        let steps = self.steps(&fallback.steps, None);
        let mut loose = vec![Loose { from: question, way: Way::Yes }];
        if let Some(&first) = steps.first() {
            self.connect(loose, first);
            loose = self.chain(&steps);
        }
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

    /// Links nodes that follow each other; the result leads out of the last.
    fn chain(&mut self, nodes: &[usize]) -> Vec<Loose> {
        for pair in nodes.windows(2) {
            let loose = self.ways_out(pair[0]);
            self.connect(loose, pair[1]);
        }
        nodes.last().map(|&last| self.ways_out(last)).unwrap_or_default()
    }

    fn ways_out(&self, from: usize) -> Vec<Loose> {
        let waits = matches!(&self.nodes[from].body, Body::Step(step) if step.wait.is_some());
        let ways = if waits { &Way::OF_A_WAIT[..] } else { &[Way::Next] };
        ways.iter().map(|&way| Loose { from, way }).collect()
    }

    fn connect(&mut self, loose: Vec<Loose>, to: usize) {
        self.edges.extend(loose.into_iter().map(|Loose { from, way }| Edge { from, to, way }));
    }

    fn node(&mut self, id: &str, body: Body) -> usize {
        self.nodes.push(Node { id: id.to_owned(), body });
        self.nodes.len() - 1
    }

    /// The nodes of a list of steps, each before those inside it; an index that the graph does not
    /// have is none.
    fn steps(&mut self, block: &[NodeIx], inside: Option<&str>) -> Vec<usize> {
        let graph = self.graph;
        let mut nodes = Vec::new();
        for node in block.iter().filter_map(|&ix| graph.node(ix)) {
            let step = Step {
                inside: inside.map(str::to_owned),
                ..step(node, state(&node.key, self.marks))
            };
            nodes.push(self.node(&node.key, Body::Step(Box::new(step))));
            for (place, block) in words::blocks(node) {
                nodes.extend(self.steps(block, Some(&place)));
            }
        }
        nodes
    }
}

fn step(node: &graph::Node, state: State) -> Step {
    let call = node.call();
    let wait = call.filter(|call| call.waits).map(|call| wait(&call.args));
    let mut args = words::act(&node.act);
    if wait.is_some() {
        args.retain(|(name, _)| name != "count" && name != "timeout");
    }
    Step {
        id: node.step_id.clone(),
        inside: None,
        line: node.line,
        verb: node.does().to_owned(),
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

/// A verb that waits names its quorum `count` and its time `timeout`, by its contract.
fn wait(args: &Arg) -> Wait {
    Wait {
        enough: words::named(args, "count").map_or_else(|| "all yes".into(), quorum),
        exhausted: "none open".into(),
        timeout: words::named(args, "timeout").unwrap_or_else(|| "no limit".into()),
    }
}

/// A bare number wants a word beside it.
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
    let applicable = graph.applicable_if.as_ref().map(|e: &Expr| ("for", words::expression(e)));
    let limits = limits(&graph.limits).map(|text| ("at most", text));
    let idle = graph.success_when.is_empty() && !graph.fallbacks.is_empty();
    let idle = idle.then(|| ("note", "no success_when, so no fallback is ever tried".to_owned()));
    let told = graph.on_cancel.iter().filter_map(|&ix| graph.node(ix)).map(|node| &*node.step_id);
    let told = told.collect::<Vec<_>>().join(", ");
    let told = (!told.is_empty()).then_some(("cancelled", told));
    applicable.into_iter().chain(limits).chain(told).chain(idle).collect()
}

fn limits(limits: &MethodLimits) -> Option<String> {
    let duration = limits.max_duration.map(words::span);
    let messages = limits.max_messages.map(|n| format!("{n} messages"));
    let parts: Vec<String> = duration.into_iter().chain(messages).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
