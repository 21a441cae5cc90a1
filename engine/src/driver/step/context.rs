//! A step in progress and its possible results, which all files of this folder share.

use super::super::core::Core;
use super::draft::Draft;
use super::lane::{Action, needs_tx};
use super::run_in_memory::RunInMemory;
use crate::base::{Problem, Timestamp, Value};
use crate::ledger::EventKind;
use crate::method::Node;
use crate::run::CallState;
use crate::store::Tx;

/// The result of taking a step.
pub(in crate::driver) enum Stepped {
    /// The step succeeded: the draft holds the rows to commit.
    Commit(Box<Draft>),
    /// The call failed. The caller must roll back the call's writes, then record the failure on `draft`.
    Failed(Box<CallFailure>),
    /// The next action needs a transaction: the step must be taken again inside one.
    NeedsTx,
}

/// A failed call, with its arguments and its problem.
pub(in crate::driver) struct CallFailure {
    /// The draft as it was before the call.
    pub(in crate::driver) draft: Draft,
    pub(super) call: CallState,
    pub(super) args: Value,
    pub(super) problem: Problem,
}

/// A step in progress.
pub(in crate::driver) struct Step<'a> {
    pub(super) core: &'a Core,
    pub(super) live: &'a RunInMemory,
    pub(super) tx: Option<&'a mut Tx>,
    pub(in crate::driver) draft: Draft,
    /// True after an action needed a transaction that the step does not have.
    pub(super) wants_tx: bool,
}

/// The result of making or continuing a call.
pub(super) enum Called {
    /// The call has finished; its receipt is in the draft.
    Finished,
    /// The call continues later: it waits, or more chunks of it follow.
    Unfinished,
}

impl<'a> Step<'a> {
    /// Begins a step of a run. Without a transaction the step is taken in lane A.
    pub(in crate::driver) fn new(
        core: &'a Core,
        live: &'a RunInMemory,
        tx: Option<&'a mut Tx>,
    ) -> Self {
        Self { core, live, tx, draft: Draft::of(live, core.now()), wants_tx: false }
    }

    /// Whether `action` needs a transaction and the step has none.
    pub(super) fn lacks_tx(&self, action: &Action<'_>) -> bool {
        self.tx.is_none() && needs_tx(self.core, self.live, action)
    }

    /// Records that the step must be taken again in a transaction, if `action` needs one and there is none.
    /// Returns true in that case.
    pub(super) fn wants_tx_for(&mut self, action: &Action<'_>) -> bool {
        let lacks = self.lacks_tx(action);
        self.wants_tx |= lacks;
        lacks
    }

    /// Whether the run is a branch or a round, that is, executes a part of its parent's method.
    pub(super) fn is_branch(&self) -> bool {
        let lineage = self.live.state.lineage.as_ref();
        lineage.is_some_and(|lineage| !lineage.inherits.is_empty())
    }

    /// Returns the earliest deadline of the run and of the steps with limits around the current step.
    pub(super) fn ends_by(&self) -> Timestamp {
        let (live, state) = (self.live, &self.draft.state);
        let around = state.path(&live.bundle.graph).into_iter().zip(&state.frames);
        let limits =
            around.filter_map(|(node, frame)| Some(frame.entered?.at + node.limits.max_duration?));
        limits.fold(live.must_end_by(), Timestamp::min)
    }

    /// Adds an event to the draft. For a branch or a round, an event `run.*` is renamed to `branch.*`,
    /// because it does not concern a run of a whole method.
    pub(super) fn event(&mut self, kind: EventKind, body: Value) {
        let kind = if self.is_branch() { kind.of_a_branch() } else { kind };
        let id = self.core.ids.mint(self.draft.last_at);
        self.draft.event(id, self.live, kind, body);
    }
}

/// Returns the step of the method that the draft is at.
pub(super) fn node<'a>(step: &Step<'a>) -> Result<&'a Node, Problem> {
    let live = step.live;
    step.draft.state.node(&live.bundle.graph).ok_or_else(|| Problem::bug("the run is at no step"))
}

pub(super) fn no_transaction() -> Problem {
    Problem::bug("a verb that touches the database was called without a transaction")
}
