//! Starts what a home adds, perhaps after a yes.

use abide_engine::base::Problem;
use abide_engine::domain::{Applied, StartRun};
use abide_engine::store::Tx;

use super::OrderHandler;
use super::started::described;
use crate::data;
use crate::data::question::ClarificationKind;
use crate::domain::handler::done;
use crate::domain::open::FILL_ROLE;
use crate::domain::wish::{OwnWish, StaffWish};

impl OrderHandler<'_> {
    /// Starts a run for an intent of a home. If the intent asks for it, first says what was understood, and waits
    /// for a yes.
    pub(super) async fn own(&self, tx: &mut Tx, wish: &StaffWish) -> Result<Applied, Problem> {
        let Some(own) = &wish.own else { return self.ask_back(tx, wish).await };
        if let Some(time) = own.service().filter(|_| own.kind != FILL_ROLE) {
            let tenant = self.message.context.tenant;
            if data::request::live_at(tx, tenant, "", time).await?.is_none() {
                let unknown = StaffWish { time: Some(time.to_string()), ..wish.clone() };
                return self.no_such_request(tx, &unknown).await;
            }
        }
        if !own.confirm {
            return Ok(self.start_own(own));
        }
        self.keep(tx, ClarificationKind::Confirm, wish).await?;
        self.answer(tx, "own_check", &described(&own.what, &own.goal())).await?;
        Ok(done(self.message.answered_staff()))
    }

    /// Starts a run for an intent of a home.
    pub(super) fn start_own(&self, own: &OwnWish) -> Applied {
        let start = self.start(own.goal());
        self.started(StartRun { method: own.method.clone().unwrap_or_default(), ..start })
    }
}
