//! The tools of leads.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::{args, input};
use crate::data::{self, StoredRow};
use crate::refusal::{self, NamedRow};

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
        input: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let lead = args::text(input, "lead_id")?;
        let (leads, notes) = (input::known("leads")?, input::known("notes")?);
        if !data::exists(tx, leads, cx.tenant, lead).await? {
            return Err(refusal::not_found(NamedRow { member: "lead_id", id: lead }, leads.name));
        }
        let mut note = StoredRow::new(notes, data::new_id(tx, notes), cx.now);
        args::assign_text(&mut note, "entity_type", LEAD);
        args::assign_text(&mut note, "entity_id", lead);
        for member in ["title", "body", "tags"] {
            if let Some(value) = args::given(input, member) {
                args::assign(&mut note, member, value, member, cx.settings.region)?;
            }
        }
        data::insert_unless_known(tx, cx.tenant, &note).await?;
        let mut effects = Effects::default();
        effects.wrote(notes.name, "insert", note.id());
        let result = json!({ "note_id": note.id(), "note": input::shown(&note)? });
        Ok(VerbOutcome::done(result, effects))
    }
}
