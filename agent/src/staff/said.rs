//! What a text says about services: the times in it, and services by their names.

use std::ops::Range;

use jiff::Zoned;
use jiff::civil::Time;

use super::role::{is_alike, role_at};
use super::token::{Joined, Kind, Token};
use crate::church::ChurchWords;
use crate::number::{ordinal, small};
use crate::times::{Cue, FoundTime, Part, SaidClock, SaidDay, TimeReading, find};

/// What a text says about one service.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Said {
    /// The day.
    pub(super) day: SaidDay,
    /// The clock time.
    pub(super) clock: Option<Time>,
    /// Whether the clock time may be twelve hours earlier or later.
    pub(super) either_half: bool,
    /// The part of the day.
    pub(super) part: Option<Part>,
    /// The name of the service.
    pub(super) named: Option<String>,
    /// Whether all services of the day are meant.
    pub(super) all: bool,
    /// Whether it lies behind: "last Sunday".
    pub(super) past: bool,
    /// Whether it is only when somebody must know: "by Friday noon".
    pub(super) is_limit: bool,
    /// The time without regard to services.
    pub(super) reading: Option<TimeReading>,
}

impl Said {
    pub(super) const UNSAID: Self = Self {
        day: SaidDay::Unsaid,
        clock: None,
        either_half: false,
        part: None,
        named: None,
        all: false,
        past: false,
        is_limit: false,
        reading: None,
    };

    fn named(name: String) -> Self {
        Self { named: Some(name), ..Self::UNSAID }
    }

    /// Returns what is said about an hour that stands without more.
    pub(super) fn hour(clock: Time) -> Self {
        Self { clock: Some(clock), either_half: true, ..Self::UNSAID }
    }

    /// Whether it says one day, and nothing more: "Sunday".
    fn is_day(&self) -> bool {
        let day = matches!(self.day, SaidDay::Weekday(_) | SaidDay::Exact(_));
        day && !self.is_service() && self.part.is_none() && !self.past && !self.is_limit
    }

    /// Whether it says from which service to which: "from 9 to 11".
    pub(super) fn is_range(&self) -> bool {
        self.day == SaidDay::Unsaid && self.part.is_none() && !self.is_service()
    }

    /// Whether it says which service of a day.
    pub(super) fn is_service(&self) -> bool {
        self.clock.is_some() || self.named.is_some() || self.all
    }
}

/// A time in a text, with the bytes that speak of it.
pub(super) struct Found {
    pub(super) bytes: Range<usize>,
    pub(super) said: Said,
}

/// Words that show that a time lies behind.
const PAST: &[&str] = &["last", "yesterday", "ago", "past", "previous"];
/// Words that want to know something by a time.
const KNOWING: &[&str] = &[
    "know",
    "answer",
    "answers",
    "hear",
    "confirm",
    "confirmed",
    "reply",
    "replies",
    "decide",
    "respond",
];
/// Words before the time until which an answer is wanted.
const UNTIL: &[&str] = &["by", "before"];

/// Returns the times of a text.
pub(super) fn found(text: &str, now: &Zoned, church: &ChurchWords) -> Vec<Found> {
    let lower = text.to_ascii_lowercase();
    let roles = church.roles.iter().flat_map(|role| &role.words).filter(|it| it.contains(' '));
    let taken: Vec<Range<usize>> =
        roles.filter_map(|it| lower.find(it).map(|at| at..at + it.len())).collect();
    let is_free = |time: &FoundTime| {
        taken.iter().all(|it| it.end <= time.bytes.start || time.bytes.end <= it.start)
    };
    let found: Vec<FoundTime> =
        find(text, now).into_iter().filter(|it| is_free(it) && is_time(it, church)).collect();
    let several = found.len() > 1;
    found
        .into_iter()
        .map(|time| {
            let said = said(&lower, &time, now, several);
            Found { bytes: time.bytes, said }
        })
        .collect()
}

fn said(lower: &str, time: &FoundTime, now: &Zoned, several: bool) -> Said {
    let mut words = lower[time.bytes.clone()].split(|c: char| !c.is_alphanumeric());
    let behind = time.reading.as_ref().is_some_and(|it| it.start.date() < now.date());
    let behind = behind
        || match time.day {
            SaidDay::Exact(date) => date < now.date(),
            SaidDay::Period { after, .. } => after <= now.date(),
            _ => false,
        };
    let past = behind && words.any(|word| PAST.contains(&word));
    let before = last_word(&lower[..time.bytes.start]);
    let knowing = lower[..time.bytes.start]
        .split(|c: char| !c.is_alphanumeric())
        .rev()
        .filter(|it| !it.is_empty())
        .take(4)
        .any(|word| KNOWING.contains(&word));
    let is_limit = (before == UNTIL[0] && several) || (UNTIL.contains(&before) && knowing) || {
        let weekly = matches!(time.clock, SaidClock::Unsaid | SaidClock::Part(_));
        before == UNTIL[0] && weekly
    };
    let (clock, either_half, part) = match time.clock {
        SaidClock::At(clock) => {
            (Time::new(clock.hour, clock.minute, 0, 0).ok(), !clock.is_exact, None)
        }
        SaidClock::Part(part) => (None, false, Some(part)),
        _ => (None, false, None),
    };
    let reading = time.reading.clone();
    Said { day: time.day, clock, either_half, part, past, is_limit, reading, ..Said::UNSAID }
}

fn last_word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric()).rfind(|word| !word.is_empty()).unwrap_or_default()
}

/// Whether what was found is a time and no count: "for 9" only where a service begins at 9.
fn is_time(time: &FoundTime, church: &ChurchWords) -> bool {
    match time.clock {
        SaidClock::At(clock) if clock.cue == Cue::Place => church.services.iter().any(|service| {
            service.at.hour() % 12 == clock.hour % 12 && service.at.minute() == clock.minute
        }),
        _ => true,
    }
}

/// Words before "first" where it is the name of a service.
const BEFORE_ORDINAL: &[&str] =
    &["for", "the", "at", "in", "before", "after", "during", "and", "to", "xtime", "from", "of"];
/// Words before "the first one" where it is a service.
const AT: &[&str] = &["for", "at", "after", "before", "during"];
/// Words after "first" where it is no name of a service.
const AFTER_ORDINAL: &[&str] =
    &["thing", "time", "of", "place", "aid", "one", "grade", "graders", "name"];
/// Words that mean all services of a day.
const ALL: &[&str] = &["both services", "both", "each service", "every service", "all services"];

/// Returns the service that is named at a word, in its longest wording.
pub(super) fn service_at(words: &[&str], at: usize, church: &ChurchWords) -> Option<Joined> {
    let stands = |name: &str| super::role::stands_at(words, at, name);
    if let Some(all) = ALL.iter().find(|name| stands(name)) {
        let length = all.split(' ').count();
        // "both nursery and kids" are no services.
        let roles = at + 1 < words.len() && role_at(words, at + 1, church).is_some();
        let fits = length > 1
            || !roles
                && !words.get(at + 1).is_some_and(|next| matches!(*next, "of" | "xrole" | "at"));
        let said = Said { all: true, ..Said::UNSAID };
        return fits.then_some(Joined { kind: Kind::Time(said), length });
    }
    let names = church.services.iter().flat_map(|service| &service.names);
    let longest = names.filter(|name| stands(name)).max_by_key(|name| name.split(' ').count())?;
    let length = longest.split(' ').count();
    if length == 1 && is_ordinal(longest) {
        let before = at.checked_sub(1).map_or("", |at| words[at]);
        let after = words.get(at + 1).copied().unwrap_or_default();
        // "3 ushers first, 2 second service"
        let listed = before == "xrole"
            && words
                .windows(2)
                .any(|it| is_ordinal(it[0]) && it[0] != longest && it[1] == "service");
        // "for the first one"
        let one = after == "one" && before == "the" && at >= 2 && AT.contains(&words[at - 2]);
        let introduced = BEFORE_ORDINAL.contains(&before) || listed;
        if !introduced || (AFTER_ORDINAL.contains(&after) && !one) {
            return None;
        }
        let kind = Kind::Time(Said::named(longest.clone()));
        return Some(Joined { kind, length: length + usize::from(one) });
    }
    Some(Joined { kind: Kind::Time(Said::named(longest.clone())), length })
}

fn is_ordinal(word: &str) -> bool {
    ordinal(word).is_some() || word.starts_with(|c: char| c.is_ascii_digit())
}

/// Words before an hour that is said without more: "for the 9", "a las 11".
const BEFORE_HOUR: &[&str] = &["the", "for", "at", "las", "after", "before", "cover"];
/// Verbs that move a service to another hour.
const RESCHEDULES: &[&str] =
    &["move", "push", "reschedule", "slide", "pasa", "shift", "switch", "swap"];
/// The highest hour that is said without more.
const HOUR_MAX: i64 = 12;
/// The Spanish words for the hours.
const SPANISH: &[&str] = &[
    "una", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once",
    "doce",
];
/// Words before which a number counts people: "the 9 volunteers".
const COUNTED: &[&str] =
    &["people", "ppl", "folks", "volunteers", "more", "of", "spots", "helpers", "adults"];

/// Makes times of the hours at which a service begins and that are said without more: "for the 9".
/// It is no hour if a number of people can be meant: "the 9 greeters".
pub(super) fn plain_hours(tokens: &mut Vec<Token>, church: &ChurchWords) {
    let mut at = 0;
    while at < tokens.len() {
        let last = at.checked_sub(1).map(|at| &tokens[at]);
        let before = last.map_or("", |it| it.word.as_str());
        // "for 9 and 11"
        let second = matches!(before, "and" | "or" | "y" | "n")
            && at >= 2
            && tokens[at - 2].time().is_some_and(Said::is_service)
            && tokens.get(at + 1).is_none_or(|it| !it.is_any(&["in", "on", "at", "for"]));
        // "move the ushers to 11"
        let alone = !tokens[..at].iter().any(|it| number(&it.word).is_some() || it.word == "from");
        // "move 2 ushers to 11", "can one of the ushers do 11 instead"
        let reschedules = tokens[..at].iter().any(|it| it.is_any(RESCHEDULES));
        let others = counts_role(&tokens[..at]);
        let from = tokens[..at].iter().rposition(|it| it.word == "from");
        let left = from.is_none_or(|it| tokens.get(it + 1).is_some_and(|it| it.time().is_some()));
        let second = second
            || (before == "to" && reschedules && (alone || (others && left)))
            || (before == "from" && reschedules && others)
            || (before == "do" && others);
        let oclock = oclock(&tokens[at + 1..]);
        let introduced = BEFORE_HOUR.contains(&before)
            || second
            || oclock > 0
            || (last.is_none() && is_pair(tokens))
            || (last.is_none_or(|it| it.word == "|") && is_subject(&tokens[at..]))
            || last.and_then(Token::time).is_some_and(Said::is_day);
        at += 1;
        let Some(hour) = hour(&tokens[at - 1].word).filter(|_| introduced) else { continue };
        // "make the 9 nursery 4"
        let own = tokens.get(at + 1).is_some_and(|it| number(&it.word).is_some())
            && tokens.get(at + 2).is_none_or(|it| it.role().is_none());
        let counted = !own
            && tokens.get(at).is_some_and(|next| {
                next.role().is_some() || COUNTED.iter().any(|word| is_alike(&next.word, word))
            });
        if !counted && let Some(clock) = service_hour(hour, church) {
            tokens[at - 1].kind = Kind::Time(Said::hour(clock));
            tokens.drain(at..at + oclock);
        }
    }
}

/// Whether tokens have a number of people and a role after it.
fn counts_role(tokens: &[Token]) -> bool {
    let mut rest = tokens.iter().skip_while(|it| it.time().is_some() || number(&it.word).is_none());
    rest.any(|it| it.role().is_some())
}

/// Whether an hour at the start is what a sentence speaks of: "9 needs 3 ushers", "11 is covered".
fn is_subject(tokens: &[Token]) -> bool {
    let [_, verb, next, ..] = tokens else { return false };
    let needs = verb.is_any(&["needs"]) && number(&next.word).is_some();
    needs || (verb.is_any(&["is"]) && next.is_any(&["covered", "full", "set", "done", "good"]))
}

/// Whether two hours stand at the start: "9 and 11 both need 3 ushers".
fn is_pair(tokens: &[Token]) -> bool {
    let [_, and, other, next, ..] = tokens else { return false };
    let joined = and.is_any(&["and", "n"]) && hour(&other.word).is_some();
    let all = next.time().is_some_and(|it| it.all);
    joined && (all || next.is_any(&["each", "need", "needs"]))
}

/// Returns how many tokens at the start are "o'clock".
fn oclock(tokens: &[Token]) -> usize {
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|it| it.is_any(&[word]));
    match (is(0, "oclock"), is(0, "o") && is(1, "clock")) {
        (true, _) => 1,
        (_, true) => 2,
        _ => 0,
    }
}

/// Singular nouns that a number may count, or that belong to a role.
const NOUNS: &[&str] =
    &["people", "ppl", "person", "team", "crew", "table", "room", "guy", "desk", "service"];
/// Verbs that end like a plural.
const VERBS: &[&str] = &["needs", "wants", "plus", "says", "this"];

/// Makes times of hours beside a role if nothing else can be meant: "ushers 11", "nursery 9 -
/// five".
pub(super) fn hours_after_roles(tokens: &mut [Token], church: &ChurchWords) {
    let bare =
        tokens.iter().all(|it| it.role().is_some() || hour(&it.word).is_some() || it.word == "|");
    for at in 1..tokens.len() {
        let role = tokens[at - 1].role().is_some();
        let mark = tokens.get(at + 1).is_none_or(|it| it.word == "|");
        let number = tokens.get(at + 2).is_some_and(|it| number(&it.word).is_some());
        let counted = mark && number && tokens.get(at + 3).is_none_or(|it| it.word == "|");
        let alone = bare && tokens.len() == 2;
        // "Need five. Nursery. Nine.", "2 for the coffee table 9"
        let last = mark
            && has_count(&tokens[..at])
            && (tokens[at - 1].word == "|" || is_counted(&tokens[..at]));
        let is_hour = (role && (counted || alone)) || last;
        let Some(hour) = hour(&tokens[at].word).filter(|_| is_hour) else { continue };
        if let Some(clock) = service_hour(hour, church) {
            tokens[at].kind = Kind::Time(Said::hour(clock));
        }
    }
}

/// Whether tokens end with a noun that a number before it counts: "2 coffee makers", "2 ushers".
fn is_counted(tokens: &[Token]) -> bool {
    let Some((noun, before)) = tokens.split_last() else { return false };
    let plural = noun.word.len() > 3 && noun.word.ends_with('s');
    let is_word = matches!(noun.kind, Kind::Word) && (plural || noun.is_any(NOUNS));
    let mut rest = before.iter().rev().take_while(|it| it.word != "|").take(4);
    let counted = rest.any(|it| matches!(it.kind, Kind::Word) && number(&it.word).is_some());
    let roles = tokens.iter().filter(|it| it.role().is_some()).count();
    counted && roles == 1 && (is_word || noun.role().is_some()) && !noun.is_any(VERBS)
}

/// Whether tokens have a role and a number, and no clock time.
fn has_count(tokens: &[Token]) -> bool {
    tokens.iter().any(|it| it.role().is_some())
        && tokens.iter().any(|it| it.time().is_none() && number(&it.word).is_some())
        && !tokens.iter().any(|it| it.time().is_some_and(Said::is_service))
}

/// Returns the number that a word names.
fn number(word: &str) -> Option<i64> {
    word.parse().ok().or_else(|| small(word))
}

/// Returns the clock time of an hour at which a service begins.
pub(super) fn service_hour(hour: i8, church: &ChurchWords) -> Option<Time> {
    let begins = church.services.iter().any(|it| it.at.hour() == hour && it.at.minute() == 0);
    Time::new(hour, 0, 0, 0).ok().filter(|_| begins)
}

/// Returns the hour that a word names.
fn hour(word: &str) -> Option<i8> {
    let spanish = || SPANISH.iter().position(|it| *it == word).map(|at| at as i64 + 1);
    let named = number(word).or_else(spanish);
    i8::try_from(named.filter(|hour| (1..=HOUR_MAX).contains(hour))?).ok()
}
