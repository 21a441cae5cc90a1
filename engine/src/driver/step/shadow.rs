//! Records what a shadow run would do, and ends the run.

use super::context::{Step, no_transaction};
use crate::base::Problem;
use crate::ledger::{EventKind, Receipt};

impl Step<'_> {
    /// Records everything that the run did in its copy, with the end of the run, in one commit. Does nothing if
    /// the run is not played yet: the step then only obeys orders.
    pub(super) async fn conclude_shadow(&mut self) -> Result<(), Problem> {
        let Some(preview) = self.preview.take() else { return Ok(()) };
        let live = self.live;
        for message in &preview.messages {
            let mut body = serde_json::json!({
                "message": message.id, "key": message.key, "kind": message.kind,
                "segments": message.segments, "at": message.at.to_string(),
            });
            if let Some(person) = message.person {
                body["person_id"] = serde_json::json!(person);
            }
            self.event(EventKind::MessageWouldSend, body);
        }
        for approval in &preview.approvals {
            self.event(EventKind::ApprovalWouldAsk, approval.clone());
        }
        for receipt in &preview.receipts {
            // The events of a commit are listed by id, so each id is minted in its turn.
            let id = self.core.ids.mint(self.draft.last_at);
            self.draft.receipt(live, &Receipt { id, ..receipt.clone() });
        }
        let mut summary = preview.summary();
        if let Some(beside) = self.draft.state.shadow.and_then(|shadow| shadow.beside) {
            summary["beside"] = serde_json::json!(beside);
        }
        self.event(EventKind::ShadowPlayed, summary);
        let tx = self.tx.as_deref_mut().ok_or_else(no_transaction)?;
        tx.record_shadowed(&live.tenant, live.id, &preview.messages).await?;
        self.end_as(&preview.end).await
    }
}
