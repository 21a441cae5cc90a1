//! Describes the calls that one approval covers together: a call that asks, and the calls that directly follow it,
//! such as closing an invoice and sending it. They are frozen when the approval is asked for.

use serde::{Deserialize, Serialize};

use super::approval::GivenApproval;
use super::state::{Phase, RunState};
use crate::base::Digest;
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

/// A call that begins with an approval, because it was approved together with an earlier call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveredCall {
    /// Id of the step that makes the call.
    pub step_id: String,
    /// Digest of the arguments that were approved.
    pub args: Digest,
    /// The approval. It may cover further calls.
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
        self.joint = given.and_then(|given| {
            let (first, rest) = given.then.split_first()?;
            let FrozenCall { step_id, args, risk } = first.clone();
            let approval = GivenApproval { id: given.id, risk, then: rest.to_vec() };
            Some(Box::new(CoveredCall { step_id, args, approval }))
        });
    }

    /// Takes the approval that covers the call of the step `step_id`, if that is the call which must come next.
    /// In any case, nothing later is covered except by the approval that is returned.
    pub fn take_joint_approval(&mut self, step_id: &str) -> Option<Box<CoveredCall>> {
        self.joint.take().filter(|call| call.step_id == step_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{ApprovalId, TypedId as _};

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
