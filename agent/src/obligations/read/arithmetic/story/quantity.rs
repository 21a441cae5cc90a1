//! The numbers of a story, with what is said around them.

use crate::obligations::read::arithmetic::number::plain_number;
use crate::obligations::read::arithmetic::piece::{Infix, Level, Piece};
use crate::obligations::read::arithmetic::words::Words;
use crate::obligations::read::clause::Clause;

/// A number of a story.
pub(super) struct Quantity<'t> {
    pub(super) digits: String,
    /// What is between the number before and this one.
    pub(super) lead: Clause<'t>,
    /// What is behind it, up to the next number.
    pub(super) tail: Clause<'t>,
    pub(super) start: usize,
}

pub(super) fn quantities(clause: Clause<'_>) -> Vec<Quantity<'_>> {
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
pub(super) fn multiple(words: &mut Words<'_>) -> Option<String> {
    words.attempt(|words| {
        let number = match words.word(0) {
            "twice" | "double" => "2",
            "triple" | "thrice" => "3",
            "dozen" => "12",
            _ => return None,
        };
        words.at += 1;
        Some(number.to_owned())
    })
}

pub(super) fn piece(quantity: &Quantity<'_>) -> Piece {
    if quantity.digits.contains('*') {
        return Piece::operation(quantity.digits.clone(), Level::Product);
    }
    Piece::number(quantity.digits.clone())
}

pub(super) fn larger_less_smaller(first: &Quantity<'_>, second: &Quantity<'_>) -> Piece {
    let size = |quantity: &Quantity<'_>| quantity.digits.parse::<f64>().unwrap_or_default();
    let (larger, smaller) =
        if size(first) < size(second) { (second, first) } else { (first, second) };
    piece(larger).with(Infix::Minus, &piece(smaller))
}
