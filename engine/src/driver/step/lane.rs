//! Decides whether a step is committed in lane A, with or without reading first, or in lane B.

use super::super::core::Core;
use super::run_in_memory::RunInMemory;
use crate::contract::{Contract, Effect, Idempotency};
use crate::expr::facts;
use crate::method::{Call, Node, StepAction};
use crate::run::{RunStatus, StepError, WaitingFor};
use crate::store::{Dialect, SignalRow};
use crate::verb::Verb;

/// How a step is taken and committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::driver) enum Lane {
    /// Lane A: the step uses what is in memory, and its commit is written in a batch with others.
    Memory,
    /// Lane A as well, but the step first reads rows in the transaction of the batch. It writes only its commit.
    Reading,
    /// Lane B: the step is taken in a transaction of its own, where it may change any row.
    Own,
}

/// What this process has learned before a step begins, as far as it matters for the choice of the lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::driver) enum Learned {
    /// Nothing.
    Nothing,
    /// What an outside system said about the current call.
    Report,
    /// What a shadow run would do.
    Preview,
}

/// The next action of a step, described only as far as it matters for the choice of the lane.
pub(in crate::driver) enum Action<'a> {
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

/// Returns the lane in which a step begins. No other function decides which lane a step uses.
///
/// Lane A commits a step in a batch with the steps of other runs. A step can use lane A if it reads
/// only rows that its own run wrote and the signals in memory, and writes only rows that a
/// [`Commit`](crate::store::Commit) contains.
/// A step needs lane B if it reads or changes any other row: a row of a verb, a signal for which branches
/// compete, another run, a request, a person, a schedule, or the run's undo stack. If it only reads them, it can still share a
/// commit ([`Lane::Reading`]), unless it needs the lock of its request.
///
/// Sometimes the need for a later lane shows only while a step is being taken.
/// In that case the step is taken again from its beginning, in a later lane.
pub(in crate::driver) fn first_lane(
    core: &Core,
    live: &RunInMemory,
    signals: &[SignalRow],
    learned: Learned,
) -> Lane {
    if learned == Learned::Nothing && !begins_in_tx(core, live, signals) {
        return Lane::Memory;
    }
    match signals.is_empty() && can_begin_by_reading(core, live, learned) {
        true => Lane::Reading,
        false => Lane::Own,
    }
}

/// Returns the first lane in which a step can perform `action`.
pub(super) fn lane_for(core: &Core, live: &RunInMemory, action: &Action<'_>) -> Lane {
    if !needs_tx(core, live, action) {
        return Lane::Memory;
    }
    match needs_lock(core, live) || writes(core, live, action) {
        true => Lane::Own,
        false => Lane::Reading,
    }
}

/// Whether the run works on a request that must be locked while a step reads what belongs to it: on a database server, others
/// can change it until the batch is committed.
fn needs_lock(core: &Core, live: &RunInMemory) -> bool {
    live.request.is_some() && core.store.dialect() == Dialect::Postgres
}

/// Whether a step can begin by reading in a batch: it begins or continues a call that waits for replies, begins a call that
/// is made outside or records the answer to it, or begins or continues an `await`.
fn can_begin_by_reading(core: &Core, live: &RunInMemory, learned: Learned) -> bool {
    let state = &live.state;
    let special = live.status == RunStatus::Paused
        || state.replaces.is_some()
        || state.early_end.is_some()
        || state.shadow.is_some();
    if special || needs_lock(core, live) {
        return false;
    }
    let waits_for = state.call().and_then(|call| call.waiting_for.as_ref());
    let reads_others = match waits_for {
        Some(WaitingFor::Approval(_) | WaitingFor::Children(_)) => true,
        Some(WaitingFor::External(_)) => learned != Learned::Report,
        _ => false,
    };
    let node = state.node(&live.bundle.graph);
    !reads_others && node.is_some_and(|node| !writes(core, live, &Action::Node(node)))
}

/// Whether an action changes rows besides those of the run's commit, as far as that is known before it is taken.
fn writes(core: &Core, live: &RunInMemory, action: &Action<'_>) -> bool {
    match action {
        Action::FanOut | Action::Race | Action::WindUp => true,
        Action::Node(node) => {
            let abreast =
                node.foreach.as_ref().is_some_and(|foreach| foreach.concurrency.is_some());
            abreast
                || match &node.action {
                    StepAction::Call(call) => {
                        let contract = live.bundle.contracts.get(&call.verb);
                        let verb = contract.and_then(|contract| core.verbs.of(contract));
                        let writes = matches!(verb, None | Some(Verb::Write(_)));
                        writes || contract.is_some_and(is_keyed) || !call.compensation.is_empty()
                    }
                    StepAction::Await(_) => competes_for_signals(live),
                    StepAction::Method(_) | StepAction::Parallel(_) => true,
                    _ => false,
                }
        }
        Action::Await => competes_for_signals(live),
        Action::Read(_) | Action::Judge => false,
        Action::End { cancelled } => *cancelled || tells_others(live),
    }
}

/// Whether the key of a call decides whether its tool acts. Such a key is claimed, and its result stored, in rows of their own.
pub(super) fn is_keyed(contract: &Contract) -> bool {
    contract.idempotency == Idempotency::Keyed && contract.effect != Effect::Pure
}

fn needs_tx(core: &Core, live: &RunInMemory, action: &Action<'_>) -> bool {
    match action {
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
    let asks_or_splits = |node: &Node| {
        let abreast = node.foreach.as_ref().is_some_and(|foreach| foreach.concurrency.is_some());
        abreast
            || match &node.action {
                StepAction::Call(call) => !is_pure(core, live, call),
                StepAction::Parallel(_) => true,
                _ => false,
            }
    };
    competes_for_signals(live) || live.bundle.graph.nodes.iter().any(asks_or_splits)
}

/// Whether the signals in memory are not all that the run may consume, or other branches may consume them first.
fn competes_for_signals(live: &RunInMemory) -> bool {
    live.message_target() != live.id || live.signals.more_named
}

/// Whether ending the run reads or changes rows that do not belong to the run.
fn ends_in_tx(live: &RunInMemory) -> bool {
    tells_others(live) || ends_on_facts(live)
}

/// Whether ending the run changes rows that do not belong to the run.
fn tells_others(live: &RunInMemory) -> bool {
    let state = &live.state;
    let concerns_others =
        live.request.is_some() || state.lineage.is_some() || state.scheduled.is_some();
    let is_told_of = state.outside_plan.is_some(); // the domain tells the author of the plan how it ended
    concerns_others || is_told_of || live.sets_timers()
}

fn ends_on_facts(live: &RunInMemory) -> bool {
    let graph = &live.bundle.graph;
    graph.ending_reads.iter().any(|name| name == "req")
        || graph.success_when.iter().any(facts)
        || graph.fallbacks.iter().any(|f| facts(&f.condition))
}
