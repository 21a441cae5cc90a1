//! Reads when an order is to be carried out, and until when it binds: "keep the ball in place until 5pm".

use jiff::{ToSpan, Zoned};

use crate::times::{FoundTime, Grain, SaidClock, find, read_phrase};

/// Words before the time at which an order no longer binds.
const UNTIL: [&str; 4] = ["until", "till", "til", "through"];
/// Words before the time by which an order is to be done.
const BY: [&str; 2] = ["by", "before"];
/// Words that may stand between these and the time.
const BETWEEN: [&str; 4] = ["the", "at", "about", "around"];
/// Words that may stand beside an order and its time.
const BESIDE: [&str; 8] = ["at", "on", "in", "then", "please", "abide", "thanks", "sharp"];
/// Words before how long an order binds.
const FOR: [&str; 5] =
    [" for the next ", " for ", " over the next ", " during the next ", " within the next "];
/// Maximum number of words of how long an order binds.
const SPAN_WORDS_MAX: usize = 6;

/// When an order is to be carried out, and until when it binds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SaidTimes {
    /// When it is to be carried out; `None` for at once.
    pub starts: Option<Zoned>,
    /// When it must be done, or no longer binds; `None` if nothing was said.
    pub deadline: Option<Zoned>,
}

/// Reads the times of an order.
#[must_use]
pub fn said_times(text: &str, now: &Zoned) -> SaidTimes {
    let mut said = SaidTimes::default();
    for found in find(text, now) {
        let Some(reading) = &found.reading else { continue };
        let is_day = reading.grain >= Grain::Day;
        match word_before(text, &found).as_deref() {
            Some(word) if UNTIL.contains(&word) => said.deadline = Some(reading.start.clone()),
            Some(word) if BY.contains(&word) => {
                let end = if is_day { reading.start.checked_add(1.day()).ok() } else { None };
                said.deadline = Some(end.unwrap_or_else(|| reading.start.clone()));
            }
            _ if !matches!(found.clock, SaidClock::Unsaid) => {
                said.starts.get_or_insert_with(|| reading.start.clone());
            }
            _ => {}
        }
    }
    if said.deadline.is_none() {
        let from = said.starts.clone().unwrap_or_else(|| now.clone());
        said.deadline = lasting(text, &from);
    }
    said
}

/// Returns the word before a time, or the first word of it, if that says that the time is an end.
fn word_before(text: &str, found: &FoundTime) -> Option<String> {
    let first = text[found.bytes.clone()].split_whitespace().next().map(str::to_lowercase);
    let is_end = |word: &String| UNTIL.contains(&word.as_str()) || BY.contains(&word.as_str());
    if let Some(first) = first.filter(is_end) {
        return Some(first);
    }
    let words = text[..found.bytes.start].split_whitespace().rev().map(str::to_lowercase);
    let mut words = words.skip_while(|word| BETWEEN.contains(&word.as_str()));
    words.next()
}

/// Whether a text is an order and its time, and nothing else: not "remind me to", and not "put it on my calendar".
#[must_use]
pub fn is_bare_order(text: &str, event: &str, now: &Zoned) -> bool {
    let (text, event) = (text.to_lowercase(), event.to_lowercase());
    let Some(at) = text.find(&event) else { return false };
    let mut around = text.clone();
    around.replace_range(at..at + event.len(), &" ".repeat(event.len()));
    for found in find(&text, now).iter().rev() {
        if around.is_char_boundary(found.bytes.start) && around.is_char_boundary(found.bytes.end) {
            around.replace_range(found.bytes.clone(), &" ".repeat(found.bytes.len()));
        }
    }
    let mut words = around.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| BESIDE.contains(&word))
}

/// Returns a text without its times and the words that belong to them; `None` if it says none.
#[must_use]
pub fn without_times(text: &str, now: &Zoned) -> Option<String> {
    let mut rest = text.to_owned();
    let times = find(text, now);
    for found in times.iter().rev() {
        let mut begin = found.bytes.start;
        while let Some(word) = text[..begin].split_whitespace().next_back() {
            let lower = word.to_lowercase();
            let ends = UNTIL.contains(&&*lower) || BY.contains(&&*lower);
            if !ends && !BETWEEN.contains(&&*lower) && !BESIDE.contains(&&*lower) {
                break;
            }
            begin = text[..begin].trim_end().len() - word.len();
        }
        rest.replace_range(begin..found.bytes.end, "");
    }
    let rest = rest.trim_matches(|c: char| c.is_whitespace() || c == ',');
    (!times.is_empty()).then(|| rest.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns the end of "for an hour", counted from an instant.
fn lasting(text: &str, from: &Zoned) -> Option<Zoned> {
    let lower = text.to_lowercase();
    FOR.iter().flat_map(|words| lower.match_indices(words)).find_map(|(at, words)| {
        let rest: Vec<&str> = lower[at + words.len()..].split_whitespace().collect();
        let longest = rest.len().min(SPAN_WORDS_MAX);
        (1..=longest).rev().find_map(|count| {
            let span = rest[..count].join(" ");
            let span = span.trim_end_matches(['.', ',', '!', '?']);
            let span = if span.starts_with(|c: char| c.is_ascii_digit()) || span.contains(' ') {
                span.to_owned()
            } else {
                format!("1 {span}")
            };
            let reading = read_phrase(&format!("in {span}"), from)?;
            reading.end.is_none().then_some(reading.start).filter(|end| end > from)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_left_without_its_times() {
        let now = "2025-09-30T14:20:00-05:00[-05:00]".parse().expect("a time");
        for (text, rest) in [
            ("at 5pm put the ball back in the center", Some("put the ball back in the center")),
            ("move the ball to the center by 5pm", Some("move the ball to the center")),
            ("Tomorrow at 9am, lock the front door", Some("lock the front door")),
            ("move the ball to the center", None),
        ] {
            assert_eq!(without_times(text, &now).as_deref(), rest);
        }
    }

    fn read(text: &str) -> SaidTimes {
        said_times(text, &"2025-09-30T14:20:00-05:00[-05:00]".parse().expect("a time"))
    }

    fn shown(time: Option<Zoned>) -> String {
        time.map_or_else(|| "-".to_owned(), |time| time.strftime("%d %H:%M").to_string())
    }

    #[test]
    fn ends_and_starts_are_told_apart() {
        let cases = [
            ("keep the ball within 0.1 of the centre", "-", "-"),
            ("keep the ball within 0.1 of the centre for an hour", "-", "30 15:20"),
            ("keep the ball within 0.1 for 30 minutes please", "-", "30 14:50"),
            ("make sure the ball stays within 10 cm until 5pm", "-", "30 17:00"),
            ("keep the door locked for the next two hours", "-", "30 16:20"),
            ("make sure the report is sent by Friday", "-", "04 00:00"),
            ("at 5pm put the ball back", "30 17:00", "-"),
            ("put the ball back in 20 minutes", "30 14:40", "-"),
        ];
        for (text, starts, deadline) in cases {
            let SaidTimes { starts: start, deadline: end } = read(text);
            let wanted = (starts.to_owned(), deadline.to_owned());
            assert_eq!((shown(start), shown(end)), wanted, "{text}");
        }
    }

    #[test]
    fn a_reminder_is_no_order() {
        let now = "2025-09-30T14:20:00-05:00[-05:00]".parse().expect("a time");
        let bare = |text: &str| is_bare_order(text, "put the ball back", &now);
        assert!(bare("at 5pm put the ball back"));
        assert!(bare("please put the ball back at 5pm."));
        assert!(!bare("remind me to put the ball back at 5pm"));
        assert!(!bare("lock the door at 5pm"));
    }
}
