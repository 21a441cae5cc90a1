//! Defines the types that describe a step of a run while the step is being taken, and the results of the
//! step. All files of this folder use these types.

use std::sync::Arc;

use super::super::core::{Core, Preview};
use super::draft::Draft;
use super::lane::{Action, Lane, Learned, lane_for};
use super::run_in_memory::RunInMemory;
use crate::base::{Problem, Timestamp, Value};
use crate::contract::Risk;
use crate::ledger::{EventKind, ExternalEffect};
use crate::method::Node;
use crate::run::{CallState, ExternalReport};
use crate::store::{SignalRow, Tx};

/// The result of taking a step.
pub(in crate::driver) enum Stepped {
    /// The step succeeded. The draft contains the rows to commit.
    Commit(Box<Draft>),
    /// A call failed. Whoever receives this must roll back what the call has written,
    /// then record the failure on the draft of the [`CallFailure`].
    Failed(Box<CallFailure>),
    /// The step needs this lane. It must be taken again there.
    Needs(Lane),
}

/// A failed call, with its arguments and its problem.
pub(in crate::driver) struct CallFailure {
    /// The draft as it was before the call.
    pub(in crate::driver) draft: Draft,
    pub(super) call: CallState,
    pub(super) args: Value,
    pub(super) problem: Problem,
    /// What the call did outside before it failed, if an outside system was to make it.
    pub(super) external: Option<ExternalEffect>,
}

/// A step of a run while it is being taken. Its changes are collected in the draft.
pub(in crate::driver) struct Step<'a> {
    pub(super) core: &'a Core,
    pub(super) live: &'a RunInMemory,
    /// The transaction; `None` in [`Lane::Memory`].
    pub(super) tx: Option<&'a mut Tx>,
    pub(super) lane: Lane,
    pub(in crate::driver) draft: Draft,
    /// The lane that an action of this step needed, if the step was in an earlier one.
    pub(super) wants: Option<Lane>,
    /// What this process has just learned about the current call to an outside system.
    pub(super) report: Option<ExternalReport>,
    /// What this process has just found out about a shadow run.
    pub(super) preview: Option<Arc<Preview>>,
    /// Whether an outside system has done what the current call asked for.
    pub(super) acted_outside: bool,
    /// Risk of the current call, if the gate judged it otherwise than its contract.
    pub(super) judged_risk: Option<Risk>,
}

/// What this process has learned since the run's last commit. It is in memory only.
#[derive(Debug, Clone, Default)]
pub(in crate::driver) struct StepNews {
    /// What an outside system said about the current call.
    pub(in crate::driver) report: Option<ExternalReport>,
    /// What a shadow run would do.
    pub(in crate::driver) preview: Option<Arc<Preview>>,
}

/// The result of making or continuing a call.
pub(super) enum Called {
    /// The call has finished. The draft contains its receipt.
    Finished,
    /// The call continues in a later step, because it waits or has more to write.
    Unfinished,
}

impl StepNews {
    /// Says what was learned.
    pub(in crate::driver) const fn learned(&self) -> Learned {
        match (&self.report, &self.preview) {
            (Some(_), _) => Learned::Report,
            (None, Some(_)) => Learned::Preview,
            (None, None) => Learned::Nothing,
        }
    }
}

impl<'a> Step<'a> {
    /// Returns the draft of the step; `None` if the step must be taken again in a later lane.
    pub(in crate::driver) fn taken(self) -> Option<Box<Draft>> {
        self.wants.is_none().then(|| Box::new(self.draft))
    }

    /// Begins a step of a run: with a transaction of its own, or with what is in memory if `tx` is `None`.
    pub(in crate::driver) fn new(
        core: &'a Core,
        live: &'a RunInMemory,
        tx: Option<&'a mut Tx>,
    ) -> Self {
        let draft = Draft::of(live, core.now());
        let (report, preview) = (None, None);
        let lane = if tx.is_some() { Lane::Own } else { Lane::Memory };
        Self {
            core,
            live,
            tx,
            lane,
            draft,
            wants: None,
            report,
            preview,
            acted_outside: false,
            judged_risk: None,
        }
    }

    /// Begins a step that only reads, in the transaction of a batch.
    pub(in crate::driver) fn reading(
        core: &'a Core,
        live: &'a RunInMemory,
        tx: &'a mut Tx,
    ) -> Self {
        Self { lane: Lane::Reading, ..Self::new(core, live, Some(tx)) }
    }

    /// Adds what this process has just learned.
    pub(in crate::driver) fn with_news(self, news: StepNews) -> Self {
        Self { report: news.report, preview: news.preview, ..self }
    }

    /// Returns the lane that `action` needs, if that is a later lane than that of the step.
    pub(super) fn later_lane(&self, action: &Action<'_>) -> Option<Lane> {
        Some(lane_for(self.core, self.live, action)).filter(|needed| *needed > self.lane)
    }

    /// If `action` needs a later lane than that of the step, records that the step must be taken again there, and returns
    /// true.
    pub(super) fn wants_lane_for(&mut self, action: &Action<'_>) -> bool {
        let later = self.later_lane(action);
        self.wants = self.wants.max(later);
        later.is_some()
    }

    /// Whether the run is a branch or a round, that is, executes a part of its parent's method.
    pub(super) fn is_branch(&self) -> bool {
        let lineage = self.live.state.lineage.as_ref();
        lineage.is_some_and(|lineage| !lineage.inherits.is_empty())
    }

    /// Returns the earliest deadline of the run, the current step and the steps around the current step.
    /// A step without a time limit has no deadline.
    pub(super) fn ends_by(&self) -> Timestamp {
        let (live, state) = (self.live, &self.draft.state);
        let around = state.path(&live.bundle.graph).into_iter().zip(&state.frames);
        let limits =
            around.filter_map(|(node, frame)| Some(frame.entered?.at + node.limits.max_duration?));
        limits.fold(live.must_end_by(), Timestamp::min)
    }

    /// Consumes the oldest signal with one of these names. Returns `None` if no such signal has arrived, or
    /// if another branch has consumed it. Without a transaction of its own, only the signals in memory count: a signal that
    /// has arrived since then has woken the run, so the run looks again before it waits.
    pub(super) async fn take_signal(
        &mut self,
        names: &[&str],
    ) -> Result<Option<SignalRow>, Problem> {
        let (root, seq) = (self.live.message_target(), self.live.seq + 1);
        let Some(tx) = self.tx.as_deref_mut().filter(|_| self.lane == Lane::Own) else {
            let known = &self.live.signals.named;
            let is_wanted = |name: &String| names.contains(&name.as_str());
            let found = known.iter().find(|signal| {
                !self.draft.has_consumed(signal.id) && signal.name.as_ref().is_some_and(is_wanted)
            });
            found.iter().for_each(|signal| self.draft.consume(signal.id));
            return Ok(found.cloned());
        };
        let Some(signal) = tx.first_named(root, names).await? else { return Ok(None) };
        if !tx.consume_named(root, signal.id, seq).await? {
            return Ok(None);
        }
        self.draft.note_consumed(signal.id);
        Ok(Some(signal))
    }

    /// Adds an event to the draft. In a branch or a round, an event `run.*` is renamed to `branch.*`,
    /// because a branch or a round is not a run of a whole method.
    pub(super) fn event(&mut self, kind: EventKind, body: Value) {
        let kind = if self.is_branch() { kind.of_a_branch() } else { kind };
        let id = self.core.ids.mint(self.draft.last_at);
        self.draft.event(id, self.live, kind, body);
    }
}

/// Returns the current step of the run, as the draft records the position of the run. Fails if the run is
/// at no step.
pub(super) fn node<'a>(step: &Step<'a>) -> Result<&'a Node, Problem> {
    let live = step.live;
    step.draft.state.node(&live.bundle.graph).ok_or_else(|| Problem::bug("the run is at no step"))
}

pub(super) fn no_transaction() -> Problem {
    Problem::bug("a verb that touches the database was called without a transaction")
}
