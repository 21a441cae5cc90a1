//! Describes the calls that one approval covers together: a call that asks, and the calls that directly follow it,
//! such as closing an invoice and sending it. They are frozen when the approval is asked for.

use serde::{Deserialize, Serialize};

use super::approval::GivenApproval;
use super::foreach::bind_items_around;
use super::scope::{StepError, StepScope};
use super::state::{Phase, RunState};
use crate::base::{ApprovalId, Digest, Value};
use crate::contract::Risk;
use crate::method::{Graph, Node};

/// A call that an approval covers, although another call has asked for the approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrozenCall {
    /// Id of the step that makes the call.
    pub step_id: String,
    /// Digest of its arguments, which are stored. The call is made with them alone.
    pub args: Digest,
    /// Risk of the call, as the gate judged it.
    pub risk: Risk,
}

/// An approval that covers the next call of the run, and perhaps more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JointApproval {
    /// Id of the approval.
    pub id: ApprovalId,
    /// The calls, in their order. At least one.
    pub calls: Vec<FrozenCall>,
}

/// A call that begins with an approval: what was approved together with an earlier call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoveredCall {
    /// Digest of the arguments that were approved.
    pub args: Digest,
    /// The approval.
    pub approval: GivenApproval,
}

impl RunState {
    /// Returns the calls that follow the current step directly: steps of the same list that are made whatever
    /// happens, once, without a wait in between.
    #[must_use]
    pub fn calls_after<'g>(&self, graph: &'g Graph) -> Vec<&'g Node> {
        let mut ahead = self.clone();
        let repeats = self.frame().is_none_or(|frame| frame.foreach.is_some());
        if repeats || self.is_own_round() || matches!(self.phase, Phase::Undo { .. }) {
            return Vec::new();
        }
        let mut calls = Vec::new();
        loop {
            ahead.frame_mut().at += 1;
            let Some(node) = ahead.node(graph) else { return calls };
            let plain = node.when.is_none() && node.foreach.is_none();
            if !plain || node.call().is_none_or(|call| call.waits || call.queries_database) {
                return calls;
            }
            calls.push(node);
        }
    }

    /// Remembers what else an approval covers, now that its call has succeeded. Whatever an earlier approval
    /// has covered is over.
    pub fn keep_joint_approval(&mut self, given: Option<&GivenApproval>) {
        let rest = given.filter(|given| !given.then.is_empty());
        self.joint = rest.map(|given| JointApproval { id: given.id, calls: given.then.clone() });
    }

    /// Takes the approval that covers the call of the step `step_id`, if that is the call which must come next.
    /// In any case, nothing later is covered except by the approval that is returned.
    pub fn take_joint_approval(&mut self, step_id: &str) -> Option<CoveredCall> {
        let joint = self.joint.take()?;
        let mut calls = joint.calls.into_iter();
        let first = calls.next().filter(|call| call.step_id == step_id)?;
        let approval = GivenApproval { id: joint.id, risk: first.risk, then: calls.collect() };
        Some(CoveredCall { args: first.args, approval })
    }
}

/// Evaluates the arguments that a call which has not come yet would have with the current variables.
pub fn args_ahead(
    graph: &Graph,
    state: &RunState,
    node: &Node,
    scope: &mut StepScope,
) -> Result<Value, StepError> {
    bind_items_around(graph, state, scope)?;
    let Some(call) = node.call() else { return Ok(Value::Null) };
    call.args.evaluate(scope).map_err(|e| StepError::from_eval(e, &format!("`{}`", node.step_id)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TypedId as _;

    fn state(then: &[&str]) -> RunState {
        let id = ApprovalId::from_uuid(uuid::Uuid::nil());
        let frozen = |step: &&str| FrozenCall {
            step_id: (*step).to_owned(),
            args: Digest::of_value(&(*step).into()),
            risk: Risk::T3,
        };
        let given = GivenApproval { id, risk: Risk::T3, then: then.iter().map(frozen).collect() };
        let mut state = RunState::default();
        state.keep_joint_approval(Some(&given));
        state
    }

    #[test]
    fn an_approval_covers_the_calls_in_their_order_and_nothing_else() {
        let mut run = state(&["send", "tell"]);
        let send = run.take_joint_approval("send").expect("covered");
        assert_eq!(send.args, Digest::of_value(&"send".into()));
        assert_eq!(run.joint, None, "until the call has succeeded");
        run.keep_joint_approval(Some(&send.approval));
        let tell = run.take_joint_approval("tell").expect("covered");
        run.keep_joint_approval(Some(&tell.approval));
        assert_eq!(run.joint, None);

        let mut other = state(&["send"]);
        assert_eq!(other.take_joint_approval("tell"), None);
        assert_eq!(other.take_joint_approval("send"), None, "another call came in between");
        assert_eq!(state(&[]).joint, None);
    }
}
