//! The tools of leads.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::input::{Input, known, shown};
use crate::cell::Cell;
use crate::data::{self, StoredRow};

/// The kind of record that a note of a lead names as its `entity_type`.
const LEAD: &str = "lead";

/// `leads.add_note`: adds a note to a lead.
pub(super) struct AddNote;

#[async_trait]
impl WriteVerb for AddNote {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let (input, notes) = (Input::of(cx, args), known("notes")?);
        let lead = input.find(tx, known("leads")?, input.row("lead_id")?).await?;
        let mut note = StoredRow::new(notes, data::new_id(tx, notes), cx.now);
        note.set("entity_type", Cell::Text(LEAD.to_owned()));
        note.set("entity_id", Cell::Text(lead.id().to_owned()));
        input.assign(tx, &mut note, &["title", "body", "tags"]).await?;
        let mut effects = Effects::default();
        input.insert(tx, &note, &mut effects).await?;
        let result = json!({ "note_id": note.id(), "note": shown(&note)? });
        Ok(VerbOutcome::done(result, effects))
    }
}
