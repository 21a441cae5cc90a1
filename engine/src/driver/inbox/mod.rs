//! The part of the driver that applies stored inbound messages: in the order in which they were received
//! by one sender and for one request, side by side otherwise. What fails for one tenant delays no other.

mod reading;

mod apply;
mod order;
mod set_aside;

mod pump;

pub(super) use pump::pump;
