//! A run's state: a few hundred bytes, whatever the length of its life.

use serde::{Deserialize, Serialize};

use super::wait::WaitSpec;
use crate::base::{CallId, Digest, Problem, Timestamp, Value};
use crate::method::{Graph, Node, NodeIx};

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
}

/// Which list of steps a run is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The method's steps.
    Main,
    /// The steps of the fallback of this index.
    Fallback(usize),
    /// After all steps.
    Ended,
}

/// A position in a list of steps.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Frame {
    /// The index of the next step in the list.
    pub at: usize,
    /// How far its `foreach` has come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each: Option<Each>,
    /// The call in hand: it waits, is to be retried, or has chunks left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallState>,
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
    pub wait: Option<WaitState>,
}

/// A wait in hand.
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
        }
    }
}

impl RunState {
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

    /// The call in hand, to be changed.
    pub fn call_mut(&mut self) -> Option<&mut CallState> {
        self.frame_mut().call.as_mut()
    }

    /// Puts a call in hand.
    pub fn hold(&mut self, call: CallState) {
        self.frame_mut().call = Some(call);
    }

    /// Enters a list of steps at its beginning.
    pub(super) fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.frames = vec![Frame::default()];
    }

    /// The steps of the present phase.
    #[must_use]
    pub fn steps<'g>(&self, graph: &'g Graph) -> &'g [NodeIx] {
        match self.phase {
            Phase::Main => &graph.main,
            Phase::Fallback(ix) => graph.fallbacks.get(ix).map_or(&[], |f| &f.steps),
            Phase::Ended => &[],
        }
    }

    /// The next step, if one is left in this phase.
    #[must_use]
    pub fn node<'g>(&self, graph: &'g Graph) -> Option<&'g Node> {
        let ix = *self.steps(graph).get(self.frame()?.at)?;
        graph.node(ix)
    }
}
