//! Reads one-step word problems: "6 rows with 8 chairs each, how many chairs?" is `6*8`.
//!
//! The numbers are taken in their order; what joins them is decided by cue words. A story with a number that no cue
//! explains is no arithmetic.

use super::number::plain_number;
use super::piece::{Infix, Level, Piece};
use super::words::Words;
use crate::obligations::Obligation;
use crate::obligations::math::{MathQuestion, parses};
use crate::obligations::read::clause::Clause;
use crate::obligations::read::courtesy::bare;

/// Maximum number of quantities in a story.
const QUANTITIES_MAX: usize = 5;

/// Words that begin the question of a story.
const ASKS: &str = "how many|how much|how far|how long|how old|how tall|whats the total|what is the total|what total|whats the cost|what is the cost|what does it cost|\
    what will it cost|what do they cost|whats left|what is left|what do i owe|whats the price|what is the price|what do i pay|whats the area|what is the area|total cost|what do we pay|what do they pay|\
    whats the difference|what is the difference|what does each|what is each|whats each|whats the bill|what is the bill|what would it cost|whats the sum|what is the sum|total|what do we owe|what does that cost|what was the total";
/// Words of a rate.
const EACH: &str = "each|per|apiece|every|a piece|a pop|an hour|a week|a day|a month|a night|an item|a ticket|a box|a dozen|a person|a head";
/// Words of a multiple.
const AS_MANY: &str = "times as many|times as much|times more|times as old|times as long|times the";
/// Words of a division.
const SHARES: &str = "share|shared|shares|sharing|split|splits|splitting|divide|divided|divides|dividing|equally|evenly|distributed|distribute|distributes|cut into|among|amongst|into equal|handed out equally|deal|dealt";
/// Words before the number of parts.
const BEFORE_PARTS: &str = "among|amongst|between|into|by|across|to|with|for";
/// Those who get a part each.
const PEOPLE: &str = "kids|people|friends|children|students|boys|girls|volunteers|families|classmates|of us|players|workers|guests|siblings|brothers|sisters|grandkids|cousins|teams|groups|tables|bags|boxes|rows|plates|baskets|jars|ways|shelves|classes|rooms|cars|buses|pages|men|women|adults|helpers|pupils|kids|kittens|dogs|cats";
/// Words of a comparison.
const COMPARES: &str = "how many more|how much more|how many fewer|how much less|how much older|how much younger|how much taller|how much longer|how much shorter|how much farther|how much further|how much cheaper|how much heavier|\
    how much lighter|the difference|how many years older|how many years younger|how much change|how many are missing|how much do i still need|how much bigger|how many extra|how much faster|how many inches taller|how many pounds heavier|how much money will i have left|\
    how many points more|how much warmer|how much colder|change do i get|change will i get|change should i get|how many left to go|how much further|how many to go|how many pages are left|how many points behind|how many points ahead";
/// Words of a loss.
const LOSSES: &str = "gave|give|gives|giving|lost|lose|loses|spent|spend|spends|ate|eat|eats|eaten|used|use|uses|sold|sell|sells|broke|breaks|break|took|takes away|takes|took away|flew|fly|flies|left the|leave|leaves|leaving|went|go home|\
    goes home|died|dropped|drops|donated|donates|threw|throws|fell|popped|melted|paid|pay|pays|drank|drink|drinks|cancel|cancels|cancelled|canceled|removed|remove|minus|away|off|drove off|less|walked away|got off|gets off|quit|rolled away|were eaten|were sold|cut|cuts|burned|burnt|tore|ran away|returned|lent|missing|absent|sick|out";
/// Words of a gain.
const GAINS: &str = "more|bought|buy|buys|found|find|finds|gets|got|get|received|receive|receives|join|joined|joins|arrive|arrived|arrives|added|add|adds|another|plus|earned|earn|earns|picked|pick|picks|collected|won|win|wins|gave me|gives me|gives him|gives her|gave him|gave her|gave us|\
    grew|made|baked|came|come|comes|and|gained|extra|has|have|had|saw|planted|walked in|got on|gets on|drive|drove|read|ran|run|walked|saved|then|guests|costs|cost|for|is|are|were|was|on";
/// Words of a remainder.
const LEFT: &str = "left|remain|remains|remaining|left over|still have|still has|does she have now|does he have now|do i have now|do we have now|still";
/// Words of a sum.
const TOTAL: &str = "altogether|in total|in all|total|combined|both|sum|together|all together";
/// Units, each with how many smaller ones it has: how many minutes are in 3 hours.
const UNITS: &[(&str, &str, &str)] = &[
    ("second|seconds", "minute|minutes", "60"),
    ("minute|minutes", "hour|hours", "60"),
    ("hour|hours", "day|days", "24"),
    ("day|days", "week|weeks", "7"),
    ("month|months", "year|years", "12"),
    ("week|weeks", "year|years", "52"),
    ("year|years", "decade|decades", "10"),
    ("year|years", "century|centuries", "100"),
    ("cent|cents", "dollar|dollars", "100"),
    ("inch|inches", "foot|feet", "12"),
    ("foot|feet", "yard|yards", "3"),
    ("centimetres|centimeters|cm", "metre|metres|meter|meters", "100"),
    ("metres|meters", "kilometre|kilometres|kilometer|kilometers|km", "1000"),
    ("grams", "kilogram|kilograms|kilo|kilos|kg", "1000"),
    ("ounces", "pound|pounds", "16"),
    ("eggs|items|donuts|roses|bagels", "dozen", "12"),
];

/// A number of a story.
struct Quantity<'t> {
    digits: String,
    /// What is between the number before and this one.
    lead: Clause<'t>,
    /// What is behind it, up to the next number.
    tail: Clause<'t>,
    start: usize,
}

/// A story, cut into its parts.
struct Story<'t> {
    quantities: Vec<Quantity<'t>>,
    told: Clause<'t>,
    asked: Clause<'t>,
    whole: Clause<'t>,
}

/// Reads a text as a word problem.
pub(in crate::obligations::read) fn read(clause: Clause<'_>) -> Option<Vec<Obligation>> {
    let story = story(bare(clause))?;
    let piece = match &story.quantities[..] {
        [only] => converted(only, &story),
        [first, second] => pair(first, second, &story).or_else(|| sequence(&story)),
        [_, ..] => product_and_more(&story).or_else(|| sequence(&story)),
        [] => None,
    }?;
    let is_math = piece.is_operation && parses(&piece.text);
    is_math.then(|| vec![Obligation::report(&MathQuestion { expr: piece.text })])
}

fn story(clause: Clause<'_>) -> Option<Story<'_>> {
    const OTHER: &str =
        "remind|schedule|letter|letters|oclock|am|pm|calendar|alarm|times does|vowels|word";
    if clause.has(OTHER) {
        return None;
    }
    let asks = (0..clause.len()).rev().find(|at| {
        let words = clause.from(*at).starts(ASKS);
        // "total" alone asks only at the end.
        words > 1 || (words == 1 && at + 1 == clause.len())
    })?;
    let quantities = quantities(clause);
    let is_short = quantities.len() <= QUANTITIES_MAX;
    is_short.then(|| Story {
        quantities,
        told: clause.until(asks),
        asked: clause.from(asks),
        whole: clause,
    })
}

fn quantities(clause: Clause<'_>) -> Vec<Quantity<'_>> {
    let mut found: Vec<Quantity<'_>> = Vec::new();
    let mut words = Words::new(clause, None);
    let mut end = 0;
    while !words.is_done() {
        let start = words.at;
        // "one" is mostly a pronoun, and "a hundred" begins with an article.
        let is_pronoun = words.word(0) == "one" && !matches!(words.word(1), "hundred" | "thousand");
        let number = if is_pronoun {
            None
        } else {
            multiple(&mut words).or_else(|| words.attempt(plain_number))
        };
        let Some(digits) = number else {
            words.at = start + 1;
            continue;
        };
        let digits = if words.take("dozen").is_some() { format!("{digits}*12") } else { digits };
        if let Some(last) = found.last_mut() {
            last.tail = clause.slice(end..start);
        }
        let tail = clause.from(words.at);
        found.push(Quantity { digits, lead: clause.slice(end..start), tail, start });
        end = words.at;
    }
    found
}

/// Reads a multiple as a number: "twice as many".
fn multiple(words: &mut Words<'_>) -> Option<String> {
    words.attempt(|words| {
        let number = match words.word(0) {
            "twice" | "double" => "2",
            "triple" | "thrice" => "3",
            _ => return None,
        };
        words.at += 1;
        Some(number.to_owned())
    })
}

fn pair(first: &Quantity<'_>, second: &Quantity<'_>, story: &Story<'_>) -> Option<Piece> {
    let (a, b) = (piece(first), piece(second));
    let is_multiple = story.whole.has(AS_MANY) || story.told.has("twice|double|triple|thrice");
    if is_multiple || (story.asked.has("area") && !story.asked.has("how long")) {
        return Some(a.with(Infix::Times, &b));
    }
    let asks_for_each = story.asked.has("each|per|apiece|every one|everyone get|everybody get");
    if story.told.has(SHARES) || story.asked.has(SHARES) || (asks_for_each && !story.told.has(EACH))
    {
        return Some(if is_divisor(first, second) {
            b.with(Infix::Over, &a)
        } else {
            a.with(Infix::Over, &b)
        });
    }
    if story.asked.has(COMPARES) || story.told.has("how many more|how much more") {
        return Some(larger_less_smaller(first, second));
    }
    if story.whole.has(EACH) || is_group(first, second) {
        return Some(match rate(first, second, story) {
            Some(parts) => parts,
            None => a.with(Infix::Times, &b),
        });
    }
    None
}

/// Whether the first number is that of the parts: "6 kids share 24 cookies", "among 6 kids there are 24 cookies".
fn is_divisor(first: &Quantity<'_>, second: &Quantity<'_>) -> bool {
    let names_people = |quantity: &Quantity<'_>| quantity.tail.until(3).has(PEOPLE);
    let leads = |quantity: &Quantity<'_>| {
        let lead = quantity.lead;
        lead.from(lead.len().saturating_sub(3)).has(BEFORE_PARTS)
    };
    (leads(first) && !leads(second))
        || (names_people(first) && !names_people(second) && !leads(second))
}

/// Whether the numbers are those of equal groups: "6 boxes of 8 pencils".
fn is_group(first: &Quantity<'_>, second: &Quantity<'_>) -> bool {
    const GROUPS: &str = "rows|boxes|bags|packs|packets|groups|tables|shelves|baskets|cartons|cases|sets|teams|crates|trays|jars|stacks|bunches|columns|weeks|days|hours|months|nights|pages|classes|bundles|dozens|bottles|buses|vans|cars";
    let between = first.tail;
    between.until(3).has(GROUPS)
        && between.has("of|with|containing|holding|at|that hold|that holds")
        && second.start > first.start
}

/// Reads how many parts of a known size there are: "each box holds 6 eggs, how many boxes for 48 eggs".
fn rate(first: &Quantity<'_>, second: &Quantity<'_>, story: &Story<'_>) -> Option<Piece> {
    let asked = story.asked.after("how many").map(|rest| rest.word(0))?;
    let asks_for_time = story.asked.starts("how long") > 0;
    let unit = story.whole.split(EACH).map(|sides| sides.after.word(0)).unwrap_or_default();
    let stem = |word: &str| word.trim_end_matches('s').trim_end_matches('e').to_owned();
    if !asks_for_time && (unit.is_empty() || stem(asked) != stem(unit)) {
        return None;
    }
    let near = |quantity: &Quantity<'_>| {
        let around = quantity.lead.from(quantity.lead.len().saturating_sub(4));
        around.has(EACH) || quantity.tail.until(3).has(EACH)
    };
    let (rate, whole) = if near(first) { (first, second) } else { (second, first) };
    Some(piece(whole).with(Infix::Over, &piece(rate)))
}

/// Reads "3 boxes of 8 and 2 more", or several factors.
fn product_and_more(story: &Story<'_>) -> Option<Piece> {
    let [first, second, rest @ ..] = &story.quantities[..] else { return None };
    if !story.told.has(EACH) && !is_group(first, second) {
        return None;
    }
    let product = piece(first).with(Infix::Times, &piece(second));
    rest.iter().try_fold(product, |sum, next| {
        let infix = if next.lead.has(LOSSES) { Infix::Minus } else { gained(next, story)? };
        Some(sum.with(infix, &piece(next)))
    })
}

/// Reads gains and losses after a first number: "I had 20 cookies and gave away 7".
fn sequence(story: &Story<'_>) -> Option<Piece> {
    let (first, rest) = story.quantities.split_first()?;
    let asks_rest = story.asked.has(LEFT) || story.whole.has("are left|is left|left over|remain");
    if let [second] = rest {
        let asked_first = second.lead.has("of|from|out of") && first.lead.has(LOSSES);
        if asks_rest && (asked_first || second.lead.has(LOSSES) || !second.lead.has(GAINS)) {
            return Some(larger_less_smaller(first, second));
        }
    }
    let is_asked = asks_rest || story.asked.has(TOTAL) || story.asked.has("now|have|has|are there|do i owe|cost|pay|old|far|total|is it|will there be|were there|in the|did");
    if !is_asked {
        return None;
    }
    rest.iter().try_fold(piece(first), |sum, next| {
        let is_loss = next.lead.has(LOSSES)
            && !next.lead.has("gave me|gives me|gave him|gave her|gives him|gives her|gave us");
        let infix =
            if is_loss && !story.asked.has(TOTAL) { Infix::Minus } else { gained(next, story)? };
        Some(sum.with(infix, &piece(next)))
    })
}

fn gained(next: &Quantity<'_>, story: &Story<'_>) -> Option<Infix> {
    let is_gain =
        next.lead.has(GAINS) || next.tail.until(2).has("more|extra") || story.asked.has(TOTAL);
    is_gain.then_some(Infix::Plus)
}

/// Reads a conversion: "how many minutes are in 3 hours".
fn converted(only: &Quantity<'_>, story: &Story<'_>) -> Option<Piece> {
    let asked = story.asked.after("how many")?;
    let (_, _, factor) = UNITS
        .iter()
        .find(|(small, large, _)| asked.starts(small) > 0 && only.tail.starts(large) > 0)?;
    Some(piece(only).with(Infix::Times, &Piece::number(*factor)))
}

fn larger_less_smaller(first: &Quantity<'_>, second: &Quantity<'_>) -> Piece {
    let size = |quantity: &Quantity<'_>| quantity.digits.parse::<f64>().unwrap_or_default();
    let (larger, smaller) =
        if size(first) < size(second) { (second, first) } else { (first, second) };
    piece(larger).with(Infix::Minus, &piece(smaller))
}

fn piece(quantity: &Quantity<'_>) -> Piece {
    if quantity.digits.contains('*') {
        return Piece::operation(quantity.digits.clone(), Level::Product);
    }
    Piece::number(quantity.digits.clone())
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{check, show};

    #[test]
    fn stories_are_arithmetic() {
        check(
            show,
            &[
                ("I had 20 cookies and gave away 7. How many are left?", "REPORT math expr=20-7"),
                ("6 rows with 8 chairs each, how many chairs?", "REPORT math expr=6*8"),
                (
                    "tickets are 15 each and we are a group of 9, whats the total",
                    "REPORT math expr=15*9",
                ),
                (
                    "If 24 cookies are shared among 6 kids, how many does each kid get?",
                    "REPORT math expr=24/6",
                ),
                (
                    "6 kids share 24 cookies equally. How many cookies per kid?",
                    "REPORT math expr=24/6",
                ),
                (
                    "Sam has 12 apples and buys 5 more. How many apples does he have now?",
                    "REPORT math expr=12+5",
                ),
                ("Tom is 12 and Ana is 9. How much older is Tom?", "REPORT math expr=12-9"),
                (
                    "There are 7 red and 9 blue balloons. How many balloons altogether?",
                    "REPORT math expr=7+9",
                ),
                ("I ate 5 of my 12 cookies, how many are left?", "REPORT math expr=12-5"),
                (
                    "a train goes 60 miles per hour. how far does it go in 3 hours",
                    "REPORT math expr=60*3",
                ),
                (
                    "each box holds 6 eggs, how many boxes do I need for 48 eggs",
                    "REPORT math expr=48/6",
                ),
                ("how many minutes are in 3 hours", "REPORT math expr=3*60"),
                (
                    "Ben has 5 marbles. Ana has twice as many. How many does Ana have?",
                    "REPORT math expr=5*2",
                ),
                (
                    "I had 20 dollars, spent 7 and then found 3. How much do I have now?",
                    "REPORT math expr=20-7+3",
                ),
                (
                    "we need 30 chairs and have 18, how many more do we need",
                    "REPORT math expr=30-18",
                ),
                ("4 packs of 12 plus 3 extra, how many in total", "REPORT math expr=4*12+3"),
            ],
        );
    }
}
