//! Reads one-step word problems: "6 rows with 8 chairs each, how many chairs?" is `6*8`.
//!
//! The numbers are taken in their order; what joins them is decided by cue words. A story with a number that no cue
//! explains is no arithmetic.

mod cue;
mod quantity;
mod special;

use crate::obligations::Obligation;
use crate::obligations::math::{MathQuestion, parses};
use crate::obligations::read::arithmetic::piece::{Infix, Level, Piece};
use crate::obligations::read::clause::Clause;
use crate::obligations::read::courtesy::bare;
use cue::{
    AS_MANY, ASKS, ASKS_SURCHARGE, BEFORE_PARTS, COME, COMPARES, EACH, GAINS, GIVEN, GO, GROUPS,
    HAS, LEFT, LOSSES, NO_STORY, PEOPLE, RESULTS, SHARES, SURCHARGES, TOTAL,
};
use quantity::{Quantity, larger_less_smaller, piece, quantities};
use special::stem;

/// Maximum number of words and marks of a story, which is searched for many cues.
const TOKENS_MAX: usize = 120;
/// Maximum number of quantities in a story.
const QUANTITIES_MAX: usize = 5;

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
        [only] => special::single(only, &story),
        [first, second] => special::pair(first, second, &story)
            .or_else(|| pair(first, second, &story))
            .or_else(|| sequence(&story))
            .or_else(|| special::together(first, second, &story)),
        [_, ..] => product_and_more(&story).or_else(|| sequence(&story)),
        [] => None,
    }?;
    let is_math = piece.is_operation && parses(&piece.text);
    is_math.then(|| vec![Obligation::report(&MathQuestion { expr: piece.text })])
}

fn story(clause: Clause<'_>) -> Option<Story<'_>> {
    if clause.len() > TOKENS_MAX || clause.has(NO_STORY) {
        return None;
    }
    let asks = (0..clause.len()).rev().find(|at| {
        let words = clause.from(*at).starts(ASKS);
        // "total" alone asks only at the end.
        words > 1 || (words == 1 && at + 1 == clause.len())
    })?;
    let mut quantities = quantities(clause);
    // What is asked says nothing about the last number that was told.
    if let Some(last) = quantities.last_mut().filter(|last| last.start < asks) {
        let end = clause.len() - last.tail.len();
        last.tail = clause.slice(end..asks.max(end));
    }
    let is_short = quantities.len() <= QUANTITIES_MAX;
    is_short.then(|| Story {
        quantities,
        told: clause.until(asks),
        asked: clause.from(asks),
        whole: clause,
    })
}

fn pair(first: &Quantity<'_>, second: &Quantity<'_>, story: &Story<'_>) -> Option<Piece> {
    let (a, b) = (piece(first), piece(second));
    if let Some(part) = share_of(first, second, story).or_else(|| share_of(second, first, story)) {
        return Some(part);
    }
    if is_priced(first, second, story) {
        return Some(a.with(Infix::Times, &b));
    }
    let is_multiple = story.whole.has(AS_MANY) || story.told.has("twice|double|triple|thrice");
    if is_multiple || (story.asked.has("area") && !story.asked.has("how long")) {
        return Some(a.with(Infix::Times, &b));
    }
    let is_told = first.start < story.told.len();
    let asks_for_each =
        is_told && story.asked.has("each|per|apiece|every one|everyone get|everybody get");
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

/// Reads a number of per cent of the other number: "a shirt is $40 and it's 25% off".
fn share_of(whole: &Quantity<'_>, share: &Quantity<'_>, story: &Story<'_>) -> Option<Piece> {
    let behind = share.tail.after("%|percent|per cent|pct")?;
    let percent = Piece::percent(&share.digits);
    if behind.until(3).has("off|discount|less|cheaper|reduction")
        || share.lead.has("discount|off by|reduced by|discounted")
    {
        return Some(piece(whole).with(Infix::Minus, &percent));
    }
    if story.whole.has(SURCHARGES) && !story.asked.has(ASKS_SURCHARGE) {
        return Some(piece(whole).with(Infix::Plus, &percent));
    }
    Some(Piece::operation(format!("{}*{}/100", whole.digits, share.digits), Level::Product))
}

/// Whether one thing has the first number of something, and the second number counts such things: "a pizza has 8
/// slices, we ordered 3 pizzas".
fn is_priced(first: &Quantity<'_>, second: &Quantity<'_>, story: &Story<'_>) -> bool {
    let lead = first.lead;
    let Some(one) =
        (0..lead.len()).rev().find(|at| lead.from(*at).starts("a|an|one|each|every|the") > 0)
    else {
        return false;
    };
    let thing = stem(lead.word(one + 1));
    let has = lead.from(one + 2).starts(HAS) > 0 || lead.from(one + 3).starts(HAS) > 0;
    has && !thing.is_empty()
        && (0..2).any(|at| stem(second.tail.word(at)) == thing)
        && !story.told.has("left")
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
        let is_subset = second.tail.starts("were|are|of them|of which|of those|was") > 0
            && story.asked.starts("how many") > 0
            && !story.asked.has(TOTAL);
        if is_subset && !story.asked.has("now") {
            return Some(larger_less_smaller(first, second));
        }
        if asks_rest && (asked_first || is_lost(second) || !second.lead.has(GAINS)) {
            return Some(larger_less_smaller(first, second));
        }
    }
    let is_asked = asks_rest || story.asked.has(TOTAL) || story.asked.has(RESULTS);
    if !is_asked {
        return None;
    }
    rest.iter().try_fold(piece(first), |sum, next| {
        let is_loss = is_lost(next);
        let infix =
            if is_loss && !story.asked.has(TOTAL) { Infix::Minus } else { gained(next, story)? };
        Some(sum.with(infix, &piece(next)))
    })
}

/// Whether a number is lost: "gave away 7", "6 flew away". What is said behind the number counts most.
fn is_lost(next: &Quantity<'_>) -> bool {
    let behind = next.tail.until(3);
    let is_taken = next.lead.has(LOSSES) && !next.lead.has(GIVEN);
    behind.has(GO) || (is_taken && !behind.has(COME))
}

fn gained(next: &Quantity<'_>, story: &Story<'_>) -> Option<Infix> {
    let is_gain =
        next.lead.has(GAINS) || next.tail.until(2).has("more|extra") || story.asked.has(TOTAL);
    is_gain.then_some(Infix::Plus)
}

#[cfg(test)]
mod tests {
    use crate::obligations::read::tests::{check, show};

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
