//! The part of the driver that applies stored inbound messages. Messages from one sender,
//! and messages that concern one request, are applied one after another, the oldest first.
//! All other messages are applied concurrently. A failure for one tenant delays no other tenant.

mod frames;
mod proposal;
mod reading;
mod rest;

mod apply;
mod order;
mod set_aside;
mod together;

mod pump;

pub(super) use pump::pump;
