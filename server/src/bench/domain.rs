//! A domain without requests, people and messages.

use abide_engine::base::{Problem, RequestId, RunId, Value};
use abide_engine::domain::{
    Applied, Asks, Breach, Delivery, Domain, DomainContext, MessageMeaning, Opened, RunEnd,
    StartRun,
};
use abide_engine::expr::FactCall;
use abide_engine::store::{InboundRow, Tx};
use async_trait::async_trait;
use serde_json::json;

/// A domain whose runs have no request; everything else fails or is empty.
pub(super) struct NoDomain;

fn absent() -> Problem {
    Problem::bug("the benchmark has no domain")
}

#[async_trait]
impl Domain for NoDomain {
    async fn open_run(
        &self,
        _tx: &mut Tx,
        cx: &DomainContext<'_>,
        start: &StartRun,
    ) -> Result<Opened, Problem> {
        self.open_alone(cx, start).ok_or_else(absent)
    }

    fn open_alone(&self, cx: &DomainContext<'_>, start: &StartRun) -> Option<Opened> {
        let ctx = json!({ "tenant": cx.tenant });
        Some(Opened { request: None, goal: start.goal.clone(), ctx, rival: None })
    }

    async fn run_opened(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _run: RunId,
        _opened: &Opened,
    ) -> Result<(), Problem> {
        Ok(())
    }

    async fn request_view(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _request: RequestId,
    ) -> Result<Value, Problem> {
        Err(absent())
    }

    async fn fact(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _request: Option<RequestId>,
        _call: &FactCall,
    ) -> Result<Value, Problem> {
        Err(absent())
    }

    async fn asks(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _inbound: &InboundRow,
    ) -> Result<Asks, Problem> {
        Err(absent())
    }

    fn interpret(&self, _cx: &DomainContext<'_>, _inbound: &InboundRow, _asks: &Asks) -> Value {
        Value::Null
    }

    async fn apply(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _inbound: &InboundRow,
        _reading: MessageMeaning<'_>,
    ) -> Result<Applied, Problem> {
        Err(absent())
    }

    async fn opted_out(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _inbound: &InboundRow,
    ) -> Result<(), Problem> {
        Ok(())
    }

    async fn causes_open(
        &self,
        _tx: &mut Tx,
        causes: &[(String, Option<uuid::Uuid>)],
    ) -> Result<Vec<bool>, Problem> {
        Ok(vec![false; causes.len()])
    }

    async fn undelivered(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _delivery: &Delivery,
    ) -> Result<(), Problem> {
        Ok(())
    }

    async fn run_ended(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _end: RunEnd,
    ) -> Result<(), Problem> {
        Ok(())
    }

    async fn silent(
        &self,
        _tx: &mut Tx,
        _request: RequestId,
        _open_cells: &[String],
    ) -> Result<Value, Problem> {
        Ok(json!([]))
    }

    async fn asked(
        &self,
        _tx: &mut Tx,
        _request: RequestId,
        _askings: &[String],
    ) -> Result<Value, Problem> {
        Ok(json!([]))
    }

    async fn audit(&self, _tx: &mut Tx) -> Result<Vec<Breach>, Problem> {
        Ok(Vec::new())
    }
}
