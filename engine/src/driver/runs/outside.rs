//! Hands calls to adapters, outside of any transaction, between two steps of a run.

use std::sync::Arc;

use super::super::core::{Core, ReleaseTime, START_WITHIN, answer_within};
use super::super::step::RunInMemory;
use crate::adapter::{Adapter, AdapterCall};
use crate::base::{Digest, Problem, Span, Value};
use crate::run::{
    CallAnswer, CallLookup, CallState, ExternalCall, ExternalReport, ExternalStage, WaitingFor,
};
use crate::transaction;

/// Returns the call to an outside system at which the run is, if it is at one.
fn current(live: &RunInMemory) -> Option<(&CallState, &ExternalCall)> {
    let call = live.state.call()?;
    match &call.waiting_for {
        Some(WaitingFor::External(external)) => Some((call, external)),
        _ => None,
    }
}

/// Whether the commit that the run has just made allows its process to make a call.
pub(super) fn is_to_be_called(live: &RunInMemory) -> bool {
    let stage = current(live).map(|(_, external)| external.stage);
    matches!(stage, Some(ExternalStage::Calling { .. }))
}

/// Does what the current call of the run needs from the outside before the next step: makes the call if the
/// intent was committed just now, at `committed`, or asks about the call if its outcome is in doubt.
/// Returns `None` if the outside is not needed now.
pub(super) async fn report(
    core: &Arc<Core>,
    live: &RunInMemory,
    committed: Option<ReleaseTime>,
) -> Result<Option<ExternalReport>, Problem> {
    let Some((call, external)) = current(live) else { return Ok(None) };
    let now = core.now();
    let in_doubt = match external.stage {
        ExternalStage::Calling { answer_by: at } | ExternalStage::InDoubt { ask_at: at } => {
            at <= now
        }
        ExternalStage::Accepted { .. } => false,
    };
    if committed.is_none() && !in_doubt {
        return Ok(None);
    }
    let timeout = timeout(live);
    let order = AdapterCall {
        call: call.id,
        run: live.id,
        tenant: live.tenant.to_string(),
        tool: tool(live),
        request: request_of(core, live, external.request).await?,
        at: now,
        deadline: now + timeout,
    };
    let _outside = core.claims.go_outside();
    core.bells.ring_runs(); // another run may be driven meanwhile
    let adapter = core.adapters.get(&external.adapter);
    Ok(Some(match committed {
        Some(committed) => make(core, adapter, order, committed, timeout).await,
        None => ExternalReport::LookedUp(ask(core, adapter, order, timeout).await),
    }))
}

/// Returns the request with this digest: from memory right after the commit of its intent, and else from the database.
async fn request_of(core: &Core, live: &RunInMemory, digest: Digest) -> Result<Value, Problem> {
    match &live.wanted {
        Some((known, request)) if *known == digest => Ok(Value::clone(request)),
        _ => {
            let read = transaction!(|tx| Ok(tx.blob(digest).await?));
            core.store.read(read).await
        }
    }
}

fn tool(live: &RunInMemory) -> String {
    let node = live.state.node(&live.bundle.graph);
    node.map_or_else(String::new, |node| node.action_name().to_owned())
}

/// Returns how long the contract of the current call allows the adapter to take.
fn timeout(live: &RunInMemory) -> Span {
    let contract = live.bundle.contracts.get(&tool(live));
    contract.map_or(Span::ZERO, |contract| contract.timeout)
}

/// Makes a call, unless the time within which it must begin has passed, for example because the process was
/// suspended. After that time another process may ask about the call.
async fn make(
    core: &Core,
    adapter: Option<Arc<dyn Adapter>>,
    order: AdapterCall,
    committed: ReleaseTime,
    timeout: Span,
) -> ExternalReport {
    if committed.left(core, START_WITHIN).is_none() {
        return ExternalReport::NotBegun;
    }
    let Some(adapter) = adapter else {
        let problem = Problem::operator("not_configured", "this process has no such adapter");
        return ExternalReport::Called(CallAnswer::NotDone { problem });
    };
    let answer = answer_within(core, timeout, adapter.call(&order)).await;
    let late = || CallAnswer::Unknown { reason: "it did not answer in time".to_owned() };
    let answer = answer.unwrap_or_else(late);
    if let CallAnswer::Unknown { reason } = &answer {
        tracing::warn!(call = %order.call, tool = %order.tool, reason, "the outcome of a call is unknown");
    }
    ExternalReport::Called(answer)
}

async fn ask(
    core: &Core,
    adapter: Option<Arc<dyn Adapter>>,
    order: AdapterCall,
    timeout: Span,
) -> CallLookup {
    let Some(adapter) = adapter else {
        return CallLookup::NotNow { reason: "this process has no such adapter".to_owned() };
    };
    let found = answer_within(core, timeout, adapter.look_up(&order)).await;
    found.unwrap_or_else(|| CallLookup::NotNow { reason: "it did not answer in time".to_owned() })
}

/// Maximum number of attempts to record a report while the database is away. More than a node's lease
/// would be useless, because another process then owns the run.
const RECORD_TRIES: u32 = 30;
/// The pause between two of these attempts.
const RECORD_PAUSE: Span = Span::from_secs(1);

/// Counts the attempts to record what an outside system answered. The answer is in memory only, so it is
/// not given up as soon as the database is busy or away.
#[derive(Default)]
pub(super) struct RecordTries(u32);

impl RecordTries {
    /// After a failed attempt to record a report, pauses and returns true if another attempt is worthwhile.
    pub(super) async fn again(&mut self, core: &Core, problem: &Problem) -> bool {
        self.0 += 1;
        let again = problem.is_transient() && core.is_served() && self.0 < RECORD_TRIES;
        if again {
            core.until(Some(core.now() + RECORD_PAUSE)).await;
        }
        again
    }
}
