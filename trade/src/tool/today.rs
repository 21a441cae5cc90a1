//! Today and other days, in the time zone of the business.

use abide_engine::base::{Problem, Timestamp};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Unit};

/// Today, in the time zone of the business.
pub(super) struct Today {
    /// The day.
    pub(super) date: Date,
    zone: TimeZone,
}

impl Today {
    pub(super) fn at(now: Timestamp, zone: TimeZone) -> Self {
        Self { date: now.to_jiff().to_zoned(zone.clone()).date(), zone }
    }

    /// Returns the day that is some days later, or earlier if `days` is negative.
    pub(super) fn plus(&self, days: i64) -> Result<Date, Problem> {
        self.date.checked_add(Span::new().days(days)).map_err(out_of_range)
    }

    /// Returns the first instant of a day.
    pub(super) fn beginning(&self, day: Date) -> Result<Timestamp, Problem> {
        let begin = day.to_zoned(self.zone.clone()).map_err(out_of_range)?;
        Ok(Timestamp::from_jiff(begin.timestamp()))
    }

    /// Returns the number of days from a day until today.
    pub(super) fn days_since(&self, day: Date) -> Result<i32, Problem> {
        let span = day.until((Unit::Day, self.date)).map_err(out_of_range)?;
        Ok(span.get_days())
    }

    /// Returns the number of days from the day of an instant until today.
    pub(super) fn days_since_instant(&self, at: Timestamp) -> Result<i32, Problem> {
        self.days_since(at.to_jiff().to_zoned(self.zone.clone()).date())
    }
}

pub(super) fn out_of_range(error: jiff::Error) -> Problem {
    Problem::bug(format!("a day of a report is out of range: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn today(now: &str) -> Today {
        let zone = TimeZone::get("Australia/Sydney").expect("a zone");
        Today::at(now.parse().expect("an instant"), zone)
    }

    #[test]
    fn days_begin_in_the_time_zone_of_the_business() {
        let today = today("2025-10-04T22:00:00Z"); // Sunday 09:00 in Sydney, after the clocks changed
        assert_eq!(today.date.to_string(), "2025-10-05");
        let begin = today.beginning(today.date).expect("a day");
        assert_eq!(begin.to_string(), "2025-10-04T14:00:00+00:00");
        let tomorrow = today.beginning(today.plus(1).expect("a day")).expect("a day");
        assert_eq!(tomorrow.to_string(), "2025-10-05T13:00:00+00:00", "the day has 23 hours");
        let sent = "2025-10-03T13:59:00Z".parse().expect("an instant"); // the third at 23:59
        assert_eq!(today.days_since_instant(sent).expect("days"), 2);
    }
}
