//! The tools that remember what users tell about themselves.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;

use super::{assertion, looked_up, read};
use crate::data::ir::{self, ToldFact};

/// The arguments of the three tools.
#[derive(Deserialize)]
struct MemoryArgs {
    user: String,
    field: String,
    #[serde(default)]
    value: String,
}

/// Looks up a fact.
pub(super) struct MemoryCheck;

#[async_trait]
impl WriteVerb for MemoryCheck {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let MemoryArgs { user, field, .. } = read(args)?;
        let known = ir::fact(tx, cx.tenant, &user, &field).await?;
        Ok(looked_up(match known {
            Some(value) => {
                let stands = assertion("user", &field, &value);
                json!({ "known": true, "value": value, "assertions": [stands] })
            }
            None => json!({ "known": false, "assertions": [] }),
        }))
    }
}

/// Remembers a fact.
pub(super) struct Save;

#[async_trait]
impl WriteVerb for Save {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let MemoryArgs { user, field, value } = read(args)?;
        let fact = ToldFact { user: &user, field: &field, value: &value, call: cx.call };
        let id = ir::save(tx, cx.tenant, &fact, cx.now).await?;
        let stands = assertion("user", &field, &value);
        let mut effects = Effects::default();
        effects.wrote("assertion", "insert", id);
        Ok(VerbOutcome::done(json!({ "value": value, "assertions": [stands] }), effects))
    }
}

/// Forgets a fact.
pub(super) struct Forget;

#[async_trait]
impl WriteVerb for Forget {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let MemoryArgs { user, field, .. } = read(args)?;
        let forgotten = ir::forget(tx, cx.tenant, &user, &field, cx.now).await?;
        let mut effects = Effects::default();
        for id in &forgotten {
            effects.wrote("assertion", "update", id);
        }
        let told = json!({ "forgotten": !forgotten.is_empty(), "assertions": [] });
        Ok(VerbOutcome::done(told, effects))
    }
}
