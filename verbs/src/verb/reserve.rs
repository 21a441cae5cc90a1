//! The verb `reserve`: reserves an amount of a capacity, or gives an amount back.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::args;
use crate::data::capacity::Reservation;
use crate::operations::{OperationContext, capacity};

pub(super) struct Reserve;

#[async_trait]
impl WriteVerb for Reserve {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let key = args::text(args, "key")?;
        let amount = args.get("amount").and_then(Value::as_i64).filter(|amount| *amount != 0);
        let Some(amount) = amount else {
            return Err(args::invalid("`amount` is not a whole number, or is 0"));
        };
        let wanted = Reservation { call: cx.call, run: cx.run, key, amount };
        let left = capacity::reserve(tx, &OperationContext::of_call(cx), wanted).await?;
        let mut effects = Effects::default();
        effects.wrote("reservation", "insert", cx.call);
        effects.wrote("capacity", "update", key);
        let result = json!({
            "key": key,
            "amount": amount,
            "used": left.used,
            "total": left.total,
            "free": (left.total - left.used).max(0),
        });
        Ok(VerbOutcome::done(result, effects))
    }
}
