//! Compares the final states of two simulations, line by line.

use std::collections::BTreeMap;

use abide_engine::base::{Span, Timestamp};

/// Two instants count as equal if the time between them is at most this long. The jitter of retries
/// may add to this time. The instants can differ because a crash can delay the confirmation
/// that a message was sent: the wait for an answer then starts later.
const LATER_MAX: Span = Span::from_secs(300);
/// The random jitter of a retry pause is at most the pause divided by this number.
/// All retry pauses before an instant together last at most the time from the start of the simulation
/// to the instant. So jitter can move the instant by at most that time divided by this number.
const JITTER: i64 = 4;

/// Returns the lines that only one of two states has, sorted.
/// The sign `-` marks a line that only `expected` has, and `+` a line that only `found` has.
/// Two lines count as equal if they differ only in instants, and these instants are close to each other.
/// `since` is the start of both simulations.
#[must_use]
pub fn difference(since: Timestamp, expected: &[String], found: &[String]) -> Vec<String> {
    let (mut missing, mut extra) = unshared(expected, found);
    missing.retain(|line| {
        let same = extra.iter().position(|other| are_near(since, line, other));
        same.map(|ix| extra.remove(ix)).is_none()
    });
    let mut told: Vec<(&str, char)> = missing.into_iter().map(|line| (line, '-')).collect();
    told.extend(extra.into_iter().map(|line| (line, '+')));
    told.sort_unstable();
    told.into_iter().map(|(line, sign)| format!("{sign} {line}")).collect()
}

/// Returns the lines that only `expected` has and the lines that only `found` has.
/// If one list contains a line more often than the other
/// list, returns the line once for each extra occurrence.
fn unshared<'l>(expected: &'l [String], found: &'l [String]) -> (Vec<&'l str>, Vec<&'l str>) {
    let mut balance: BTreeMap<&str, i64> = BTreeMap::new();
    for line in expected {
        *balance.entry(line).or_default() -= 1;
    }
    for line in found {
        *balance.entry(line).or_default() += 1;
    }
    let times = |n: i64| usize::try_from(n).unwrap_or(0);
    let missing = balance.iter().flat_map(|(line, n)| std::iter::repeat_n(*line, times(-n)));
    let extra = balance.iter().flat_map(|(line, n)| std::iter::repeat_n(*line, times(*n)));
    (missing.collect(), extra.collect())
}

/// Whether two lines are equal except for instants that are close to each other.
/// `since` is the start of both simulations.
fn are_near(since: Timestamp, one: &str, other: &str) -> bool {
    let ((one, its), (other, theirs)) = (timeless(one), timeless(other));
    let near = |(a, b): (&Timestamp, &Timestamp)| {
        let (sooner, later) = (*a.min(b), *a.max(b));
        let jitter = Span::from_micros((sooner - since).micros().max(0) / JITTER);
        later - sooner <= LATER_MAX + jitter
    };
    one == other && its.iter().zip(&theirs).all(near)
}

/// Separates the instants in a line from its other words. Appends the number of instants
/// to the words, so that lines with different numbers of instants never count as equal.
fn timeless(line: &str) -> (String, Vec<Timestamp>) {
    let (mut words, mut instants) = (String::new(), Vec::new());
    for word in line.split_inclusive(['"', ' ', ',']) {
        match word.trim_end_matches(['"', ' ', ',']).parse::<Timestamp>() {
            Ok(instant) => instants.push(instant),
            Err(_) => words.push_str(word),
        }
    }
    words.push_str(&format!(" {}", instants.len()));
    (words, instants)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp::from_micros(1_759_233_600_000_000); // 2025-09-30T12:00:00Z

    fn lines(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn only_what_is_not_shared_is_told_as_often_as_it_is_so() {
        for (expected, found, told) in [
            ("a b c", "c b a", ""),
            ("a b", "a c", "- b,+ c"),
            ("a a b", "a", "- a,- b"),
            ("a", "a b b", "+ b,+ b"),
        ] {
            let difference = difference(NOON, &lines(expected), &lines(found)).join(",");
            assert_eq!(difference, told, "{expected} / {found}");
        }
    }

    #[test]
    fn an_instant_may_be_a_little_later_and_nothing_else_may() {
        let line = |what: &str, at: &str| vec![format!("{{\"{what}\":\"2025-09-30T{at}+00:00\"}}")];
        let until = line("until", "12:40:00");
        for (found, same) in [
            (line("until", "12:40:00"), true),
            (line("until", "12:40:10"), true),
            (line("until", "12:39:20.5"), true),
            (line("until", "12:54:59"), true),
            (line("until", "12:55:01"), false),
            (line("since", "12:40:10"), false),
            (vec!["{\"until\":\"\"}".to_owned()], false),
            (vec!["{\"until\":null}".to_owned()], false),
        ] {
            assert_eq!(difference(NOON, &until, &found).is_empty(), same, "{found:?}");
        }
        let twice = [line("until", "12:40:10"), line("until", "12:40:20")].concat();
        assert_eq!(difference(NOON, &until, &twice).len(), 1, "one line of the two is extra");
    }
}
