//! The part of the driver that does what falls due by itself: the rest of the work of a kill switch,
//! schedules, and in the domain offers that expire and requests that close.

mod fire;
mod sweep;
mod switch;

mod pump;

pub(super) use pump::pump;
