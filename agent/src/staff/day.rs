//! Days that only the words beside them show: "Sunday the 26th", "not this Sunday but the one after".

use abide_language::base::calendar::MONTHS;
use jiff::civil::{Date, Weekday};
use jiff::{ToSpan, Zoned};

use super::said::Said;
use super::token::{Kind, Token, joined};
use crate::number::is_ordinal_suffix;
use crate::times::SaidDay;

/// Words after "4th" where it is no day.
const NO_DAY: &[&str] =
    &["grade", "graders", "grader", "floor", "row", "time", "street", "service", "one", "place"];
/// How many months ahead a day of the month may lie.
const MONTHS_AHEAD: i64 = 12;

/// Reads "the 26th", and "26th" after a weekday, where the grammar of times has left it.
pub(super) fn days_of_month(tokens: &mut Vec<Token>, now: &Zoned) {
    let mut at = 0;
    while at < tokens.len() {
        let before = at.checked_sub(1).map(|at| &tokens[at]);
        let article = usize::from(before.is_some_and(|it| it.is_any(&["the", "el"])));
        let beside = (at - article).checked_sub(1).filter(|at| weekday(&tokens[*at]).is_some());
        let next = tokens.get(at + 1);
        let after = next.is_some_and(|it| it.is_any(NO_DAY));
        let clock = next.and_then(Token::time).is_some_and(|it| it.day == SaidDay::Unsaid);
        let introduced = article > 0 || beside.is_some() || clock;
        let day = day_of_month(&tokens[at]).filter(|_| !after && introduced);
        at += 1;
        let Some(day) = day else { continue };
        let meant = coming(day, beside.and_then(|at| weekday(&tokens[at])), now);
        let said = meant.map_or(SaidDay::Impossible, SaidDay::Exact);
        match beside.map(|at| &mut tokens[at].kind) {
            Some(Kind::Time(time)) => {
                time.day = said;
                tokens.remove(at - 1);
            }
            _ => tokens[at - 1].kind = Kind::Time(Said { day: said, ..Said::UNSAID }),
        }
    }
}

/// Short months, and months that are words too.
const SHORT_MONTHS: &[&str] = &["jan", "feb", "aug", "sept", "oct", "nov", "dec"];
const MONTHS_AS_WORDS: &[&str] = &["march", "may"];
/// Other words that show a day which nothing has read.
const WEEKDAYS: &[&str] =
    &["sunday", "sundays", "wednesday", "wednesdays", "thursday", "thursdays", "week"];

/// Whether tokens speak of a day that nothing has read, so that it must be asked for: "every
/// Sunday", "the week after this one", "10.12".
pub(super) fn is_unread(tokens: &[Token]) -> bool {
    (0..tokens.len()).any(|at| {
        let token = &tokens[at];
        let before = at.checked_sub(1).map(|at| &tokens[at]);
        let next = tokens.get(at + 1);
        let word = matches!(token.kind, Kind::Word);
        let ordinal = day_of_month(token).is_some_and(|day| day > 2)
            && !next.is_some_and(|it| it.is_any(NO_DAY));
        let digits = word
            && token.word.contains(['/', '.'])
            && token.word.chars().all(|c| c.is_ascii_digit() || matches!(c, '/' | '.'));
        let recurs =
            token.is_any(WEEKDAYS) && before.is_some_and(|it| it.is_any(&["every", "each", "all"]));
        let later = token.is_any(&["week", "weeks"])
            && next.is_some_and(|it| it.is_any(&["after", "from"]));
        let end = tokens.get(at + 2).is_none_or(|it| it.word == "|");
        let after = weekday(token).is_some() && end && next.is_some_and(|it| it.is_any(&["after"]));
        after || ordinal || digits || is_month(token) || recurs || later
    })
}

fn is_month(token: &Token) -> bool {
    token.is_any(SHORT_MONTHS) || (token.is_any(&MONTHS) && !token.is_any(MONTHS_AS_WORDS))
}

fn weekday(token: &Token) -> Option<Weekday> {
    match token.time()?.day {
        SaidDay::Weekday(day) => Some(day),
        _ => None,
    }
}

/// Returns the day of a month that a word names: "26th".
fn day_of_month(token: &Token) -> Option<i8> {
    let digits = token.word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_word =
        matches!(token.kind, Kind::Word) && is_ordinal_suffix(&token.word[digits.len()..]);
    digits.parse().ok().filter(|day| is_word && (1..=31).contains(day))
}

/// Returns the coming day of a month, on a weekday if one is given.
fn coming(day: i8, weekday: Option<Weekday>, now: &Zoned) -> Option<Date> {
    let first = now.date().first_of_month();
    let months = (0..=MONTHS_AHEAD).filter_map(|ahead| first.checked_add(ahead.months()).ok());
    let mut dates = months.filter_map(|it| Date::new(it.year(), it.month(), day).ok());
    dates.find(|it| *it >= now.date() && weekday.is_none_or(|weekday| it.weekday() == weekday))
}

/// Wordings after a day that is not meant, but the one a week later.
const WEEK_LATER: &[&str] =
    &["but the one after", "but the following", "but the next one", "but next", "the one after"];

/// Reads "not this Sunday but the one after".
pub(super) fn weeks_later(tokens: &mut Vec<Token>, now: &Zoned) {
    for at in 1..tokens.len() {
        let Some(day) = tokens[at].time().map(|it| it.day).filter(|_| tokens[at - 1].word == "not")
        else {
            continue;
        };
        let rest = joined(&tokens[at + 1..]);
        let Some(words) = WEEK_LATER.iter().find(|it| rest.starts_with(**it)) else { continue };
        let date = match day {
            SaidDay::Weekday(day) => {
                now.date().checked_add(i64::from(now.date().weekday().until(day)).days()).ok()
            }
            SaidDay::Exact(date) => Some(date),
            _ => None,
        };
        let later = date.and_then(|date| date.checked_add(1.week()).ok());
        if let (Some(date), Kind::Time(said)) = (later, &mut tokens[at].kind) {
            said.day = SaidDay::Exact(date);
            tokens.drain(at + 1..at + 1 + words.split(' ').count());
            tokens.remove(at - 1);
            return;
        }
    }
}
