//! Small symbols: the clock of a wait, and the marks for the progress of a run.

use super::super::curve::{Point, number};
use super::super::picture::State;

/// Draws a clock that shows twenty past twelve.
pub(super) fn clock(at: Point, radius: f64) -> String {
    let (x, y) = (number(at.x), number(at.y));
    format!(
        "<circle class=\"clock\" cx=\"{x}\" cy=\"{y}\" r=\"{}\"/>\
         <path class=\"hands\" d=\"M{x} {}V{y}L{} {}\"/>",
        number(radius),
        number(at.y - radius * 0.62),
        number(at.x + radius * 0.45),
        number(at.y + radius * 0.28),
    )
}

/// Draws a tick for a finished step, or a dot in a disc for the current step.
pub(super) fn mark(state: State, at: Point) -> String {
    let (x, y) = (number(at.x), number(at.y));
    let disc = format!("<circle class=\"mark\" cx=\"{x}\" cy=\"{y}\" r=\"8\"/>");
    match state {
        State::Ahead => String::new(),
        State::Current => format!("{disc}<circle class=\"dot\" cx=\"{x}\" cy=\"{y}\" r=\"3.2\"/>"),
        State::Finished => format!(
            "{disc}<path class=\"tick\" d=\"M{} {}L{} {}L{} {}\"/>",
            number(at.x - 3.5),
            number(at.y + 0.2),
            number(at.x - 1.0),
            number(at.y + 2.8),
            number(at.x + 3.6),
            number(at.y - 2.6),
        ),
    }
}
