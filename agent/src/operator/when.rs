//! Times in a text, in the zone of the business. Numeric dates have the day first, as Australians write them.

use std::ops::Range;

use jiff::{ToSpan, Zoned};

use super::tag::{Tag, Tagged};
use crate::times::{self, Cue, FoundTime, Grain, SaidClock, SaidDay};

/// How an instant is written.
const INSTANT: &str = "%Y-%m-%dT%H:%M:%S%:z";

/// The months.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A time in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SaidTime {
    pub(super) tokens: Range<usize>,
    pub(super) start: Zoned,
    /// The end, if a range was said.
    pub(super) end: Option<Zoned>,
    pub(super) grain: Grain,
    /// Whether a day was said.
    pub(super) has_day: bool,
    /// Whether a time of the day was said.
    pub(super) has_clock: bool,
}

impl SaidTime {
    /// Returns its start as an instant (RFC 3339).
    pub(super) fn instant(&self) -> String {
        instant(&self.start)
    }

    /// Returns its first day.
    pub(super) fn date(&self) -> String {
        self.start.date().to_string()
    }

    /// Returns the first instant after it.
    pub(super) fn after(&self) -> Option<Zoned> {
        if let Some(end) = &self.end {
            return Some(end.clone());
        }
        let days = match self.grain {
            Grain::Day => 1.day(),
            Grain::Week => 1.week(),
            Grain::Month => 1.month(),
            Grain::Quarter => 3.months(),
            Grain::Year => 1.year(),
            Grain::Second | Grain::Minute | Grain::Hour => return None,
        };
        self.start.checked_add(days).ok()
    }
}

/// Returns an instant in RFC 3339.
pub(super) fn instant(at: &Zoned) -> String {
    at.strftime(INSTANT).to_string()
}

/// Finds the times.
pub(super) fn find(text: &Tagged<'_>, now: &Zoned) -> Vec<SaidTime> {
    let shown = shown(text);
    let found = times::find(&shown, now);
    found.iter().filter_map(|it| said(text, it)).collect()
}

/// Returns the text for the reader of times: what is no time is blank, and numeric dates are in US order.
fn shown(text: &Tagged<'_>) -> String {
    let mut shown = super::token::beginning(text.text).to_owned();
    for (token, tag) in text.tokens.iter().zip(&text.tags) {
        let said = &shown[token.bytes.clone()];
        let other = match tag {
            Tag::Word => in_us_order(said),
            // A byte for a byte, so that the places stay the same.
            _ => Some("_".repeat(said.len())),
        };
        if let Some(other) = other.filter(|it| it.len() == said.len()) {
            shown.replace_range(token.bytes.clone(), &other);
        }
    }
    months_first(text, &mut shown);
    shown
}

/// Writes "12 May" as "May 12", because the reader of times takes a "may" after a number for a verb.
fn months_first(text: &Tagged<'_>, shown: &mut String) {
    for (at, pair) in text.tokens.windows(2).enumerate() {
        let [day, month] = pair else { continue };
        let between = day.bytes.end..month.bytes.start;
        let plain = text.are_words(at..at + 2) && text.text.get(between) == Some(" ");
        let digits = day.word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let is_day = digits.parse::<u8>().is_ok_and(|it| (1..=31).contains(&it));
        let named = MONTHS.iter().any(|it| *it == month.word || it.get(..3) == Some(&month.word));
        if plain && is_day && named {
            let all = day.bytes.start..month.bytes.end;
            let said = |range: &Range<usize>| text.text.get(range.clone()).unwrap_or_default();
            shown.replace_range(all, &format!("{} {}", said(&month.bytes), said(&day.bytes)));
        }
    }
}

/// Returns "3/12" as "12/3", and "7.30am" as "7:30am".
fn in_us_order(said: &str) -> Option<String> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((hour, rest)) = said.split_once('.') {
        let minutes = rest.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let half = &rest[minutes.len()..];
        let clock = digits(hour) && hour.len() <= 2 && digits(minutes) && minutes.len() == 2;
        return (clock && matches!(half, "am" | "pm" | "AM" | "PM"))
            .then(|| format!("{hour}:{rest}"));
    }
    let (day, rest) = said.split_once('/')?;
    let (month, year) =
        rest.split_once('/').map_or((rest, None), |(month, year)| (month, Some(year)));
    if !digits(day) || !digits(month) || year.is_some_and(|year| !digits(year)) || day.len() > 2 {
        return None;
    }
    Some(match year {
        Some(year) => format!("{month}/{day}/{year}"),
        None => format!("{month}/{day}"),
    })
}

fn said(text: &Tagged<'_>, found: &FoundTime) -> Option<SaidTime> {
    let reading = found.reading.as_ref()?;
    let clock = match found.clock {
        SaidClock::At(clock) | SaidClock::Between { from: clock, .. } => Some(clock),
        _ => None,
    };
    let bare = |cue: Cue| cue != Cue::Form && found.day == SaidDay::Unsaid;
    // "at 48 a metre" is a price, "for 9" a count; a range and "at 8" are times.
    let first = text.tokens.iter().position(|it| it.bytes.end > found.bytes.start)?;
    let end = text.tokens.iter().rposition(|it| it.bytes.start < found.bytes.end)? + 1;
    if clock.is_some_and(|it| it.cue == Cue::Place && bare(it.cue)) && first + 1 == end {
        return None;
    }
    let figure = text.word(first).len() > 2 && text.tokens[first].is_number();
    if clock.is_some_and(|it| bare(it.cue)) && figure && first + 1 == end {
        return None; // "at 1800" is a price
    }
    let priced =
        matches!(text.word(end), "a" | "per" | "each" | "ea" | "plus" | "dollars" | "bucks");
    if clock.is_some_and(|it| bare(it.cue)) && priced {
        return None;
    }
    text.are_words(first..end).then(|| SaidTime {
        tokens: first..end,
        start: reading.start.clone(),
        end: reading.end.clone(),
        grain: reading.grain,
        has_day: found.day != SaidDay::Unsaid,
        has_clock: found.clock != SaidClock::Unsaid,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::tagged;

    #[test]
    fn times_are_read_as_australians_write_them() {
        let cases = [
            (
                "book it for friday 7.30am till 4pm",
                "2026-05-08T07:30:00+10:00",
                Some("2026-05-08T16:00:00+10:00"),
            ),
            ("due 3/12", "2026-12-03T00:00:00+11:00", None),
            ("due 14 July", "2026-07-14T00:00:00+10:00", None),
            ("tuesday 9am to 10am", "2026-05-05T09:00:00+10:00", Some("2026-05-05T10:00:00+10:00")),
            ("quote 17 at 8 tomorrow", "2026-05-05T08:00:00+10:00", None),
            ("for 12 May 7am-3pm", "2026-05-12T07:00:00+10:00", Some("2026-05-12T15:00:00+10:00")),
            ("on the 3rd of June", "2026-06-03T00:00:00+10:00", None),
        ];
        for (text, start, end) in cases {
            let found = tagged(text).times;
            let first = found.first().unwrap_or_else(|| panic!("{text}"));
            assert_eq!(first.instant(), start, "{text}");
            assert_eq!(first.end.as_ref().map(super::instant).as_deref(), end, "{text}");
        }
        for text in [
            "32 metres at 48 a metre",
            "record 990 against inv_80",
            "hire at 1800 to q-204",
            "5 cracked tiles",
        ] {
            assert_eq!(tagged(text).times, [], "{text}");
        }
    }
}
