//! The part of the driver that applies stored inbound messages. Messages of one sender
//! or one request are applied in the order in which they were received, all others concurrently.
//! A failure for one tenant delays no other tenant.

mod reading;

mod apply;
mod order;
mod set_aside;

mod pump;

pub(super) use pump::pump;
