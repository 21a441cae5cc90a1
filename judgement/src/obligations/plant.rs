//! The simulated plant: a ball on a table. Its place is a function of the time, of what moves it, and of the nudges that
//! it got. Lengths are whole micrometres, so that every machine computes the same place.

use abide_engine::base::{Span, Timestamp};

/// Micrometres of a metre, and microseconds of a second.
const MILLION: i64 = 1_000_000;
/// How far the wall is from the centre.
pub(super) const WALL: i64 = MILLION;
/// How far one nudge moves the ball at most: a hand has a reach, so a ball that is far away needs several.
const NUDGE_MAX: i64 = 50_000;

/// A distance in two directions, or one in a second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Vector {
    /// Along the table.
    pub x: i64,
    /// Across the table.
    pub y: i64,
}

/// The ball: its place at an instant, and what moves it since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ball {
    /// Where it was, from the centre.
    pub place: Vector,
    /// How far it moves in a second.
    pub drift: Vector,
    /// When it was there.
    pub at: Timestamp,
}

impl Vector {
    /// Returns the length, rounded up.
    #[must_use]
    pub fn length(self) -> i64 {
        let square = |of: i64| i128::from(of) * i128::from(of);
        let whole = square(self.x) + square(self.y);
        let root = whole.isqrt();
        i64::try_from(root + i128::from(root * root < whole)).unwrap_or(i64::MAX)
    }
}

impl Ball {
    /// Returns a ball that rests in the centre, as it does until somebody pushes it.
    #[must_use]
    pub const fn resting(at: Timestamp) -> Self {
        let nowhere = Vector { x: 0, y: 0 };
        Self { place: nowhere, drift: nowhere, at }
    }

    /// Returns the ball as it is at an instant, if nobody touches it until then.
    #[must_use]
    pub fn at(self, now: Timestamp) -> Self {
        let elapsed = i128::from((now - self.at).micros().max(0));
        let moved = |place: i64, drift: i64| {
            let by = i128::from(drift) * elapsed / i128::from(MILLION);
            let to = (i128::from(place) + by).clamp(-i128::from(WALL), i128::from(WALL));
            i64::try_from(to).unwrap_or(WALL)
        };
        let Vector { x, y } = self.place;
        let place = Vector { x: moved(x, self.drift.x), y: moved(y, self.drift.y) };
        Self { place, at: now.max(self.at), ..self }
    }

    /// Whether the ball is within a radius, and stays there for some time if nobody touches it. Its way is straight, so
    /// both ends decide.
    #[must_use]
    pub fn stays_within(self, radius: i64, ahead: Span) -> bool {
        let later = self.at(self.at + ahead);
        self.place.length() <= radius && later.place.length() <= radius
    }

    /// Moves the ball towards the centre, as far as one nudge does.
    #[must_use]
    pub fn nudged(self) -> Self {
        let far = self.place.length();
        if far <= NUDGE_MAX {
            return Self { place: Vector::default(), ..self };
        }
        let nearer = |of: i64| of - of * NUDGE_MAX / far;
        Self { place: Vector { x: nearer(self.place.x), y: nearer(self.place.y) }, ..self }
    }

    /// Moves the ball by a distance, as far as the wall.
    #[must_use]
    pub fn pushed(self, by: Vector) -> Self {
        let moved = |place: i64, by: i64| place.saturating_add(by).clamp(-WALL, WALL);
        let place = Vector { x: moved(self.place.x, by.x), y: moved(self.place.y, by.y) };
        Self { place, ..self }
    }
}

/// Returns a number of metres in micrometres.
#[must_use]
pub fn from_metres(metres: f64) -> i64 {
    (metres * MILLION as f64).round() as i64
}

/// Returns micrometres as a number of metres.
#[must_use]
pub fn in_metres(micrometres: i64) -> f64 {
    micrometres as f64 / MILLION as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Span = Span::from_secs(60);

    #[test]
    fn a_ball_that_nobody_touches_leaves() {
        let drift = Vector { x: 400, y: 300 };
        let ball = Ball { drift, ..Ball::resting(Timestamp::EPOCH) };
        assert!(ball.stays_within(100_000, MINUTE));
        let later = ball.at(Timestamp::EPOCH + Span::from_secs(300));
        assert_eq!(later.place, Vector { x: 120_000, y: 90_000 });
        assert_eq!(later.place.length(), 150_000);
        assert!(!later.stays_within(100_000, MINUTE));
        let far = ball.at(Timestamp::EPOCH + Span::from_secs(86_400));
        assert_eq!(far.place, Vector { x: WALL, y: WALL }, "the wall holds it");
    }

    #[test]
    fn nudges_bring_the_ball_back_and_the_way_does_not_depend_on_who_looks() {
        let drift = Vector { x: 7, y: -300 };
        let away = Ball { drift, ..Ball::resting(Timestamp::EPOCH) };
        let away = away.pushed(Vector { x: 90_000, y: -120_000 });
        let mut ball = away;
        for far in [100_000, 50_000, 0] {
            ball = ball.nudged();
            assert!((ball.place.length() - far).abs() <= 2, "{ball:?}");
        }
        let once = away.at(Timestamp::EPOCH + Span::from_secs(50));
        let looked = away.at(Timestamp::EPOCH + Span::from_secs(20));
        assert_eq!(looked.at(Timestamp::EPOCH + Span::from_secs(50)).place, once.place);
    }
}
