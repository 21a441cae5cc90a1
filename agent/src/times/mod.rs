//! A small, deterministic grammar of English time phrases: "next Saturday at 9", "in 3 days",
//! "first Sunday in December", "from 7 to 9pm".
//!
//! A phrase passes through three stages. `token` cuts it into words, digits and marks. The rules
//! (`clock`, `range`, `date`, `weekday`, `holiday`, `relative`, `period`) read one part each, and
//! `grammar` collects the parts. `resolve` turns what was said into an instant.
//!
//! Conventions: a bare weekday or clock time lies ahead. "next Saturday" is the Saturday of the
//! next calendar week, which begins on Monday. Numeric dates are in US order. A clock time without
//! "am" or "pm" is from 7 in the morning to 6 in the evening. Hours and minutes are elapsed time,
//! also over a change of the clocks; days, weeks and months are calendar days from midnight. A
//! clock time in a gap of the zone is the first instant after the gap; one that occurs twice is
//! the first of the two.

mod clock;
mod cursor;
mod date;
mod day;
mod eval;
mod find;
mod grammar;
mod holiday;
mod name;
mod period;
mod range;
mod reading;
mod relative;
mod resolve;
mod said;
mod token;
mod weekday;

pub use eval::eval;
pub use find::{FoundTime, SaidClock, SaidDay, find};
pub use grammar::read_phrase;
pub use reading::{Grain, TimeReading};
pub use said::{ClockTime, Cue, Part};

#[cfg(test)]
mod tests;
