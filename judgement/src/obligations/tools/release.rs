//! The tool that ends what a user has ordered before.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;

use super::read;
use crate::data::asked::{self, ObligationStatus};
use crate::data::standing;
use crate::obligations::standing::cancel;

#[derive(Deserialize)]
struct ReleaseArgs {
    user: String,
    thing: String,
}

/// Ends every order of a user about a thing that a run keeps up. Each run is cancelled, which settles its order.
pub(super) struct ReleaseOrders;

#[async_trait]
impl WriteVerb for ReleaseOrders {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let ReleaseArgs { user, thing } = read(args)?;
        let mut ended = Vec::new();
        let mut effects = Effects::default();
        for row in standing::of_thing(tx, cx.tenant, &user, &thing).await? {
            match row.run {
                Some(run) => cancel(tx, run).await?,
                None => {
                    asked::settle(tx, row.id, ObligationStatus::Cancelled, cx.now).await?;
                    standing::end(tx, row.id, cx.now).await?;
                }
            }
            effects.wrote("standing_obligation", "update", row.id);
            ended.push(row.predicate);
        }
        Ok(VerbOutcome::done(json!({ "ended": ended, "count": ended.len() }), effects))
    }
}
