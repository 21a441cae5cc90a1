//! Asks the provider about each message to which the provider gave no answer when the message was sent. A
//! message that the provider has is marked as sent. A message that the provider certainly does not have is
//! sent again. If the provider cannot tell, it is asked again later, for at most a day. If it still cannot
//! tell after that day, the message ends as unknown.

use std::sync::Arc;

use super::super::core::{ANSWER_WITHIN, Core, Pumped, answer_within};
use super::super::current_part::ANSWERS;
use super::call_result::CallResult;
use super::calls;
use crate::base::{Problem, Timestamp, limits};
use crate::gateway::{LookupAnswer, LookupRequest};
use crate::store::Outgoing;
use crate::transaction;

/// Asks the provider about every message for which the provider's answer is overdue, by the database's
/// clock. The result contains the time at which the next answer becomes overdue.
pub(crate) async fn pump(core: Arc<Core>) -> Result<Pumped, Problem> {
    let core = &core;
    let mut pumped = Pumped::default();
    loop {
        let Overdue { found, now, next } = overdue(core).await?;
        if found.is_empty() || core.is_stopping() {
            // `at` and `now` are times of the database's clock, which may differ from this process's clock.
            // The span from `now` to `at` is the same on both clocks.
            pumped.due = next.map(|at| core.now() + (at - now));
            return Ok(pumped);
        }
        pumped.did += found.len() as u64;
        let ask = |outgoing| ask(Arc::clone(core), outgoing, now);
        calls::make(core, ANSWERS, found.into_iter().map(ask).collect()).await;
        core.bells.outbox.ring(); // the next message to each of these recipients may leave now
    }
}

/// The messages for which the provider's answer is overdue.
struct Overdue {
    found: Vec<Outgoing>,
    /// The current instant of the database's clock.
    now: Timestamp,
    /// When the provider's next answer becomes overdue.
    next: Option<Timestamp>,
}

/// Reads the messages for which the provider's answer is overdue. First checks with one cheap statement
/// whether there are such messages; usually there are none.
async fn overdue(core: &Core) -> Result<Overdue, Problem> {
    let Some(next) = core.due().await?.answer else {
        return Ok(Overdue { found: Vec::new(), now: core.now(), next: None });
    };
    let limit = i64::try_from(limits::LOOK_UPS_MAX).unwrap_or(1);
    let read = transaction!(|tx| {
        let now = tx.database_now().await?;
        Ok(Overdue { found: tx.overdue_sends(now, limit).await?, now, next: Some(next) })
    });
    core.store.read(read).await
}

async fn ask(core: Arc<Core>, outgoing: Outgoing, now: Timestamp) -> (Outgoing, CallResult) {
    let lookup = LookupRequest {
        id: outgoing.id,
        tenant: outgoing.tenant.clone(),
        to: outgoing.to.clone(),
        body: outgoing.body.clone(),
        called_by: outgoing.start_by,
    };
    let found = answer_within(&core, ANSWER_WITHIN, core.gateway.look_up(&lookup)).await;
    let found = found.unwrap_or_else(|| LookupAnswer::CannotTellYet {
        reason: "the provider did not answer in time".to_owned(),
    });
    if let LookupAnswer::CannotTellYet { reason } | LookupAnswer::CanNeverTell { reason } = &found {
        tracing::warn!(message = %outgoing.id, reason, "the provider cannot tell whether it has the message");
    }
    (outgoing, CallResult::LookedUp(found, now))
}
