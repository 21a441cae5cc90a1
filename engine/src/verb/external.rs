//! Defines the interface of verbs that act outside the database, through an adapter.

use async_trait::async_trait;
use serde::Serialize;

use super::{CallContext, Effects, VerbOutcome};
use crate::base::{Problem, Span, Value};
use crate::store::Tx;

/// What a verb wants an adapter to do.
#[derive(Debug, Clone, PartialEq)]
pub struct ExternalRequest {
    /// Name of the adapter.
    pub adapter: &'static str,
    /// Whom the adapter calls, as receipts show it: a host, an address.
    pub target: String,
    /// What to do, in the form that the adapter defines.
    pub request: Value,
    /// How long the other side may take to complete a call that it has accepted; `None` if it must answer
    /// at once.
    pub complete_within: Option<Span>,
}

impl ExternalRequest {
    /// Builds a request that the adapter must answer at once.
    ///
    /// # Errors
    /// `internal` if the request has no JSON form.
    pub fn new(
        adapter: &'static str,
        target: impl Into<String>,
        request: &impl Serialize,
    ) -> Result<Self, Problem> {
        let request = serde_json::to_value(request).map_err(|e| Problem::bug(e.to_string()))?;
        Ok(Self { adapter, target: target.into(), request, complete_within: None })
    }
}

/// What follows after a verb has prepared a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Prepared {
    /// An adapter must act.
    Call(ExternalRequest),
    /// The call is finished without an adapter.
    Done(VerbOutcome),
}

/// A verb that acts outside the database. The verb itself holds no client: it says what an adapter must do,
/// and records the answer.
#[async_trait]
pub trait ExternalVerb: Send + Sync {
    /// Reads what the adapter needs to know. The intent to call is committed with what this function
    /// writes. The run's request is already locked.
    async fn prepare(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
    ) -> Result<Prepared, Problem>;

    /// Records the answer of the adapter, in the transaction that also writes the receipt. By default the
    /// answer is the result of the call.
    async fn conclude(
        &self,
        _tx: &mut Tx,
        _cx: &CallContext<'_>,
        _args: &Value,
        answer: Value,
    ) -> Result<VerbOutcome, Problem> {
        Ok(VerbOutcome::done(answer, Effects::default()))
    }
}
