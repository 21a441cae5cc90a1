//! One step of a run: from the head in memory to a draft of the next commit.
//!
//! The same code runs inside a transaction (verbs that touch the database) and without one (verbs
//! that only compute, committed in groups). Nothing here commits.

use super::call::{self, Called};
use super::core::Core;
use super::draft::Draft;
use super::live::Live;
use super::{awaits, fan, load, look, upgrade};
use crate::base::{Digest, Problem, Timestamp, Value};
use crate::method::{Act, Await, Node};
use crate::run::{
    CallState, Control, Fan, Happening, Next, Pending, Phase, RunState, SignalEffect, Status,
    UPGRADE, next, obey,
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
    /// It turned out that what it does needs a transaction.
    pub(super) wants_tx: bool,
}

/// What a look for the next call found.
enum Found<'a> {
    Call(&'a Node, Value),
    Await(&'a Await),
    Fan(&'a Node, Fan, Value),
    /// A long way without a call.
    Save,
    /// No step is left in this phase.
    NothingLeft,
    /// An expression failed, and the run with it.
    Over,
    NeedsTx,
}

/// True where the next step needs a transaction.
pub(super) fn needs_tx(core: &Core, live: &Live, signals: &[SignalRow]) -> bool {
    let graph = &live.bundle.graph;
    let ordered = !signals.is_empty() || live.status == Status::Paused;
    let begins_later = live.status == Status::Pending && live.state.replaces.is_some();
    if ordered || begins_later || live.state.closing.is_some() {
        return true;
    }
    match live.state.node(graph) {
        Some(node) => acts_in_tx(core, node),
        None if live.state.frames.len() > 1 => false,
        None => ends_in_tx(live),
    }
}

fn acts_in_tx(core: &Core, node: &Node) -> bool {
    let abreast = node.foreach.as_ref().is_some_and(|foreach| foreach.abreast.is_some());
    let reads_request = node.reads.iter().any(|name| name == "req");
    abreast
        || reads_request
        || match &node.act {
            Act::Call(call) => {
                let pure = matches!(core.verbs.get(&call.verb), Some(Verb::Pure(_)));
                !pure || call.facts || !call.undo.is_empty()
            }
            Act::Method(_) | Act::Parallel(_) | Act::Await(_) => true,
            Act::Set(_) | Act::Switch(_) | Act::Repeat(_) | Act::Steps(_) => false,
        }
}

/// True where its end looks at rows of others, or changes them.
pub(super) fn ends_in_tx(live: &Live) -> bool {
    let state = &live.state;
    let concerns_others =
        live.request.is_some() || state.lineage.is_some() || state.scheduled.is_some();
    concerns_others || live.sets_timers() || ends_on_facts(live)
}

fn ends_on_facts(live: &Live) -> bool {
    let graph = &live.bundle.graph;
    graph.ending_reads.iter().any(|name| name == "req")
        || graph.success_when.iter().any(crate::expr::facts)
        || graph.fallbacks.iter().any(|f| crate::expr::facts(&f.condition))
}

impl<'a> Step<'a> {
    pub(super) fn new(core: &'a Core, live: &'a Live, tx: Option<&'a mut Tx>) -> Self {
        Self { core, live, tx, draft: Draft::of(live, core.now()), wants_tx: false }
    }

    /// Takes the step.
    pub(super) async fn take(mut self, signals: &[SignalRow]) -> Result<Stepped, Problem> {
        if signals.is_empty() && self.waits_for_rival().await? {
            return Ok(self.done());
        }
        self.begin(signals).await?;
        // What follows a move is read from the new text: in a step of its own.
        if self.draft.is_final() || self.draft.moved_to.is_some() {
            return Ok(self.done());
        }
        if self.draft.state.closing.is_none() && self.draft.last_at >= self.ends_by() {
            self.too_long().await?;
            return Ok(self.done());
        }
        if self.draft.state.call().is_some() {
            return self.go_on().await;
        }
        self.move_on().await
    }

    /// True for a branch or a round: the run of a method is somewhere above it.
    pub(super) fn is_branch(&self) -> bool {
        let lineage = self.live.state.lineage.as_ref();
        lineage.is_some_and(|lineage| !lineage.inherits.is_empty())
    }

    /// When the run, or a step with limits round this one, must be over.
    pub(super) fn ends_by(&self) -> Timestamp {
        let (live, state) = (self.live, &self.draft.state);
        let around = state.path(&live.bundle.graph).into_iter().zip(&state.frames);
        let limits =
            around.filter_map(|(node, frame)| Some(frame.entered?.at + node.limits.max_duration?));
        limits.fold(live.must_end_by(), Timestamp::min)
    }

    /// The time of the run, or of a step round this one, is up: that step fails.
    async fn too_long(&mut self) -> Result<(), Problem> {
        let (live, now) = (self.live, self.draft.last_at);
        let path = self.draft.state.path(&live.bundle.graph);
        let over = path.iter().zip(&self.draft.state.frames).position(|(node, frame)| {
            let limit = frame.entered.zip(node.limits.max_duration);
            limit.is_some_and(|(entered, limit)| now >= entered.at + limit)
        });
        let problem = Problem::caller("max_duration", "the run took longer than it may")
            .with_hint("raise `limits.max_duration` of the method, or start again");
        if self.stop_children().await? {
            return Ok(());
        }
        self.disarm();
        if let Some(depth) = over.filter(|_| now < live.must_end_by()) {
            self.draft.state.truncate(depth);
        } else {
            self.draft.state.uncaught();
        }
        self.fail(problem).await
    }

    /// The draft as it stands.
    fn done(self) -> Stepped {
        if self.wants_tx {
            return Stepped::NeedsTx;
        }
        Stepped::Commit(Box::new(self.draft))
    }

    /// Lets go of a run that has not begun while the run that it replaces has not ended, or the one
    /// that this one replaced; their end wakes it. All look and end under the lock of their request.
    async fn waits_for_rival(&mut self) -> Result<bool, Problem> {
        let mut rival = self.draft.state.replaces.filter(|_| self.draft.status == Status::Pending);
        let ends_by = self.ends_by();
        while let Some(run) = rival.filter(|_| self.draft.last_at < ends_by) {
            let tx = self.tx.as_deref_mut().ok_or_else(call::no_transaction)?;
            let Some(row) = tx.run(run).await? else { break };
            if row.ended_at.is_none() {
                self.draft.park(Some(ends_by), None);
                return Ok(true);
            }
            let state: RunState =
                serde_json::from_value(row.state).map_err(|e| Problem::bug(e.to_string()))?;
            rival = state.replaces;
        }
        Ok(false)
    }

    /// The start, and orders from outside.
    async fn begin(&mut self, signals: &[SignalRow]) -> Result<(), Problem> {
        if self.draft.status == Status::Pending {
            self.draft.happen(Happening::Moves)?;
            let bundle = self.live.bundle.digest.to_string();
            let mut body = serde_json::json!({
                "method": self.live.bundle.graph.method, "bundle": bundle, "campaign": self.live.campaign,
            });
            if let Some(scheduled) = self.draft.state.scheduled {
                body["schedule_id"] = Value::from(scheduled.id.to_string());
                body["scheduled_at"] = Value::from(scheduled.at.to_string());
            }
            if let Some(rival) = self.draft.state.replaces {
                body["replaces"] = Value::from(rival.to_string());
            }
            if let Some(old) = self.live.state.forked_from {
                body["forked_from"] = serde_json::json!(old);
            }
            self.event("run.started", body);
        }
        for signal in signals {
            if signal.kind == UPGRADE {
                self.draft.consume(signal.id);
                if upgrade::obey(self, signal).await? {
                    return Ok(());
                }
                continue;
            }
            let Some(control) = Control::parse(&signal.kind) else { continue };
            self.draft.consume(signal.id);
            match obey(self.draft.status, control) {
                SignalEffect::Nothing(illegal) => {
                    let body =
                        serde_json::json!({"signal": control.as_str(), "why": illegal.to_string()});
                    self.event("signal.ignored", body);
                }
                SignalEffect::Becomes(Status::Cancelled) => {
                    if self.draft.state.closing.is_none() {
                        self.event("run.cancelled", signal.payload.clone());
                        return self.cancel().await;
                    }
                    let body =
                        serde_json::json!({"signal": "cancel", "why": "it is ending already"});
                    self.event("signal.ignored", body);
                }
                SignalEffect::Becomes(status) if control == Control::Skip => {
                    self.skip(signal, status).await?;
                }
                SignalEffect::Becomes(status) => {
                    self.draft.status = status;
                    self.draft.state.quarantine = quarantine(control, &signal.payload);
                    self.pass_on(control).await?;
                    self.event(&format!("run.{}", past(control)), signal.payload.clone());
                    if control == Control::Retry {
                        self.draft.state.error = None;
                        self.draft.state.closing = None;
                    }
                }
            }
        }
        if self.draft.status == Status::Paused {
            let must_be_seen_to = self.draft.state.quarantine.map(|_| self.draft.last_at);
            self.draft.park(None, must_be_seen_to);
        }
        Ok(())
    }

    /// Adds an event. What a branch or a round goes through is no news of the run's own life.
    pub(super) fn event(&mut self, kind: &str, body: Value) {
        let of_a_branch = kind.strip_prefix("run.").filter(|_| self.is_branch());
        let kind = of_a_branch.map_or_else(|| kind.to_owned(), |word| format!("branch.{word}"));
        self.draft.event((self.live, &self.core.ids), &kind, (None, None), body);
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
        let args = match &call.on {
            Some(Pending::Signal { .. }) => Value::Null, // a wait for a message is told nothing
            _ => load::frozen(&mut self, call.args).await?,
        };
        let before = self.draft.clone();
        let result = match &call.on {
            Some(Pending::Replies(_)) => look::look(&mut self, call.clone(), &args).await,
            Some(Pending::Signal { .. }) => awaits::look(&mut self, call.clone()).await,
            Some(Pending::Children(_)) if self.draft.state.closing.is_some() => {
                self.wind_up().await.map(|()| Called::InHand)
            }
            Some(Pending::Children(_)) => fan::look(&mut self, call.clone(), &args).await,
            None => call::make(&mut self, call.clone(), &args).await,
        };
        self.settle(result, (before, call, args)).await
    }

    /// No call is in hand: the next one, or the end of the phase.
    async fn move_on(mut self) -> Result<Stepped, Problem> {
        let live = self.live;
        let found = self.next_call().await?;
        // Steps that were walked on the way needed no transaction; this one may.
        let needs_tx = match &found {
            Found::Call(node, _) => acts_in_tx(self.core, node),
            Found::Await(_) | Found::Fan(..) | Found::NeedsTx => true,
            Found::NothingLeft => ends_on_facts(live),
            Found::Save | Found::Over => false,
        };
        if self.tx.is_none() && needs_tx {
            return Ok(Stepped::NeedsTx);
        }
        let before = self.draft.clone();
        let (result, call, args) = match found {
            Found::Call(_, args) => {
                let now = self.draft.last_at;
                let digest = Digest::of_value(&args);
                let call = CallState::new((self.core.ids.mint(now), digest), now, None);
                (call::make(&mut self, call.clone(), &args).await, call, args)
            }
            Found::Await(wait) => {
                (awaits::begin(&mut self, wait).await, self.nothing(), Value::Null)
            }
            Found::Fan(node, fan, with) => {
                (fan::begin(&mut self, node, (fan, &with)).await, self.nothing(), with)
            }
            Found::Save => {
                self.draft.happen(Happening::Moves)?;
                return Ok(self.done());
            }
            Found::NothingLeft => {
                self.conclude().await?;
                return Ok(self.done());
            }
            Found::Over | Found::NeedsTx => return Ok(self.done()),
        };
        self.settle(result, (before, call, args)).await
    }

    /// The call of a step that fails before anything of it is in hand.
    fn nothing(&self) -> CallState {
        let now = self.draft.last_at;
        CallState::new((self.core.ids.mint(now), Digest::ZERO), now, None)
    }

    /// The demand loop round [`next`]: computes, loads what is missing, computes again.
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
            // What a way that breaks off has set is set once more when it is walked again.
            let mut walked = scope.clone();
            match next(&live.bundle.graph, &mut state, (&mut walked, &mut assigned)) {
                Ok(found) => {
                    self.draft.state = state;
                    self.draft.assigned.append(&mut assigned);
                    return Ok(match found {
                        Next::Call(spec) => Found::Call(spec.node, spec.args),
                        Next::Await(_, wait) => Found::Await(wait),
                        Next::Fan(node, fan, with) => Found::Fan(node, fan, with),
                        Next::Save => Found::Save,
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

    /// Hands an order on to the children at work: they pause and resume with their parent.
    async fn pass_on(&mut self, control: Control) -> Result<(), Problem> {
        if !matches!(control, Control::Pause | Control::Resume) {
            return Ok(());
        }
        let run = self.live.id;
        let Some(tx) = self.tx.as_deref_mut() else { return Ok(()) };
        let why = serde_json::json!({ "why": "with its parent" });
        for child in tx.live_children(run).await? {
            tx.signal(child, control.as_str(), (None, None), &why).await?;
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
                let live = self.live;
                let graph = &live.bundle.graph;
                let state = &self.draft.state;
                let at_end = state.node(graph).is_none() && state.frames.len() == 1;
                if at_end && (self.tx.is_some() || !ends_in_tx(live)) {
                    self.conclude().await?;
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

/// How often the run was claimed for nothing, where that is why it is paused.
fn quarantine(control: Control, payload: &Value) -> Option<i64> {
    let poison = control == Control::Pause && payload["why"] == "poison";
    payload["claims"].as_i64().filter(|_| poison)
}

fn past(control: Control) -> &'static str {
    match control {
        Control::Cancel => "cancelled",
        Control::Pause => "paused",
        Control::Resume => "resumed",
        Control::Retry => "retried",
        Control::Skip => "skipped",
    }
}
