//! The state of a run: a few hundred bytes, regardless of the number of steps that the run has made.

use serde::{Deserialize, Serialize};

use super::fan_out::FanOut;
use super::wait::WaitSpec;
use crate::base::{CallId, Digest, Problem, RunId, TimerId, Timestamp, Value};
use crate::method::{Graph, Node, NodeIndex, StepAction};

/// The version of the stored form of the state. A build refuses versions that it does not know.
pub const STATE_V: i64 = 1;

/// The state of a run: its position, and the data that it must remember between steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// List of steps that the run is in.
    pub phase: Phase,
    /// Position in that list and in the lists nested in it; the innermost frame is the last.
    pub frames: Vec<Frame>,
    /// Whether the last wait ended by its timeout: the value of the variable `timeout`.
    #[serde(default)]
    pub timed_out: bool,
    /// Sequence number of the run's latest event in its stream.
    #[serde(default)]
    pub log_seq: i64,
    /// Number of messages that the run's calls have queued.
    #[serde(default)]
    pub messages: u64,
    /// Error, if the run failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RunFailure>,
    /// Why the run ends before its steps are done.
    /// From then on the run only undoes calls and runs `on_cancel`.
    #[serde(rename = "closing", default, skip_serializing_if = "Option::is_none")]
    pub early_end: Option<EarlyEnd>,
    /// Number of processes that crashed while they worked on the run, if the run is paused for that reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<i64>,
    /// Run from which this run was forked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<RunId>,
    /// Number of calls on the run's undo stack.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub undos: i64,
    /// Origin of a child run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lineage: Option<Lineage>,
    /// Schedule that started the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled: Option<ScheduledStart>,
    /// Run that was cancelled in favour of this run.
    /// This run does not begin before the cancelled run has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<RunId>,
}

/// The schedule that started a run, and the time for which it started the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduledStart {
    /// Id of the schedule.
    pub id: TimerId,
    /// Time that fell due. The run starts later if a missed time was caught up.
    pub at: Timestamp,
}

/// The list of steps that a run is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The main steps of the method.
    Main,
    /// The steps of the fallback with this index.
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
    /// A call that undoes another call.
    Undo {
        /// Step whose call is undone.
        node: NodeIndex,
        /// Position of the call on the undo stack.
        pos: i64,
        /// Digest of the arguments, which were frozen when the undone call succeeded.
        args: Digest,
    },
    /// The steps of `on_cancel`.
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
    /// Number of the child run's ancestors.
    pub depth: usize,
    /// For a branch or a round: the runs whose variables the child run sees, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inherits: Vec<RunId>,
    /// Sequence number of the parent's latest event when the child was started.
    /// When the events of both are listed together, the child's events follow that event.
    pub after: i64,
    /// Latest time at which the child run must have ended, given by its parent.
    pub ends_by: Timestamp,
}

/// A position in a list of steps.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Frame {
    /// Index of the current step in the list.
    pub at: usize,
    /// Progress of the step's `foreach`.
    #[serde(rename = "each", default, skip_serializing_if = "Option::is_none")]
    pub foreach: Option<ForeachProgress>,
    /// List inside the current step in which the next frame is a position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<NestedList>,
    /// Number of rounds of the step's `repeat` that are done.
    #[serde(default, skip_serializing_if = "is_zero_u32")]
    pub rounds: u32,
    /// Time and usage when the step was entered, if the step has limits of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entered: Option<StepStart>,
    /// Current call, if it waits, is to be retried, or has chunks left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallState>,
}

/// A list of steps inside a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NestedList {
    /// The case with this index.
    Case(usize),
    /// The body of a `repeat` or of a group of steps.
    Body,
    /// The `on_error` steps.
    OnError,
}

/// The time and usage at the start of a step that has limits of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepStart {
    /// Time at which the step was entered.
    pub at: Timestamp,
    /// Number of messages that the run had queued by then.
    pub messages: u64,
}

/// The progress of a `foreach`.
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
    /// Id of the call, the same for all attempts and chunks.
    pub id: CallId,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Time of the first attempt.
    pub started_at: Timestamp,
    /// Digest of the arguments, which are frozen once the call has chunks, waits or has failed.
    pub args: Digest,
    /// Cursor of the call's next chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Value>,
    /// Numbers of rows and messages that the call's chunks have written so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub so_far: Option<(u64, u64)>,
    /// Time of the next attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Timestamp>,
    /// What the call waits for.
    #[serde(rename = "on", default, skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<WaitingFor>,
}

/// What an unfinished call waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitingFor {
    /// Replies from people.
    Replies(WaitState),
    /// A signal, or a time.
    Signal {
        /// Start of the wait.
        since: Timestamp,
        /// Deadline, as last computed.
        deadline: Timestamp,
    },
    /// Child runs.
    Children(FanOut),
}

/// The state of a wait for replies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitState {
    /// Replies that are waited for, and the number needed.
    pub spec: WaitSpec,
    /// Start of the wait.
    pub since: Timestamp,
    /// Deadline, as last computed.
    pub deadline: Timestamp,
}

/// The error of a failed run, with its step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFailure {
    /// Id of the step.
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
            error: None,
            early_end: None,
            quarantine: None,
            forked_from: None,
            undos: 0,
            lineage: None,
            scheduled: None,
            replaces: None,
        }
    }
}

impl RunState {
    /// Returns the run itself (`own`, the run with this state) and the runs that it is part of,
    /// the nearest first. The run sees the variables of all of them.
    #[must_use]
    pub fn visible_runs(&self, own: RunId) -> Vec<RunId> {
        let above = self.lineage.iter().flat_map(|lineage| &lineage.inherits);
        std::iter::once(&own).chain(above).copied().collect()
    }

    /// Returns the innermost frame.
    #[must_use]
    pub fn frame(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// Returns a mutable reference to the innermost frame.
    pub(super) fn frame_mut(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Returns the current call, if it is unfinished.
    #[must_use]
    pub fn call(&self) -> Option<&CallState> {
        self.frame()?.call.as_ref()
    }

    /// Sets the current call, which is not finished.
    pub fn set_call(&mut self, call: CallState) {
        self.frame_mut().call = Some(call);
    }

    /// Moves to the beginning of a list of steps.
    pub fn start_phase(&mut self, phase: Phase) {
        self.phase = phase;
        self.frames = vec![Frame::default()];
    }

    /// Returns the current step, if one is left in the innermost list.
    #[must_use]
    pub fn node<'g>(&self, graph: &'g Graph) -> Option<&'g Node> {
        let path = self.path(graph);
        path.last().copied().filter(|_| path.len() == self.frames.len())
    }

    /// Returns the step of each frame, the outermost first.
    /// The path has fewer steps than there are frames if the innermost list is done.
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

    /// Whether the current step is the round that this child run executes.
    /// Such a child run starts no further rounds of that step, and its parent joins the results.
    #[must_use]
    pub fn is_own_round(&self) -> bool {
        matches!(self.phase, Phase::Item { .. }) && self.frames.len() == 1
    }

    /// Returns how many branches the `parallel` of this branch needs, if it needs fewer than it has.
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

    /// Returns the step at an index of the list that the run is in.
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

/// Returns the steps of a list inside a step.
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
const fn is_zero(number: &i64) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
const fn is_zero_u32(number: &u32) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::TypedId as _;

    #[test]
    fn stored_keys_stay_the_same() {
        let call = CallState {
            id: CallId::from_uuid(uuid::Uuid::nil()),
            attempt: 1,
            started_at: Timestamp::EPOCH,
            args: Digest::ZERO,
            cursor: None,
            so_far: Some((2, 3)),
            retry_at: None,
            waiting_for: Some(WaitingFor::Children(FanOut {
                first_failed: Some(1),
                ..FanOut::of(4)
            })),
        };
        let frame = Frame {
            foreach: Some(ForeachProgress { index: 1, len: 3 }),
            inside: Some(NestedList::OnError),
            call: Some(call),
            ..Frame::default()
        };
        let state = RunState {
            phase: Phase::Fallback(0),
            frames: vec![frame],
            early_end: Some(EarlyEnd::Failing),
            ..RunState::default()
        };
        let stored = serde_json::to_value(&state).expect("JSON");
        let call = &stored["frames"][0]["call"];
        assert_eq!(stored["phase"], json!({ "fallback": 0 }));
        assert_eq!(stored["closing"], json!("failing"));
        assert_eq!(stored["frames"][0]["each"], json!({ "index": 1, "len": 3 }));
        assert_eq!(stored["frames"][0]["inside"], json!("on_error"));
        assert_eq!(call["so_far"], json!([2, 3]));
        let children = json!({
            "total": 4, "need": 4, "abreast": 4, "started": 0, "low": 0, "ok": 0, "first_bad": 1,
        });
        assert_eq!(call["on"], json!({ "children": children }));
        assert_eq!(serde_json::from_value::<RunState>(stored).expect("a state"), state);
    }
}
