//! A step in the making, and what it may come to: what all that takes part in a step shares.

use super::super::core::Core;
use super::draft::Draft;
use super::lane::{Action, needs_tx};
use super::live::Live;
use crate::base::{Problem, Timestamp, Value};
use crate::method::Node;
use crate::run::CallState;
use crate::store::Tx;

/// What a step came to.
pub(in crate::driver) enum Stepped {
    /// These rows.
    Commit(Box<Draft>),
    /// The call failed: what it wrote must go, and its failure be noted on `draft`.
    Failed(Box<CallFailure>),
    /// It turned out that what comes next needs a transaction: take the step in one.
    NeedsTx,
}

/// A call that failed, as it was made.
pub(in crate::driver) struct CallFailure {
    /// The draft as it was before the call.
    pub(in crate::driver) draft: Draft,
    pub(super) call: CallState,
    pub(super) args: Value,
    pub(super) problem: Problem,
}

/// A step in the making.
pub(in crate::driver) struct Step<'a> {
    pub(super) core: &'a Core,
    pub(super) live: &'a Live,
    pub(super) tx: Option<&'a mut Tx>,
    pub(in crate::driver) draft: Draft,
    /// It turned out that what it does needs a transaction.
    pub(super) wants_tx: bool,
}

/// What an invocation came to.
pub(super) enum Called {
    /// The call is done; its receipt is in the draft.
    Finished,
    /// The call goes on: it waits, or has chunks left.
    InHand,
}

impl<'a> Step<'a> {
    /// A step of a run that begins now, in lane A where there is no transaction.
    pub(in crate::driver) fn new(core: &'a Core, live: &'a Live, tx: Option<&'a mut Tx>) -> Self {
        Self { core, live, tx, draft: Draft::of(live, core.now()), wants_tx: false }
    }

    /// True where `action` needs a transaction and the step has none.
    pub(super) fn lacks_tx(&self, action: &Action<'_>) -> bool {
        self.tx.is_none() && needs_tx(self.core, self.live, action)
    }

    /// Notes that the step is to be taken again in a transaction, if `action` needs one and there is none; whether
    /// that is so.
    pub(super) fn wants_tx_for(&mut self, action: &Action<'_>) -> bool {
        let lacks = self.lacks_tx(action);
        self.wants_tx |= lacks;
        lacks
    }

    /// True for a branch or a round: the run of a method is somewhere above it.
    pub(super) fn is_branch(&self) -> bool {
        let lineage = self.live.state.lineage.as_ref();
        lineage.is_some_and(|lineage| !lineage.inherits.is_empty())
    }

    /// When the run, or a step with limits round this one, must be over.
    pub(super) fn ends_by(&self) -> Timestamp {
        let (live, state) = (self.live, &self.draft.state);
        let around = state.path(&live.bundle.graph).into_iter().zip(&state.frames);
        let limits =
            around.filter_map(|(node, frame)| Some(frame.entered?.at + node.limits.max_duration?));
        limits.fold(live.must_end_by(), Timestamp::min)
    }

    /// Adds an event. What a branch or a round goes through is no news of the run's own life.
    pub(super) fn event(&mut self, kind: &str, body: Value) {
        let of_a_branch = kind.strip_prefix("run.").filter(|_| self.is_branch());
        let kind = of_a_branch.map_or_else(|| kind.to_owned(), |word| format!("branch.{word}"));
        self.draft.event((self.live, &self.core.ids), &kind, (None, None), body);
    }
}

/// The step of the method that the draft stands at.
pub(super) fn node<'a>(step: &Step<'a>) -> Result<&'a Node, Problem> {
    let live = step.live;
    step.draft.state.node(&live.bundle.graph).ok_or_else(|| Problem::bug("no step to call"))
}

pub(super) fn no_transaction() -> Problem {
    Problem::bug("a verb that touches the database was called without a transaction")
}
