//! What is found in longer texts.

use jiff::civil::{Weekday, date};

use super::{NOW, at};
use crate::times::{Cue, FoundTime, SaidClock, SaidDay, find, read_phrase};

/// A found time as `the words|day|clock`.
fn described(text: &str, found: &FoundTime) -> String {
    let day = match found.day {
        SaidDay::Unsaid => "-".to_owned(),
        SaidDay::Weekday(weekday) => format!("{weekday:?}"),
        SaidDay::Exact(date) => date.to_string(),
        SaidDay::Period { first, after } => format!("{first}..{after}"),
        SaidDay::Impossible => "impossible".to_owned(),
    };
    let show = |clock: &crate::times::ClockTime| {
        let exact = if clock.is_exact { "" } else { "?" };
        let cue = match clock.cue {
            Cue::Form => "",
            Cue::At => " at",
            Cue::Place => " place",
        };
        format!("{}:{:02}{exact}{cue}", clock.hour, clock.minute)
    };
    let clock = match &found.clock {
        SaidClock::Unsaid => "-".to_owned(),
        SaidClock::At(clock) => show(clock),
        SaidClock::Between { from, until } => format!("{}..{}", show(from), show(until)),
        SaidClock::Part(part) => format!("{part:?}"),
        SaidClock::Elapsed => "elapsed".to_owned(),
    };
    format!("{}|{day}|{clock}", &text[found.bytes.clone()])
}

#[test]
fn times_are_found_in_texts() {
    let cases: &[(&str, &[&str])] = &[
        ("need 5 nursery for the 9am this sunday", &["9am this sunday|2026-01-18|9:00"]),
        ("3 ushers Sunday at 11", &["Sunday at 11|Sunday|11:00? at"]),
        ("4 nursery for the 9", &["9|-|9:00? place"]),
        ("want 6 out there this sunday 11", &["this sunday 11|2026-01-18|11:00? place"]),
        ("6 ushers for christmas eve 630", &["christmas eve 630|2026-12-24|18:30? place"]),
        ("need sunday 4 nursery", &["sunday|Sunday|-"]),
        ("5 for nursery at 9 and cancel the ushers at 11", &["9|-|9:00? at", "11|-|11:00? at"]),
        ("9am - 3 parking, 2 security", &["9am|-|9:00"]),
        ("two ushers, 9-11am on the 18th", &["9-11am on the 18th|2026-01-18|9:00..11:00"]),
        ("5 greeters next week at 9", &["next week at 9|2026-01-19..2026-01-26|9:00? at"]),
        ("take next wednesdays youth thing off", &["next wednesdays|2026-01-21|-"]),
        ("tmrw 2nd service, 3 setup", &["tmrw|2026-01-14|-"]),
        ("call me in 20 minutes", &["in 20 minutes|-|elapsed"]),
        ("2 for april 31 at 9am", &["april 31 at 9am|impossible|9:00"]),
        ("who is on Sunday morning?", &["Sunday morning|Sunday|Morning"]),
        ("need 3 sat 6pm", &["sat 6pm|Saturday|18:00"]),
        ("VBS Jun 8-12, 20 helpers", &["Jun 8-12|2026-06-08..2026-06-13|-"]),
        ("nursery at 9 and 11?", &["9|-|9:00? at", "11|-|11:00? place"]),
        ("ask John 9:30am, not John 9:30", &["9:30am|-|9:30"]),
        ("greeters Friday last night", &["Friday|Friday|-", "last night|2026-01-12|Night"]),
        ("go from six to four", &[]),
        ("increase ushers by 2 and greeters by one", &[]),
        ("he sat down in the sun, may I?", &[]),
        ("read John 3:16 please", &[]),
        ("every Sunday", &[]),
        ("the second team needs 4 people", &[]),
        ("at least 5 for one of them", &[]),
        ("march for life, 12 drivers", &[]),
        ("call 512-555-0100", &[]),
        ("5 may come, 3 can't", &[]),
        ("", &[]),
    ];
    let reference = at(NOW);
    let wrong: Vec<String> = cases
        .iter()
        .map(|(text, expected)| {
            let shown: Vec<String> =
                find(text, &reference).iter().map(|found| described(text, found)).collect();
            (text, expected, shown)
        })
        .filter(|(_, expected, shown)| shown != *expected)
        .map(|(text, expected, shown)| format!("{text}: expected {expected:?}, not {shown:?}"))
        .collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn a_found_time_is_read_like_a_phrase() {
    let reference = at(NOW);
    let found = find("we need 4 at the church on Feb 1 at 9am, ok?", &reference);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].day, SaidDay::Exact(date(2026, 2, 1)));
    assert_eq!(found[0].reading, read_phrase("Feb 1 at 9am", &reference));
    let found = find("need 2 on sunday", &reference);
    assert_eq!(found[0].day, SaidDay::Weekday(Weekday::Sunday));
}
