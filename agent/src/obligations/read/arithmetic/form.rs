//! Operations that are named before their operands: "the sum of 3 and 2", "divide 100 by 7".

use super::number::plain_number;
use super::operand::{expression, operand};
use super::piece::{Infix, Level, Piece};
use super::words::Words;

/// Functions of one operand.
const FUNCTIONS: &[(&str, &str)] = &[
    ("square root of|sqrt of|sqrt|√|root of|square root", "sqrt"),
    ("cube root of|cubic root of|third root of|cbrt of|cbrt", "cbrt"),
    ("absolute value of|abs of|abs|magnitude of", "abs"),
];
/// Functions of several operands.
const FUNCTIONS_OF_LIST: &[(&str, &str)] = &[
    ("max of|maximum of|largest of|biggest of|greatest of|max|maximum", "max"),
    ("min of|minimum of|smallest of|least of|lowest of|min|minimum", "min"),
    (
        "greatest common divisor of|greatest common factor of|gcd of|gcf of|hcf of|highest common factor of|\
            gcd",
        "gcd",
    ),
    ("least common multiple of|lowest common multiple of|lcm of|lcm", "lcm"),
];
/// Multiples that are named by a word.
const MULTIPLES: &[(&str, &str)] =
    &[("double|twice", "2"), ("triple|thrice|treble", "3"), ("quadruple", "4")];
/// Words between the parts of a list.
const BETWEEN: &str = ", and|and|,|&|, &|with|to";

/// Reads an operation that is named before its operands.
pub(super) fn of(words: &mut Words<'_>) -> Option<Piece> {
    words.skip("the|a|an");
    named(words)
        .or_else(|| words.attempt(of_list))
        .or_else(|| words.attempt(command))
        .or_else(|| words.attempt(share))
}

fn named(words: &mut Words<'_>) -> Option<Piece> {
    for (phrases, name) in FUNCTIONS {
        let found = words.attempt(|words| {
            words.take(phrases)?;
            let inner = operand(words)?;
            Some(Piece::operation(format!("{name}({})", inner.unwrapped()), Level::Atom))
        });
        if found.is_some() {
            return found;
        }
    }
    for (phrases, factor) in MULTIPLES {
        let found = words.attempt(|words| {
            words.take(phrases)?;
            words.skip("of");
            Some(Piece::number(*factor).with(Infix::Times, &operand(words)?))
        });
        if found.is_some() {
            return found;
        }
    }
    let reciprocal = words.attempt(|words| {
        words.take("reciprocal of|inverse of")?;
        Some(Piece::number("1").with(Infix::Over, &operand(words)?))
    });
    if reciprocal.is_some() {
        return reciprocal;
    }
    let power = |words: &mut Words<'_>, phrases: &str, exponent: &str| {
        words.attempt(|words| {
            words.take(phrases)?;
            Some(operand(words)?.with(Infix::Power, &Piece::number(exponent)))
        })
    };
    power(words, "square of|square", "2").or_else(|| power(words, "cube of|cube", "3")).or_else(
        || {
            words.attempt(|words| {
                words.take("factorial of")?;
                let text = format!("{}!", operand(words)?.at_least(Level::Atom));
                Some(Piece::operation(text, Level::Atom))
            })
        },
    )
}

/// Reads an operation on a list of operands.
fn of_list(words: &mut Words<'_>) -> Option<Piece> {
    for (phrases, name) in FUNCTIONS_OF_LIST {
        if words.take(phrases).is_some() {
            words.skip("(");
            let items = list(words)?;
            words.skip(")");
            let texts = items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>();
            return Some(Piece::operation(format!("{name}({})", texts.join(", ")), Level::Atom));
        }
    }
    if words.take("sum of|total of|sum|total if you add|result of adding").is_some() {
        return series(words).or_else(|| joined(&short_list(words)?, Infix::Plus));
    }
    if words.take("product of|result of multiplying").is_some() {
        return joined(&short_list(words)?, Infix::Times);
    }
    if words.take("average of|mean of|average|mean|arithmetic mean of").is_some() {
        let items = list(words)?;
        let count = Piece::number(items.len().to_string());
        return Some(joined(&items, Infix::Plus)?.with(Infix::Over, &count));
    }
    let two = |words: &mut Words<'_>, infix| match &short_list(words)?[..] {
        [first, second] => Some(first.with(infix, second)),
        _ => None,
    };
    if words.take("difference between|difference of").is_some() {
        return two(words, Infix::Minus);
    }
    if words.take("quotient of|ratio of|ratio between").is_some() {
        return two(words, Infix::Over);
    }
    None
}

/// Reads numbers that are added because of the words behind them: "3 and 4 make".
pub(super) fn sum(words: &mut Words<'_>) -> Option<Piece> {
    joined(&list(words)?, Infix::Plus)
}

fn joined(items: &[Piece], infix: Infix) -> Option<Piece> {
    let (first, rest) = items.split_first()?;
    Some(rest.iter().fold(first.clone(), |sum, item| sum.with(infix, item)))
}

/// Reads "all numbers from 1 to 10" as the sum of them.
fn series(words: &mut Words<'_>) -> Option<Piece> {
    words.attempt(|words| {
        words.skip("all the|all of the|all|the");
        words.take("numbers from|integers from|whole numbers from|numbers|integers|digits from")?;
        let first = plain_number(words)?;
        words.take("to|through|up to|thru")?;
        let last = plain_number(words)?;
        Some(Piece::operation(format!("({first}+{last})*({last}-{first}+1)/2"), Level::Product))
    })
}

/// Reads a list whose last item is one operand: "the sum of 5 and 3 times 2" doubles the sum.
fn short_list(words: &mut Words<'_>) -> Option<Vec<Piece>> {
    words
        .attempt(|words| {
            let first = expression(words)?;
            words.take(BETWEEN)?;
            let last = operand(words)?;
            let ends = words.sees(BETWEEN) == 0;
            ends.then(|| vec![first, last])
        })
        .or_else(|| list(words))
}

/// Reads the numbers of a choice: "3/4 or 2/3".
pub(super) fn choices(words: &mut Words<'_>) -> Option<Vec<Piece>> {
    let mut items = vec![expression(words)?];
    while let Some(item) = words.attempt(|words| {
        words.take(", or|or|,|and|, and")?;
        expression(words)
    }) {
        items.push(item);
    }
    (items.len() > 1).then_some(items)
}

/// Reads at least two operands.
fn list(words: &mut Words<'_>) -> Option<Vec<Piece>> {
    let mut items = vec![expression(words)?];
    while let Some(item) = words.attempt(|words| {
        words.take(BETWEEN)?;
        expression(words)
    }) {
        items.push(item);
    }
    (items.len() > 1).then_some(items)
}

/// Two operands of a command.
struct Two {
    first: Piece,
    second: Piece,
}

fn two(words: &mut Words<'_>, between: &str) -> Option<Two> {
    let first = expression(words)?;
    words.skip("evenly|equally|away|up");
    words.take(between)?;
    Some(Two { first, second: expression(words)? })
}

/// Reads a command: "add 3 to 4", "subtract 5 from 12".
fn command(words: &mut Words<'_>) -> Option<Piece> {
    if words.take("add|adding|added|add up|add together|sum up").is_some() {
        words.skip("together|up");
        words.skip("these|these numbers|the following|the numbers|these up|the following numbers");
        words.skip(":");
        let items = list(words)?;
        words.skip("together|up");
        // "add 10% to 80"
        if let [first, second] = &items[..]
            && first.percent.is_some()
        {
            return Some(second.with(Infix::Plus, first));
        }
        return joined(&items, Infix::Plus);
    }
    if words
        .take("subtract|subtracting|subtracted|took|take|taking|take away|deduct|remove")
        .is_some()
    {
        let Two { first, second } = two(words, "from|away from|off")?;
        return Some(second.with(Infix::Minus, &first));
    }
    if words.take("multiply|multiplying|multiplied|times").is_some() {
        let Two { first, second } = two(words, "by|with|and|times|together with")?;
        words.skip("together");
        return Some(first.with(Infix::Times, &second));
    }
    if words.sees("raise|raising") > 0 {
        let power = words.attempt(|words| {
            words.take("raise|raising")?;
            expression(words).filter(|power| power.level == Level::Power)
        });
        if power.is_some() {
            return power;
        }
    }
    if words.take("increase|increasing|raise|grow").is_some() {
        let Two { first, second } = two(words, "by")?;
        return Some(first.with(Infix::Plus, &second));
    }
    if words.take("decrease|decreasing|reduce|reducing|lower|discount|cut").is_some() {
        let Two { first, second } = two(words, "by")?;
        return Some(first.with(Infix::Minus, &second));
    }
    if words.take("halve").is_some() {
        return Some(expression(words)?.with(Infix::Over, &Piece::number("2")));
    }
    None
}

/// Reads a division: "divide 100 by 7", "split 90 dollars among 6 people", "remainder of 17 divided by 5".
fn share(words: &mut Words<'_>) -> Option<Piece> {
    const UNITS: &str =
        "people|ways|parts|equal parts|kids|friends|groups|equal groups|persons|of us";
    if words.take("remainder of|remainder when|remainder if|rest when|rest of|remainder").is_some()
    {
        let first = words.attempt(|words| plain_number(words).map(Piece::number))?;
        words.skip("is");
        words.take("divided by|over|by|/|mod|and|is divided by")?;
        return Some(first.with(Infix::Modulo, &operand(words)?));
    }
    if words.take("divide|dividing|divided|split|splitting|share|sharing").is_some() {
        let divisor = "by|into|among|amongst|between|in|across";
        words.skip("a|an|the|up a|up");
        // "divide 7 into 56" and "divide 56 into 7 parts"
        let into = words.attempt(|words| {
            let first = plain_number(words)?;
            words.take("into")?;
            Some([first, plain_number(words)?])
        });
        if let Some([first, second]) = into {
            words.skip("equal");
            words.skip(UNITS);
            let is_turned =
                first.len() < second.len() || (first.len() == second.len() && first < second);
            let (first, second) = (Piece::number(first), Piece::number(second));
            return Some(if is_turned {
                second.with(Infix::Over, &first)
            } else {
                first.with(Infix::Over, &second)
            });
        }
        let Two { first, second } = words.attempt(|words| two(words, divisor)).or_else(|| {
            // "split 90 six ways"
            let first = expression(words)?;
            words.skip("bill|check|tab|dinner|pot|prize");
            words.skip("evenly|equally");
            Some(Two { first, second: operand(words)? })
        })?;
        words.skip(UNITS);
        words.skip("evenly|equally");
        return Some(first.with(Infix::Over, &second));
    }
    None
}
