//! The part of the driver that does work with a due time: it fires schedules, completes kill switches
//! that were turned on or off, ends offers that expire, and closes requests.

mod fire;
mod sweep;
mod switch;

mod pump;

pub(super) use pump::pump;
