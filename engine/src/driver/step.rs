//! One step of a run: from the head in memory to a draft of the next commit.
//!
//! The same code runs inside a transaction (verbs that touch the database) and without one (verbs
//! that only compute, committed in groups). Nothing here commits.

use super::call::{self, Called};
use super::core::Core;
use super::draft::Draft;
use super::live::Live;
use super::load;
use super::look;
use crate::base::{Problem, Value};
use crate::method::Node;
use crate::run::{
    CallState, Control, Ending, Happening, Next, SignalEffect, Status, conclude, next, obey,
};
use crate::store::{SignalRow, Tx, is_infrastructure};
use crate::verb::Verb;

/// What a step came to.
pub(super) enum Stepped {
    /// These rows.
    Commit(Box<Draft>),
    /// The call failed: what it wrote must go, and its failure be noted on `draft`.
    Failed(Box<CallFailure>),
    /// It turned out that what comes next needs a transaction: take the step in one.
    NeedsTx,
}

/// A call that failed, as it was made.
pub(super) struct CallFailure {
    /// The draft as it was before the call.
    pub(super) draft: Draft,
    pub(super) call: CallState,
    pub(super) args: Value,
    pub(super) problem: Problem,
}

/// A step in the making.
pub(super) struct Step<'a> {
    pub(super) core: &'a Core,
    pub(super) live: &'a Live,
    pub(super) tx: Option<&'a mut Tx>,
    pub(super) draft: Draft,
}

/// What a look for the next call found.
enum Found<'a> {
    Call(&'a Node, Value),
    /// No step is left in this phase.
    NothingLeft,
    /// An expression failed, and the run with it.
    Over,
    NeedsTx,
}

/// True where the next step needs a transaction.
pub(super) fn needs_tx(core: &Core, live: &Live, signals: &[SignalRow]) -> bool {
    let graph = &live.bundle.graph;
    if !signals.is_empty() || live.status == Status::Paused {
        return true;
    }
    match live.state.node(graph) {
        Some(node) => calls_in_tx(core, node),
        None => live.request.is_some() || ends_on_facts(live),
    }
}

fn calls_in_tx(core: &Core, node: &Node) -> bool {
    let pure = matches!(core.verbs.get(&node.call.verb), Some(Verb::Pure(_)));
    !pure || node.call.facts || node.reads.iter().any(|name| name == "req")
}

fn ends_on_facts(live: &Live) -> bool {
    let graph = &live.bundle.graph;
    graph.ending_reads.iter().any(|name| name == "req")
        || graph.success_when.iter().any(crate::expr::facts)
        || graph.fallbacks.iter().any(|f| crate::expr::facts(&f.condition))
}

impl<'a> Step<'a> {
    pub(super) fn new(core: &'a Core, live: &'a Live, tx: Option<&'a mut Tx>) -> Self {
        Self { core, live, tx, draft: Draft::of(live, core.now()) }
    }

    /// Takes the step.
    pub(super) async fn take(mut self, signals: &[SignalRow]) -> Result<Stepped, Problem> {
        self.begin(signals).await?;
        if self.draft.is_final() {
            return Ok(self.done());
        }
        if self.draft.last_at >= self.live.must_end_by() {
            let problem = Problem::caller("max_duration", "the run took longer than it may")
                .with_hint("raise `limits.max_duration` of the method, or start again");
            self.fail(problem).await?;
            return Ok(self.done());
        }
        if self.draft.state.call().is_some() {
            return self.go_on().await;
        }
        self.move_on().await
    }

    /// The draft as it stands. The end of a run on a request is told to the domain, which needs a
    /// transaction.
    fn done(self) -> Stepped {
        if self.tx.is_none() && self.draft.is_over() && self.live.request.is_some() {
            return Stepped::NeedsTx;
        }
        Stepped::Commit(Box::new(self.draft))
    }

    /// The start, and orders from outside.
    async fn begin(&mut self, signals: &[SignalRow]) -> Result<(), Problem> {
        if self.draft.status == Status::Pending {
            self.draft.happen(Happening::Moves)?;
            let bundle = self.live.bundle.digest.to_string();
            let body = serde_json::json!({
                "method": self.live.bundle.graph.method, "bundle": bundle, "campaign": self.live.campaign,
            });
            self.event("run.started", body);
        }
        for signal in signals {
            let Some(control) = Control::parse(&signal.kind) else { continue };
            self.draft.consume(signal.id);
            match obey(self.draft.status, control) {
                SignalEffect::Nothing(illegal) => {
                    let body =
                        serde_json::json!({"signal": control.as_str(), "why": illegal.to_string()});
                    self.event("signal.ignored", body);
                }
                SignalEffect::Becomes(status) => {
                    self.draft.status = status;
                    self.event(&format!("run.{}", past(control)), signal.payload.clone());
                    if control == Control::Retry {
                        self.draft.state.error = None;
                    }
                }
            }
            if self.draft.status == Status::Cancelled {
                return self.close(true).await;
            }
        }
        if self.draft.status == Status::Paused {
            self.draft.park(None, None);
        }
        Ok(())
    }

    pub(super) fn event(&mut self, kind: &str, body: Value) {
        self.draft.event((self.live, &self.core.ids), kind, (None, None), body);
    }

    /// A call is in hand: its next look, chunk or attempt.
    async fn go_on(mut self) -> Result<Stepped, Problem> {
        let Some(mut call) = self.draft.state.call().cloned() else { return Ok(self.done()) };
        if let Some(at) = call.retry_at {
            if at > self.draft.last_at {
                self.draft.happen(Happening::Waits)?;
                self.draft.park(Some(at), Some(at));
                return Ok(self.done());
            }
            call.retry_at = None;
            self.core.count_fired();
        }
        let args = load::frozen(&mut self, call.args).await?;
        let before = self.draft.clone();
        let result = match call.wait.is_some() {
            true => look::look(&mut self, call.clone(), &args).await,
            false => call::make(&mut self, call.clone(), &args).await,
        };
        self.settle(result, (before, call, args)).await
    }

    /// No call is in hand: the next one, or the end of the phase.
    async fn move_on(mut self) -> Result<Stepped, Problem> {
        let live = self.live;
        let (node, args) = match self.next_call().await? {
            Found::Call(node, args) => (node, args),
            Found::NeedsTx => return Ok(Stepped::NeedsTx),
            Found::Over => return Ok(self.done()),
            Found::NothingLeft if self.tx.is_none() && ends_on_facts(live) => {
                return Ok(Stepped::NeedsTx);
            }
            Found::NothingLeft => {
                self.conclude().await?;
                return Ok(self.done());
            }
        };
        // Steps that were skipped on the way needed no transaction; this one may.
        if self.tx.is_none() && calls_in_tx(self.core, node) {
            return Ok(Stepped::NeedsTx);
        }
        let call = CallState {
            id: self.core.ids.mint(self.draft.last_at),
            attempt: 1,
            started_at: self.draft.last_at,
            args: crate::base::Digest::of_value(&args),
            cursor: None,
            so_far: None,
            retry_at: None,
            wait: None,
        };
        let before = self.draft.clone();
        let result = call::make(&mut self, call.clone(), &args).await;
        self.settle(result, (before, call, args)).await
    }

    /// The demand loop round [`next`]: computes, loads what is missing, computes again.
    async fn next_call(&mut self) -> Result<Found<'a>, Problem> {
        let live = self.live;
        let mut scope = load::scope(self);
        for _ in 0..load::DEMANDS_MAX {
            let mut state = self.draft.state.clone();
            let mut assigned = Vec::new();
            match next(&live.bundle.graph, &mut state, (&mut scope, &mut assigned)) {
                Ok(found) => {
                    self.draft.state = state;
                    self.draft.assigned.append(&mut assigned);
                    return Ok(match found {
                        Next::Call(spec) => Found::Call(spec.node, spec.args),
                        Next::NothingLeft => Found::NothingLeft,
                    });
                }
                Err(error) if self.tx.is_none() && load::needs_tx(&error) => {
                    return Ok(Found::NeedsTx);
                }
                Err(error) => {
                    if let Some(problem) = load::supply(self, &mut scope, error).await? {
                        self.fail(problem).await?;
                        return Ok(Found::Over);
                    }
                }
            }
        }
        Err(Problem::bug("a step asks for ever more"))
    }

    /// The end of a phase: success, a fallback, or falling short.
    pub(super) async fn conclude(&mut self) -> Result<(), Problem> {
        let live = self.live;
        let mut scope = load::scope(self);
        for _ in 0..load::DEMANDS_MAX {
            let mut state = self.draft.state.clone();
            match conclude(&live.bundle.graph, &mut state, &scope) {
                Ok(Ending::Fallback(ix)) => {
                    self.draft.state = state;
                    self.event("run.fallback", serde_json::json!({ "fallback": ix }));
                    return self.draft.happen(Happening::Moves);
                }
                Ok(Ending::Over(outcome)) => {
                    self.draft.state = state;
                    self.draft.happen(Happening::Completes)?;
                    self.event("run.completed", serde_json::json!({"outcome": outcome.as_str()}));
                    self.draft.end(Some(outcome));
                    return self.close(false).await;
                }
                Err(error) => {
                    if let Some(problem) = load::supply(self, &mut scope, error).await? {
                        return self.fail(problem).await;
                    }
                }
            }
        }
        Err(Problem::bug("an ending asks for ever more"))
    }

    /// Ends the run because it cannot go on.
    pub(super) async fn fail(&mut self, problem: Problem) -> Result<(), Problem> {
        self.draft.happen(Happening::Fails)?;
        let step_id = self
            .draft
            .state
            .node(&self.live.bundle.graph)
            .map_or_else(|| "end".to_owned(), |node| node.step_id.clone());
        self.event("run.failed", serde_json::json!({"step_id": step_id, "code": problem.code}));
        self.draft.state.error.get_or_insert(crate::run::RunError { step_id, problem });
        self.draft.end(None);
        self.close(false).await
    }

    /// What every end of a run shares: its wait is disarmed, the domain is told.
    async fn close(&mut self, cancelled: bool) -> Result<(), Problem> {
        if cancelled {
            self.draft.end(None);
        }
        if let (Some(_), Some(node)) = (
            self.draft.state.call().and_then(|call| call.wait.as_ref()),
            self.draft.state.node(&self.live.bundle.graph),
        ) {
            self.draft.disarm(node.key.clone());
        }
        let (core, live) = (self.core, self.live);
        if let (Some(tx), Some(_)) = (self.tx.as_deref_mut(), live.request) {
            let library = core.library();
            let cx = core.domain_context(&live.tenant, &live.settings, &library);
            core.domain.run_ended(tx, &cx, live.id, (live.request, cancelled)).await?;
        }
        Ok(())
    }

    /// Turns what a call came to into the step's answer.
    async fn settle(
        mut self,
        result: Result<Called, Problem>,
        (draft, call, args): (Draft, CallState, Value),
    ) -> Result<Stepped, Problem> {
        match result {
            Ok(Called::Finished) => {
                let graph = &self.live.bundle.graph;
                let at_end = self.draft.state.node(graph).is_none();
                if at_end && (self.tx.is_some() || !ends_on_facts(self.live)) {
                    let may_close = self.tx.is_some() || self.live.request.is_none();
                    if may_close {
                        self.conclude().await?;
                    }
                }
                Ok(self.done())
            }
            Ok(Called::InHand) => Ok(self.done()),
            // The step is taken again: a database that is busy, full or away fails no call.
            Err(problem) if is_infrastructure(&problem) => Err(problem),
            Err(problem) => {
                Ok(Stepped::Failed(Box::new(CallFailure { draft, call, args, problem })))
            }
        }
    }
}

fn past(control: Control) -> &'static str {
    match control {
        Control::Cancel => "cancelled",
        Control::Pause => "paused",
        Control::Resume => "resumed",
        Control::Retry => "retried",
    }
}
