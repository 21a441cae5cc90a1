//! The key figures of a proof as short strings, which a drawing shows below the graph.

use super::amount::Bound;
use super::report::{Approvals, Proof};
use crate::base::Span;

/// A key figure of a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// The figure's name, for use by programs.
    pub name: &'static str,
    /// The figure's name, as shown to people.
    pub label: &'static str,
    /// Value of the figure as a string.
    pub value: String,
}

/// Returns the key figures of a proof, the most important first.
#[must_use]
pub fn figures(proof: &Proof) -> Vec<Figure> {
    let messages = &proof.messages;
    let figure = |name, label, value| Figure { name, label, value };
    let ends = match proof.breaches.len() {
        0 => "every path ends, every wait has a way out".to_owned(),
        1 => "one law is broken: see `abide lint --prove`".to_owned(),
        n => format!("{n} laws are broken: see `abide lint --prove`"),
    };
    let mut all = vec![
        figure("proof", "proof", ends),
        figure("one_person", "per person", at_most(&messages.one_person)),
        figure("in_all", "total messages", at_most(&messages.in_all)),
        figure("segments", "segments", at_most(&proof.cost.segments)),
    ];
    all.extend(proof.cost.at_most.map(|cost| figure("cost", "cost", format!("at most {cost}"))));
    all.extend(approvals(proof).map(|asks| figure("approvals", "approvals", asks)));
    all.push(figure("finish", "duration", over(proof)));
    all
}

/// Formats a bound as `at most 12`, followed by its formula if the formula contains symbols.
fn at_most(bound: &Bound) -> String {
    let number = bound.at_most.map(thousands);
    match (number, bound.formula.is_plain()) {
        (Some(number), true) if number == "0" => "none".to_owned(),
        (Some(number), true) => format!("at most {number}"),
        (Some(number), false) => format!("at most {number} = {}", bound.formula),
        (None, _) => bound.formula.to_string(),
    }
}

/// Says which approvals a run asks for; `None` if it asks for none.
fn approvals(proof: &Proof) -> Option<String> {
    let Approvals { calls, consent } = &proof.approvals;
    match (calls.is_none(), *consent) {
        (true, false) => None,
        (true, true) => Some("one consent to the run".to_owned()),
        (false, false) => Some(at_most(calls)),
        (false, true) => Some(format!("{}, and one consent to the run", at_most(calls))),
    }
}

/// Formats a number with a comma between groups of three digits: `40,010`.
#[must_use]
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (ix, digit) in digits.chars().enumerate() {
        if ix > 0 && (digits.len() - ix).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn over(proof: &Proof) -> String {
    let finish = &proof.finish;
    match finish.waiting.filter(|waiting| *waiting <= finish.at_most) {
        Some(Span::ZERO) => format!("no waiting; at most {} in total", finish.at_most),
        Some(waiting) => {
            format!("at most {waiting} of waiting; at most {} in total", finish.at_most)
        }
        None => format!("at most {}", finish.at_most),
    }
}

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn digits_stand_in_threes() {
        let written = [0, 7, 999, 1_000, 40_010, 1_234_567].map(thousands);
        assert_eq!(written, ["0", "7", "999", "1,000", "40,010", "1,234,567"]);
    }
}
