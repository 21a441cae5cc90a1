//! Two parts of the driver: one releases messages and hands them to the gateway; the other asks the
//! provider about each message to which the provider gave no answer when the message was sent.
//!
//! Messages leave in *slices*. A slice is a few messages of one tenant, each to a different recipient,
//! which are checked against the current policy in one transaction. The process begins to send a released
//! message within one second after that transaction began, or queues the message again. That transaction
//! locks the recipients and the tenant's kill switch, so an opt-out or a turned switch is stored either
//! before or after it. Therefore, one second after an opt-out or a turned switch is stored, no message
//! that was released before it can leave any more. Slices of several tenants are sent concurrently, at
//! most one slice per tenant at a time.

mod call_result;
mod verdict;

mod calls;
mod hold;
mod record;
mod rewording;
mod slice;

mod pump;
mod reconcile;

pub(super) use pump::pump;
pub(super) use reconcile::pump as reconcile;
