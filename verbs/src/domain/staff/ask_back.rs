//! Asks a member of staff for what a wish lacks.

use abide_engine::base::Problem;
use abide_engine::domain::Applied;
use abide_engine::store::Tx;
use serde_json::json;

use super::OrderHandler;
use crate::data;
use crate::data::question::ClarificationKind;
use crate::domain::handler::done;
use crate::domain::wish::StaffWish;

impl OrderHandler<'_> {
    /// Asks for the missing details, and keeps what was understood. After two questions in vain, explains with
    /// examples instead.
    pub(super) async fn ask_back(&self, tx: &mut Tx, wish: &StaffWish) -> Result<Applied, Problem> {
        if !wish.may_ask() {
            data::question::remove(tx, self.staff, ClarificationKind::Staff).await?;
            self.answer(tx, "staff_examples", &json!({})).await?;
            return Ok(done(self.message.answered_staff()));
        }
        let kept = StaffWish { asked: wish.asked + 1, ..wish.clone() };
        self.keep(tx, ClarificationKind::Staff, &kept).await?;
        let about = if kept.own.is_some() { "questions" } else { "missing" };
        self.answer(tx, "clarify", &json!({ about: kept.missing })).await?;
        Ok(done(self.message.answered_staff()))
    }
}
