//! The verbs that the benchmark measures. Each verb records the times that the benchmark reports.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use abide_engine::adapter::{Adapter, AdapterCall, Adapters};
use abide_engine::base::{CallId, Problem, RequestId, RunId, Span, Timestamp, Value};
use abide_engine::clock::{Clock, SystemClock};
use abide_engine::contract::NotConfigured;
use abide_engine::run::{CallAnswer, CallLookup, jittered};
use abide_engine::store::Tx;
use abide_engine::verb::{
    CallContext, Effects, ExternalRequest, ExternalVerb, Prepared, PureVerb, Verb, VerbOutcome,
    Verbs, WaitEnd, WaitSpec, WaitVerb,
};
use async_trait::async_trait;
use serde_json::json;

use super::content::{FAIL_ONCE, GATE, MARK, NOOP, RETRY_PAUSE};
use super::figures::Stopwatch;

/// Name of the only tally cell of a gate. Closing the gate adds 1 to the cell's count `open`, so that
/// runs wait for a reply. Opening the gate adds 1 to the cell's count `yes`, which ends the waits.
pub(super) const CELL: &str = "gate";

/// Name of the adapter that the verb [`FAIL_ONCE`] calls.
const UNRELIABLE: &str = "unreliable";

/// Times recorded by the verbs.
#[derive(Default)]
pub(super) struct VerbTimes {
    last_call: Mutex<BTreeMap<RunId, Stopwatch>>,
    steps: Mutex<Vec<Duration>>,
    lateness: Mutex<Vec<Duration>>,
    /// When the second attempt of each call that has failed once is due.
    second_attempts: Mutex<BTreeMap<CallId, Timestamp>>,
}

impl VerbTimes {
    /// Takes the recorded step times. Each is the time from one call of a run to the next call.
    pub(super) fn take_steps(&self) -> Vec<Duration> {
        self.last_call.lock().unwrap_or_else(PoisonError::into_inner).clear();
        std::mem::take(&mut self.steps.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the recorded lateness: the time from each deadline, end of a pause or retry until a verb was called.
    pub(super) fn take_lateness(&self) -> Vec<Duration> {
        std::mem::take(&mut self.lateness.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn record_call(&self, run: RunId) {
        let now = Stopwatch::started();
        let before = self.last_call.lock().unwrap_or_else(PoisonError::into_inner).insert(run, now);
        if let Some(before) = before {
            let step = before.elapsed();
            self.steps.lock().unwrap_or_else(PoisonError::into_inner).push(step);
        }
    }

    fn record_deadline(&self, deadline: Timestamp) {
        let late = (SystemClock.now() - deadline).to_std();
        self.lateness.lock().unwrap_or_else(PoisonError::into_inner).push(late);
    }
}

/// Returns the verbs of the benchmark, which record their times in `times`.
pub(super) fn verbs(times: &Arc<VerbTimes>) -> Verbs {
    Verbs::new()
        .with(NOOP, Verb::Pure(Arc::new(Noop(Arc::clone(times)))))
        .with(GATE, Verb::Wait(Arc::new(Gate(Arc::clone(times)))))
        .with(MARK, Verb::Pure(Arc::new(Mark(Arc::clone(times)))))
        .with(FAIL_ONCE, Verb::External(Arc::new(FailOnce)))
}

/// Returns the adapters of the benchmark, which record their times in `times`.
pub(super) fn adapters(times: &Arc<VerbTimes>) -> Adapters {
    Adapters::new().with(UNRELIABLE, Arc::new(Unreliable(Arc::clone(times))))
}

struct Noop(Arc<VerbTimes>);

impl PureVerb for Noop {
    fn run(&self, cx: &CallContext<'_>, args: &Value) -> Result<VerbOutcome, Problem> {
        self.0.record_call(cx.run);
        Ok(VerbOutcome::done(json!({ "n": args["n"] }), Effects::default()))
    }
}

struct Mark(Arc<VerbTimes>);

impl PureVerb for Mark {
    fn run(&self, _cx: &CallContext<'_>, args: &Value) -> Result<VerbOutcome, Problem> {
        let due = args["due"].as_str().and_then(|text| text.parse().ok());
        self.0.record_deadline(due.ok_or_else(|| Problem::bug("a mark without an instant"))?);
        Ok(VerbOutcome::done(json!({}), Effects::default()))
    }
}

struct FailOnce;

#[async_trait]
impl ExternalVerb for FailOnce {
    async fn prepare(
        &self,
        _tx: &mut Tx,
        _cx: &CallContext<'_>,
        _args: &Value,
    ) -> Result<Prepared, Problem> {
        let target = "an unreliable system".to_owned();
        let request = json!({});
        let wanted =
            ExternalRequest { adapter: UNRELIABLE, target, request, complete_within: None };
        Ok(Prepared::Call(wanted))
    }
}

/// The adapter to a system that is not available at the first attempt of each call.
struct Unreliable(Arc<VerbTimes>);

#[async_trait]
impl Adapter for Unreliable {
    fn missing(&self, _request: &Value) -> Option<NotConfigured> {
        None
    }

    /// The pause before the second attempt begins with the commit that records the first. It counts here from a little earlier.
    async fn call(&self, call: &AdapterCall) -> CallAnswer {
        let mut due = self.0.second_attempts.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(at) = due.remove(&call.call) else {
            due.insert(call.call, call.at + jittered(RETRY_PAUSE, call.call, 1));
            let problem = Problem::transient("unavailable", "the first attempt fails");
            return CallAnswer::NotDone { problem };
        };
        drop(due);
        self.0.record_deadline(at);
        CallAnswer::Done { answer: json!({}) }
    }

    async fn look_up(&self, _call: &AdapterCall) -> CallLookup {
        CallLookup::NotDone
    }
}

struct Gate(Arc<VerbTimes>);

#[async_trait]
impl WaitVerb for Gate {
    async fn arm(
        &self,
        _tx: &mut Tx,
        _cx: &CallContext<'_>,
        args: &Value,
    ) -> Result<WaitSpec, Problem> {
        let request: RequestId = args["key"]
            .as_str()
            .and_then(|key| key.parse().ok())
            .ok_or_else(|| Problem::bug("a gate without a key"))?;
        let span = args["timeout"].as_str().and_then(|text| text.parse().ok());
        Ok(WaitSpec {
            request,
            role: CELL.to_owned(),
            yes_cell: CELL.to_owned(),
            open_cells: vec![CELL.to_owned()],
            need: 1,
            span: span.unwrap_or(Span::from_secs(7 * 86_400)),
            until: None,
            target: None,
        })
    }

    async fn count(
        &self,
        tx: &mut Tx,
        _cx: &CallContext<'_>,
        spec: &mut WaitSpec,
        _before: Option<Timestamp>,
    ) -> Result<i64, Problem> {
        let tallies = tx.request_tallies(spec.request).await?;
        Ok(tallies.get(CELL).map_or(0, |tally| tally.yes))
    }

    async fn finish(
        &self,
        _tx: &mut Tx,
        _cx: &CallContext<'_>,
        _spec: &WaitSpec,
        end: WaitEnd,
    ) -> Result<VerbOutcome, Problem> {
        if let WaitEnd::Timeout { at } = end {
            self.0.record_deadline(at);
        }
        Ok(VerbOutcome::done(json!({ "open": end == WaitEnd::Enough }), Effects::default()))
    }
}
