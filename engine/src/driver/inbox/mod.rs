//! The part of the driver that applies stored inbound messages: in the order in which they were received
//! for each sender and each request, concurrently otherwise. A failure for one tenant delays no other
//! tenant.

mod reading;

mod apply;
mod order;
mod set_aside;

mod pump;

pub(super) use pump::pump;
