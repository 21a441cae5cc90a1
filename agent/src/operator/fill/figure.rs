//! Members that are numbers: amounts, prices, quantities and counts of days.

use serde_json::Value;

use super::super::tag::Tag;
use super::Filling;
use crate::number;

/// Words after a quantity.
const UNITS: &[&str] = &[
    "metres", "meters", "metre", "m", "lm", "sqm", "m2", "tiles", "sheets", "days", "day", "hours",
    "hour", "hrs", "bags", "lengths", "units", "pieces", "x", "loads", "rolls", "boxes", "squares",
    "labour", "lineal", "square", "of", "buckets", "weeks",
];
/// Words before the price of one.
const PRICED: &[&str] = &["at", "for", "price", "@", "rate", "costs", "cost", "is"];
/// Words after the price of one.
const EACH: &[&str] = &["each", "ea", "a", "per", "plus", "dollars", "bucks", "ex", "inc"];

/// Returns the number that the text says for a member.
pub(super) fn find(filling: &Filling<'_>, member: &str, schema: &Value) -> Option<Value> {
    let integer = schema.get("type").and_then(Value::as_str) == Some("integer");
    match member {
        "amount" => amount(filling).map(Value::from),
        "unit_price" => price(filling).map(Value::from),
        "quantity" => quantity(filling).map(Value::from),
        "days" if integer => days(filling).map(Value::from),
        "duration_minutes" if integer => minutes(filling).map(Value::from),
        "limit" if integer => limit(filling).map(Value::from),
        _ => None,
    }
}

/// A plain number of a text and where it is.
struct Plain {
    at: usize,
    value: String,
}

/// Returns the decimals that are neither ids, phones nor times.
fn plain<'f>(filling: &'f Filling<'_>) -> impl Iterator<Item = Plain> + 'f {
    filling.tokens.clone().filter_map(|at| {
        if filling.text.tags.get(at) != Some(&Tag::Word) {
            return None;
        }
        let word = filling.text.word(at);
        let figure = word.trim_end_matches(['m', 'x']).replace(',', "");
        let (whole, rest) = figure.split_once('.').unwrap_or((&figure, ""));
        let digits = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = !whole.is_empty() && whole.len() <= 9 && digits(whole) && digits(rest);
        let value = is_number.then_some(figure.clone()).or_else(|| {
            let small = number::number(word).filter(|it| *it > 0 && word != "one");
            small.map(|it| it.to_string())
        });
        value.map(|value| Plain { at, value })
    })
}

fn money(filling: &Filling<'_>) -> Option<String> {
    let mut all = filling.text.money.iter().filter(|it| filling.tokens.contains(&it.tokens.start));
    all.next_back().map(|it| it.value.clone())
}

fn amount(filling: &Filling<'_>) -> Option<String> {
    let digits = |it: &Plain| it.value.starts_with(|c: char| c.is_ascii_digit());
    let written = |it: &Plain| filling.text.word(it.at).starts_with(|c: char| c.is_ascii_digit());
    money(filling)
        .or_else(|| plain(filling).find(|it| digits(it) && written(it)).map(|it| it.value))
}

fn price(filling: &Filling<'_>) -> Option<String> {
    if let Some(money) = money(filling) {
        return Some(money);
    }
    let all: Vec<Plain> = plain(filling).collect();
    let text = filling.text;
    let marked = all.iter().rev().find(|it| {
        PRICED.contains(&text.before(it.at))
            || EACH.contains(&text.word(it.at + 1)) && !UNITS.contains(&text.word(it.at + 1))
    });
    let counted = |it: &Plain| UNITS.contains(&text.word(it.at + 1));
    marked
        .or_else(|| {
            all.iter().rev().find(|it| {
                !counted(it) && text.word(it.at).starts_with(|c: char| c.is_ascii_digit())
            })
        })
        .map(|it| it.value.clone())
}

fn quantity(filling: &Filling<'_>) -> Option<String> {
    let price = price(filling);
    let text = filling.text;
    let counted = plain(filling)
        .find(|it| UNITS.contains(&text.word(it.at + 1)) || text.word(it.at).ends_with('m'));
    counted.map(|it| it.value).filter(|it| Some(it) != price.as_ref())
}

/// Returns a number of days: "14 days", "a fortnight", "two weeks".
fn days(filling: &Filling<'_>) -> Option<i64> {
    let text = filling.text;
    filling.tokens.clone().find_map(|at| {
        let before = at.checked_sub(1).map_or("", |it| text.word(it));
        let count = number::number(before).filter(|it| *it > 0);
        match text.word(at) {
            "days" | "day" => count,
            "weeks" | "week" => {
                count.or((before == "a").then_some(1)).and_then(|it| it.checked_mul(7))
            }
            "fortnight" => Some(14),
            _ => None,
        }
    })
}

/// Returns how long something takes, in minutes.
pub(super) fn minutes(filling: &Filling<'_>) -> Option<i64> {
    let text = filling.text;
    filling.tokens.clone().find_map(|at| {
        let word = text.word(at);
        let before = text.before(at);
        let joined = |unit: &str| word.strip_suffix(unit).and_then(|it| it.parse::<i64>().ok());
        let half = at >= 2 && before == "an" && text.word(at - 2) == "half";
        let count = number::number(before).or((matches!(before, "an" | "a")).then_some(1));
        let hours = match word {
            "hour" if half => return Some(30),
            "hour" | "hours" | "hr" | "hrs" => count,
            _ => joined("hr").or_else(|| joined("h")),
        };
        let minutes = match word {
            "minutes" | "minute" | "mins" | "min" => count,
            _ => joined("min").or_else(|| joined("mins")),
        };
        hours.and_then(|it| it.checked_mul(60)).or(minutes).filter(|it| *it > 0)
    })
}

/// Returns how many rows are wanted: "the last 20 photos".
fn limit(filling: &Filling<'_>) -> Option<i64> {
    let after = plain(filling).find(|it| {
        matches!(filling.text.before(it.at), "last" | "latest" | "first" | "top" | "recent")
    });
    after
        .filter(|it| {
            !matches!(filling.text.word(it.at + 1), "days" | "weeks" | "months" | "hours" | "day")
        })
        .and_then(|it| it.value.parse().ok())
}
