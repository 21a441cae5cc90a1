//! Decides whether a step is committed in lane A or in lane B.

use super::super::core::Core;
use super::run_in_memory::RunInMemory;
use crate::expr::facts;
use crate::method::{Call, Node, StepAction};
use crate::run::{RunStatus, StepError};
use crate::store::SignalRow;
use crate::verb::Verb;

/// The next action of a step, described only as far as it matters for the choice of the lane.
pub(in crate::driver) enum Action<'a> {
    /// Begin the step. The value contains the orders that the run has not obeyed yet.
    First(&'a [SignalRow]),
    /// Perform a step of the method.
    Node(&'a Node),
    /// Begin or evaluate an `await`.
    Await,
    /// Start child runs.
    FanOut,
    /// Read a value that an expression needs.
    Read(&'a StepError),
    /// Evaluate the conditions that decide how the run ends.
    Judge,
    /// Check whether a `parallel` that needs only some of its branches still needs this branch.
    Race,
    /// Stop child runs and undo calls, because the run failed or was cancelled.
    WindUp,
    /// End the run, and notify the domain, the run's parent and the schedule that started the run.
    End {
        /// Whether the run ends because it was cancelled.
        cancelled: bool,
    },
}

/// Returns whether the next action of a step needs a transaction of its own (lane B).
/// No other function decides which lane a step uses.
///
/// Lane A commits a step in a batch with the steps of other runs. A step can use lane A if it reads
/// only rows that its own run wrote and the signals in memory, and writes only rows that a
/// [`Commit`](crate::store::Commit) contains.
/// A step needs lane B if it reads or changes any other row: a row of a verb, a signal for which branches
/// compete, another run, a request, a person, a schedule, or the run's undo stack.
///
/// Sometimes the need for lane B shows only while a step is being taken.
/// In that case the step is taken again from its beginning, in a transaction.
pub(in crate::driver) fn needs_tx(core: &Core, live: &RunInMemory, action: &Action<'_>) -> bool {
    match action {
        Action::First(signals) => begins_in_tx(core, live, signals),
        Action::Node(node) => acts_in_tx(core, live, node),
        Action::Await => awaits_in_tx(core, live),
        Action::FanOut | Action::Race | Action::WindUp => true,
        Action::Read(StepError::MissingFact(_)) => true,
        Action::Read(StepError::MissingVariables(names)) => *names == ["req"],
        Action::Read(StepError::Failed(_)) => false,
        Action::Judge => ends_on_facts(live),
        Action::End { cancelled } => *cancelled || ends_in_tx(live),
    }
}

fn begins_in_tx(core: &Core, live: &RunInMemory, signals: &[SignalRow]) -> bool {
    let graph = &live.bundle.graph;
    let ordered = !signals.is_empty() || live.status == RunStatus::Paused;
    let begins_later = live.status == RunStatus::Pending && live.state.replaces.is_some();
    if ordered || begins_later || live.state.early_end.is_some() || live.state.shadow.is_some() {
        return true;
    }
    match live.state.node(graph) {
        Some(node) => acts_in_tx(core, live, node),
        None if live.state.frames.len() > 1 => false,
        None => ends_in_tx(live),
    }
}

fn acts_in_tx(core: &Core, live: &RunInMemory, node: &Node) -> bool {
    let abreast = node.foreach.as_ref().is_some_and(|foreach| foreach.concurrency.is_some());
    let reads_request = node.reads.iter().any(|name| name == "req");
    abreast
        || reads_request
        || match &node.action {
            StepAction::Call(call) => {
                !is_pure(core, live, call) || call.queries_database || !call.compensation.is_empty()
            }
            StepAction::Await(_) => awaits_in_tx(core, live),
            StepAction::Method(_) | StepAction::Parallel(_) => true,
            StepAction::Set(_)
            | StepAction::Switch(_)
            | StepAction::Repeat(_)
            | StepAction::Steps(_) => false,
        }
}

fn is_pure(core: &Core, live: &RunInMemory, call: &Call) -> bool {
    let contract = live.bundle.contracts.get(&call.verb);
    let verb = contract.and_then(|contract| core.verbs.of(contract));
    matches!(verb, Some(Verb::Pure(_)))
}

/// Whether an `await` reads more than the signals in memory: signals that other branches may consume, signals that
/// are too many for the memory, or the messages of the run, whose delays move the deadline.
fn awaits_in_tx(core: &Core, live: &RunInMemory) -> bool {
    let shares = live.message_target() != live.id || live.signals.more_named;
    let asks_or_splits = |node: &Node| {
        let abreast = node.foreach.as_ref().is_some_and(|foreach| foreach.concurrency.is_some());
        abreast
            || match &node.action {
                StepAction::Call(call) => !is_pure(core, live, call),
                StepAction::Parallel(_) => true,
                _ => false,
            }
    };
    shares || live.bundle.graph.nodes.iter().any(asks_or_splits)
}

/// Whether ending the run reads or changes rows that do not belong to the run.
fn ends_in_tx(live: &RunInMemory) -> bool {
    let state = &live.state;
    let concerns_others =
        live.request.is_some() || state.lineage.is_some() || state.scheduled.is_some();
    let is_told_of = state.outside_plan.is_some(); // the domain tells the author of the plan how it ended
    concerns_others || is_told_of || live.sets_timers() || ends_on_facts(live)
}

fn ends_on_facts(live: &RunInMemory) -> bool {
    let graph = &live.bundle.graph;
    graph.ending_reads.iter().any(|name| name == "req")
        || graph.success_when.iter().any(facts)
        || graph.fallbacks.iter().any(|f| facts(&f.condition))
}
