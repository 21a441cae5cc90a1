//! Asks for the approval of a call, and lets the run wait until a person has decided. The arguments that are
//! approved are stored under their digest, and the call is carried out with them alone.

use super::call::receipt;
use super::context::{self, Called, Step, no_transaction};
use super::joint::CallAhead;
use super::load;
use super::park::park;
use crate::base::{ApprovalId, Problem, Value};
use crate::contract::Approvers;
use crate::domain::ApprovalNotice;
use crate::ledger::EventKind;
use crate::run::{
    APPROVAL_EXPIRED, AfterAsking, ApprovalScope, ApprovalStage, ApprovalWait, CallState, DENIED,
    Decided, FrozenCall, GivenApproval, RunConsent, RunTransition, WaitingFor, starts_children,
};
use crate::store::{ApprovalEnd, ApprovalRow, ApprovalState, StoreError};
use crate::verb::Proposal;

/// What is known about the approval of a call.
pub(super) enum Asked {
    /// The call waits.
    Waits,
    /// The call may be carried out, with its stored arguments.
    Approved,
}

/// A request for an approval.
pub(super) struct Request<'a> {
    /// What the approval covers.
    pub(super) scope: ApprovalScope,
    /// What would happen.
    pub(super) proposal: Proposal,
    /// Who must approve it.
    pub(super) approvers: Vec<Approvers>,
    /// The calls that the approval covers beside the current one.
    pub(super) then: Vec<CallAhead<'a>>,
}

/// Stores what the current call, or its run, would do, and tells the first approver.
pub(super) async fn ask(
    step: &mut Step<'_>,
    mut call: CallState,
    args: &Value,
    request: Request<'_>,
) -> Result<Called, Problem> {
    let node = context::node(step)?;
    let Request { scope, proposal, approvers, then } = request;
    let (live, since, risk) = (step.live, step.draft.last_at, proposal.risk);
    let input = step.draft.freeze(&proposal.args);
    call.args = match scope {
        ApprovalScope::Call if then.is_empty() => input,
        ApprovalScope::Call | ApprovalScope::Run => step.draft.freeze(args),
    };
    let then: Vec<FrozenCall> =
        then.iter().map(|call| call.frozen(step.draft.freeze(&call.args))).collect();
    let permitted = live.settings.quiet_hours.permitted(since, &live.settings.zone());
    let wait = ApprovalWait {
        id: step.core.ids.mint(since),
        scope,
        risk,
        since: permitted,
        window: live.settings.approval_window,
        stage: ApprovalStage::Asked,
        then,
    };
    let row = ApprovalRow {
        id: wait.id,
        tenant: live.tenant.to_string(),
        correlation: None,
        run: live.id,
        call: call.id,
        step_id: node.step_id.clone(),
        tool: node.action_name().to_owned(),
        scope,
        risk: risk.to_string(),
        input,
        reason: proposal.reason,
        shows: proposal.shows,
        approvers,
        votes: Vec::new(),
        state: ApprovalState::Pending,
        asked_at: since,
        expires_at: wait.expires_at(),
        decided_at: None,
        decided_by: None,
        note: None,
    };
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    tx.insert_approval(&row).await?;
    let mut body = serde_json::json!({
        "approval_id": row.id, "step_id": row.step_id, "tool": row.tool, "scope": scope, "risk": row.risk,
        "reason": row.reason, "input": row.input.to_string(), "expires_at": row.expires_at.to_string(),
    });
    if !wait.then.is_empty() {
        let steps: Vec<&str> = wait.then.iter().map(|call| &*call.step_id).collect();
        body["then"] = serde_json::json!(steps);
    }
    step.event(EventKind::ApprovalAsked, body);
    tell(step, &row, ApprovalStage::Asked).await?;
    let next = wait.after(None, since);
    call.waiting_for = Some(WaitingFor::Approval(wait));
    let AfterAsking::Wait(until) = next else {
        return Err(Problem::bug("an approval that was just asked for does not wait"));
    };
    park(step, call, Some(until))
}

/// Looks whether somebody has decided about the current call. If the call may be carried out, remembers the
/// approval of the call, or the consent to the run.
///
/// # Errors
/// `denied` and `approval_expired`.
pub(super) async fn evaluate(step: &mut Step<'_>, call: &mut CallState) -> Result<Asked, Problem> {
    let Some(WaitingFor::Approval(mut wait)) = call.waiting_for.clone() else {
        return Err(Problem::bug("the current call waits for no approval"));
    };
    let now = step.draft.last_at;
    let decided = decision(step, wait.id).await?;
    loop {
        match wait.after(decided.as_ref(), now) {
            AfterAsking::Act => {
                close(step, &wait, ApprovalState::Expired).await?;
                call.waiting_for = None;
                match wait.scope {
                    ApprovalScope::Call => {
                        let then = std::mem::take(&mut wait.then);
                        call.approval = Some(GivenApproval { id: wait.id, risk: wait.risk, then });
                    }
                    ApprovalScope::Run => {
                        step.draft.state.consent = Some(RunConsent::Approved(wait.id));
                    }
                }
                return Ok(Asked::Approved);
            }
            AfterAsking::Fail(problem) => return Err(problem),
            AfterAsking::Tell(stage) => {
                wait.stage = stage;
                let row = row(step, wait.id).await?;
                let body = serde_json::json!({ "approval_id": wait.id, "stage": stage });
                step.event(EventKind::ApprovalReminded, body);
                tell(step, &row, stage).await?;
            }
            AfterAsking::Wait(until) => {
                call.waiting_for = Some(WaitingFor::Approval(wait));
                park(step, call.clone(), Some(until))?;
                return Ok(Asked::Waits);
            }
        }
    }
}

/// Looks whether somebody has decided about the plan of a run that is about to start child runs. The run goes on
/// whatever was decided: after a no, its calls of risk T2 fail, where `on_error` can catch them.
pub(super) async fn evaluate_plan(
    step: &mut Step<'_>,
    call: &mut CallState,
) -> Result<Called, Problem> {
    match evaluate(step, call).await {
        Ok(Asked::Waits) => return Ok(Called::Unfinished),
        Ok(Asked::Approved) => {}
        Err(problem) if [DENIED, APPROVAL_EXPIRED].contains(&&*problem.code) => {
            step.close_approval_of_failed().await?;
        }
        Err(problem) => return Err(problem),
    }
    step.draft.state.drop_call();
    step.draft.transition(RunTransition::Advance)?;
    Ok(Called::Unfinished)
}

/// Tells those who may decide, as far as the stage says, what the call would do.
async fn tell(step: &mut Step<'_>, row: &ApprovalRow, stage: ApprovalStage) -> Result<(), Problem> {
    let (core, live) = (step.core, step.live);
    let library = core.library();
    let cx = core.domain_context(&live.tenant, &live.settings, &library);
    let notice = ApprovalNotice { approval: row, stage };
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    core.domain.approval_asked(tx, &cx, notice).await
}

async fn row(step: &mut Step<'_>, id: ApprovalId) -> Result<ApprovalRow, Problem> {
    let tenant = step.live.tenant.clone();
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    tx.approval(&tenant, id).await?.ok_or_else(|| Problem::bug("an approval is gone"))
}

/// Returns the decision about an approval; `None` if nobody has decided.
async fn decision(step: &mut Step<'_>, id: ApprovalId) -> Result<Option<Decided>, Problem> {
    let (root, name) = (step.live.message_target(), Decided::signal_name(id));
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let Some(signal) = tx.first_named(root, &[&name]).await? else { return Ok(None) };
    serde_json::from_value(signal.payload)
        .map(Some)
        .map_err(|error| Problem::bug(error.to_string()))
}

/// Records how the approval of the current call ended: as somebody decided, or in the state `undecided` if
/// nobody did.
async fn close(
    step: &mut Step<'_>,
    wait: &ApprovalWait,
    undecided: ApprovalState,
) -> Result<(), Problem> {
    let decided = decision(step, wait.id).await?;
    let mut body = serde_json::json!({ "approval_id": wait.id });
    let votes = row(step, wait.id).await?.votes;
    if votes.len() > 1 {
        body["votes"] = serde_json::json!(votes);
    }
    match decided {
        Some(decided) => {
            step.take_signal(&[&Decided::signal_name(wait.id)]).await?;
            body["state"] = serde_json::json!(decided.decision.state());
            body["by"] = decided.by.into();
            if let Some(reason) = decided.reason {
                body["note"] = reason.into();
            }
        }
        None => {
            let end =
                ApprovalEnd { state: undecided, at: step.draft.last_at, by: None, note: None };
            let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
            if !tx.end_approval(wait.id, end).await? {
                // Somebody decides at this moment. The next attempt of the step reads the decision.
                return Err(StoreError::Repeat("an approval was decided".into()).into());
            }
            if undecided == ApprovalState::Expired {
                step.core.count_fired();
            }
            body["state"] = serde_json::json!(undecided);
        }
    }
    step.event(EventKind::ApprovalEnded, body);
    Ok(())
}

impl Step<'_> {
    /// Records how the approval of the current call ended, if the call waited for one when the step began.
    /// The failure of the call has rolled back what the step had recorded.
    pub(super) async fn close_approval_of_failed(&mut self) -> Result<(), Problem> {
        match self.draft.state.awaited_approval().cloned() {
            Some(wait) => {
                if wait.scope == ApprovalScope::Run {
                    self.draft.state.consent = Some(RunConsent::Refused(wait.id));
                }
                close(self, &wait, ApprovalState::Expired).await
            }
            None => Ok(()),
        }
    }

    /// If the current call waits for an approval while the run ends or moves on, ends the approval, and ends the
    /// call with a receipt that says so.
    pub(super) async fn void_approval(&mut self) -> Result<(), Problem> {
        let Some(wait) = self.draft.state.awaited_approval().cloned() else { return Ok(()) };
        close(self, &wait, ApprovalState::Void).await?;
        let Some(call) = self.draft.state.call().cloned() else { return Ok(()) };
        let node = context::node(self)?;
        if starts_children(node, &self.draft.state) {
            self.draft.state.drop_call(); // it is no call, so it has no receipt
            return Ok(());
        }
        let args = load::frozen(self, call.args).await?;
        let problem = Problem::caller("approval_void", "the run did not wait for the approval");
        let proof = receipt(self, node, &call, &args, Some(&problem));
        self.draft.receipt(self.live, &proof);
        self.draft.state.drop_call();
        Ok(())
    }
}
