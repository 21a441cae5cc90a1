//! The result: an instant, or a span of time, with the precision of the words.

use jiff::Zoned;

/// The precision with which a phrase names a time, finest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grain {
    /// "now", "in 20 minutes".
    Second,
    /// "9:30", "in 2 hours".
    Minute,
    /// "9am", "noon", "tomorrow evening".
    Hour,
    /// "Friday", "in 3 days".
    Day,
    /// "next week".
    Week,
    /// "in March".
    Month,
    /// "Q2 2026".
    Quarter,
    /// "next year".
    Year,
}

impl Grain {
    /// The grain as it appears in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Second => "second",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        }
    }
}

/// The time that a phrase means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeReading {
    /// The first instant.
    pub start: Zoned,
    /// The first instant after it; only for ranges, parts of the day and weekends.
    pub end: Option<Zoned>,
    /// The precision of the words.
    pub grain: Grain,
}
