//! Ends a run: after its last step, after a failure that no step catches, or because it was cancelled.

use super::super::core::PreviewEnd;
use super::context::{Step, no_transaction};
use super::lane::Action;
use super::{fan, load, undo};
use crate::base::Problem;
use crate::domain::RunEnd;
use crate::ledger::EventKind;
use crate::run::{
    AfterPhase, EarlyEnd, Phase, RunFailure, RunOutcome, RunStatus, RunTransition, WaitingFor,
    catch_failure, end_phase, error_value,
};

impl Step<'_> {
    /// Decides what follows after the last step of the current phase. After the main steps or a fallback,
    /// the run completes or the next fallback begins. After a call that undoes another call, the run
    /// continues with the next call on its undo stack. After `on_cancel`, the run is closed.
    pub(super) async fn conclude(&mut self) -> Result<(), Problem> {
        match self.draft.state.phase {
            Phase::Undo { .. } => {
                undo::close(self, "done").await?;
                return self.wind_up().await;
            }
            Phase::OnCancel => return self.close().await,
            _ => {}
        }
        let live = self.live;
        let mut scope = load::scope(self);
        for _ in 0..load::DEMANDS_MAX {
            let mut state = self.draft.state.clone();
            match end_phase(&live.bundle.graph, &mut state, &scope) {
                Ok(AfterPhase::Fallback(ix)) => {
                    self.draft.state = state;
                    self.event(EventKind::RunFallback, serde_json::json!({ "fallback": ix }));
                    return self.draft.transition(RunTransition::Advance);
                }
                Ok(AfterPhase::End(outcome)) => {
                    self.draft.state = state;
                    return self.complete(outcome).await;
                }
                Err(error) => {
                    if let Some(problem) = load::supply(self, &mut scope, error).await? {
                        return self.fail(problem).await;
                    }
                }
            }
        }
        Err(Problem::bug("the conditions of an ending never stop asking for values"))
    }

    /// Completes the run after its last step. If the run is a branch that its `parallel` no longer needs,
    /// cancels the run instead, so that the calls of the branch are undone.
    async fn complete(&mut self, outcome: RunOutcome) -> Result<(), Problem> {
        if let Some(need) = self.live.state.branches_needed(&self.live.bundle.graph) {
            self.wants_lane_for(&Action::Race);
            let Some(tx) = self.tx.as_deref_mut() else { return Ok(()) };
            if tx.count_completed_siblings(self.live.id).await? >= need {
                return self.cancel().await;
            }
        }
        self.draft.transition(RunTransition::Complete)?;
        self.event(EventKind::RunCompleted, serde_json::json!({"outcome": outcome.as_str()}));
        self.draft.end(Some(outcome));
        self.tell_the_end(false).await
    }

    /// Fails the current step: the `on_error` of this step or of a step around it catches the failure, or
    /// the run begins to end. If the current call undoes another call, the failure of the current call is
    /// recorded, and the run continues with the next call on its undo stack.
    pub(super) async fn fail(&mut self, problem: Problem) -> Result<(), Problem> {
        let graph = &self.live.bundle.graph;
        let step_id = self
            .draft
            .state
            .node(graph)
            .map_or_else(|| "end".to_owned(), |node| node.step_id.clone());
        let body = serde_json::json!({"step_id": step_id, "code": problem.code});
        if matches!(self.draft.state.phase, Phase::Undo { .. }) {
            self.event(EventKind::UndoFailed, body);
            undo::close(self, "failed").await?;
            return self.wind_up().await;
        }
        self.disarm().await?;
        if catch_failure(graph, &mut self.draft.state) {
            self.event(EventKind::StepCaught, body);
            self.draft.assign("error".to_owned(), error_value(&step_id, &problem));
            return self.draft.transition(RunTransition::Advance);
        }
        self.event(EventKind::RunFailed, body);
        self.draft.state.error.get_or_insert(RunFailure { step_id, problem });
        self.draft.state.early_end.get_or_insert(EarlyEnd::Failing);
        self.wind_up().await
    }

    /// Begins to cancel the run.
    pub(super) async fn cancel(&mut self) -> Result<(), Problem> {
        self.draft.state.early_end = Some(EarlyEnd::Cancelling);
        self.draft.transition(RunTransition::BeginCancelling)?;
        self.wind_up().await
    }

    /// Does the next part of what a failed or cancelled run must do before it ends. The parts come in this
    /// sequence, each in a commit of its own: stop the child runs, undo the calls (the latest first), begin
    /// `on_cancel` if the run was cancelled, and close the run.
    pub(super) async fn wind_up(&mut self) -> Result<(), Problem> {
        if self.wants_lane_for(&Action::WindUp) {
            return Ok(());
        }
        self.disarm().await?;
        if self.stop_children().await? || undo::next(self).await? {
            return Ok(());
        }
        let is_branch = self.is_branch();
        let state = &mut self.draft.state;
        let tells = !is_branch
            && state.shadow.is_none()
            && state.early_end == Some(EarlyEnd::Cancelling)
            && state.phase != Phase::OnCancel
            && !self.live.bundle.graph.on_cancel.is_empty();
        if tells {
            state.start_phase(Phase::OnCancel);
            return self.draft.transition(RunTransition::Advance);
        }
        self.close().await
    }

    /// Orders the child runs of the current step to stop, and makes the run wait until they have ended.
    /// Returns false if the current step has no child run, or if all its child runs have ended.
    pub(super) async fn stop_children(&mut self) -> Result<bool, Problem> {
        let Some(call) = self.draft.state.call().cloned() else { return Ok(false) };
        let Some(WaitingFor::Children(mut children)) = call.waiting_for.clone() else {
            return Ok(false);
        };
        let run = self.live.id;
        let tx = self.tx.as_deref_mut().ok_or_else(no_transaction)?;
        let open = tx.live_children(run).await?;
        if open.is_empty() {
            return Ok(false);
        }
        if !children.stopping {
            fan::stop(self, &open).await?;
        }
        children.stopping = true;
        let mut call = call;
        call.waiting_for = Some(WaitingFor::Children(children));
        self.draft.hold(call);
        self.draft.transition(RunTransition::Wait)?;
        self.draft.park(None, None);
        Ok(true)
    }

    /// Closes a run that failed or was cancelled.
    async fn close(&mut self) -> Result<(), Problem> {
        let cancelled = self.draft.state.early_end == Some(EarlyEnd::Cancelling);
        let transition = if cancelled { RunTransition::Cancel } else { RunTransition::Fail };
        self.draft.transition(transition)?;
        self.event(
            EventKind::RunEnded,
            serde_json::json!({ "status": self.draft.status.as_str() }),
        );
        self.draft.end(None);
        self.tell_the_end(cancelled).await
    }

    /// Ends a shadow run as its copy ended.
    pub(super) async fn end_as(&mut self, end: &PreviewEnd) -> Result<(), Problem> {
        match end {
            PreviewEnd::Completed(outcome) => self.complete(*outcome).await,
            PreviewEnd::Cancelled => self.complete(RunOutcome::FellShort).await,
            PreviewEnd::Failed(RunFailure { step_id, problem }) => {
                let body = serde_json::json!({"step_id": step_id, "code": problem.code});
                self.event(EventKind::RunFailed, body);
                let failure = RunFailure { step_id: step_id.clone(), problem: problem.clone() };
                self.draft.state.error = Some(failure);
                self.draft.state.early_end = Some(EarlyEnd::Failing);
                self.close().await
            }
        }
    }

    /// Does what must happen whenever a run ends: notifies the domain, wakes the parent and the runs that
    /// wait for this run to end, and lets the schedule that started the run fire again.
    async fn tell_the_end(&mut self, cancelled: bool) -> Result<(), Problem> {
        self.disarm().await?;
        let (core, live, is_branch) = (self.core, self.live, self.is_branch());
        let lineage = live.state.lineage.as_ref();
        self.wants_lane_for(&Action::End { cancelled });
        let Some(tx) = self.tx.as_deref_mut() else { return Ok(()) };
        if let Some(lineage) = lineage {
            tx.wake(lineage.parent);
        }
        let (state, method) = (&self.draft.state, &live.bundle.graph.method);
        let awaited = lineage.is_some() || state.outside_call.is_some() || state.shadow.is_some();
        let failure = match state.early_end {
            Some(EarlyEnd::Failing) if !awaited => state.error.as_ref(),
            _ => None,
        };
        let is_known = live.request.is_some() || state.outside_plan.is_some();
        if (is_known || cancelled || failure.is_some()) && !is_branch {
            let library = core.library();
            let cx = core.domain_context(&live.tenant, &live.settings, &library);
            let (run, request) = (live.id, live.request);
            let outcome = self.draft.outcome();
            let end = RunEnd { run, method, request, outcome, cancelled, failure };
            core.domain.run_ended(tx, &cx, end).await?;
        }
        if let Some(request) = live.request.filter(|_| !is_branch) {
            for run in tx.pending_runs(request).await? {
                tx.wake(run); // this run may wait for the end of the current run
            }
        }
        if let Some(scheduled) = live.state.scheduled {
            tx.release_waiting_schedule(scheduled.id).await?;
        }
        self.drop_timers().await
    }

    /// Drops the messages that the run scheduled for itself. A failed run keeps its scheduled messages,
    /// because the run may be retried.
    async fn drop_timers(&mut self) -> Result<(), Problem> {
        let is_over = self.draft.status != RunStatus::Failed && !self.is_branch();
        if !is_over || !self.live.sets_timers() {
            return Ok(());
        }
        let run = self.live.id;
        let tx = self.tx.as_deref_mut().ok_or_else(no_transaction)?;
        let dropped = tx.drop_timers(run).await?;
        if !dropped.is_empty() {
            let timers = crate::ledger::bounded(&serde_json::json!(dropped));
            self.event(EventKind::TimersDropped, serde_json::json!({ "timers": timers }));
        }
        Ok(())
    }

    /// Ends the current wait of the run: removes the stored row of a wait for replies, makes void what a person
    /// was to approve, and ends a call that an outside system is making.
    pub(super) async fn disarm(&mut self) -> Result<(), Problem> {
        let waits = self
            .draft
            .state
            .call()
            .is_some_and(|call| matches!(call.waiting_for, Some(WaitingFor::Replies(_))));
        if let Some(node) = self.draft.state.node(&self.live.bundle.graph).filter(|_| waits) {
            self.draft.disarm(node.key.clone());
        }
        self.void_approval().await?;
        self.abandon_external_call().await
    }
}
