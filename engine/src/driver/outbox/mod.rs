//! The part of the driver that releases messages, hands them to the gateway, and finds out whether the
//! provider has those whose answer is missing.
//!
//! Texts leave in *slices*: a few messages of one tenant, each to a different recipient, are checked
//! against the current policy in one transaction, and the calls of the gateway begin within a second of
//! it. So after a STOP or the kill switch, a caller that waits for this second knows that no further call
//! begins. Slices of several tenants are under way at a time, at most one per tenant.

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
