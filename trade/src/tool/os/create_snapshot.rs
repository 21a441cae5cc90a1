//! `os.create_snapshot`: stores the figures of the reports under a name.

use abide_engine::base::{Digest, Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use crate::cell::{self, Cell};
use crate::data::{self, StoredRow};
use crate::tool::input::{Input, known, shown};
use crate::tool::report;

/// Stores the figures of all reports as they are now.
pub(crate) struct CreateSnapshot;

#[async_trait]
impl WriteVerb for CreateSnapshot {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let (input, snapshots) = (Input::of(cx, args), known("snapshots")?);
        let figures = report::all_figures(tx, &input).await?;
        let digest = Digest::of_value(&figures).to_string();
        let mut snapshot = StoredRow::new(snapshots, data::new_id(tx, snapshots), cx.now);
        input.assign(tx, &mut snapshot, &["name"]).await?;
        snapshot.set("data", Cell::Text(cell::json(&figures)));
        snapshot.set("digest", Cell::Text(digest.clone()));
        let mut effects = Effects::default();
        input.insert(tx, &snapshot, &mut effects).await?;
        let result = json!({
            "snapshot_id": snapshot.id(),
            "digest": digest,
            "snapshot": shown(&snapshot)?,
        });
        Ok(VerbOutcome::done(result, effects))
    }
}
