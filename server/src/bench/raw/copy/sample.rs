//! Two runs of one method, whose rows are copied.

use abide_engine::base::{CallId, Problem, RunId, StreamId, Value};
use abide_engine::facade::Engine;
use abide_engine::store::LedgerRow;
use abide_engine::transaction;

/// Maximum number of events that a sample run can have.
const EVENTS_MAX: i64 = 16;

/// Two runs of one method: one waits, the other has waited and has ended.
#[derive(Debug, Clone)]
pub(in crate::bench) struct SampleRuns {
    /// The run that waits.
    pub(super) parked: RunId,
    /// The run that has ended.
    pub(super) ended: RunId,
    /// The call with which the parked run waits.
    pub(super) parked_call: CallId,
    /// The call of the receipt of the ended run, if it has a receipt.
    pub(super) ended_call: Option<CallId>,
    /// Deadline of the parked run, in microseconds since 1970 UTC.
    pub(super) deadline: i64,
    /// The events of the parked run.
    pub(super) parked_events: Vec<LedgerRow>,
    /// The events that the ended run has in addition.
    pub(super) end_events: Vec<LedgerRow>,
}

impl SampleRuns {
    /// Reads the events of a run that waits and of a run that has ended. Both are of the same method.
    ///
    /// # Errors
    /// Reports a bug if the parked run does not wait in its first step, or any problem of the database.
    pub(in crate::bench) async fn read(
        engine: &Engine,
        parked: RunId,
        ended: RunId,
    ) -> Result<Self, Problem> {
        let task = transaction!(|tx| {
            let row = tx.run(parked).await?;
            let parked_events = tx.stream_events(StreamId::from(parked), 0, EVENTS_MAX).await?;
            let after = i64::try_from(parked_events.len()).unwrap_or(EVENTS_MAX);
            let end_events = tx.stream_events(StreamId::from(ended), after, EVENTS_MAX).await?;
            let wait = row.and_then(|row| Wait::read(&row.state));
            Ok(wait.map(|wait| Self {
                parked,
                ended,
                parked_call: wait.call,
                ended_call: end_events.iter().find_map(|event| event.call),
                deadline: wait.deadline,
                parked_events,
                end_events,
            }))
        });
        engine.read(task).await?.ok_or_else(|| Problem::bug("the sample run does not wait"))
    }

    /// Returns the samples for copies that wait and never end.
    pub(in crate::bench) fn without_end(mut self) -> Self {
        self.end_events.clear();
        self
    }
}

/// The wait of a parked run, read from the state of its head.
struct Wait {
    call: CallId,
    deadline: i64,
}

impl Wait {
    fn read(state: &Value) -> Option<Self> {
        let call = &state["frames"][0]["call"];
        let on = call["on"].as_object()?.values().next()?;
        Some(Self { call: call["id"].as_str()?.parse().ok()?, deadline: on["deadline"].as_i64()? })
    }
}
