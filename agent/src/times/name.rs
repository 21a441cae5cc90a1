//! Names of weekdays and months, with their abbreviations and typing errors.

use abide_language::base::calendar::MONTHS;
use jiff::civil::Weekday;

/// The weekdays from Monday.
const WEEKDAYS: [Weekday; 7] = [
    Weekday::Monday,
    Weekday::Tuesday,
    Weekday::Wednesday,
    Weekday::Thursday,
    Weekday::Friday,
    Weekday::Saturday,
    Weekday::Sunday,
];
const WEEKDAY_NAMES: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const WEEKDAY_SHORT: [&[&str]; 7] = [
    &["mon"],
    &["tue", "tues"],
    &["wed", "weds", "wensday", "wendesday"],
    &["thu", "thur", "thurs"],
    &["fri"],
    &["sat"],
    &["sun"],
];
const MONTH_SHORT: [&[&str]; 12] = [
    &["jan"],
    &["feb", "febuary"],
    &["mar"],
    &["apr", "aprl"],
    &[],
    &["jun"],
    &["jul"],
    &["aug", "agust", "augst"],
    &["sep", "sept"],
    &["oct"],
    &["nov"],
    &["dec"],
];
const TOMORROW_SHORT: &[&str] =
    &["tmrw", "tmr", "tmrrw", "tmw", "tmmrw", "tomoro", "tommorow", "tomrow", "tommorrow"];
/// A shorter name is not corrected: "match" is not a typing error of "march".
const CORRECTED_LEN_MIN: usize = 6;
/// Words that are one letter away from a name and mean something else.
const NOT_CORRECTED: &[&str] =
    &["augusta", "eastern", "eater", "ester", "esther", "feathers", "sundae", "sundar", "sunray"];

/// A name, and how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Named<T> {
    pub(crate) value: T,
    pub(crate) spelling: Spelling,
}

/// How a name is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// In full, perhaps with a typing error.
    Full,
    /// "sun", "sept".
    Short,
    /// "sundays".
    Plural,
}

/// The weekday that a word names.
pub(crate) fn weekday(word: &str) -> Option<Named<Weekday>> {
    let singular = word.strip_suffix('s').and_then(|word| position(&WEEKDAY_NAMES, word));
    if let Some(at) = singular {
        return Some(Named { value: WEEKDAYS[at], spelling: Spelling::Plural });
    }
    named(word, &WEEKDAY_NAMES, &WEEKDAY_SHORT)
        .map(|named| Named { value: WEEKDAYS[named.value], spelling: named.spelling })
}

/// The month from 1 to 12 that a word names.
pub(crate) fn month(word: &str) -> Option<Named<i8>> {
    let named = named(word, &MONTHS, &MONTH_SHORT)?;
    let value = i8::try_from(named.value + 1).ok()?;
    Some(Named { value, spelling: named.spelling })
}

/// Whether a word is also a common word of another meaning.
pub(crate) fn is_ambiguous(word: &str) -> bool {
    matches!(word, "may" | "march" | "mar" | "sat" | "sun" | "wed" | "mon")
}

/// Whether a word is "tomorrow".
pub(crate) fn is_tomorrow(word: &str) -> bool {
    TOMORROW_SHORT.contains(&word) || is_like(word, "tomorrow")
}

/// Whether a word is `name`, perhaps with one letter missing, added, changed or exchanged with
/// its neighbour.
pub(crate) fn is_like(word: &str, name: &str) -> bool {
    word == name
        || (name.len() >= CORRECTED_LEN_MIN
            && word.as_bytes().first() == name.as_bytes().first()
            && word.strip_suffix('s') != Some(name)
            && !NOT_CORRECTED.contains(&word)
            && is_one_off(word.as_bytes(), name.as_bytes()))
}

fn named(word: &str, names: &[&str], short: &[&[&str]]) -> Option<Named<usize>> {
    if let Some(value) = position(names, word) {
        return Some(Named { value, spelling: Spelling::Full });
    }
    if let Some(value) = short.iter().position(|short| short.contains(&word)) {
        return Some(Named { value, spelling: Spelling::Short });
    }
    let value = names.iter().position(|name| is_like(word, name))?;
    Some(Named { value, spelling: Spelling::Full })
}

fn position(names: &[&str], word: &str) -> Option<usize> {
    names.iter().position(|name| *name == word)
}

/// Whether one edit turns `a` into `b`.
fn is_one_off(a: &[u8], b: &[u8]) -> bool {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[same..], &b[same..]);
    match (a, b) {
        ([_, a @ ..], [_, b @ ..]) if a == b => true,
        ([a1, a2, a @ ..], [b1, b2, b @ ..]) if a1 == b2 && a2 == b1 && a == b => true,
        ([_, a @ ..], b) if a == b => true,
        (a, [_, b @ ..]) => a == b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_with_their_typing_errors() {
        let cases = [
            ("sunday", Some(Weekday::Sunday)),
            ("sundays", Some(Weekday::Sunday)),
            ("sunady", Some(Weekday::Sunday)),
            ("wensday", Some(Weekday::Wednesday)),
            ("wednsday", Some(Weekday::Wednesday)),
            ("thrusday", Some(Weekday::Thursday)),
            ("thurs", Some(Weekday::Thursday)),
            ("saterday", Some(Weekday::Saturday)),
            ("sundae", None),
            ("someday", None),
            ("suns", None),
            ("", None),
        ];
        for (word, expected) in cases {
            assert_eq!(weekday(word).map(|named| named.value), expected, "{word}");
        }
    }

    #[test]
    fn months_are_read_with_their_typing_errors() {
        let cases = [
            ("march", Some(3)),
            ("match", None),
            ("sept", Some(9)),
            ("febuary", Some(2)),
            ("ocotber", Some(10)),
            ("decmber", Some(12)),
            ("augusta", None),
            ("mayo", None),
        ];
        for (word, expected) in cases {
            assert_eq!(month(word).map(|named| named.value), expected, "{word}");
        }
    }

    #[test]
    fn tomorrow_has_many_spellings() {
        for word in ["tomorrow", "tmrw", "tomorow", "tommorow", "tomorrw", "tommorrow"] {
            assert!(is_tomorrow(word), "{word}");
        }
        assert!(!is_tomorrow("tomorrows"));
    }
}
