//! What a phrase says, before it is placed in time.

use jiff::Zoned;
use jiff::civil::{Date, Weekday};

use crate::times::day::Day;
use crate::times::reading::Grain;

/// What shows that a number is a clock time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cue {
    /// The words themselves: "9am", "9:30", "noon", "half past six".
    Form,
    /// A word before it: "at 9".
    At,
    /// Only its place: "sunday 9", "4 ushers for 9". It may be a count as well.
    Place,
}

/// The half of the day that was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    Unsaid,
    Am,
    Pm,
    /// "at night": before or after midnight.
    Night,
    /// The hour is one of 24.
    Whole,
}

/// A clock time as it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClockWords {
    /// From 0 to 23.
    pub(crate) hour: i8,
    pub(crate) minute: i8,
    pub(crate) second: i8,
    pub(crate) half: Half,
    pub(crate) grain: Grain,
    pub(crate) cue: Cue,
}

/// One or two clock times as they were said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClocksWords {
    At(ClockWords),
    Between(BetweenWords),
}

/// "from 7 to 9pm".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BetweenWords {
    pub(crate) from: ClockWords,
    pub(crate) until: ClockWords,
}

/// A clock time of 24 hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockTime {
    /// From 0 to 23.
    pub hour: i8,
    /// From 0 to 59.
    pub minute: i8,
    /// From 0 to 59.
    pub second: i8,
    /// Whether the half of the day was said. If not, 12 hours earlier or later may be meant.
    pub is_exact: bool,
    /// What shows that it is a clock time.
    pub cue: Cue,
}

/// A part of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// From 4 to 12.
    Morning,
    /// From 12 to 19.
    Afternoon,
    /// From 18 to 24.
    Evening,
    /// From 18 to 24.
    Night,
}

impl Part {
    /// The hour at which it begins.
    pub(crate) fn first_hour(self) -> i8 {
        match self {
            Self::Morning => 4,
            Self::Afternoon => 12,
            Self::Evening | Self::Night => 18,
        }
    }

    /// The hour at which it ends.
    pub(crate) fn last_hour(self) -> i8 {
        match self {
            Self::Morning => 12,
            Self::Afternoon => 19,
            Self::Evening | Self::Night => 24,
        }
    }

    /// The half of the day that it says about a clock time.
    pub(crate) fn half(self) -> Half {
        match self {
            Self::Morning => Half::Am,
            Self::Afternoon | Self::Evening => Half::Pm,
            Self::Night => Half::Night,
        }
    }
}

/// Whole days: a week, a weekend, a month, "Dec 5-7".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Period {
    pub(crate) first: Date,
    /// The first day after it.
    pub(crate) after: Date,
    pub(crate) grain: Grain,
    /// Whether the reading has an end: a range or a weekend.
    pub(crate) has_end: bool,
}

/// An instant at a distance from the reference: "in 20 minutes".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Instant {
    pub(crate) at: Zoned,
    pub(crate) grain: Grain,
}

/// The parts of a phrase.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) day: Option<Day>,
    /// A weekday beside a date: "Sunday the 12th".
    pub(crate) weekday: Option<Weekday>,
    pub(crate) period: Option<Period>,
    pub(crate) clocks: Option<ClocksWords>,
    pub(crate) part: Option<Part>,
    pub(crate) instant: Option<Instant>,
}

/// A phrase: a time, or a range of days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Phrase {
    pub(crate) from: Said,
    /// "from Friday at 6pm to Sunday noon".
    pub(crate) until: Option<Said>,
}
