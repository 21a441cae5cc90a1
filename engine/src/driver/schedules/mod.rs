//! The part of the driver that does work with a due time: it fires schedules, does the work that remains
//! after a kill switch is turned on or off, ends offers that expire, closes requests, and archives what is old.

mod fire;
mod retention;
mod sweep;
mod switch;

mod pump;

pub(super) use pump::pump;
