//! The state of a run. It has a few hundred bytes, no matter how many steps the run has taken.

use serde::{Deserialize, Serialize};

use super::approval::{ApprovalWait, GivenApproval};
use super::deadline::ComputedEnd;
use super::external::ExternalCall;
use super::fan_out::FanOut;
use super::gate::RunConsent;
use super::joint::CoveredCall;
use super::outside_call::OutsideCall;
use super::outside_plan::OutsidePlan;
use super::shadow::ShadowStart;
use super::wait::WaitSpec;
use crate::base::{CallId, Digest, Problem, RunId, TimerId, Timestamp, Value};
use crate::method::{Graph, Node, NodeIndex, StepAction};

/// The number of the format in which the state is stored. A build does not continue a run whose state has a
/// format unknown to the build.
pub const STATE_V: i64 = 1;

/// The state of a run: its position, and the data that it must remember between steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// The list of steps that the run executes now.
    pub phase: Phase,
    /// Position in the list `phase`, then in each nested list that contains the current step. The last
    /// frame is the innermost.
    pub frames: Vec<Frame>,
    /// Whether the last wait ended by its timeout: the value of the variable `timeout`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub timed_out: bool,
    /// Sequence number of the latest event in the run's ledger stream.
    #[serde(default)]
    pub log_seq: i64,
    /// Number of messages that the run's calls have queued.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub messages: u64,
    /// Number of calls that the run has begun while a limit of their number applied.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tool_calls: u64,
    /// The first error that made the run fail, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RunFailure>,
    /// Why the run ends before its steps are done. If there is such a reason, the run only stops its child
    /// runs, undoes calls, and executes `on_cancel`.
    #[serde(rename = "closing", default, skip_serializing_if = "Option::is_none")]
    pub early_end: Option<EarlyEnd>,
    /// How often the run was claimed without the commit of a step, if the run is paused for that reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<i64>,
    /// Run from which this run was forked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<RunId>,
    /// Number of calls on the run's undo stack: they undo earlier calls if the run fails or is cancelled.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub undos: i64,
    /// Origin of the run, if it is a child run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lineage: Option<Lineage>,
    /// Schedule that started the run, if a schedule started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled: Option<ScheduledStart>,
    /// Run that this run replaces. This run takes no step before that one has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<RunId>,
    /// The call from outside that the run carries out, if that is all that the run does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside_call: Option<OutsideCall>,
    /// The plan from outside that the run carries out, if that is all that the run does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside_plan: Option<OutsidePlan>,
    /// Whether a person has consented to the run's calls of risk T2; `None` if nobody was asked yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent: Option<RunConsent>,
    /// How the run's method was found. A run of a complex plan makes no change before somebody has consented to it.
    #[serde(default, skip_serializing_if = "PlanOrigin::is_named")]
    pub plan_origin: PlanOrigin,
    /// The next call, if the approval of the call before covers it too. Boxed, because few runs have one and each
    /// step copies the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<Box<CoveredCall>>,
    /// What a shadow run is to play in a copy of the database, if the run is a shadow run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow: Option<ShadowStart>,
}

/// How the method of a run was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanOrigin {
    /// Whoever started the run named the method.
    #[default]
    Named,
    /// The method was chosen for the goal. The plan is recorded when the run begins.
    Proposed,
    /// The same, and the plan is so complex that a supervisor must consent to it.
    Complex,
}

impl PlanOrigin {
    /// Whether the caller named the method.
    #[must_use]
    pub fn is_named(&self) -> bool {
        *self == Self::Named
    }
}

/// The schedule that started a run, and the due time for which the schedule started the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduledStart {
    /// Id of the schedule.
    pub id: TimerId,
    /// The due time of the schedule. The run may start later, for example if a missed time is caught up.
    pub at: Timestamp,
}

/// The outermost list of steps that a run executes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The main steps of the method.
    Main,
    /// The steps of the fallback with this index, from 0.
    Fallback(usize),
    /// The steps of a branch of a `parallel`, in a child run.
    Branch {
        /// The `parallel` step.
        node: NodeIndex,
        /// Index of the branch, from 0.
        branch: usize,
    },
    /// The steps of one round of a `foreach`, in a child run.
    Item {
        /// The step with the `foreach`.
        node: NodeIndex,
    },
    /// A call that undoes another call, after the run failed or was cancelled.
    Undo {
        /// Step whose call is undone.
        node: NodeIndex,
        /// Position of the undoing call on the run's undo stack, from 1.
        pos: i64,
        /// Digest of the arguments of the undoing call. The arguments were computed when the undone call
        /// succeeded.
        args: Digest,
    },
    /// The steps of `on_cancel`, after the run was cancelled.
    OnCancel,
    /// No steps are left.
    Ended,
}

crate::words! {
    /// Why a run ends before its steps are done.
    pub enum EarlyEnd {
        /// A step failed permanently.
        Failing = "failing",
        /// The run was cancelled.
        Cancelling = "cancelling",
    }
}

/// The origin of a child run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lineage {
    /// Parent: the run that waits for the child run.
    pub parent: RunId,
    /// Number of runs above the child run: 1 for the child of a run that has no parent.
    pub depth: usize,
    /// For a branch or a round: the runs whose variables the child run sees, from its parent outwards.
    /// Empty for a called method.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inherits: Vec<RunId>,
    /// Sequence number of the parent's latest event when the child run was started. In a list of the events
    /// of parent and child, the child's events follow that event.
    pub after: i64,
    /// Time by which the child run must have ended. The parent derives this time from its own deadlines.
    pub ends_by: Timestamp,
}

/// A position in a list of steps.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Frame {
    /// Index of the current step in the list.
    pub at: usize,
    /// Progress of the current step's `foreach`, once it has begun.
    #[serde(rename = "each", default, skip_serializing_if = "Option::is_none")]
    pub foreach: Option<ForeachProgress>,
    /// The nested list of the current step that the run executes now; `None` if the run executes no
    /// nested list of this step. The next frame is the position in the nested list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<NestedList>,
    /// Number of finished rounds of the current step, if it is a `repeat`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rounds: u32,
    /// If the current step has limits of its own: when the step was entered, and how many messages the run
    /// had queued by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entered: Option<StepStart>,
    /// Current call, if it waits, is to be retried, or has more to write in later commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallState>,
}

/// A list of steps inside a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NestedList {
    /// The steps of the case with this index, in a `switch`.
    Case(usize),
    /// The steps of a `repeat` or of a group of steps.
    Body,
    /// The steps of `on_error`.
    OnError,
}

/// When a step with limits of its own was entered, and the number of messages queued by then.
/// The limits count from these values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepStart {
    /// Time at which the step was entered.
    pub at: Timestamp,
    /// Number of messages that the run had queued before it entered the step.
    pub messages: u64,
    /// Number of calls that the run had begun, as far as they are counted, before it entered the step.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tool_calls: u64,
}

/// How far a `foreach` has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeachProgress {
    /// Index of the current item, from 0.
    pub index: usize,
    /// Number of items.
    pub len: usize,
}

/// The state of a call that is not finished.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallState {
    /// Id of the call. All attempts of the call, and all commits that it needs, have the same id.
    pub id: CallId,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Time of the first attempt.
    pub started_at: Timestamp,
    /// Digest of the arguments. A call that waits, that is retried or that writes in several commits keeps
    /// the arguments with which it began. These arguments are stored under this digest, which is zero for a call
    /// without arguments.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub args: Digest,
    /// Where the verb continues in the next commit, if the verb writes in several commits. The verb defines
    /// the meaning of this value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Value>,
    /// Number of rows and number of messages that the call has written in earlier commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub so_far: Option<(u64, u64)>,
    /// Time of the next attempt, if the last attempt failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Timestamp>,
    /// What the call waits for, if it waits.
    #[serde(rename = "on", default, skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<WaitingFor>,
    /// The approval of the call, if the call needed one and has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<GivenApproval>,
}

/// What an unfinished call waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitingFor {
    /// Replies from people.
    Replies(WaitState),
    /// A signal from outside, or the deadline. An `await` without signals waits only for the deadline.
    Signal {
        /// Start of the wait.
        since: Timestamp,
        /// Deadline, as last computed.
        deadline: Timestamp,
        /// Ends that depended on data when the wait began.
        #[serde(default, skip_serializing_if = "ComputedEnd::is_none")]
        ends: ComputedEnd,
    },
    /// A person who may approve the call.
    Approval(ApprovalWait),
    /// An outside system.
    External(ExternalCall),
    /// Child runs.
    Children(FanOut),
}

/// The state of a wait for replies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitState {
    /// The replies that the run waits for, and the number of people needed.
    pub spec: WaitSpec,
    /// Start of the wait.
    pub since: Timestamp,
    /// Deadline, as last computed.
    pub deadline: Timestamp,
}

/// The error of a failed run, and the step that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFailure {
    /// Id of the step that failed; `end` if a condition at the end of the run could not be evaluated.
    pub step_id: String,
    /// The problem that made the step fail.
    #[serde(flatten)]
    pub problem: Problem,
}

impl Default for RunState {
    fn default() -> Self {
        Self {
            phase: Phase::Main,
            frames: vec![Frame::default()],
            timed_out: false,
            log_seq: 0,
            messages: 0,
            tool_calls: 0,
            error: None,
            early_end: None,
            quarantine: None,
            forked_from: None,
            undos: 0,
            lineage: None,
            scheduled: None,
            replaces: None,
            outside_call: None,
            outside_plan: None,
            consent: None,
            plan_origin: PlanOrigin::default(),
            joint: None,
            shadow: None,
        }
    }
}

impl RunState {
    /// Returns the runs whose variables the run sees: the run itself (`own`) and, for a branch or a round,
    /// the runs that contain it, from the parent outwards.
    #[must_use]
    pub fn visible_runs(&self, own: RunId) -> Vec<RunId> {
        let above = self.lineage.iter().flat_map(|lineage| &lineage.inherits);
        std::iter::once(&own).chain(above).copied().collect()
    }

    /// Returns the run that receives the signals from outside for this run: the run itself (`own`) or, for a
    /// branch or a round, the run of the whole method.
    #[must_use]
    pub fn signal_receiver(&self, own: RunId) -> RunId {
        let above = self.lineage.as_ref().and_then(|lineage| lineage.inherits.last());
        above.copied().unwrap_or(own)
    }

    /// Returns the innermost frame, or `None` if the state has no frame.
    #[must_use]
    pub fn frame(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// Returns the innermost frame, so that the caller can change it. Adds a frame if the state has none.
    pub(super) fn frame_mut(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Returns the current call, if a call has begun and is not finished.
    #[must_use]
    pub fn call(&self) -> Option<&CallState> {
        self.frame()?.call.as_ref()
    }

    /// Returns the approval that the current call waits for.
    #[must_use]
    pub fn awaited_approval(&self) -> Option<&ApprovalWait> {
        match &self.call()?.waiting_for {
            Some(WaitingFor::Approval(wait)) => Some(wait),
            _ => None,
        }
    }

    /// Stores the current call, which has begun and is not finished.
    pub fn set_call(&mut self, call: CallState) {
        self.frame_mut().call = Some(call);
    }

    /// Forgets the current call, because it has ended.
    pub fn drop_call(&mut self) {
        self.frame_mut().call = None;
    }

    /// Moves to the first step of the list `phase`.
    pub fn start_phase(&mut self, phase: Phase) {
        self.phase = phase;
        self.frames = vec![Frame::default()];
    }

    /// Returns the current step, or `None` if all steps of the innermost list are done.
    #[must_use]
    pub fn node<'g>(&self, graph: &'g Graph) -> Option<&'g Node> {
        let path = self.path(graph);
        path.last().copied().filter(|_| path.len() == self.frames.len())
    }

    /// Returns the step of each frame, the outermost first. If all steps of the innermost list are done,
    /// the path has fewer steps than the state has frames.
    #[must_use]
    pub fn path<'g>(&self, graph: &'g Graph) -> Vec<&'g Node> {
        let mut path: Vec<&Node> = Vec::with_capacity(self.frames.len());
        for frame in &self.frames {
            let node = match path.last() {
                None => self.outermost_step(graph, frame.at),
                Some(around) => {
                    let inside = self.frames.get(path.len() - 1).and_then(|frame| frame.inside);
                    let steps = inside.map_or(&[][..], |inside| nested_steps(around, inside));
                    steps.get(frame.at).and_then(|ix| graph.node(*ix))
                }
            };
            let Some(node) = node else { break };
            path.push(node);
        }
        path
    }

    /// Whether the run is a round of a `foreach`, and its current step is the step with this `foreach`.
    /// Such a run executes only its own item of the `foreach`, and its parent combines the results of all
    /// items.
    #[must_use]
    pub fn is_own_round(&self) -> bool {
        matches!(self.phase, Phase::Item { .. }) && self.frames.len() == 1
    }

    /// If the run is a branch of a `parallel` that needs only some of its branches, returns how many
    /// branches the `parallel` needs. Returns `None` for any other run.
    #[must_use]
    pub fn branches_needed(&self, graph: &Graph) -> Option<usize> {
        let Phase::Branch { node, .. } = self.phase else { return None };
        match &graph.node(node)?.action {
            StepAction::Parallel(parallel) => {
                Some(parallel.need).filter(|need| *need < parallel.branches.len())
            }
            _ => None,
        }
    }

    /// Returns the step at the index `at` of the outermost list of steps, or `None` if the list has no
    /// such index.
    fn outermost_step<'g>(&self, graph: &'g Graph, at: usize) -> Option<&'g Node> {
        let steps: &[NodeIndex] = match self.phase {
            Phase::Main => &graph.main,
            Phase::Fallback(ix) => graph.fallbacks.get(ix).map_or(&[], |f| &f.steps),
            Phase::Branch { node, branch } => match &graph.node(node)?.action {
                StepAction::Parallel(parallel) => parallel.branches.get(branch)?,
                _ => &[],
            },
            Phase::Item { node } => return graph.node(node).filter(|_| at == 0),
            Phase::Undo { node, .. } => &graph.node(node)?.call()?.compensation,
            Phase::OnCancel => &graph.on_cancel,
            Phase::Ended => &[],
        };
        graph.node(*steps.get(at)?)
    }
}

/// Returns the steps of a list inside a step; an empty list if the step has no such list.
fn nested_steps(node: &Node, inside: NestedList) -> &[NodeIndex] {
    match (inside, &node.action) {
        (NestedList::OnError, _) => &node.on_error,
        (NestedList::Case(ix), StepAction::Switch(cases)) => {
            cases.get(ix).map_or(&[], |case| &case.steps)
        }
        (NestedList::Body, StepAction::Repeat(repeat)) => &repeat.steps,
        (NestedList::Body, StepAction::Steps(steps)) => steps,
        _ => &[],
    }
}

fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

#[cfg(test)]
mod tests;
