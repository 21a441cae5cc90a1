//! The parts of the driver that release messages, hand them to the gateway, and ask the provider about
//! messages whose answer is missing.
//!
//! Messages leave in *slices*. A slice is a few messages of one tenant, each to a different recipient,
//! which are checked against the current policy in one transaction. The calls of the gateway begin within a
//! second of that transaction. So a caller that waits for one second after a STOP or the kill switch knows
//! that no further call begins. Slices of several tenants are sent concurrently, at most one per tenant.

mod next_state;
mod release_time;
mod verdict;

mod calls;
mod hold;
mod record;
mod slice;

mod pump;
mod reconcile;

pub(super) use pump::pump;
pub(super) use reconcile::pump as reconcile;
pub(crate) use release_time::START_WITHIN;
