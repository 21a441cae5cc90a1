//! `os.create_snapshot`: stores the figures of the reports under a name.

use abide_engine::base::{Digest, Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use crate::data::{self, StoredRow};
use crate::tool::{args, input, report};

/// Stores the figures of all reports as they are now.
pub(crate) struct CreateSnapshot;

#[async_trait]
impl WriteVerb for CreateSnapshot {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        input: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let figures = report::all_figures(tx, cx).await?;
        let digest = Digest::of_value(&figures).to_string();
        let snapshots = input::known("snapshots")?;
        let mut snapshot = StoredRow::new(snapshots, data::new_id(tx, snapshots), cx.now);
        args::assign_text(&mut snapshot, "name", args::text(input, "name")?);
        args::assign(&mut snapshot, "data", &figures, "data", cx.settings.region)?;
        args::assign_text(&mut snapshot, "digest", &digest);
        data::insert_unless_known(tx, cx.tenant, &snapshot).await?;
        let mut effects = Effects::default();
        effects.wrote(snapshots.name, "insert", snapshot.id());
        let result = json!({
            "snapshot_id": snapshot.id(),
            "digest": digest,
            "snapshot": input::shown(&snapshot)?,
        });
        Ok(VerbOutcome::done(result, effects))
    }
}
