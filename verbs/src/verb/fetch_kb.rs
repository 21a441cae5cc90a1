//! The verb `fetch_kb`: searches the knowledge base, and returns facts with their sources and ages.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::args;
use crate::data;
use crate::knowledge::{FACTS_MAX, Fact, search};

pub(super) struct FetchKb;

/// Maximum number of facts in a result if the call has no argument `limit`.
const FOUND: usize = 5;

#[async_trait]
impl WriteVerb for FetchKb {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let query = args::text(args, "query")?;
        let limit = args.get("limit").and_then(Value::as_u64);
        let limit = limit.map_or(FOUND, |limit| usize::try_from(limit).unwrap_or(FOUND));
        let most = i64::try_from(FACTS_MAX).unwrap_or(i64::MAX);
        let facts = data::kb::list(tx, cx.tenant, false, most).await?;
        let found: Vec<_> =
            search(&facts, query, limit).into_iter().map(|fact| shown(cx, fact)).collect();
        let result = json!({"facts": found, "searched": facts.len()});
        Ok(VerbOutcome::done(result, Effects::default()))
    }
}

fn shown(cx: &CallContext<'_>, fact: &Fact) -> Value {
    json!({
        "id": fact.id,
        "topic": fact.topic,
        "text": fact.text,
        "source": fact.source,
        "reviewer": fact.reviewer,
        "age_days": fact.age_days(cx.now),
        "stale": fact.is_stale(cx.now, cx.settings.kb_max_age),
    })
}
