//! Takes one step of a run: turns the run in memory into a draft of its next commit.

use super::approval::{self, Asked};
use super::call::count_call;
use super::context::{CallFailure, Called, Step, Stepped, no_transaction};
use super::draft::Draft;
use super::external::evaluate;
use super::lane::{Action, Lane};
use super::{awaits, fan, gate, invoke, load, wait};
use crate::base::{CallId, Digest, Problem, TypedId as _, Value};
use crate::method::{Await, Node};
use crate::run::{
    CallState, ComputedEnd, CoveredCall, FanOut, Next, Phase, RunStatus, RunTransition, WaitingFor,
    next, starts_children,
};
use crate::store::{SignalRow, is_infrastructure};

/// What the run does next, as determined by `next_call`.
enum Found<'a> {
    Call(&'a Node, Value),
    Await(&'a Await, ComputedEnd),
    FanOut(&'a Node, FanOut, Value),
    /// The run has passed many steps without a call, so it must commit its position.
    Checkpoint,
    /// No step is left in the current phase.
    NothingLeft,
    /// An expression failed. The draft already contains the failure of the step.
    Over,
    Needs(Lane),
}

impl<'a> Step<'a> {
    /// Takes the step. `signals` contains the orders that the run has not obeyed yet.
    pub(in crate::driver) async fn take(
        mut self,
        signals: &[SignalRow],
    ) -> Result<Stepped, Problem> {
        if signals.is_empty() && self.waits_for_rival().await? {
            return Ok(self.done());
        }
        self.begin(signals).await?;
        // After an upgrade, the next step comes from the new version and gets a commit of its own.
        if self.draft.is_final() || self.draft.moved_to.is_some() {
            return Ok(self.done());
        }
        if self.draft.state.shadow.is_some() {
            self.conclude_shadow().await?;
            return Ok(self.done());
        }
        if self.draft.state.early_end.is_none() && self.draft.last_at >= self.ends_by() {
            self.fail_overdue().await?;
            return Ok(self.done());
        }
        if self.draft.state.call().is_some() {
            return self.continue_call().await;
        }
        self.start_next_call().await
    }

    /// Fails the run if its time limit has passed. Otherwise fails the enclosing step whose time limit
    /// has passed.
    async fn fail_overdue(&mut self) -> Result<(), Problem> {
        let (live, now) = (self.live, self.draft.last_at);
        let path = self.draft.state.path(&live.bundle.graph);
        let over = path.iter().zip(&self.draft.state.frames).position(|(node, frame)| {
            let limit = frame.entered.zip(node.limits.max_duration);
            limit.is_some_and(|(entered, limit)| now >= entered.at + limit)
        });
        let problem = Problem::caller("max_duration", "the run took longer than its limit allows")
            .with_hint("raise `limits.max_duration` of the method, or start again");
        if self.stop_children().await? {
            return Ok(());
        }
        self.disarm().await?;
        if let Some(depth) = over.filter(|_| now < live.must_end_by()) {
            self.draft.state.leave_inner_steps(depth);
        } else {
            self.draft.state.disable_on_error();
        }
        self.fail(problem).await
    }

    /// Ends the step: returns the draft to commit, or the lane that the step turned out to need.
    fn done(self) -> Stepped {
        if let Some(lane) = self.wants {
            return Stepped::Needs(lane);
        }
        Stepped::Commit(Box::new(self.draft))
    }

    /// Makes a pending run wait until the run that it replaces has ended. If the replaced run itself
    /// replaced another run, that other run must have ended too, and so on. Returns true if the run must
    /// wait. The end of any of these runs wakes the waiting run. All of these runs work on the same
    /// request. A run locks the request before it makes this check and before it ends, so no end is missed.
    async fn waits_for_rival(&mut self) -> Result<bool, Problem> {
        let mut rival =
            self.draft.state.replaces.filter(|_| self.draft.status == RunStatus::Pending);
        let ends_by = self.ends_by();
        while let Some(run) = rival.filter(|_| self.draft.last_at < ends_by) {
            let tx = self.tx.as_deref_mut().ok_or_else(no_transaction)?;
            let Some(row) = tx.run(run).await? else { break };
            if row.ended_at.is_none() {
                self.draft.park(Some(ends_by), None);
                return Ok(true);
            }
            rival = row.parsed_state()?.replaces;
        }
        Ok(false)
    }

    /// Continues the current call: evaluates its wait, writes its next chunk, or makes its next attempt.
    async fn continue_call(mut self) -> Result<Stepped, Problem> {
        let Some(mut call) = self.draft.state.call().cloned() else { return Ok(self.done()) };
        if let Some(at) = call.retry_at {
            if at > self.draft.last_at {
                self.draft.transition(RunTransition::Wait)?;
                self.draft.park(Some(at), Some(at));
                return Ok(self.done());
            }
            call.retry_at = None;
            self.core.count_fired();
        }
        let args = match &call.waiting_for {
            Some(WaitingFor::Signal { .. }) => Value::Null, // an `await` has no arguments
            _ => load::frozen(&mut self, call.args).await?,
        };
        let before = self.draft.clone();
        let is_await = matches!(call.waiting_for, Some(WaitingFor::Signal { .. }));
        let result = match &call.waiting_for {
            Some(WaitingFor::Replies(_)) => wait::evaluate(&mut self, call.clone(), &args).await,
            Some(WaitingFor::Signal { .. }) => awaits::evaluate(&mut self, call.clone()).await,
            Some(WaitingFor::Children(_)) if self.draft.state.early_end.is_some() => {
                self.wind_up().await.map(|()| Called::Unfinished)
            }
            Some(WaitingFor::Approval(_)) if self.starts_children() => {
                approval::evaluate_plan(&mut self, &mut call).await
            }
            Some(WaitingFor::Approval(_)) => match approval::evaluate(&mut self, &mut call).await {
                Ok(Asked::Waits) => Ok(Called::Unfinished),
                Ok(Asked::Approved) => invoke::invoke(&mut self, call.clone(), &args).await,
                Err(problem) => Err(problem),
            },
            Some(WaitingFor::External(_)) => evaluate(&mut self, call.clone(), &args).await,
            Some(WaitingFor::Children(_)) => fan::evaluate(&mut self, call.clone(), &args).await,
            None => invoke::invoke(&mut self, call.clone(), &args).await,
        };
        if is_await && self.lane == Lane::Memory && matches!(result, Ok(Called::Finished)) {
            return Box::pin(self.go_on()).await;
        }
        self.settle(result, before, call, args).await
    }

    /// Takes the next step too, after an `await` has ended, so that both share a commit. If the next step needs a later lane,
    /// only the end of the `await` is committed.
    async fn go_on(self) -> Result<Stepped, Problem> {
        let ended = self.draft.clone();
        match self.start_next_call().await? {
            Stepped::Needs(_) => Ok(Stepped::Commit(Box::new(ended))),
            taken => Ok(taken),
        }
    }

    /// Makes the next call, or ends the phase if no call is left.
    async fn start_next_call(mut self) -> Result<Stepped, Problem> {
        let found = self.next_call().await?;
        // The steps passed so far needed no later lane, but the action that was found may need one.
        let action = match &found {
            Found::Call(node, _) => Some(Action::Node(node)),
            Found::Await(..) => Some(Action::Await),
            Found::FanOut(..) => Some(Action::FanOut),
            Found::NothingLeft => Some(Action::Judge),
            Found::Checkpoint | Found::Over | Found::Needs(_) => None,
        };
        if let Some(lane) = action.and_then(|action| self.later_lane(&action)) {
            return Ok(Stepped::Needs(lane));
        }
        let covered = match &found {
            Found::Call(node, _) => self.draft.state.take_joint_approval(&node.step_id),
            _ => None,
        };
        // A call that undoes another one is never refused, so it does not count.
        let counts = matches!(found, Found::Call(..))
            && !matches!(self.draft.state.phase, Phase::Undo { .. });
        let counted = if counts { count_call(&mut self) } else { Ok(()) };
        let before = self.draft.clone();
        let (result, call, args) = match found {
            Found::Call(_, args) => {
                let (call, args) = self.new_call(args, covered).await?;
                let result = match counted {
                    Ok(()) => invoke::invoke(&mut self, call.clone(), &args).await,
                    Err(problem) => Err(problem),
                };
                (result, call, args)
            }
            Found::Await(wait, ends) => {
                (awaits::begin(&mut self, wait, ends).await, self.unstored_call(), Value::Null)
            }
            Found::FanOut(node, fan, with) => {
                (self.fan_out(node, fan, &with).await, self.unstored_call(), with)
            }
            Found::Checkpoint => {
                self.draft.transition(RunTransition::Advance)?;
                return Ok(self.done());
            }
            Found::NothingLeft => {
                self.conclude().await?;
                return Ok(self.done());
            }
            Found::Over => return Ok(self.done()),
            Found::Needs(lane) => return Ok(Stepped::Needs(lane)),
        };
        self.settle(result, before, call, args).await
    }

    /// Builds the state of a new call, with its arguments: those that were approved with an earlier call, or
    /// else `args`.
    async fn new_call(
        &mut self,
        args: Value,
        covered: Option<Box<CoveredCall>>,
    ) -> Result<(CallState, Value), Problem> {
        let (id, now) = (self.call_id(), self.draft.last_at);
        let Some(covered) = covered else {
            return Ok((CallState::new(id, Digest::of_value(&args), now, None), args));
        };
        let args = load::frozen(self, covered.args).await?;
        let call = CallState::new(id, covered.args, now, None);
        Ok((CallState { approval: Some(covered.approval), ..call }, args))
    }

    /// Returns the id of a new call. A call from outside has the id of its run, by which callers find it.
    fn call_id(&self) -> CallId {
        match self.draft.state.outside_call {
            Some(_) => CallId::from_uuid(self.live.id.uuid()),
            None => self.core.ids.mint(self.draft.last_at),
        }
    }

    /// Starts child runs, once somebody has decided about their calls of risk T2: the child runs inherit what
    /// was decided, so nobody is asked for each of them.
    async fn fan_out(&mut self, node: &Node, fan: FanOut, with: &Value) -> Result<Called, Problem> {
        let Some(request) = gate::plan_of_children(self, node).await? else {
            return fan::begin(self, node, fan, with).await;
        };
        let now = self.draft.last_at;
        let call = CallState::new(self.core.ids.mint(now), Digest::ZERO, now, None);
        approval::ask(self, call, with, request).await
    }

    /// Whether the current step starts child runs. If it waits for an approval, that is the consent to the run.
    fn starts_children(&self) -> bool {
        let node = self.draft.state.node(&self.live.bundle.graph);
        node.is_some_and(|node| starts_children(node, &self.draft.state))
    }

    /// Builds the state of a call, to report a step that fails before it has stored the state of its call.
    fn unstored_call(&self) -> CallState {
        let now = self.draft.last_at;
        CallState::new(self.core.ids.mint(now), Digest::ZERO, now, None)
    }

    /// Finds the next call with [`next`]. While values are missing, loads them and runs `next` again.
    async fn next_call(&mut self) -> Result<Found<'a>, Problem> {
        let live = self.live;
        if let Phase::Undo { args, .. } = self.draft.state.phase
            && let Some(node) = self.draft.state.node(&live.bundle.graph)
        {
            return Ok(Found::Call(node, load::frozen(self, args).await?));
        }
        let mut scope = load::scope(self);
        for _ in 0..load::DEMANDS_MAX {
            let mut state = self.draft.state.clone();
            let mut assigned = Vec::new();
            // If values are missing, `next` runs again from the beginning. The second time, it must not see
            // the variables that it assigned the first time, so each time it works on a copy of `scope`.
            let mut walked = scope.clone();
            match next(&live.bundle.graph, &mut state, &mut walked, &mut assigned) {
                Ok(found) => {
                    self.draft.state = state;
                    self.draft.assigned.append(&mut assigned);
                    return Ok(match found {
                        Next::Call(spec) => Found::Call(spec.node, spec.args),
                        Next::Await(wait, ends) => Found::Await(wait, ends),
                        Next::FanOut(node, fan, with) => Found::FanOut(node, fan, with),
                        Next::Checkpoint => Found::Checkpoint,
                        Next::NothingLeft => Found::NothingLeft,
                    });
                }
                Err(error) => {
                    if let Some(lane) = self.later_lane(&Action::Read(&error)) {
                        return Ok(Found::Needs(lane));
                    }
                    if let Some(problem) = load::supply(self, &mut scope, error).await? {
                        // The step that failed may come after steps that have only assigned variables.
                        self.draft.state = state;
                        self.draft.assigned.append(&mut assigned);
                        self.fail(problem).await?;
                        return Ok(Found::Over);
                    }
                }
            }
        }
        Err(Problem::bug("a step never stops asking for values"))
    }

    /// Turns the result of a call into the result of the step.
    async fn settle(
        mut self,
        result: Result<Called, Problem>,
        draft: Draft,
        call: CallState,
        args: Value,
    ) -> Result<Stepped, Problem> {
        match result {
            Ok(Called::Finished) => {
                let graph = &self.live.bundle.graph;
                let state = &self.draft.state;
                let at_end = state.node(graph).is_none() && state.frames.len() == 1;
                if at_end && self.later_lane(&Action::End { cancelled: false }).is_none() {
                    self.conclude().await?;
                }
                Ok(self.done())
            }
            Ok(Called::Unfinished) => Ok(self.done()),
            // A busy, full or unavailable database does not fail the call: the step is taken again later.
            Err(problem) if is_infrastructure(&problem) => Err(problem),
            Err(problem) => {
                let external = self.failed_effect(&call, &problem);
                let failure = CallFailure { draft, call, args, problem, external };
                Ok(Stepped::Failed(Box::new(failure)))
            }
        }
    }
}
