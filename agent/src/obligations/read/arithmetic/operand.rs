//! Operands, and what stands between and after them.

use super::form;
use super::number::{fraction, number, written_fraction};
use super::piece::{Infix, Level, Link, Piece, row};
use super::words::Words;
use crate::number::ordinal;

/// What stands between two operands.
const INFIXES: &[(&str, Infix)] = &[
    ("mas|plus|added to|add|+|increased by", Infix::Plus),
    ("menos|minus|take away|takeaway|less|subtract|-|decreased by|reduced by", Infix::Minus),
    (
        "por|times|multiplied by|multiplied with|multiply by|x|*|groups of|lots of|of|time",
        Infix::Times,
    ),
    (
        "entre|dividido por|dividido entre|divided by|divide by|over|div|/|divided into|shared by|\
            shared between|shared among|split by|split between|split among",
        Infix::Over,
    ),
    ("mod|modulo|modulus|%", Infix::Modulo),
    (
        "to the power of|to the power|raised to the power of|raised to the power|raised to|^|* *|to power of",
        Infix::Power,
    ),
];
/// Words between two operands of which the second comes first in the expression.
const REVERSED: &[(&str, Infix)] = &[
    ("subtracted from|taken from|taken away from|less than|fewer than|deducted from", Infix::Minus),
    ("more than|greater than", Infix::Plus),
    ("into|goes into", Infix::Over),
];
/// Units of money after or before a number.
const MONEY: &str = "dollars|dollar|bucks|euros|euro|$|€|£";
/// Words for the result of the question before.
const PREVIOUS: &str = "that|it|the result|the answer|that number|this|that result|that answer|ans";

/// Reads operands with operations between them.
pub(super) fn expression(words: &mut Words<'_>) -> Option<Piece> {
    words.attempt(|words| {
        let first = operand(words)?;
        let mut links = Vec::new();
        while let Some(link) = words.attempt(link) {
            links.push(link);
        }
        let piece = row(first, &links);
        let reversed = words.attempt(|words| {
            let (_, infix) = REVERSED.iter().find(|(phrases, _)| words.sees(phrases) > 0)?;
            REVERSED.iter().find_map(|(phrases, _)| words.take(phrases))?;
            Some(Link { infix: *infix, piece: expression(words)? })
        });
        Some(match reversed {
            None => piece,
            Some(link) => link.piece.with(link.infix, &piece),
        })
    })
}

/// Reads an operation and the operand after it.
fn link(words: &mut Words<'_>) -> Option<Link> {
    // "2(3+4)"
    if words.word(0) == "(" && words.is_glued(0) {
        return Some(Link { infix: Infix::Times, piece: operand(words)? });
    }
    // "5 less than 12" is read from behind, and a percent sign before no operand is no remainder.
    if REVERSED.iter().any(|(phrases, _)| words.sees(phrases) > 0) {
        return None;
    }
    let best = INFIXES.iter().max_by_key(|(phrases, _)| words.sees(phrases))?;
    words.take(best.0)?;
    // "to the power of 1/3"
    let written = if best.1 == Infix::Power { words.attempt(written_fraction) } else { None };
    let piece = written.or_else(|| operand(words))?;
    Some(Link { infix: best.1, piece })
}

/// Reads an operand with the marks and words after it.
pub(super) fn operand(words: &mut Words<'_>) -> Option<Piece> {
    words.attempt(|words| {
        let mut piece = unmarked(words)?;
        while let Some(marked) = words.attempt(|words| mark(words, &piece)) {
            piece = marked;
        }
        Some(piece)
    })
}

fn unmarked(words: &mut Words<'_>) -> Option<Piece> {
    if words.take("(|[|{").is_some() {
        let inner = expression(words)?;
        words.take(")|]|}")?;
        return Some(Piece { text: format!("({})", inner.text), level: Level::Atom, ..inner });
    }
    let is_sign = words.sees("-") > 0;
    if words.take("negative|minus|-").is_some() {
        let inner = operand(words)?;
        let text = format!("-{}", inner.at_least(Level::Power));
        // `-2^2` is minus four, "negative two squared" is four.
        let level = if is_sign { Level::Atom } else { Level::Negative };
        return Some(Piece { text, level, percent: None, ..inner });
    }
    if words.take("+").is_some() {
        return operand(words);
    }
    if let Some(piece) = words.attempt(form::of) {
        return Some(piece);
    }
    if let Some(piece) = words.attempt(part_of_whole) {
        return Some(piece);
    }
    words.skip("the number|the");
    if let Some(previous) = words.previous.filter(|_| words.sees(PREVIOUS) > 0) {
        words.skip(PREVIOUS);
        return Some(Piece::operation(previous, Level::Sum));
    }
    words.skip(MONEY);
    let piece = number(words)?;
    words.skip(MONEY);
    Some(piece)
}

/// Reads a part of something: "half of seven", "15% of 240", "20 percent off 80".
fn part_of_whole(words: &mut Words<'_>) -> Option<Piece> {
    if let Some(fraction) = words.attempt(fraction) {
        let is_half = fraction.numerator == "1" && fraction.denominator == 2;
        if words.take("of").is_some() || (is_half && words.sees("a dozen") > 0) {
            return Some(fraction.of(&operand(words)?));
        }
        for (phrases, infix) in [
            ("less than|off|off of|lower than", Infix::Minus),
            ("more than|on top of", Infix::Plus),
        ] {
            if words.take(phrases).is_some() {
                let whole = operand(words)?;
                return Some(whole.with(infix, &fraction.of(&whole)));
            }
        }
        let is_signed = words.sees("minus|-|negative|plus|+") > 0;
        let whole = if is_half && !is_signed { words.attempt(operand) } else { None };
        return Some(whole.map_or_else(|| fraction.alone(), |whole| fraction.of(&whole)));
    }
    words.skip("a|an");
    if words.take("dozen").is_some() {
        return Some(Piece::number("12"));
    }
    let share = number(words)?;
    words.take("%|percent|per cent|pct|percents")?;
    if words.is_number(0) || words.word(0) == "(" {
        return None; // `17 % 5` is a remainder
    }
    let percent = Piece::percent(&share.at_least(Level::Atom));
    if words.take("off of|off|discount on|discount from|reduction on|reduction of").is_some() {
        return Some(operand(words)?.with(Infix::Minus, &percent));
    }
    if words.take("of|tip on|tip for|tip of|tax on|interest on|commission on|from|on").is_some() {
        let whole = operand(words)?.at_least(Level::Product);
        let text = format!("{whole}*{}/100", share.at_least(Level::Atom));
        return Some(Piece::operation(text, Level::Product));
    }
    if words.take("more than|on top of").is_some() {
        return Some(operand(words)?.with(Infix::Plus, &percent));
    }
    if words.take("less than").is_some() {
        return Some(operand(words)?.with(Infix::Minus, &percent));
    }
    Some(percent)
}

/// Reads what stands after an operand: "squared", "!", "to the tenth power".
fn mark(words: &mut Words<'_>, piece: &Piece) -> Option<Piece> {
    let atom = || piece.at_least(Level::Atom);
    let is_factorial = words.word(0) == "!" && words.is_glued(0);
    if is_factorial || words.sees("factorial") > 0 {
        words.at += 1;
        return Some(Piece::operation(format!("{}!", atom()), Level::Atom));
    }
    if words.take("square root|square rooted").is_some() {
        return Some(Piece::operation(format!("sqrt({})", piece.unwrapped()), Level::Atom));
    }
    let power = |exponent: &str| Piece::operation(format!("{}^{exponent}", atom()), Level::Power);
    if words.take("squared|²").is_some() {
        return Some(power("2"));
    }
    if words.take("cut in half|in half|split in half|divided in half|divided in two").is_some() {
        return Some(piece.with(Infix::Over, &Piece::number("2")));
    }
    if let Some(with) = words.attempt(|words| extra(words, piece)) {
        return Some(with);
    }
    if words.take("times itself|multiplied by itself|x itself").is_some() {
        return Some(power("2"));
    }
    for (phrases, infix, number) in [
        ("doubled|plus itself", Infix::Times, "2"),
        ("tripled", Infix::Times, "3"),
        ("halved", Infix::Over, "2"),
    ] {
        if words.take(phrases).is_some() {
            return Some(piece.with(infix, &Piece::number(number)));
        }
    }
    if words.take("cubed|³").is_some() {
        return Some(power("3"));
    }
    words.take("to the|raised to the")?;
    let exponent = if words.is_number(0) {
        let digits = words.word(0).to_owned();
        words.at += 1;
        words.take("st|nd|rd|th")?;
        digits
    } else {
        let place = ordinal(words.word(0))?;
        words.at += 1;
        place.to_string()
    };
    words.skip("power");
    Some(power(&exponent))
}

/// Reads "with 15% off", "with a 20% tip".
fn extra(words: &mut Words<'_>, piece: &Piece) -> Option<Piece> {
    words.take("with a|with an|with|plus a|after a|after|including a|including")?;
    let share = number(words)?;
    words.take("%|percent|per cent|pct")?;
    let percent = Piece::percent(&share.at_least(Level::Atom));
    if words.take("off|discount|reduction|taken off|markdown").is_some() {
        return Some(piece.with(Infix::Minus, &percent));
    }
    words.take("tip|tax|sales tax|raise|increase|interest|added|markup|gratuity|service charge")?;
    Some(piece.with(Infix::Plus, &percent))
}
