//! The part of the driver for work that falls due by time: schedules, the unfinished work of kill switches,
//! and in the domain offers that expire and requests that close.

mod fire;
mod sweep;
mod switch;

mod pump;

pub(super) use pump::pump;
