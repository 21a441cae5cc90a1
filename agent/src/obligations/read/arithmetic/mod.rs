//! Reads arithmetic in symbols and in words as an expression: "what's twelve times eleven" is `12*11`.
//!
//! The whole of a clause must be arithmetic, apart from the words of the question. Nothing is solved here.

mod form;
mod noun;
mod number;
mod operand;
mod piece;
mod question;
pub(super) mod story;
mod words;

use super::clause::Clause;
use super::courtesy::bare;
use super::token::tokens;
use crate::obligations::Obligation;
use crate::obligations::math::{EXPR_CHARS_MAX, MathQuestion, parses};
use noun::without_nouns;
use operand::{expression, operand};
use piece::{Infix, Level, Piece};
use words::Words;

/// Words of a question before an expression.
const BEFORE: &str = "what|how much|how about|gimme|what number is|which number is|whats the number that is|\
    what is|whats|what are|what was|what does|what do you get when you|what do you get if you|\
    what do i get when i|what do i get if i|what do you get from|what do we get if we|what happens when you|\
    what happens if i|what would|what will|what about|how much is|how much are|how much does|how much do|\
    what do|how much would|how much do you get if you|calculate|compute|work out|figure out|solve|evaluate|\
    do the math on|do the math for|do the maths on|run the numbers on|give me|show me|find|find me|get me|\
    get|the value of|the result of|the answer to|the result if you|the result when you|value of|result of|\
    answer to|can you do|could you do|do|if i|if you|when you|when i|i|you|lets|let us|now|so|simplify|math|\
    maths|calc|:|math problem|=|i have to|i need to|i need|i need the|whats the result of|i want|take|what s|\
    it|start with|starting with|begin with|think of|convert|cuanto es|cuanto son|cuanto da|cual es|calcula|\
    how do i calculate|how do you calculate|i want to know|do you know what|work this out|try|and what about|\
    what would i have if i|what would i have left if i|what would be left if i|what do i have if i|\
    what do i have left if i|roughly|about|approximately|does|is";
/// Words of a question after an expression.
const AFTER: &str = "=|equal|equals|make|makes|come to|comes to|is what|is|be|add up to|comes out to|\
    come out to|altogether|in total|in all|total|give|gives|gives you|give you|equal to|equals to|\
    equals what|is equal to|as a fraction|as a decimal|exactly|to|work out to|what is it|whats that|\
    what is that|what does that make|what do i get|what do you get|what do i have|how much is that|\
    how much is it|what|makes what|?|whats the answer|what is the answer|whats the result|what is the result|\
    together|do i get|would that be|evenly|each|to a decimal|into a decimal|to decimal|in decimal form|\
    in decimals|in decimal|to the nearest|total cost|in dollars|cuanto es|how many times|really|for real";
/// Words behind numbers that are added: "3 and 4 make".
const ADDS_UP: &str = "make|makes|equal|equals|together|altogether|add up to|come to|is|total|in total|\
    added together|added up|added|combined|summed|summed up|put together";

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
        let piece = words.attempt(question::of).or_else(|| {
            let first = expression(&mut words)?;
            Some(continued(&mut words, first))
        })?;
        words.skip("exactly|please");
        (words.is_done() && piece.is_operation).then_some(piece.text)
    };
    let added = || {
        let asks_sum = clause.ends(ADDS_UP) > 0;
        let mut words =
            Words::new(
                framed(clause.short_of(
                    "added together|added up|added|combined|summed|summed up|put together",
                )),
                previous,
            );
        let sum = asks_sum.then(|| words.attempt(form::sum)).flatten()?;
        words.is_done().then_some(sum.text)
    };
    let found = read(clause).or_else(|| read(framed(clause))).or_else(added);
    let further = || {
        let first = Piece::operation(previous?, Level::Sum);
        let mut words = Words::new(clause, previous);
        let piece = words.attempt(|words| step(words, &first))?;
        let piece = continued(&mut words, piece);
        words.is_done().then_some(piece.text)
    };
    let found = found.or_else(|| as_fraction(clause)).or_else(further);
    let found = found.or_else(|| {
        let text = without_nouns(framed(clause))?;
        let tokens = tokens(&text);
        read(Clause::new(&text, &tokens))
    })?;
    let found = if clause.has(
        "as a decimal|in decimal|in decimals|as decimal|to a decimal|into a decimal|to decimal|\
            in decimal form",
    ) {
        format!("({found})*1.0")
    } else {
        found
    };
    let is_short = found.chars().count() <= EXPR_CHARS_MAX;
    (is_short && parses(&found)).then_some(found)
}

/// Reads a decimal that is asked for as a fraction: "0.25 as a fraction" is `25/100`.
fn as_fraction(clause: Clause<'_>) -> Option<String> {
    let number = framed(clause.before("as a fraction")?);
    let (whole, decimals) =
        number.word(0).split_once('.').filter(|_| number.len() == 1 && number.is_number(0))?;
    let digits = format!("{whole}{decimals}");
    let digits = digits.trim_start_matches('0');
    Some(format!("{digits}/1{}", "0".repeat(decimals.len())))
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
    let is_phone = marks.iter().all(|mark| *mark == "-")
        && matches!(&lengths[..], [3, 4] | [.., 3, 3, 4] | [4, 2, 2]);
    let is_date = marks.iter().all(|mark| *mark == "/") && matches!(&lengths[..], [_, _, 2 | 4]);
    glued && digits && (is_phone || is_date)
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
    while words.take(",|and|then|.|;|after that|all|all of that|the whole thing").is_some() {}
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

#[cfg(test)]
mod tests {
    use crate::obligations::read::tests::{check, show};

    #[test]
    fn arithmetic_in_words_becomes_an_expression() {
        let show = |text: &str| show(text).replace("REPORT math expr=", "");
        check(
            show,
            &[
                ("What's 2+2?", "2+2"),
                ("what's twelve times eleven", "12*11"),
                ("15% of 240", "240*15/100"),
                ("a third of 96", "96/3"),
                ("2 to the power of 10", "2^10"),
                ("half of seven", "7/2"),
                ("three quarters of two hundred", "200*3/4"),
                ("divide 100 by the sum of 3 and 2", "100/(3+2)"),
                ("negative six times four", "-6*4"),
                ("-2^2", "-2^2"),
                ("one hundred and one times nine", "101*9"),
                ("5 less than 12", "12-5"),
                ("add 10% to 80", "80+80*10/100"),
                ("average of 4, 8 and 12", "(4+8+12)/3"),
                ("the difference between 20 and 5 divided by 3", "(20-5)/3"),
                ("8 times what is 56", "56/8"),
                ("which is bigger, 3/4 or 2/3", "max(3/4, 2/3)"),
                ("take 100, subtract 30, and divide by 7", "(100-30)/7"),
                ("12 eggs minus 5 broken ones", "12-5"),
                ("my teacher asked what's seven times six and I forgot", "7*6"),
                ("２＋２", "2+2"),
                ("cuánto es 7 por 8", "7*8"),
            ],
        );
    }

    #[test]
    fn numbers_alone_and_codes_are_no_arithmetic() {
        for text in ["7", "512-555-0144", "10/12/2025", "2025-10-02", "555-1234", "3 apples"] {
            assert_eq!(show(text), "CLARIFY slot slot=request", "{text}");
        }
    }
}
