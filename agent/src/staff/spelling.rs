//! Rewrites what people write in a hurry or in Spanish into what the grammar of times and the words
//! of the church read: "svc", "el 12 de octubre", "10-12 9am", "set-up".

use abide_language::base::calendar::{MONTHS, MONTHS_IN_SPANISH};

/// Words and what is read instead: Spanish days, "thursdays sound", and abbreviations.
const WORDS: &[(&str, &str)] = &[
    ("sundays", "sunday"),
    ("wednesdays", "wednesday"),
    ("thursdays", "thursday"),
    ("saturdays", "saturday"),
    ("domingo", "sunday"),
    ("lunes", "monday"),
    ("martes", "tuesday"),
    ("miercoles", "wednesday"),
    ("miércoles", "wednesday"),
    ("jueves", "thursday"),
    ("viernes", "friday"),
    ("sabado", "saturday"),
    ("sábado", "saturday"),
    ("hoy", "today"),
    ("mañana", "tomorrow"),
    ("manana", "tomorrow"),
    ("pascua", "easter"),
    ("navidad", "christmas"),
    ("nochebuena", "christmas eve"),
    ("nxt", "next"),
    ("nex", "next"),
    ("svc", "service"),
    ("svcs", "services"),
    ("svs", "service"),
    ("srvc", "service"),
    ("serv", "service"),
];
/// Abbreviated days that are words too, and the words before them where they are no days.
const SHORT_DAYS: &[(&str, &str, &[&str])] = &[
    ("sun", "sunday", &["the", "hot", "el", "a"]),
    ("wed", "wednesday", &["they", "got", "be", "are", "to", "newly", "were"]),
];
/// Words before "10-12" that make a date of it.
const BEFORE_DATE: &[&str] = &["on", "sunday", "sun", "wednesday", "wed", "thursday", "thurs"];

/// A word with the signs after it.
#[derive(Debug, Clone, Copy)]
struct Part<'t> {
    word: &'t str,
    after: &'t str,
}

/// Returns a text as it is read.
pub(super) fn respelled(text: &str) -> String {
    let parts: Vec<Part<'_>> =
        text.split_inclusive(|c: char| !c.is_alphanumeric()).map(part).collect();
    let mut shown = String::with_capacity(text.len());
    let mut before = String::new();
    let mut at = 0;
    let mut place = 1;
    while let Some(part) = parts.get(at) {
        let lower = part.word.to_lowercase();
        if is_place(&parts[at..], place) && (place > 1 || at == 0) {
            shown.push('\n');
            place += 1;
            at += 1;
            continue;
        }
        if let Some(date) = spanish_date(&parts[at..]) {
            shown.push_str(&date);
            at += 2;
        } else if BEFORE_DATE.contains(&before.as_str()) || is_before_clock(&parts[at..]) {
            shown.push_str(part.word);
            shown.push_str(if is_date(&parts[at..]) { "/" } else { part.after });
            before = lower;
            at += 1;
            continue;
        } else {
            shown.push_str(&word(part, &lower, &before));
        }
        shown.push_str(after(&parts[at..]));
        before = lower;
        at += 1;
    }
    shown
}

fn part(text: &str) -> Part<'_> {
    let word = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    Part { word, after: &text[word.len()..] }
}

/// Returns what is read instead of a word. "de la mañana" is the morning.
fn word(part: &Part<'_>, lower: &str, before: &str) -> String {
    match WORDS.iter().find(|(name, _)| *name == lower) {
        Some((_, "tomorrow")) if before == "la" => "morning".to_owned(),
        Some(_) if matches!(before, "every" | "most" | "all" | "on") && part.after.is_empty() => {
            part.word.to_owned()
        }
        // "two more Sundays"
        Some(_) if before == "more" && lower.ends_with("days") => part.word.to_owned(),
        Some((_, english)) => (*english).to_owned(),
        None => SHORT_DAYS
            .iter()
            .find(|(name, _, others)| *name == lower && !others.contains(&before))
            .map_or(part.word, |(_, english, _)| english)
            .to_owned(),
    }
}

/// Returns the signs after a word: "set-up" is two words, and "3/11am" a number and a time.
fn after<'t>(parts: &[Part<'t>]) -> &'t str {
    let [part, next, ..] = parts else { return parts.first().map_or("", |it| it.after) };
    let letters = |word: &str| !word.is_empty() && word.chars().all(char::is_alphabetic);
    let compound = part.after == "-" && letters(part.word) && letters(next.word);
    let apart = part.after == "/" && (is_clock(next.word) || letters(part.word));
    if compound || apart { " " } else { part.after }
}

/// Whether the number of a place in a list stands at the start: "1. 3 ushers 2. 2 greeters".
fn is_place(parts: &[Part<'_>], place: usize) -> bool {
    let [part, next, ..] = parts else { return false };
    let apart = next.word.is_empty() && next.after == " ";
    matches!(part.after, "." | ")") && apart && part.word.parse() == Ok(place)
}

/// Reads "12 de octubre" at the start.
fn spanish_date(parts: &[Part<'_>]) -> Option<String> {
    let [day, of, month, ..] = parts else { return None };
    let named = month.word.to_lowercase();
    let month = MONTHS[MONTHS_IN_SPANISH.iter().position(|name| *name == named)?];
    let is_day = day.word.parse::<u8>().is_ok_and(|day| (1..=31).contains(&day));
    (is_day && of.word.eq_ignore_ascii_case("de")).then(|| format!("{month} {}", day.word))
}

/// Whether "10-12" or "10.12" stands at the start.
fn is_date(parts: &[Part<'_>]) -> bool {
    let [month, day, ..] = parts else { return false };
    let within = |word: &str, max: u8| word.parse::<u8>().is_ok_and(|n| (1..=max).contains(&n));
    matches!(month.after, "-" | ".")
        && within(month.word, 12)
        && within(day.word, 31)
        && !matches!(day.after, "-" | "/" | ":")
}

/// Whether "10-12" or "10.12" stands at the start, and a clock time after it.
fn is_before_clock(parts: &[Part<'_>]) -> bool {
    is_date(parts) && parts.get(2).is_some_and(|it| is_clock(it.word))
}

/// Whether a word is a clock time by its form: "9am".
fn is_clock(word: &str) -> bool {
    let half = word.trim_start_matches(|c: char| c.is_ascii_digit());
    half.len() < word.len() && matches!(half.to_ascii_lowercase().as_str(), "am" | "pm" | "a" | "p")
}

#[cfg(test)]
mod tests {
    use super::respelled;

    #[test]
    fn hurried_and_spanish_words_are_rewritten() {
        let cases = [
            ("early svc nxt wk", "early service next wk"),
            ("el 12 de octubre a las 9", "el october 12 a las 9"),
            ("a las 9 de la mañana", "a las 9 de la morning"),
            ("set-up crew", "set up crew"),
            ("nursery/3/11am", "nursery 3 11am"),
            ("3 ushers 10-12 9am", "3 ushers 10/12 9am"),
            ("sun 10.12", "sunday 10/12"),
            ("10-12 ushers", "10-12 ushers"),
            ("4:30 - 5", "4:30 - 5"),
            ("10/12/25", "10/12/25"),
            ("youth wed x4", "youth wednesday x4"),
            ("out in the sun", "out in the sun"),
            ("1. 3 ushers 2. 2 greeters", "\n 3 ushers \n 2 greeters"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(respelled(text), expected, "{text}");
        }
    }
}
