use proptest::prelude::*;

use super::*;

const CHICAGO: &str = "America/Chicago";

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).expect("a zone")
}

#[track_caller]
fn check(expression: &str, tz: &str, from: &str, expect: &[&str]) {
    let schedule = CronSchedule::parse(expression).expect("a schedule");
    let zone = zone(tz);
    let next = schedule.next_after(from.parse().expect("an instant"), &zone, expect.len().max(1));
    let next: Vec<String> = next.into_iter().map(|at| at.in_zone(&zone)).collect();
    assert_eq!(next, expect, "`{expression}` after {from}");
}

#[test]
fn times_come_strictly_after_the_start() {
    check(
        "0 9 * * *",
        CHICAGO,
        "2025-10-05T09:00:00-05:00",
        &["2025-10-06T09:00:00-05:00", "2025-10-07T09:00:00-05:00"],
    );
    check("0 9 * * *", CHICAGO, "2025-10-05T08:59:59.5-05:00", &["2025-10-05T09:00:00-05:00"]);
    check("0 9 * * *", CHICAGO, "2025-10-05T09:00:00.5-05:00", &["2025-10-06T09:00:00-05:00"]);
    check(
        "*/20 * * * * *",
        CHICAGO,
        "2025-10-05T09:00:00-05:00",
        &["2025-10-05T09:00:20-05:00", "2025-10-05T09:00:40-05:00", "2025-10-05T09:01:00-05:00"],
    );
    check("59 59 23 31 12 *", "UTC", "2025-12-31T23:59:59Z", &["2026-12-31T23:59:59+00:00"]);
}

#[test]
fn days_months_and_their_names() {
    check("30 18 * * wed", CHICAGO, "2025-10-05T00:00:00-05:00", &["2025-10-08T18:30:00-05:00"]);
    for sunday in ["0", "7", "SUN", "Sunday", "7,0"] {
        let expression = format!("0 9 * * {sunday}");
        check(
            &expression,
            CHICAGO,
            "2025-10-06T00:00:00-05:00",
            &["2025-10-12T09:00:00-05:00", "2025-10-19T09:00:00-05:00"],
        );
    }
    check(
        "0 9 * * 5-7",
        "UTC",
        "2025-10-10T00:00:00Z",
        &[
            "2025-10-10T09:00:00+00:00",
            "2025-10-11T09:00:00+00:00",
            "2025-10-12T09:00:00+00:00",
            "2025-10-17T09:00:00+00:00",
        ],
    );
    check(
        "0 0 1 jan,Jul *",
        "UTC",
        "2025-10-05T00:00:00Z",
        &["2026-01-01T00:00:00+00:00", "2026-07-01T00:00:00+00:00"],
    );
    check("0 0 29 2 *", "UTC", "2025-10-05T00:00:00Z", &["2028-02-29T00:00:00+00:00"]);
    check(
        "0 0 31 * *",
        "UTC",
        "2025-10-31T00:00:00Z",
        &["2025-12-31T00:00:00+00:00", "2026-01-31T00:00:00+00:00", "2026-03-31T00:00:00+00:00"],
    );
    check(
        "0 9-17/4 * * *",
        "UTC",
        "2025-10-05T10:00:00Z",
        &["2025-10-05T13:00:00+00:00", "2025-10-05T17:00:00+00:00", "2025-10-06T09:00:00+00:00"],
    );
    check(
        "50/5 8 * * *",
        "UTC",
        "2025-10-05T00:00:00Z",
        &["2025-10-05T08:50:00+00:00", "2025-10-05T08:55:00+00:00", "2025-10-06T08:50:00+00:00"],
    );
}

#[test]
fn with_days_of_the_month_and_of_the_week_either_suffices() {
    check(
        "0 12 13 * fri",
        "UTC",
        "2025-10-05T00:00:00Z",
        &["2025-10-10T12:00:00+00:00", "2025-10-13T12:00:00+00:00", "2025-10-17T12:00:00+00:00"],
    );
    // On a day that matches both the day of the month and the weekday, the schedule fires once.
    check(
        "0 12 13 2 fri",
        "UTC",
        "2026-02-07T00:00:00Z",
        &["2026-02-13T12:00:00+00:00", "2026-02-20T12:00:00+00:00"],
    );
    check("0 12 * * fri", "UTC", "2025-10-11T00:00:00Z", &["2025-10-17T12:00:00+00:00"]);
    check("0 12 1-31 * fri", "UTC", "2025-10-11T00:00:00Z", &["2025-10-17T12:00:00+00:00"]);
}

#[test]
fn a_date_that_does_not_exist_never_comes() {
    for expression in ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 * 30 2 *"] {
        check(expression, CHICAGO, "2025-10-05T00:00:00-05:00", &[]);
    }
}

#[test]
fn a_wall_clock_time_in_the_gap_fires_when_it_ends() {
    check(
        "30 2 * * *",
        CHICAGO,
        "2026-03-07T00:00:00-06:00",
        &["2026-03-07T02:30:00-06:00", "2026-03-08T03:00:00-05:00", "2026-03-09T02:30:00-05:00"],
    );
    // The clock skips the four times from 2:00 to 2:45. For these
    // times and the time 3:00 together, the schedule fires only once.
    check(
        "*/15 2,3 * * *",
        CHICAGO,
        "2026-03-08T00:00:00-06:00",
        &["2026-03-08T03:00:00-05:00", "2026-03-08T03:15:00-05:00", "2026-03-08T03:30:00-05:00"],
    );
    check("30 2 8 3 *", CHICAGO, "2026-03-08T03:00:00-05:00", &["2027-03-08T02:30:00-06:00"]);
}

#[test]
fn a_wall_clock_time_that_comes_twice_fires_at_the_first() {
    check(
        "30 1 * * *",
        CHICAGO,
        "2026-10-31T12:00:00-05:00",
        &["2026-11-01T01:30:00-05:00", "2026-11-02T01:30:00-06:00"],
    );
    check("30 1 * * *", CHICAGO, "2026-11-01T01:10:00-06:00", &["2026-11-02T01:30:00-06:00"]);
    check(
        "*/30 1 * * *",
        CHICAGO,
        "2026-11-01T00:00:00-05:00",
        &["2026-11-01T01:00:00-05:00", "2026-11-01T01:30:00-05:00", "2026-11-02T01:00:00-06:00"],
    );
}

#[test]
fn with_a_wildcard_in_the_hour_it_goes_by_elapsed_time() {
    check(
        "0 * * * *",
        CHICAGO,
        "2026-03-08T00:30:00-06:00",
        &["2026-03-08T01:00:00-06:00", "2026-03-08T03:00:00-05:00", "2026-03-08T04:00:00-05:00"],
    );
    check(
        "0 * * * *",
        CHICAGO,
        "2026-11-01T00:30:00-05:00",
        &["2026-11-01T01:00:00-05:00", "2026-11-01T01:00:00-06:00", "2026-11-01T02:00:00-06:00"],
    );
    check(
        "*/30 */1 * * *",
        CHICAGO,
        "2026-11-01T01:15:00-05:00",
        &[
            "2026-11-01T01:30:00-05:00",
            "2026-11-01T01:00:00-06:00",
            "2026-11-01T01:30:00-06:00",
            "2026-11-01T02:00:00-06:00",
        ],
    );
    check(
        "0 */6 * * *",
        CHICAGO,
        "2026-03-07T19:00:00-06:00",
        &["2026-03-08T00:00:00-06:00", "2026-03-08T06:00:00-05:00"],
    );
}

#[test]
fn what_is_wrong_is_named_with_the_remedy() {
    for (expression, message, hint) in [
        ("", "not 0 fields", "`30 9 * * SUN`"),
        ("0 9 * *", "not 4 fields", "minute, hour"),
        ("0 0 9 * * * 2026", "not 7 fields", "minute, hour"),
        ("@daily", "not 1 field", "`0 0 * * *`"),
        ("60 9 * * *", "`60` is not a valid minute", "from 0 to 59"),
        ("0 24 * * *", "`24` is not a valid hour", "from 0 to 23"),
        ("0 9 0 * *", "`0` is not a valid day of month", "from 1 to 31"),
        ("0 9 * 13 *", "`13` is not a valid month", "or `jan` to `dec`"),
        ("0 9 * * 8", "`8` is not a valid day of week", "or `sun` to `sat`"),
        ("0 9 * * funday", "`funday` is not a valid day of week", "from 0 to 7"),
        ("30-10 9 * * *", "`30-10` of the minute is in descending order", "`30-59,0-10`"),
        ("0 22-6 * * *", "is in descending order", "`22-23,0-6`"),
        ("0 9 * * fri-mon", "is in descending order", "`5-6,0-1`"),
        ("0 9 * * sat-sun", "is in descending order", "`6-7`"),
        ("*/0 9 * * *", "`/0` is not a valid step", "from 1 to 59"),
        ("*/60 9 * * *", "`/60` is not a valid step", "from 1 to 59"),
        ("5/ 9 * * *", "`/` is not a valid step", "from 1"),
        ("1,,2 9 * * *", "`` is not a valid minute", "from 0"),
        ("-5 9 * * *", "`` is not a valid minute", "from 0"),
        ("+5 9 * * *", "`+5` is not a valid minute", "from 0"),
        ("0 9 L * *", "`L` in the day of month is not supported", "list the days"),
        ("0 9 15W * *", "`W` in the day of month is not supported", "list the days"),
        ("0 9 * * 5#2", "`#` in the day of week is not supported", "list the days"),
        ("0 9 * * friL", "`L` in the day of week is not supported", "list the days"),
        ("0 9 ? * mon", "`?` in the day of month is not supported", "write `*`"),
    ] {
        let problem = CronSchedule::parse(expression).expect_err(expression);
        assert_eq!(problem.code, "cron_invalid", "{expression}");
        assert!(problem.message.contains(message), "`{expression}`: {}", problem.message);
        let given = problem.hint.unwrap_or_default();
        assert!(given.contains(hint), "`{expression}`: {given}");
    }
    assert!(CronSchedule::parse(&"1,".repeat(400)).is_err());
}

/// Generates a field both as a set of numbers and as a string,
/// so that the test does not rely on the parser.
fn field(least: u32, most: u32) -> impl Strategy<Value = (Vec<u32>, String)> {
    let some = proptest::collection::btree_set(least..=most, 1..4).prop_map(|set| {
        let text = set.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        (set.into_iter().collect(), text)
    });
    prop_oneof![Just(((least..=most).collect(), "*".to_owned())), some]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Compares a schedule with a search of every minute in three weeks, in which the clock changes once.
    #[test]
    fn it_agrees_with_looking_at_every_minute(
        (minutes, minute) in field(0, 59),
        (hours, hour) in field(0, 23),
        (days, day) in field(1, 31),
        (weekdays, weekday) in field(0, 6),
        autumn in any::<bool>(),
    ) {
        let start = if autumn { "2026-10-25T00:00:00Z" } else { "2026-03-01T00:00:00Z" };
        let start: Timestamp = start.parse().expect("an instant");
        let (zone, window) = (zone(CHICAGO), 21 * 24 * 60);
        let by_elapsed_time = hour == "*";
        let fits = |shown: jiff::civil::DateTime| {
            let number = |n: i8| u32::try_from(n).expect("a small number");
            let on_day = days.contains(&number(shown.day()));
            let on_weekday = weekdays.contains(&number(shown.weekday().to_sunday_zero_offset()));
            let either = day != "*" && weekday != "*";
            minutes.contains(&number(shown.minute()))
                && hours.contains(&number(shown.hour()))
                && if either { on_day || on_weekday } else { on_day && on_weekday }
        };
        let mut expected = std::collections::BTreeSet::new();
        for n in -60..window {
            let at = Timestamp::from_micros(start.micros() + n * 60 * SECOND);
            let local = zone.to_datetime(at.to_jiff());
            if by_elapsed_time {
                expected.extend(fits(local).then_some(at));
                continue;
            }
            // Checks every local minute since the previous `at`, including minutes that the clock skips.
            let before = zone.to_datetime((at - crate::base::Span::from_secs(60)).to_jiff());
            let mut minute = before + jiff::Span::new().minutes(1);
            let repeated = showing(local, &zone).first != at;
            while minute <= local && !repeated {
                expected.extend(fits(minute).then_some(at));
                minute += jiff::Span::new().minutes(1);
            }
        }
        let expected: Vec<_> = expected.into_iter().filter(|at| *at > start).collect();
        let schedule = CronSchedule::parse(&format!("{minute} {hour} {day} * {weekday}"));
        let found = schedule.expect("a schedule").next_after(start, &zone, expected.len().max(1));
        let end = Timestamp::from_micros(start.micros() + window * 60 * SECOND);
        let found: Vec<_> = found.into_iter().filter(|at| *at < end).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn no_text_whatever_panics(text in "[0-9*/,a-zA-Z#?@ -]{0,40}") {
        if let Ok(schedule) = CronSchedule::parse(&text) {
            let _ = schedule.next_after(Timestamp::EPOCH, &TimeZone::UTC, 3);
        }
    }
}
