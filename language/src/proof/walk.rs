//! Visits every step of a method's graph once, in the order of the source,
//! and adds up the messages and the time of the steps.

mod blocks;
mod calls;

use std::collections::{BTreeMap, BTreeSet};

use super::ProofDefinitions;
use super::amount::Bound;
use super::cost::Cost;
use super::ending::{Loop, ProofFault};
use super::finish::Finish;
use super::given::Given;
use super::moment::Moment;
use super::quiet::{self, Clash};
use super::report::{Approvals, Messages, Proof};
use super::round::Round;
use super::sending::Sending;
use super::sizes::Sizes;
use super::usage::Usage;
use super::waiting::Wait;
use crate::base::Span;
use crate::method::{Graph, Node, NodeIndex, StepAction};
use blocks::next_round;

/// Proves methods. A method that is called several times is proved once.
pub(super) struct Prover<'a> {
    world: &'a ProofDefinitions<'a>,
    given: &'a Given,
    /// Proofs of all methods visited so far; `None` while the proof of a method is in progress.
    known: BTreeMap<String, Option<Proof>>,
}

impl<'a> Prover<'a> {
    pub(super) fn new(world: &'a ProofDefinitions<'a>, given: &'a Given) -> Self {
        Self { world, given, known: BTreeMap::new() }
    }

    pub(super) fn prove(&mut self, graph: &Graph) -> Proof {
        let given = self.given;
        self.known.insert(graph.method.clone(), None);
        let proof = Walk::new(self, graph, given).method();
        self.known.insert(graph.method.clone(), Some(proof.clone()));
        proof
    }

    /// Proves a called method for any goal and any start time; `None` if the call is recursive.
    fn called(&mut self, graph: &Graph) -> Option<Proof> {
        if let Some(known) = self.known.get(&graph.method) {
            return known.clone();
        }
        self.known.insert(graph.method.clone(), None);
        let given = Given { goal: None, start: None, price: None, ..self.given.clone() };
        let proof = Walk::new(self, graph, &given).method();
        self.known.insert(graph.method.clone(), Some(proof.clone()));
        Some(proof)
    }
}

struct Walk<'w, 'a> {
    prover: &'w mut Prover<'a>,
    graph: &'w Graph,
    given: &'w Given,
    sizes: Sizes<'w>,
    rounds: Vec<Round>,
    /// Whether the current step undoes a call or belongs to `on_cancel`.
    undoing: bool,
    /// Whether a call has needed the consent to the run.
    consent: bool,
    moment: Option<Moment>,
    sendings: Vec<(Sending, Option<Moment>)>,
    waits: Vec<Wait>,
    loops: Vec<Loop>,
    breaches: Vec<ProofFault>,
    notes: BTreeSet<String>,
}

impl<'w, 'a> Walk<'w, 'a> {
    fn new(prover: &'w mut Prover<'a>, graph: &'w Graph, given: &'w Given) -> Self {
        let limit = graph.limits.max_duration.unwrap_or(given.run_max_duration);
        Self {
            prover,
            graph,
            given,
            sizes: Sizes::new(given, graph.inputs.as_ref()),
            rounds: Vec::new(),
            undoing: false,
            consent: false,
            moment: given.start.as_ref().map(|start| Moment::start(start.at, limit)),
            sendings: Vec::new(),
            waits: Vec::new(),
            loops: Vec::new(),
            breaches: Vec::new(),
            notes: BTreeSet::new(),
        }
    }

    fn method(mut self) -> Proof {
        let graph = self.graph;
        let decided = !graph.success_when.is_empty();
        let mut usage = self.block(&graph.main, if decided { "success_when" } else { "the end" });
        for fallback in graph.fallbacks.iter().filter(|_| decided) {
            let before = self.moment;
            usage = usage.then(&self.block(&fallback.steps, "success_when"));
            self.merge(before);
        }
        let ends = self.moment;
        if let Some(limit) = graph.limits.max_messages {
            usage = usage.limited(&Bound::number(limit));
        }
        self.undoing = true;
        let cancelled = self.block(&graph.on_cancel, "the end");
        usage.undone = usage.undone.plus(&cancelled.sent).plus(&cancelled.later);
        usage.asks = usage.asks.plus(&cancelled.asks);
        self.report(usage, ends)
    }

    fn report(self, usage: Usage, ends: Option<Moment>) -> Proof {
        let given = self.given;
        let start = given.start.as_ref();
        let clashes = self.sendings.iter().filter(|(one, _)| one.when.is_none() && !one.undoing);
        let clashes = clashes.filter_map(|(one, moment)| quiet::clash(start?, (*moment)?, one));
        let quiet_hours: Vec<Clash> = clashes.collect();
        let sent = usage.sent.plus(&usage.later).plus(&usage.undone);
        let rounds = self.loops.iter().map(|one| &one.rounds);
        let bounds = rounds.chain([&sent.messages, &sent.one_person, &sent.segments, &usage.asks]);
        let assumptions = self.sizes.symbols.of(bounds.map(|bound| &bound.formula));
        let limit = self.graph.limits.max_messages;
        Proof {
            method: self.graph.method.clone(),
            breaches: self.breaches,
            loops: self.loops,
            waits: self.waits,
            approvals: Approvals { calls: usage.asks, consent: self.consent },
            cost: Cost::of(sent.segments, given.price),
            finish: Finish::of(
                if sent.messages.is_none() { usage.time.unmoved() } else { usage.time },
                self.graph.limits.max_duration,
                given,
                ends.as_ref(),
            ),
            messages: Messages {
                one_person: sent.one_person,
                in_all: sent.messages,
                limited_to: limit.filter(|_| usage.was_limited),
                if_undone: usage.undone.messages,
                by_step: self.sendings.into_iter().map(|(sending, _)| sending).collect(),
            },
            quiet_hours,
            assumptions,
            notes: self.notes.into_iter().collect(),
        }
    }

    /// Visits a sequence of steps. The string `after` describes
    /// where a run continues after the last step.
    fn block(&mut self, block: &[NodeIndex], after: &str) -> Usage {
        let graph = self.graph;
        let nodes: Vec<&Node> = block.iter().filter_map(|&ix| graph.node(ix)).collect();
        let mut usage = Usage::nothing();
        for (ix, node) in nodes.iter().enumerate() {
            let then = nodes.get(ix + 1).map_or(after, |next| next.step_id.as_str());
            usage = usage.then(&self.node(node, then));
        }
        usage
    }

    fn node(&mut self, node: &'w Node, then: &str) -> Usage {
        let before = self.moment;
        let first = self.sendings.len();
        let round = node.foreach.as_ref().map(|foreach| self.round(node, foreach, then));
        let abreast = node.foreach.as_ref().and_then(|foreach| foreach.concurrency);
        let inside = if round.is_some() { next_round(node) } else { then.to_owned() };
        self.rounds.extend(round);
        let mut usage = self.action(node, &inside);
        let times = self.rounds_of_limits();
        if let Some(limit) = node.limits.max_messages {
            usage = usage.limited(&times.times(&Bound::number(limit)));
        }
        if let Some(round) = node.foreach.as_ref().and_then(|_| self.rounds.pop()) {
            let often = round.times.at_most;
            usage = usage.rounds(often, abreast);
            usage = if round.apart { usage.apart() } else { usage };
            self.again(before, first, often);
        }
        if let Some(limit) = node.limits.max_duration {
            usage = usage.within(micros(limit));
        }
        // The time bound of a step also holds if the step fails. The steps of
        // `on_error` then follow, so the sum of both bounds is an upper bound.
        let done = self.moment;
        usage = usage.then(&self.block(&node.on_error, then));
        self.merge(done);
        // A skipped step takes no time, so the next step can begin as early as this step.
        if node.when.is_some() || node.foreach.is_some() {
            self.merge(before);
        }
        usage
    }

    fn action(&mut self, node: &'w Node, then: &str) -> Usage {
        match &node.action {
            StepAction::Call(call) => self.call(node, call, then),
            StepAction::Method(call) => self.called_method(node, call, then),
            StepAction::Set(members) => self.set(members),
            StepAction::Await(wait) => self.wait(node, wait, then),
            StepAction::Switch(cases) => self.switch(cases, then),
            StepAction::Repeat(repeat) => self.repeat(node, repeat),
            StepAction::Parallel(parallel) => self.parallel(node, parallel, then),
            StepAction::Steps(steps) => self.block(steps, then),
        }
    }
}

fn either(one: Option<Moment>, other: Option<Moment>) -> Option<Moment> {
    Some(one?.either(other?))
}

fn micros(span: Span) -> u64 {
    u64::try_from(span.micros()).unwrap_or(0)
}
