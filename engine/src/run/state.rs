//! A run's state: a few hundred bytes, whatever the length of its life.

use serde::{Deserialize, Serialize};

use super::fan::Fan;
use super::wait::WaitSpec;
use crate::base::{CallId, Digest, Problem, RunId, TimerId, Timestamp, Value};
use crate::method::{Act, Graph, Node, NodeIx};

/// The version of the stored form; a version that this build does not know is refused.
pub const STATE_V: i64 = 1;

/// Where a run stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// Which list of steps it is in.
    pub phase: Phase,
    /// The position in that list; the innermost frame is the last.
    pub frames: Vec<Frame>,
    /// The last wait ended by its timer: the variable `timeout`.
    #[serde(default)]
    pub timed_out: bool,
    /// The place of its latest event in its stream.
    #[serde(default)]
    pub log_seq: i64,
    /// Messages that its calls have queued.
    #[serde(default)]
    pub messages: u64,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
    /// It is coming to an end before its steps do: what is left is to undo, and to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<Closing>,
    /// It is paused because so many processes that took it came to their end over it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<i64>,
    /// The run that it was forked from: it has begun at the step where that one stood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<RunId>,
    /// Calls that can be undone, the height of that stack.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub undos: i64,
    /// Of a child run: where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lineage: Option<Lineage>,
    /// The schedule that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled: Option<Scheduled>,
    /// The run that was cancelled for it: it does not begin before that one has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<RunId>,
}

/// Which schedule started a run, and for which of its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scheduled {
    /// The schedule.
    pub id: TimerId,
    /// The time that fell due: a start that was made up for comes later.
    pub at: Timestamp,
}

/// Which list of steps a run is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The method's steps.
    Main,
    /// The steps of the fallback of this index.
    Fallback(usize),
    /// Of a child run: one branch of a `parallel`.
    Branch {
        /// The step.
        node: NodeIx,
        /// Which branch, from 0.
        branch: usize,
    },
    /// Of a child run: one round of a `foreach`.
    Item {
        /// The step.
        node: NodeIx,
    },
    /// The call that undoes a call.
    Undo {
        /// The step whose call is undone.
        node: NodeIx,
        /// Its place on the stack.
        pos: i64,
        /// The arguments, frozen when the call succeeded.
        args: Digest,
    },
    /// The steps of `on_cancel`.
    OnCancel,
    /// After all steps.
    Ended,
}

/// Why a run comes to an end before its steps do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closing {
    /// A step failed for good.
    Failing,
    /// Somebody cancelled it.
    Cancelling,
}

/// Where a child run comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lineage {
    /// The run that waits for it.
    pub parent: RunId,
    /// How many runs are above it.
    pub depth: usize,
    /// Of a branch or a round: the runs whose variables it sees, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inherits: Vec<RunId>,
    /// The place of its parent's latest event when it was started: what it does comes behind that.
    pub after: i64,
    /// When its whole life must be over, because its parent's must.
    pub ends_by: Timestamp,
}

/// A position in a list of steps.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Frame {
    /// The index of the next step in the list.
    pub at: usize,
    /// How far its `foreach` has come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each: Option<Each>,
    /// The list inside the step that the next frame stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<Inside>,
    /// The rounds of its `repeat` that are done.
    #[serde(default, skip_serializing_if = "is_zero_u32")]
    pub rounds: u32,
    /// What it had used up when it was entered, if it has limits of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entered: Option<Entered>,
    /// The call in hand: it waits, is to be retried, or has chunks left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallState>,
}

/// A list of steps inside a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inside {
    /// The case of this index.
    Case(usize),
    /// Its steps.
    Body,
    /// Its `on_error`.
    OnError,
}

/// Where a step with limits began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entered {
    /// When.
    pub at: Timestamp,
    /// Messages that the run had queued by then.
    pub messages: u64,
}

/// How far a `foreach` has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Each {
    /// The item in hand, from 0.
    pub index: usize,
    /// How many there are.
    pub len: usize,
}

/// A call in hand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallState {
    /// The call; the same over attempts and chunks.
    pub id: CallId,
    /// The attempt, from 1.
    pub attempt: u32,
    /// When it was first made.
    pub started_at: Timestamp,
    /// Its arguments, frozen by digest once it has chunks, waits or has failed.
    pub args: Digest,
    /// Where its next chunk begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Value>,
    /// How many rows and messages its chunks have written so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub so_far: Option<(u64, u64)>,
    /// When it is tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Timestamp>,
    /// What it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Pending>,
}

/// What a call in hand waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pending {
    /// Replies of people.
    Replies(WaitState),
    /// A message from outside, or time to pass.
    Signal {
        /// Since when.
        since: Timestamp,
        /// Until when, as last computed.
        deadline: Timestamp,
    },
    /// Child runs.
    Children(Fan),
}

/// A wait for replies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitState {
    /// What is waited for.
    pub spec: WaitSpec,
    /// Since when.
    pub since: Timestamp,
    /// Until when, as last computed.
    pub deadline: Timestamp,
}

/// Why a run failed, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunError {
    /// The step.
    pub step_id: String,
    /// What was wrong.
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
            closing: None,
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
    /// The run `own` that this is the state of, then those that it is a part of, the nearest first: what
    /// one of them has assigned, it sees.
    #[must_use]
    pub fn line(&self, own: RunId) -> Vec<RunId> {
        let above = self.lineage.iter().flat_map(|lineage| &lineage.inherits);
        std::iter::once(&own).chain(above).copied().collect()
    }

    /// The innermost position.
    #[must_use]
    pub fn frame(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// The innermost position, to be changed.
    pub(super) fn frame_mut(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// The call in hand.
    #[must_use]
    pub fn call(&self) -> Option<&CallState> {
        self.frame()?.call.as_ref()
    }

    /// Puts a call in hand.
    pub fn hold(&mut self, call: CallState) {
        self.frame_mut().call = Some(call);
    }

    /// Enters a list of steps at its beginning.
    pub fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.frames = vec![Frame::default()];
    }

    /// The next step, if one is left in the innermost list.
    #[must_use]
    pub fn node<'g>(&self, graph: &'g Graph) -> Option<&'g Node> {
        let path = self.path(graph);
        path.last().copied().filter(|_| path.len() == self.frames.len())
    }

    /// The steps that the frames stand at, the outermost first; a list that is done ends it early.
    #[must_use]
    pub fn path<'g>(&self, graph: &'g Graph) -> Vec<&'g Node> {
        let mut path: Vec<&Node> = Vec::with_capacity(self.frames.len());
        for frame in &self.frames {
            let node = match path.last() {
                None => self.top(graph, frame.at),
                Some(around) => {
                    let inside = self.frames.get(path.len() - 1).and_then(|frame| frame.inside);
                    let block = inside.map_or(&[][..], |inside| block(around, inside));
                    block.get(frame.at).and_then(|ix| graph.node(*ix))
                }
            };
            let Some(node) = node else { break };
            path.push(node);
        }
        path
    }

    /// True where the step at hand is the round that this child run is for: it does not start rounds
    /// of its own, and whoever started it joins what it gives.
    #[must_use]
    pub fn is_own_round(&self) -> bool {
        matches!(self.phase, Phase::Item { .. }) && self.frames.len() == 1
    }

    /// How many good ends the step that started this branch needs, if fewer than it has branches.
    #[must_use]
    pub fn rivals(&self, graph: &Graph) -> Option<usize> {
        let Phase::Branch { node, .. } = self.phase else { return None };
        match &graph.node(node)?.act {
            Act::Parallel(parallel) => {
                Some(parallel.need).filter(|need| *need < parallel.branches.len())
            }
            _ => None,
        }
    }

    fn top<'g>(&self, graph: &'g Graph, at: usize) -> Option<&'g Node> {
        let block: &[NodeIx] = match self.phase {
            Phase::Main => &graph.main,
            Phase::Fallback(ix) => graph.fallbacks.get(ix).map_or(&[], |f| &f.steps),
            Phase::Branch { node, branch } => match &graph.node(node)?.act {
                Act::Parallel(parallel) => parallel.branches.get(branch)?,
                _ => &[],
            },
            Phase::Item { node } => return graph.node(node).filter(|_| at == 0),
            Phase::Undo { node, .. } => &graph.node(node)?.call()?.undo,
            Phase::OnCancel => &graph.on_cancel,
            Phase::Ended => &[],
        };
        graph.node(*block.get(at)?)
    }
}

/// A list of steps inside a step.
fn block(node: &Node, inside: Inside) -> &[NodeIx] {
    match (inside, &node.act) {
        (Inside::OnError, _) => &node.on_error,
        (Inside::Case(ix), Act::Switch(cases)) => cases.get(ix).map_or(&[], |case| &case.steps),
        (Inside::Body, Act::Repeat(repeat)) => &repeat.steps,
        (Inside::Body, Act::Steps(steps)) => steps,
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
