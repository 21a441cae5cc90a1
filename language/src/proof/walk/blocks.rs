//! Computes the bounds of steps that contain other steps, and of steps without a call.

use std::collections::BTreeSet;

use super::{Walk, either, micros};
use crate::base::limits;
use crate::method::{
    Arg, Await, Case, Foreach, Graph, Node, NodeIndex, Parallel, Repeat, StepAction,
};
use crate::proof::amount::Bound;
use crate::proof::ending::Loop;
use crate::proof::moment::Moment;
use crate::proof::round::Round;
use crate::proof::sizes::Size;
use crate::proof::usage::Usage;
use crate::proof::waiting;

impl Walk<'_, '_> {
    /// Returns the maximum number of times that the current step runs: the product of the numbers
    /// of rounds of all loops around the step, including the step's own `foreach`.
    pub(super) fn rounds_of_limits(&self) -> Bound {
        self.rounds.iter().fold(Bound::number(1), |all, round| all.times(&round.times))
    }

    pub(super) fn round(&mut self, node: &Node, foreach: &Foreach, then: &str) -> Round {
        let Size { items, people } = self.sizes.list(&foreach.over);
        let items = items.capped(limits::FOREACH_ITEMS_MAX as u64);
        self.note_loop(node, "foreach", items.clone());
        let (variable, apart) = (Some(foreach.variable.clone()), foreach.concurrency.is_some());
        if apart {
            let need = "every round has ended".to_owned();
            self.waits.push(waiting::children(node, "rounds", need, None, then));
        }
        self.widen(node);
        Round { times: items, variable, people, apart }
    }

    pub(super) fn note_loop(&mut self, node: &Node, kind: &'static str, rounds: Bound) {
        let one = Loop { step_id: node.step_id.clone(), line: node.line, kind, rounds };
        self.loops.push(one);
    }

    /// Forgets the bounds of the variables that a loop sets. Their values can grow with each round,
    /// but the analysis visits the steps of a loop only once.
    pub(super) fn widen(&mut self, node: &Node) {
        let mut set = BTreeSet::new();
        assigned(self.graph, node, &mut set);
        set.iter().for_each(|name| self.sizes.forget(name));
    }

    pub(super) fn set(&mut self, members: &[(String, Arg)]) -> Usage {
        for (name, value) in members {
            match value {
                Arg::Expr(expr) => match self.sizes.known_list(expr) {
                    Some(size) => self.sizes.fill(name, size),
                    None => self.sizes.forget(name),
                },
                Arg::List(items) => {
                    let items = Bound::number(items.len() as u64);
                    self.sizes.fill(name, Size { items, people: false });
                }
                Arg::Literal(value) if value.is_array() => {
                    let items = Bound::number(value.as_array().map_or(0, Vec::len) as u64);
                    self.sizes.fill(name, Size { items, people: false });
                }
                _ => self.sizes.forget(name),
            }
        }
        Usage::nothing()
    }

    pub(super) fn wait(&mut self, node: &Node, wait: &Await, then: &str) -> Usage {
        self.waits.push(waiting::signals(node, wait, then));
        let pause = wait.signals.is_empty();
        self.moment = self.moment.map(|moment| match pause && wait.computed.is_empty() {
            true => moment.pause(wait.timeout),
            false => moment.wait(Some(wait.timeout), !pause),
        });
        Usage::waiting(Some(micros(wait.timeout)), !pause)
    }

    /// Visits a `switch`, of which at most one case runs.
    pub(super) fn switch(&mut self, cases: &[Case], then: &str) -> Usage {
        let before = self.moment;
        let mut after = before;
        let mut usage = Usage::nothing();
        for case in cases {
            self.moment = before;
            usage = usage.either(&self.block(&case.steps, then));
            after = either(after, self.moment);
        }
        self.moment = after;
        usage
    }

    pub(super) fn repeat(&mut self, node: &Node, repeat: &Repeat) -> Usage {
        let times = Bound::number(u64::from(repeat.max));
        self.note_loop(node, "repeat", times.clone());
        self.widen(node);
        let (before, first) = (self.moment, self.sendings.len());
        self.rounds.push(Round { times, variable: None, people: false, apart: false });
        let usage = self.block(&repeat.steps, &next_round(node));
        self.rounds.pop();
        let often = Some(u64::from(repeat.max));
        self.again(before, first, often);
        usage.rounds(often, None)
    }

    /// Visits a `parallel`. In the worst case all branches run, and the longest branch determines the time.
    pub(super) fn parallel(&mut self, node: &Node, parallel: &Parallel, then: &str) -> Usage {
        let all = parallel.branches.len();
        let need = match parallel.need {
            n if n == all => "all branches succeed".to_owned(),
            n => format!("{n} of {all} branches succeed"),
        };
        self.waits.push(waiting::children(node, "branches", need, None, then));
        self.rounds.push(Round {
            times: Bound::number(1),
            variable: None,
            people: false,
            apart: true,
        });
        let before = self.moment;
        let mut after = None;
        let mut usage = Usage::nothing();
        for branch in &parallel.branches {
            self.moment = before;
            let join = format!("the join of `{}`", node.step_id);
            usage = usage.beside(&self.block(branch, &join));
            after = either(after.or(self.moment), self.moment);
        }
        self.rounds.pop();
        self.moment = after.or(before);
        usage.apart()
    }

    /// Extends time windows that cover only the first round of a loop, so that they cover all rounds.
    /// These are the current window and the windows of the messages that the loop sends.
    /// The parameter `first` is the index of the loop's first message in `sendings`.
    pub(super) fn again(&mut self, before: Option<Moment>, first: usize, often: Option<u64>) {
        let (Some(before), Some(once)) = (before, self.moment) else { return };
        let after = once.again(before, often);
        if after.until > once.until {
            for (_, moment) in self.sendings.iter_mut().skip(first) {
                *moment = moment.map(|moment| moment.or_until(after.until));
            }
        }
        self.moment = Some(after);
    }

    /// Extends the current time window to include the earlier window `before`,
    /// because the steps between the two windows may be skipped.
    pub(super) fn merge(&mut self, before: Option<Moment>) {
        self.moment = either(before, self.moment);
    }
}

/// Describes what follows the last step of a loop: the next round.
pub(super) fn next_round(node: &Node) -> String {
    format!("the next round of `{}`", node.step_id)
}

/// Collects the variables that are set by a step or by the steps inside it.
fn assigned(graph: &Graph, node: &Node, names: &mut BTreeSet<String>) {
    names.extend(node.out().into_iter().chain(node.implies()).map(str::to_owned));
    let mut blocks: Vec<&[NodeIndex]> = vec![&node.on_error];
    match &node.action {
        StepAction::Set(members) => names.extend(members.iter().map(|(name, _)| name.clone())),
        StepAction::Await(wait) => {
            names.extend(wait.signals.iter().filter_map(|one| one.out.clone()))
        }
        StepAction::Switch(cases) => blocks.extend(cases.iter().map(|case| case.steps.as_slice())),
        StepAction::Repeat(repeat) => blocks.push(&repeat.steps),
        StepAction::Parallel(parallel) => {
            blocks.extend(parallel.branches.iter().map(Vec::as_slice))
        }
        StepAction::Steps(steps) => blocks.push(steps),
        StepAction::Call(_) | StepAction::Method(_) => {}
    }
    let inside = blocks.into_iter().flatten().filter_map(|&ix| graph.node(ix));
    inside.for_each(|inner| assigned(graph, inner, names));
}
