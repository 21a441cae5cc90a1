//! Which steps need a transaction.

use super::super::core::Core;
use super::live::Live;
use crate::expr::facts;
use crate::method::{Act, Node};
use crate::run::Status;
use crate::store::SignalRow;
use crate::verb::Verb;

/// True where the next step needs a transaction.
pub(in crate::driver) fn needs_tx(core: &Core, live: &Live, signals: &[SignalRow]) -> bool {
    let graph = &live.bundle.graph;
    let ordered = !signals.is_empty() || live.status == Status::Paused;
    let begins_later = live.status == Status::Pending && live.state.replaces.is_some();
    if ordered || begins_later || live.state.closing.is_some() {
        return true;
    }
    match live.state.node(graph) {
        Some(node) => acts_in_tx(core, node),
        None if live.state.frames.len() > 1 => false,
        None => ends_in_tx(live),
    }
}

pub(super) fn acts_in_tx(core: &Core, node: &Node) -> bool {
    let abreast = node.foreach.as_ref().is_some_and(|foreach| foreach.abreast.is_some());
    let reads_request = node.reads.iter().any(|name| name == "req");
    abreast
        || reads_request
        || match &node.act {
            Act::Call(call) => {
                let pure = matches!(core.verbs.get(&call.verb), Some(Verb::Pure(_)));
                !pure || call.facts || !call.undo.is_empty()
            }
            Act::Method(_) | Act::Parallel(_) | Act::Await(_) => true,
            Act::Set(_) | Act::Switch(_) | Act::Repeat(_) | Act::Steps(_) => false,
        }
}

/// True where its end looks at rows of others, or changes them.
pub(super) fn ends_in_tx(live: &Live) -> bool {
    let state = &live.state;
    let concerns_others =
        live.request.is_some() || state.lineage.is_some() || state.scheduled.is_some();
    concerns_others || live.sets_timers() || ends_on_facts(live)
}

pub(super) fn ends_on_facts(live: &Live) -> bool {
    let graph = &live.bundle.graph;
    graph.ending_reads.iter().any(|name| name == "req")
        || graph.success_when.iter().any(facts)
        || graph.fallbacks.iter().any(|f| facts(&f.condition))
}
