//! Recurring schedules: when they fire, and how missed times are caught up.

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::base::cron::CronSchedule;
use crate::base::{Problem, Span, Timestamp, limits};

/// What happens at due times that passed while the schedule could not fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CatchUp {
    /// Skips all missed times.
    None,
    /// Fires once for all missed times together.
    #[default]
    One,
    /// Fires for each missed time, one after another, oldest first.
    ///
    /// If there are more than [`limits::CATCH_UP_MAX`] missed times, only the newest are fired.
    All,
}

impl CatchUp {
    /// Whether, under this rule, the schedule missed the time `due` and must still fire for it.
    ///
    /// If so, the schedule fires for `due` when its previous run
    /// has ended, even if the overlap policy would skip `due`.
    #[must_use]
    pub fn must_fire(self, due: Timestamp, now: Timestamp) -> bool {
        self == Self::All && now - due > ON_TIME_TOLERANCE
    }
}

/// What happens at a due time if the schedule's previous run has not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// Skips this time.
    #[default]
    Skip,
    /// Waits until the previous run has ended.
    Queue,
    /// Starts a run alongside the previous one.
    Allow,
}

/// A cron schedule in a time zone.
#[derive(Debug, Clone)]
pub struct Recurrence {
    cron: CronSchedule,
    zone: TimeZone,
}

/// The decision about a schedule that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FireDecision {
    /// Due time for which the schedule fires now, if any.
    pub fire: Option<Timestamp>,
    /// First of the due times that are skipped, if any.
    pub missed: Option<Timestamp>,
    /// Next due time; `None` if the schedule has none.
    pub next: Option<Timestamp>,
}

/// Tolerance within which a due time still counts as on time:
/// a busy or restarting process can be this late.
const ON_TIME_TOLERANCE: Span = Span::from_secs(60);
/// How far the first search for missed times looks back from the present.
/// Each further search looks back [`LOOK_BACK_FACTOR`] times as far as the previous search.
/// So even if a schedule fires every second and the outage was long,
/// the search reads only a few thousand due times to find the last hundred.
const LOOK_BACK: Span = Span::from_secs(60);
const LOOK_BACK_FACTOR: i64 = 60;
/// Number of due times requested from the cron schedule at once.
const TIMES_PER_QUERY: usize = 64;

impl Recurrence {
    /// Parses a cron expression and the IANA name of a time zone.
    ///
    /// # Errors
    /// `cron_invalid` for a bad expression; `schedule_invalid` for an unknown time zone.
    pub fn parse(cron: &str, tz: &str) -> Result<Self, Problem> {
        Ok(Self { cron: CronSchedule::parse(cron)?, zone: zone(tz)? })
    }

    /// Returns the first due time that is later than the instant `from`, or `None` if there is none.
    #[must_use]
    pub fn after(&self, from: Timestamp) -> Option<Timestamp> {
        self.cron.next_after(from, &self.zone, 1).first().copied()
    }

    /// Decides what a schedule does at the instant `now`. The schedule was due at the instant `due`.
    ///
    /// Applies the rule `catch_up` to the due times between these two instants, including both.
    #[must_use]
    pub fn decide(&self, due: Timestamp, now: Timestamp, catch_up: CatchUp) -> FireDecision {
        let most = if catch_up == CatchUp::All { limits::CATCH_UP_MAX } else { 1 };
        // If the rules of the time zone have changed since `due` was computed,
        // the schedule may have no time between `due` and `now`. In
        // that case, the schedule fires for `due` itself.
        let fire = self.last_until(due, now, most).first().copied().unwrap_or(due);
        let late = catch_up == CatchUp::None && now - fire > ON_TIME_TOLERANCE;
        let next = self.after(fire);
        if late {
            return FireDecision { fire: None, missed: Some(due), next };
        }
        FireDecision { fire: Some(fire), missed: (due < fire).then_some(due), next }
    }

    /// Decides to fire for the due time `due`. The schedule could not fire for it earlier,
    /// because the previous run had not ended, so `due` does not count as missed.
    #[must_use]
    pub fn fire_delayed(&self, due: Timestamp) -> FireDecision {
        FireDecision { fire: Some(due), missed: None, next: self.after(due) }
    }

    /// Returns the last due times of an interval, which begins at `from` and ends at `until` (both
    /// inclusive). The times are sorted, the oldest first; their number is at most `most`.
    fn last_until(&self, from: Timestamp, until: Timestamp, most: usize) -> Vec<Timestamp> {
        let before = from - Span::from_micros(1);
        let mut back = LOOK_BACK;
        loop {
            let start = (until - back).max(before);
            let mut found = self.between(start, until);
            if found.len() >= most || start == before {
                return found.split_off(found.len().saturating_sub(most));
            }
            back = Span::from_micros(back.micros().saturating_mul(LOOK_BACK_FACTOR));
        }
    }

    /// Returns the due times of an interval, which begins at `start` (exclusive)
    /// and ends at `until` (inclusive).
    fn between(&self, start: Timestamp, until: Timestamp) -> Vec<Timestamp> {
        let mut found = Vec::new();
        let mut from = start;
        loop {
            let times = self.cron.next_after(from, &self.zone, TIMES_PER_QUERY);
            let fitting = times.iter().take_while(|at| **at <= until);
            let before = found.len();
            found.extend(fitting);
            if found.len() - before < TIMES_PER_QUERY {
                return found;
            }
            from = found.last().copied().unwrap_or(until);
        }
    }
}

/// Looks up a time zone by its IANA name.
///
/// # Errors
/// `schedule_invalid` if there is no such zone.
pub fn zone(tz: &str) -> Result<TimeZone, Problem> {
    TimeZone::get(tz).map_err(|_| {
        Problem::caller("schedule_invalid", format!("there is no time zone `{tz}`"))
            .with_hint("give an IANA name such as `America/Chicago`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("an instant")
    }

    fn decide(cron: &str, due: &str, now: &str, catch_up: CatchUp) -> [Option<String>; 3] {
        let recurrence = Recurrence::parse(cron, "America/Chicago").expect("parses");
        let FireDecision { fire, missed, next } = recurrence.decide(at(due), at(now), catch_up);
        [fire, missed, next].map(|at| at.map(|at| at.in_zone(&recurrence.zone)))
    }

    #[track_caller]
    fn check(cron: &str, due: &str, now: &str, catch_up: CatchUp, expected: [&str; 3]) {
        let expected = expected.map(|text| (!text.is_empty()).then(|| text.to_owned()));
        assert_eq!(decide(cron, due, now, catch_up), expected, "{catch_up:?}");
    }

    #[test]
    fn on_time_it_fires_whatever_is_done_about_missed_ones() {
        let due = "2026-06-01T09:00:00-05:00";
        let next = "2026-06-01T10:00:00-05:00";
        for catch_up in [CatchUp::None, CatchUp::One, CatchUp::All] {
            check("0 * * * *", due, due, catch_up, [due, "", next]);
            check("0 * * * *", due, "2026-06-01T09:00:59-05:00", catch_up, [due, "", next]);
        }
    }

    #[test]
    fn a_weekend_outage_is_made_up_for_as_the_policy_says() {
        // The schedule is due daily at 09:00. The process was down from Friday noon to Monday 08:00.
        let now = "2026-06-08T08:00:00-05:00";
        let (saturday, sunday) = ("2026-06-06T09:00:00-05:00", "2026-06-07T09:00:00-05:00");
        let monday = "2026-06-08T09:00:00-05:00";
        check("0 9 * * *", saturday, now, CatchUp::None, ["", saturday, monday]);
        check("0 9 * * *", saturday, now, CatchUp::One, [sunday, saturday, monday]);
        check("0 9 * * *", saturday, now, CatchUp::All, [saturday, "", sunday]);
        check("0 9 * * *", sunday, now, CatchUp::All, [sunday, "", monday]);
    }

    #[test]
    fn of_very_many_the_newest_hundred_are_made_up_for() {
        let (due, now) = ("2026-06-05T12:00:00-05:00", "2026-06-08T08:00:30-05:00");
        let [fire, missed, next] = decide("* * * * *", due, now, CatchUp::All);
        assert_eq!(fire.as_deref(), Some("2026-06-08T06:21:00-05:00"));
        assert_eq!(missed.as_deref(), Some(due));
        assert_eq!(next.as_deref(), Some("2026-06-08T06:22:00-05:00"));
        let [fire, ..] = decide("* * * * * *", due, now, CatchUp::All);
        assert_eq!(fire.as_deref(), Some("2026-06-08T07:58:51-05:00"));
    }

    #[test]
    fn a_date_that_never_comes_again_is_the_end() {
        let never = Recurrence::parse("0 0 30 2 *", "UTC").expect("parses");
        assert_eq!(never.after(at("2026-01-01T00:00:00Z")), None);
    }

    #[test]
    fn a_zone_must_exist() {
        let refused = Recurrence::parse("0 9 * * *", "Mars/Olympus").expect_err("no zone");
        assert_eq!(refused.code, "schedule_invalid");
        assert_eq!(
            Recurrence::parse("0 25 * * *", "UTC").expect_err("no hour").code,
            "cron_invalid"
        );
    }
}
