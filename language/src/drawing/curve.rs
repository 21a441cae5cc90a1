//! SVG paths: smooth curves from top to bottom, and straight lines with round corners.

use std::fmt::Write as _;

/// A point in the picture; `y` grows downwards.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// Radius of a round corner.
const CORNER: f64 = 12.0;

impl Point {
    pub(super) const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    pub(super) fn shifted(self, dx: f64, dy: f64) -> Self {
        Self::new(self.x + dx, self.y + dy)
    }

    fn towards(self, other: Self, length: f64) -> Self {
        let (dx, dy) = (other.x - self.x, other.y - self.y);
        let whole = dx.hypot(dy);
        let part = if whole > 0.0 { (length / whole).min(0.5) } else { 0.0 };
        self.shifted(dx * part, dy * part)
    }
}

/// Formats a number for SVG: with at most one decimal, without `.0` and without `-0`.
pub(super) fn number(value: f64) -> String {
    let tenths = (value * 10.0).round() as i64;
    let (sign, whole, rest) =
        (if tenths < 0 { "-" } else { "" }, tenths.abs() / 10, tenths.abs() % 10);
    if rest == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{rest}") }
}

/// Returns a curve through all points. The curve is vertical at each point,
/// so that it leaves one box downwards and enters the next box from above.
pub(super) fn smooth(points: &[Point]) -> String {
    let mut path = String::new();
    let Some(first) = points.first() else { return path };
    let _ = write!(path, "M{} {}", number(first.x), number(first.y));
    for pair in points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        if (a.x - b.x).abs() < 0.5 {
            let _ = write!(path, "L{} {}", number(b.x), number(b.y));
            continue;
        }
        let middle = number(f64::midpoint(a.y, b.y));
        let (ax, bx) = (number(a.x), number(b.x));
        let _ = write!(path, "C{ax} {middle} {bx} {middle} {bx} {}", number(b.y));
    }
    path
}

/// Returns straight lines that lead from point to point, with a round corner where two lines meet.
pub(super) fn rounded(points: &[Point]) -> String {
    let mut path = String::new();
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return path };
    let _ = write!(path, "M{} {}", number(first.x), number(first.y));
    for triple in points.windows(3) {
        let corner = triple[1];
        let (before, after) =
            (corner.towards(triple[0], CORNER), corner.towards(triple[2], CORNER));
        let _ = write!(
            path,
            "L{} {}Q{} {} {} {}",
            number(before.x),
            number(before.y),
            number(corner.x),
            number(corner.y),
            number(after.x),
            number(after.y)
        );
    }
    let _ = write!(path, "L{} {}", number(last.x), number(last.y));
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let written = [0.0, -0.04, 12.0, 7.14, -2.55, 0.96].map(number);
        assert_eq!(written, ["0", "0", "12", "7.1", "-2.6", "1"]);
    }

    #[test]
    fn a_way_straight_down_is_a_line_and_any_other_bends_upright() {
        let points = [Point::new(0.0, 0.0), Point::new(0.0, 10.0), Point::new(20.0, 30.0)];
        assert_eq!(smooth(&points), "M0 0L0 10C0 20 20 20 20 30");
    }

    #[test]
    fn corners_are_round_but_never_longer_than_half_a_side() {
        let points = [Point::new(0.0, 0.0), Point::new(0.0, 10.0), Point::new(40.0, 10.0)];
        assert_eq!(rounded(&points), "M0 0L0 5Q0 10 12 10L40 10");
    }
}
