//! The part of the driver that does what falls due by itself: what a kill switch has left to do, schedules, and in
//! the domain offers that expire, requests that close.

mod fire;
mod sweep;
mod switch;

mod pump;

pub(super) use pump::pump;
