//! The part of the driver that works on runs: it claims those that are due, takes their steps one after
//! another and commits each.

mod actor;
mod heads;

mod pump;

mod alone;

pub(crate) use alone::start_alone;
pub(super) use pump::{next_due, pump};
