//! Questions whose words decide what is computed: "what percent of 80 is 20", "8 times what is 56", "which is bigger".

use super::form;
use super::operand::{expression, operand};
use super::piece::{Infix, Level, Piece};
use super::words::Words;
use crate::number::number as number_word;

const PERCENT: &str = "percent|percentage|per cent|%";
/// Words of a number that is looked for.
const WHAT: &str = "what number|what|which number|a number|x|some number|n|y";
/// Words of equality.
const IS: &str = "is|equals|=|gives|makes|is equal to|would be|will be|gets you|equal|make|are";
/// Parts of which a number holds several.
const PARTS: &[(&str, &str)] = &[
    ("halves", "2"),
    ("thirds", "3"),
    ("quarters|fourths", "4"),
    ("fifths", "5"),
    ("sixths", "6"),
    ("eighths", "8"),
    ("tenths", "10"),
    ("hundredths", "100"),
];

/// Reads such a question.
pub(super) fn of(words: &mut Words<'_>) -> Option<Piece> {
    words
        .attempt(share)
        .or_else(|| words.attempt(compared))
        .or_else(|| words.attempt(held))
        .or_else(|| words.attempt(apart))
        .or_else(|| words.attempt(claimed))
        .or_else(|| words.attempt(unknown))
}

/// Reads a question for a share: "what percent of 80 is 20", "20 is what percent of 80", "3/4 as a percent".
fn share(words: &mut Words<'_>) -> Option<Piece> {
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
    let start = words.at;
    if let Some(part) = expression(words)
        && words.take("as a|as|to a|in|into a").is_some()
        && words.take(PERCENT).is_some()
        && words.is_done()
    {
        return Some(part.with(Infix::Times, &Piece::number("100")));
    }
    words.at = start;
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

/// Reads a question for the larger or the smaller number: "which is bigger, 3/4 or 2/3".
fn compared(words: &mut Words<'_>) -> Option<Piece> {
    words.skip("which|what|which one|what number|which number|which of these|which fraction");
    words.skip("is|is the|one is|are|of these is|number is|fraction is");
    let name = if words
        .take(
            "bigger|larger|greater|more|higher|the bigger|the larger|the greater|the biggest|the largest|\
                biggest|largest|the higher|the highest",
        )
        .is_some()
    {
        "max"
    } else {
        words.take(
            "smaller|less|lower|lesser|the smaller|the lesser|the lower|the smallest|smallest|the least|\
                the lowest",
        )?;
        "min"
    };
    words.skip("one|number|fraction|value|of");
    words.skip(",|:|of|between");
    let items = form::choices(words)?;
    let texts = items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>();
    Some(Piece::operation(format!("{name}({})", texts.join(", ")), Level::Atom))
}

/// Reads how often a number is in another: "how many times does 7 go into 56", "how many halves are in 6".
fn held(words: &mut Words<'_>) -> Option<Piece> {
    if words.take("how many times does|how many times do|how often does|many times does|how many times will|\
        how many times can").is_some()
    {
        let divisor = operand(words)?;
        words.take("go into|fit into|fit in|go in|goes into|be taken from|divide into")?;
        return Some(operand(words)?.with(Infix::Over, &divisor));
    }
    words.take("how many|many")?;
    let part = PARTS.iter().find(|(name, _)| words.sees(name) > 0);
    let divisor = match part {
        Some((name, denominator)) => {
            words.take(name)?;
            Piece::operation(format!("1/{denominator}"), Level::Product)
        }
        None => {
            // "how many sevens are in 49", "how many 4s are in 20"
            let plural = words.word(0).strip_suffix('s').and_then(number_word);
            match plural {
                Some(number) => {
                    words.at += 1;
                    Piece::number(number.to_string())
                }
                None => {
                    let number = operand(words)?;
                    words.take("s")?;
                    number
                }
            }
        }
    };
    words.skip("are there|are|there are|go|fit");
    words.take("in|into")?;
    Some(operand(words)?.with(Infix::Over, &divisor))
}

/// Reads a question for a difference: "how far apart are 12 and 30", "by how much is 80 bigger than 65".
fn apart(words: &mut Words<'_>) -> Option<Piece> {
    const THAN: &str = "bigger than|larger than|more than|greater than|higher than|longer than|over|above|\
        less than|smaller than|lower than|fewer than|shorter than|older than|younger than";
    if words.take("how far apart are|far apart are|how far is it from|how much difference is there between").is_some() {
        let first = operand(words)?;
        words.take("and|to")?;
        return Some(difference(&first, &operand(words)?));
    }
    if words.take("by how much is|by how much does|how much is").is_some() {
        let first = operand(words)?;
        words.take(THAN)?;
        return Some(difference(&first, &operand(words)?));
    }
    if words
        .take(
            "how much more is|how much bigger is|how much larger is|how much greater is|how much less is|\
                how much smaller is|how much higher is|how many more is|how much lower is",
        )
        .is_some()
    {
        let first = operand(words)?;
        words.take("than")?;
        return Some(difference(&first, &operand(words)?));
    }
    let first = operand(words)?;
    words.take("is how much|is how many|by how much is it|is by how much")?;
    words.take(THAN)?;
    Some(difference(&first, &operand(words)?))
}

/// Subtracts the smaller of two plain numbers from the larger one.
fn difference(first: &Piece, second: &Piece) -> Piece {
    let size = |piece: &Piece| piece.text.parse::<f64>().unwrap_or_default();
    if size(first) < size(second) {
        second.with(Infix::Minus, first)
    } else {
        first.with(Infix::Minus, second)
    }
}

/// Reads what somebody believes about a result: "does 7 times 8 equal 56", "is 2+2=5".
fn claimed(words: &mut Words<'_>) -> Option<Piece> {
    words.take("does|do|is|are|isnt|doesnt|so is|wait is")?;
    let piece = expression(words)?;
    words.skip("really|actually|just|not");
    words.skip("equal|equals|equal to|=|make|come to|the same as|come out to|give");
    operand(words)?;
    (piece.is_operation && words.is_done()).then_some(piece)
}

/// Reads an equation with one number that is looked for: "8 times what is 56".
fn unknown(words: &mut Words<'_>) -> Option<Piece> {
    let infix = |words: &mut Words<'_>| {
        let signs = [
            ("plus|+|added to", Infix::Plus),
            ("minus|-|take away|less", Infix::Minus),
            ("times|*|x|multiplied by", Infix::Times),
            ("divided by|/|over", Infix::Over),
        ];
        signs.into_iter().find_map(|(phrases, infix)| words.take(phrases).map(|()| infix))
    };
    if words.take(WHAT).is_some() {
        let sign = infix(words)?;
        let known = operand(words)?;
        words.take(IS)?;
        let result = operand(words)?;
        return Some(result.with(inverse(sign)?, &known));
    }
    let known = operand(words)?;
    let sign = infix(words)?;
    words.take(WHAT)?;
    words.take(IS)?;
    let result = operand(words)?;
    Some(match sign {
        // 20 minus what is 8: 20 minus 8
        Infix::Minus | Infix::Over => known.with(sign, &result),
        other => result.with(inverse(other)?, &known),
    })
}

fn inverse(infix: Infix) -> Option<Infix> {
    Some(match infix {
        Infix::Plus => Infix::Minus,
        Infix::Minus => Infix::Plus,
        Infix::Times => Infix::Over,
        Infix::Over => Infix::Times,
        _ => return None,
    })
}
