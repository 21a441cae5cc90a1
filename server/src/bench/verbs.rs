//! The verbs that the benchmark measures. Each verb records the times that the benchmark reports.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use abide_engine::base::{CallId, Problem, RequestId, RunId, Span, Timestamp, Value};
use abide_engine::clock::{Clock, SystemClock};
use abide_engine::run::jittered;
use abide_engine::store::Tx;
use abide_engine::verb::{
    CallContext, Effects, PureVerb, Verb, VerbOutcome, Verbs, WaitEnd, WaitSpec, WaitVerb,
};
use async_trait::async_trait;
use serde_json::json;

use super::content::{FAIL_ONCE, GATE, MARK, NOOP, RETRY_PAUSE};
use super::figures::Stopwatch;

/// Name of the only tally cell of a gate. Closing the gate adds 1 to the cell's count `open`, so that
/// runs wait for a reply. Opening the gate adds 1 to the cell's count `yes`, which ends the waits.
pub(super) const CELL: &str = "gate";

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
        .with(FAIL_ONCE, Verb::Pure(Arc::new(FailOnce(Arc::clone(times)))))
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

struct FailOnce(Arc<VerbTimes>);

impl PureVerb for FailOnce {
    fn run(&self, cx: &CallContext<'_>, _args: &Value) -> Result<VerbOutcome, Problem> {
        let mut due = self.0.second_attempts.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(at) = due.remove(&cx.call) else {
            due.insert(cx.call, cx.now + jittered(RETRY_PAUSE, cx.call, 1));
            return Err(Problem::transient("unavailable", "the first attempt fails"));
        };
        drop(due);
        self.0.record_deadline(at);
        Ok(VerbOutcome::done(json!({}), Effects::default()))
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
