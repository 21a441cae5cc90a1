//! Reads arithmetic in symbols and in words as an expression: "what's twelve times eleven" is `12*11`.
//!
//! The whole of a clause must be arithmetic, apart from the words of the question. Nothing is solved here.

mod form;
mod number;
mod operand;
mod piece;
pub(super) mod story;
mod words;

use super::clause::Clause;
use super::courtesy::bare;
use crate::obligations::Obligation;
use crate::obligations::math::{EXPR_CHARS_MAX, MathQuestion, parses};
use operand::{expression, operand};
use piece::{Infix, Level, Piece};
use words::Words;

/// Words of a question before an expression.
const BEFORE: &str = "what is|whats|what are|what was|what does|what do you get when you|what do you get if you|what do i get when i|what do i get if i|\
    what do you get from|what do we get if we|what happens when you|what happens if i|what would|what will|what about|how much is|how much are|how much does|how much would|how much do you get if you|\
    calculate|compute|work out|figure out|solve|evaluate|do the math on|do the math for|do the maths on|run the numbers on|give me|show me|find|find me|get me|get|\
    the value of|the result of|the answer to|the result if you|the result when you|value of|result of|answer to|can you do|could you do|do|\
    if i|if you|when you|when i|i|you|lets|let us|now|so|simplify|math|maths|calc|:|math problem|=|i have to|i need to|i need|i need the|whats the result of|i want|take|what s|it";
/// Words of a question after an expression.
const AFTER: &str = "=|equal|equals|make|makes|come to|comes to|is what|is|be|add up to|comes out to|come out to|altogether|in total|in all|total|give|gives|gives you|give you|\
    equal to|equals to|equals what|is equal to|as a fraction|as a decimal|exactly|to|work out to|what is it|whats that|what is that|what does that make|what do i get|what do you get|what do i have|\
    how much is that|how much is it|what|makes what|?|whats the answer|what is the answer|whats the result|what is the result|together|do i get|would that be|evenly|each";

/// Reads a clause as arithmetic. `previous` is the expression that "that" means.
pub(super) fn read(clause: Clause<'_>, previous: Option<&str>) -> Option<Vec<Obligation>> {
    let expr = expr(clause, previous)?;
    Some(vec![Obligation::report(&MathQuestion { expr })])
}

/// Returns the expression that a clause asks for.
pub(super) fn expr(clause: Clause<'_>, previous: Option<&str>) -> Option<String> {
    let clause = bare(clause);
    if is_code(clause) {
        return None;
    }
    let read = |clause: Clause<'_>| {
        let mut words = Words::new(clause, previous);
        let piece = words.attempt(ratio).or_else(|| {
            let first = expression(&mut words)?;
            Some(continued(&mut words, first))
        })?;
        words.skip("exactly|please");
        (words.is_done() && piece.is_operation).then_some(piece.text)
    };
    let added = || {
        let asks_sum = clause.ends(
            "make|makes|equal|equals|together|altogether|add up to|come to|is|total|in total",
        ) > 0;
        let mut words = Words::new(framed(clause), previous);
        let sum = asks_sum.then(|| words.attempt(form::sum)).flatten()?;
        words.is_done().then_some(sum.text)
    };
    let found = read(clause).or_else(|| read(framed(clause))).or_else(added)?;
    let found = if clause.has("as a decimal|in decimal|in decimals|as decimal") {
        format!("({found})*1.0")
    } else {
        found
    };
    let is_short = found.chars().count() <= EXPR_CHARS_MAX;
    (is_short && parses(&found)).then_some(found)
}

/// Returns a clause without the words of a question around its expression.
fn framed(clause: Clause<'_>) -> Clause<'_> {
    let mut clause = clause;
    loop {
        let shorter = clause.past(BEFORE).trimmed().short_of(AFTER).trimmed();
        let shorter = if clause.starts("the") > 0 && clause.from(1).starts(BEFORE) > 0 {
            clause.from(1)
        } else {
            bare(shorter)
        };
        if shorter.len() == clause.len() || shorter.is_empty() {
            return clause;
        }
        clause = shorter;
    }
}

/// Whether a clause is a phone number or a date: digits with the same mark between them and no spaces.
fn is_code(clause: Clause<'_>) -> bool {
    let numbers = clause.tokens().iter().step_by(2).map(|token| token.text.len());
    let lengths: Vec<usize> = numbers.collect();
    let glued = (1..clause.len()).all(|at| clause.is_glued(at));
    let marks = (1..clause.len()).step_by(2).map(|at| clause.word(at)).collect::<Vec<_>>();
    let digits = (0..clause.len()).step_by(2).all(|at| clause.is_number(at));
    let is_phone =
        marks.iter().all(|mark| *mark == "-") && matches!(&lengths[..], [.., 3, 3, 4] | [4, 2, 2]);
    let is_date = marks.iter().all(|mark| *mark == "/") && matches!(&lengths[..], [_, _, 2 | 4]);
    glued && digits && (is_phone || is_date)
}

/// Reads a question for a share: "what percent of 80 is 20", "20 is what percent of 80".
fn ratio(words: &mut Words<'_>) -> Option<Piece> {
    const PERCENT: &str = "percent|percentage|per cent|%";
    let percent = |part: &Piece, whole: &Piece| {
        let ratio = part.with(Infix::Over, whole);
        Piece::operation(format!("{}*100", ratio.text), Level::Product)
    };
    words.skip("what");
    if words.take(PERCENT).is_some() {
        words.take("of")?;
        let whole = expression(words)?;
        words.take("is|are|equals|would be")?;
        return Some(percent(&expression(words)?, &whole));
    }
    if words.take("how many times does|how many times do|how often does|many times does").is_some()
    {
        let divisor = operand(words)?;
        words.take("go into|fit into|fit in|go in")?;
        return Some(operand(words)?.with(Infix::Over, &divisor));
    }
    let part = operand(words)?;
    if words.take("is what|are what|is which|as a|is how many|as what").is_some() {
        words.take(PERCENT)?;
        words.take("of")?;
        return Some(percent(&part, &operand(words)?));
    }
    words.take("out of")?;
    let whole = operand(words)?;
    words.take("as a|is what|in")?;
    words.take(PERCENT)?;
    Some(percent(&part, &whole))
}

/// Reads further steps after an expression: "add 5 to 3 and then multiply by 2".
fn continued(words: &mut Words<'_>, first: Piece) -> Piece {
    let mut piece = first;
    while let Some(next) = words.attempt(|words| step(words, &piece)) {
        piece = next;
    }
    piece
}

fn step(words: &mut Words<'_>, piece: &Piece) -> Option<Piece> {
    const IT: &str = "it|that|the result|the answer|this|the total|the sum";
    while words.take(",|and|then|.|;|after that").is_some() {}
    let infix = if words.take("add|plus|and add").is_some() {
        Infix::Plus
    } else if words.take("subtract|minus|take away|take off").is_some() {
        Infix::Minus
    } else if words.take("multiply").is_some() {
        words.skip(IT);
        words.take("by|with")?;
        Infix::Times
    } else if words.take("times|multiplied by").is_some() {
        Infix::Times
    } else if words.take("divide|split").is_some() {
        words.skip(IT);
        words.take("by|among|between|into")?;
        Infix::Over
    } else if words.take("divided by|over").is_some() {
        Infix::Over
    } else {
        let factor = words.take("double").map(|()| (Infix::Times, "2"));
        let factor = factor.or_else(|| words.take("triple").map(|()| (Infix::Times, "3")));
        let factor =
            factor.or_else(|| words.take("halve|take half of").map(|()| (Infix::Over, "2")));
        let factor = factor.or_else(|| words.take("square").map(|()| (Infix::Power, "2")));
        let (infix, number) = factor?;
        words.take(IT)?;
        return Some(piece.with(infix, &Piece::number(number)));
    };
    let next = operand(words)?;
    words.skip("to it|to that|from it|from that|to the result");
    Some(piece.with(infix, &next))
}
