//! Cron schedules of five fields, or of six fields with seconds first.
//!
//! A schedule whose field for hours has neither `*` nor `/` follows the wall clock. If the clock is set
//! forward over a matching time, the schedule fires once, at the instant of the change. If the clock
//! shows a matching time twice, the schedule fires only the first time.
//!
//! A schedule with `*` or `/` in the field for hours follows elapsed time: it fires whenever the clock
//! shows a matching time. Such a schedule fires twice in a repeated hour and never in a skipped hour.

mod field;

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use jiff::tz::TimeZone;

use self::field::{FIELDS, Field};
use super::problem::Problem;
use super::time::Timestamp;
use super::wall::showing;

/// A parsed cron schedule.
/// The schedule has no times after the year 2100, where the calendar of the `cron` crate ends.
#[derive(Debug, Clone)]
pub struct CronSchedule {
    text: String,
    /// Schedules of the `cron` crate. A time matches if it matches at least one of them. There are
    /// two if both the days of the month and the days of the week are restricted: one schedule for
    /// the days of the month and one for the days of the week. Otherwise there is one schedule.
    alternatives: Vec<cron::Schedule>,
    by_elapsed_time: bool,
}

/// Maximum length of a cron expression in bytes. A list of all sixty minutes has 170 bytes.
const BYTES_MAX: usize = 512;

impl CronSchedule {
    /// Parses `minute hour day-of-month month day-of-week`, with an optional first field for seconds.
    ///
    /// Months and weekdays may be given by name; 0 and 7 are Sunday. If both the days of the month
    /// and the days of the week are restricted, a day matches if it matches either of them.
    ///
    /// # Errors
    /// `cron_invalid`. The message names the invalid field, and the hint is the remedy.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        if text.len() > BYTES_MAX {
            return Err(invalid(format!("a schedule can have at most {BYTES_MAX} bytes"), None));
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let fields = match words.len() {
            6 => read(&words)?,
            5 => read(&[&["0"], words.as_slice()].concat())?,
            count => return Err(miscounted(text, count)),
        };
        let [seconds, minutes, hours, days, months, weekdays] = &fields;
        let schedule = |days: &str, weekdays: &str| {
            let fields = [seconds, minutes, hours].map(Field::numbers).join(" ");
            let text = format!("{fields} {days} {} {weekdays}", months.numbers());
            cron::Schedule::from_str(&text)
                .map_err(|error| Problem::bug(format!("cron refuses `{text}`: {error}")))
        };
        let alternatives = if days.is_restricted() && weekdays.is_restricted() {
            vec![schedule(&days.numbers(), "*")?, schedule("*", &weekdays.numbers())?]
        } else {
            vec![schedule(&days.numbers(), &weekdays.numbers())?]
        };
        let by_elapsed_time = hours.has_wildcard_or_step();
        Ok(Self { text: words.join(" "), alternatives, by_elapsed_time })
    }

    /// Returns at most `count` times of the schedule, in ascending order. All of them are later than the
    /// instant `from`. The parameter `zone` is the time zone of the schedule.
    /// Returns fewer times if the schedule has no more, and none if
    /// the date that the schedule names, such as 30 February, does not exist.
    #[must_use]
    pub fn next_after(&self, from: Timestamp, zone: &TimeZone, count: usize) -> Vec<Timestamp> {
        if self.by_elapsed_time {
            self.by_elapsed_time(from, zone, count)
        } else {
            self.by_wall_clock(from, zone, count)
        }
    }

    fn by_wall_clock(&self, from: Timestamp, zone: &TimeZone, count: usize) -> Vec<Timestamp> {
        let mut found: Vec<Timestamp> = Vec::new();
        // By the instant `from`, the clock has shown or skipped every local time up to `local`.
        // So only local times after `local` can still be due.
        let local = whole_seconds(from) + offset_seconds(from, zone);
        for local in self.local_after(local) {
            if found.len() >= count {
                break;
            }
            let Ok(local) = jiff::Timestamp::from_second(local) else { break };
            let at = showing(TimeZone::UTC.to_datetime(local), zone).first;
            if at > found.last().copied().unwrap_or(from) {
                found.push(at);
            }
        }
        found
    }

    /// Returns the next times of a schedule that follows elapsed time. Searches each period between two
    /// changes of the zone's offset from UTC separately, because the offset is constant within a period.
    fn by_elapsed_time(&self, from: Timestamp, zone: &TimeZone, count: usize) -> Vec<Timestamp> {
        let mut found = Vec::new();
        let (mut stretch, mut after) = (from, whole_seconds(from));
        while found.len() < count {
            let offset = offset_seconds(stretch, zone);
            let change = zone.following(stretch.to_jiff()).next();
            let change = change.map(|change| Timestamp::from_jiff(change.timestamp()));
            let mut local = self.local_after(after + offset).peekable();
            if local.peek().is_none() {
                break;
            }
            let times = local.map(|local| Timestamp::from_micros((local - offset) * SECOND));
            let times = times.take_while(|at| change.is_none_or(|change| *at < change));
            found.extend(times.take(count - found.len()));
            let Some(change) = change else { break };
            (stretch, after) = (change, whole_seconds(change) - 1);
        }
        found
    }

    /// Returns the matching local times strictly after `local`.
    /// Local times are in seconds since 1970, as if the clock showed UTC.
    fn local_after(&self, local: i64) -> impl Iterator<Item = i64> {
        let start = DateTime::<Utc>::from_timestamp(local, 0);
        let mut sources: Vec<_> = start
            .iter()
            .flat_map(|start| self.alternatives.iter().map(|one| one.after(start).peekable()))
            .collect();
        std::iter::from_fn(move || {
            let next = sources.iter_mut().filter_map(|source| source.peek().copied()).min()?;
            for source in &mut sources {
                source.next_if_eq(&next);
            }
            Some(next.timestamp())
        })
    }
}

const SECOND: i64 = 1_000_000;

fn whole_seconds(at: Timestamp) -> i64 {
    at.micros().div_euclid(SECOND)
}

fn offset_seconds(at: Timestamp, zone: &TimeZone) -> i64 {
    i64::from(zone.to_offset(at.to_jiff()).seconds())
}

fn read(words: &[&str]) -> Result<[Field; 6], Problem> {
    let mut fields = Vec::with_capacity(FIELDS.len());
    for (spec, word) in FIELDS.iter().zip(words) {
        fields.push(Field::parse(spec, word)?);
    }
    fields.try_into().map_err(|_| Problem::bug("a schedule without six fields"))
}

fn miscounted(text: &str, count: usize) -> Problem {
    let hint = match text.trim() {
        macro_ if macro_.starts_with('@') => "write out the fields; daily is `0 0 * * *`",
        _ => "give minute, hour, day of month, month and day of week, such as `30 9 * * SUN`",
    };
    let fields = if count == 1 { "field" } else { "fields" };
    invalid(
        format!("a schedule must have 5 fields, or 6 with seconds first, not {count} {fields}"),
        Some(hint),
    )
}

fn invalid(message: String, hint: Option<&str>) -> Problem {
    let problem = Problem::caller("cron_invalid", message);
    match hint {
        Some(hint) => problem.with_hint(hint),
        None => problem,
    }
}

impl fmt::Display for CronSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests;
