//! Hides the slots of a text before it is classified: which role or day it names says nothing about what it asks.

use std::ops::Range;

use abide_language::base::calendar::MONTHS;

use super::role;
use crate::church::ChurchWords;

/// The word that stands for a role.
const ROLE: &str = "xrole";
/// The word that stands for a time.
pub(super) const TIME: &str = "xtime";
/// Words that speak of a time.
const TIME_WORDS: &[&str] = &[
    "sunday",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sun",
    "mon",
    "tue",
    "tues",
    "wed",
    "weds",
    "thu",
    "thur",
    "thurs",
    "fri",
    "sat",
    "domingo",
    "miercoles",
    "jueves",
    "tomorrow",
    "tmrw",
    "tomorow",
    "today",
    "tonight",
    "manana",
    "noon",
    "am",
    "pm",
    "oclock",
    "morning",
    "evening",
    "afternoon",
    "easter",
    "christmas",
    "thanksgiving",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
];

/// Returns the words of a text as one text in which roles and times are hidden.
pub(super) fn masked(words: &[&str], church: &ChurchWords) -> String {
    let roles = role::mentions(words, church);
    let services = services(words, church);
    let mut shown: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let hidden = roles.iter().map(|mention| (&mention.at, ROLE));
        let hidden = hidden.chain(services.iter().map(|span| (span, TIME)));
        let here = hidden.filter(|(span, _)| span.start == at).max_by_key(|(span, _)| span.len());
        let (word, next) = match here {
            Some((span, word)) => (word, span.end),
            None if is_time(words[at]) => (TIME, at + 1),
            None => (words[at], at + 1),
        };
        if shown.last() != Some(&word) || word != TIME {
            shown.push(word);
        }
        at = next;
    }
    shown.join(" ")
}

/// Returns the mentions of services by their names.
pub(super) fn services(words: &[&str], church: &ChurchWords) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for name in church.services.iter().flat_map(|service| &service.names) {
        let parts: Vec<&str> = name.split(' ').collect();
        for at in 0..words.len() {
            if words.get(at..at + parts.len()) == Some(&parts[..]) {
                found.push(at..at + parts.len());
            }
        }
    }
    found
}

fn is_time(word: &str) -> bool {
    let begins_with_digit = word.starts_with(|c: char| c.is_ascii_digit());
    let clock =
        begins_with_digit && (word.contains(':') || word.contains('/') || word.ends_with('m'));
    clock || word == TIME || MONTHS.contains(&word) || TIME_WORDS.contains(&word)
}
