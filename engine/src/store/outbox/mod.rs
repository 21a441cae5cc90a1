//! Stores outbound messages. A message is queued only once per idempotency key, and it is released under
//! the policy that is current at its release. The provider's answer decides the message's last state.

/// The condition that no other message is being sent to the recipient of the message `o`.
macro_rules! recipient_is_free {
    () => {
        "(SELECT 1 FROM outbox s WHERE s.tenant = o.tenant AND s.contact = o.contact AND {s.state} = 'sending'
            LIMIT 1) IS NULL"
    };
}
pub(super) use recipient_is_free;

/// A query that returns, for each tenant whose kill switch is off, when its next messages may be sent.
/// The column `answer` is the time of the next answer to an inbound message, the column `other` the time
/// of the next message that is no such answer. The query leaves out messages to recipients to whom
/// another message is being sent now.
macro_rules! first_of_tenants {
    () => {
        concat!(
            "SELECT t.id,
                (SELECT o.not_before FROM outbox o
                    WHERE o.tenant = t.id AND o.state = 'queued' AND o.bulk = 0 AND ",
            $crate::store::outbox::recipient_is_free!(),
            " ORDER BY o.not_before, o.id LIMIT 1) AS answer,
                (SELECT o.not_before FROM outbox o
                    WHERE o.tenant = t.id AND o.state = 'queued' AND o.bulk = 1 AND ",
            $crate::store::outbox::recipient_is_free!(),
            " ORDER BY o.not_before, o.id LIMIT 1) AS other
                FROM tenant t WHERE t.paused = 0"
        )
    };
}
pub(super) use first_of_tenants;

mod delivery;
mod pages;
mod pause;
mod queue;
mod release;
mod report;
mod reword;
mod shadow;
mod unasked;

use super::error::StoreError;
use super::row::Row;
use crate::base::{StreamId, TypedId};

pub use delivery::{AttemptResult, Outgoing, SendAttempt, TriedSend};
pub(super) use pages::MessagePages;
pub use pages::{MessageQuery, MessageState, OutboundRow, PostponedMessage};
pub use pause::HeldSend;
pub use queue::{Cause, OutboxMessage, Queued, StoredCause};
pub use release::Candidate;
pub use report::{DeliveryState, ReportedId, ReportedMessage};
pub use reword::{QueuedAbout, QueuedText};
pub use shadow::ShadowMessage;

/// Reads the cause of a message: the kind and the id of the causing row.
fn stored_cause(row: &Row) -> Result<StoredCause, StoreError> {
    let id = row.opt_id::<StreamId>("cause_id")?.map(TypedId::uuid);
    Ok(StoredCause { kind: row.text("cause_kind")?, id })
}
