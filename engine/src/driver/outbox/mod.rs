//! The part of the driver that lets messages go, hands them to the gateway, and finds out what became of
//! those whose answer is missing.
//!
//! Texts leave in *slices*: a few of one tenant, each to another recipient, are looked at under today's
//! policy in one transaction, and the calls of the gateway begin within a second of it. So whoever waits
//! for that second after a STOP or the kill switch knows that nothing more begins. Slices of several
//! tenants are under way at a time; each tenant has one.

mod begun;
mod fate;
mod verdict;

mod calls;
mod hold;
mod note;
mod slice;

mod pump;
mod reconcile;

pub(crate) use begun::START_WITHIN;
pub(super) use pump::pump;
pub(super) use reconcile::pump as reconcile;
