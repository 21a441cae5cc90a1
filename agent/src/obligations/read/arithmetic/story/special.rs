//! Word problems that one phrase decides: conversions, parts, prices of one, speeds.

use super::Story;
use super::quantity::{Quantity, larger_less_smaller, piece};
use crate::obligations::read::arithmetic::number::fraction;
use crate::obligations::read::arithmetic::piece::{Infix, Piece};
use crate::obligations::read::arithmetic::words::Words;

/// Units, each with a larger one and how many of them it has: how many minutes are in 3 hours.
const UNITS: &[(&str, &str, &str)] = &[
    ("second|seconds", "minute|minutes", "60"),
    ("second|seconds", "hour|hours", "3600"),
    ("minute|minutes", "hour|hours", "60"),
    ("minute|minutes", "day|days", "1440"),
    ("hour|hours", "day|days", "24"),
    ("hour|hours", "week|weeks", "168"),
    ("day|days", "week|weeks", "7"),
    ("day|days", "fortnight|fortnights", "14"),
    ("day|days", "year|years", "365"),
    ("month|months", "year|years", "12"),
    ("week|weeks", "year|years", "52"),
    ("year|years", "decade|decades", "10"),
    ("year|years", "century|centuries", "100"),
    ("cent|cents|pennies", "dollar|dollars", "100"),
    ("cent|cents", "nickel|nickels", "5"),
    ("cent|cents", "dime|dimes", "10"),
    ("cent|cents", "quarter|quarters", "25"),
    ("quarter|quarters", "dollar|dollars", "4"),
    ("inch|inches", "foot|feet", "12"),
    ("inch|inches", "yard|yards", "36"),
    ("foot|feet", "yard|yards", "3"),
    ("foot|feet", "mile|miles", "5280"),
    ("centimetres|centimeters|cm", "metre|metres|meter|meters|m", "100"),
    ("millimetres|millimeters|mm", "centimetre|centimetres|centimeter|centimeters|cm", "10"),
    ("metres|meters|m", "kilometre|kilometres|kilometer|kilometers|km", "1000"),
    ("grams|g", "kilogram|kilograms|kilo|kilos|kg", "1000"),
    ("ounces", "pound|pounds", "16"),
    ("cups", "pint|pints", "2"),
    ("cups", "quart|quarts", "4"),
    ("cups", "gallon|gallons", "16"),
    ("quarts", "gallon|gallons", "4"),
    ("millilitres|milliliters|ml", "litre|litres|liter|liters", "1000"),
    ("legs", "dogs|cats|chairs|tables|cows|horses", "4"),
    ("sides|corners", "squares|rectangles", "4"),
    ("sides|corners", "triangles", "3"),
    ("wheels", "bikes|bicycles", "2"),
    ("wheels", "cars", "4"),
    ("legs", "spiders", "8"),
    ("eggs|items|donuts|roses|bagels|cookies|cupcakes|muffins|pencils", "dozen", "12"),
];
/// Periods, each with a longer one and how many of them it has: 8 hours a night, how many a week.
const PERIODS: &[(&str, &str, &str)] = &[
    (
        "a day|a night|per day|per night|each day|every day|each night|every night|daily|nightly",
        "a week|per week|in a week|each week|every week|weekly|in one week",
        "7",
    ),
    (
        "a week|per week|each week|every week|weekly",
        "a year|per year|in a year|each year|every year|in one year",
        "52",
    ),
    (
        "a month|per month|each month|every month|monthly",
        "a year|per year|in a year|each year|every year|in one year",
        "12",
    ),
    ("an hour|per hour|each hour|every hour", "a day|per day|in a day|each day", "24"),
    (
        "a day|per day|each day|every day|daily",
        "a year|per year|in a year|each year|every year",
        "365",
    ),
];

/// Reads a story of one number.
pub(super) fn single(only: &Quantity<'_>, story: &Story<'_>) -> Option<Piece> {
    if only.digits.contains('*') {
        return Some(piece(only));
    }
    converted(only, story).or_else(|| extended(only, story)).or_else(|| part(only, story))
}

/// Reads a conversion: "how many minutes are in 3 hours".
fn converted(only: &Quantity<'_>, story: &Story<'_>) -> Option<Piece> {
    let asked = story.asked.after("how many")?;
    let (_, _, factor) = UNITS
        .iter()
        .find(|(small, large, _)| asked.starts(small) > 0 && only.tail.starts(large) > 0)?;
    Some(piece(only).with(Infix::Times, &Piece::number(*factor)))
}

/// Reads "8 hours a night, how many hours a week".
fn extended(only: &Quantity<'_>, story: &Story<'_>) -> Option<Piece> {
    let (_, _, factor) =
        PERIODS.iter().find(|(short, long, _)| story.told.has(short) && story.asked.has(long))?;
    Some(piece(only).with(Infix::Times, &Piece::number(*factor)))
}

/// Reads a part of a number: "there are 30 kids, a third are absent".
fn part(only: &Quantity<'_>, story: &Story<'_>) -> Option<Piece> {
    let part = (0..story.told.len()).find_map(|at| {
        let mut words = Words::new(story.told.from(at), None);
        let is_start = story.told.from(at).starts("half|a|one|two|three|four|five") > 0;
        if is_start { fraction(&mut words) } else { None }
    })?;
    let part = part.of(&piece(only));
    let is_rest =
        story.asked.has("left|remain|remaining|not|present|stayed|still|other|others|dont|didnt");
    Some(if is_rest { piece(only).with(Infix::Minus, &part) } else { part })
}

/// Reads a story of two numbers that one phrase decides.
pub(super) fn pair(
    first: &Quantity<'_>,
    second: &Quantity<'_>,
    story: &Story<'_>,
) -> Option<Piece> {
    let (a, b) = (piece(first), piece(second));
    if story.asked.starts("how many") > 0
        && story.asked.until(5).has(
            "empty|unused|free|spare|open|extra|leftover|too many|short|missing|absent|unfilled",
        )
    {
        return Some(larger_less_smaller(first, second));
    }
    if story.asked.starts("how fast") > 0
        || story.asked.has("miles per hour|average speed|per gallon|mph")
    {
        return Some(larger_over_smaller(first, second));
    }
    if story.asked.has("is one|for one|of one|one cost|per item|is each one|does one|of each")
        && !story.told.has("each|per")
    {
        return Some(
            if first.tail.until(3).has("cost|costs|for|is|are") || story.told.has("cost|costs") {
                b.with(Infix::Over, &a)
            } else {
                a.with(Infix::Over, &b)
            },
        );
    }
    // "Al has 4 fewer pens than Bo. Bo has 10."
    let is_less = first.tail.until(3).has("fewer|less|younger|shorter|lighter|cheaper")
        && first.tail.has("than");
    if is_less {
        return Some(b.with(Infix::Minus, &a));
    }
    // "200 cups come in packs of 25, how many packs"
    let asked = story.asked.after("how many").map(|rest| rest.word(0)).unwrap_or_default();
    let lead = second.lead;
    let is_packed = lead.ends("of|hold|holds|seat|seats|fit|fits|up to") > 0 && !asked.is_empty();
    let names_pack = (0..lead.len()).any(|at| stem(lead.word(at)) == stem(asked));
    if is_packed
        && names_pack
        && lead.has("in|into|of|each|per|hold|holds|seats|fits")
        && !second.tail.starts("each").gt(&0)
    {
        return Some(a.with(Infix::Over, &b));
    }
    None
}

/// Reads two groups that make one together: "18 girls and 15 boys, how many students".
pub(super) fn together(
    first: &Quantity<'_>,
    second: &Quantity<'_>,
    story: &Story<'_>,
) -> Option<Piece> {
    let is_list = second.lead.ends("and|, and|plus|,|and there are|and i have|and has") > 0
        || second.lead.has("and");
    let is_asked = story.asked.starts("how many|how much") > 0 && second.start < story.told.len();
    (is_list && is_asked).then(|| piece(first).with(Infix::Plus, &piece(second)))
}

fn larger_over_smaller(first: &Quantity<'_>, second: &Quantity<'_>) -> Piece {
    let size = |quantity: &Quantity<'_>| quantity.digits.parse::<f64>().unwrap_or_default();
    let is_turned = size(first) < size(second);
    let (larger, smaller) = if is_turned { (second, first) } else { (first, second) };
    piece(larger).with(Infix::Over, &piece(smaller))
}

/// Returns a noun without its plural.
pub(super) fn stem(word: &str) -> String {
    word.trim_end_matches('s').trim_end_matches('e').to_owned()
}
