//! When an order begins, until when it binds, and how often its state is looked at.

use abide_agent::obligations::{Obligation, ObligationType};
use abide_engine::base::{Span, Timestamp, Value};

/// How long a state is kept or avoided if nobody says how long: a day, after which somebody should want it again.
const KEPT: Span = Span::from_secs(86_400);
/// How long it is tried to bring a state about if nobody says how long.
const TRIED: Span = Span::from_secs(3_600);
/// The longest time that one order binds: longer than a month, nobody remembers who wanted it.
pub(super) const BINDS_MAX: Span = Span::from_secs(30 * 86_400);
/// The longest time before an order begins.
pub(super) const AHEAD_MAX: Span = Span::from_secs(366 * 86_400);
/// How often a state is looked at if nobody says how often.
const EVERY: Span = Span::from_secs(60);
/// The shortest time between two looks.
const EVERY_MIN: Span = Span::from_secs(1);
/// Maximum number of looks at a state by the clock: an order that binds longer looks more rarely.
const LOOKS_MAX: i64 = 10_000;

/// When an order binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OrderTimes {
    /// When it begins; `None` for at once.
    pub(super) starts: Option<Timestamp>,
    /// When it no longer binds.
    pub(super) until: Timestamp,
    /// The time between two looks.
    pub(super) every: Span,
}

/// Reads when an order binds that begins at `starts`.
///
/// # Errors
/// The member of the payload that cannot be read, or that is over.
pub(super) fn order_times(
    obligation: &Obligation,
    starts: Option<Timestamp>,
    now: Timestamp,
) -> Result<OrderTimes, &'static str> {
    if starts.is_some_and(|starts| starts <= now || starts - now > AHEAD_MAX) {
        return Err("time");
    }
    let from = starts.unwrap_or(now);
    let default = if obligation.is(ObligationType::Achieve) { TRIED } else { KEPT };
    let until = match obligation.payload.get("deadline") {
        None => from + default,
        Some(said) => end(said, from).filter(|end| *end > from).ok_or("deadline")?,
    };
    let until = until.min(from + BINDS_MAX);
    let every = match obligation.payload.get("every") {
        None => EVERY,
        Some(said) => span(said).ok_or("every")?,
    };
    let least = Span::from_micros((until - from).micros() / LOOKS_MAX).max(EVERY_MIN);
    Ok(OrderTimes { starts, until, every: every.max(least) })
}

/// Reads an instant, or how long something lasts.
fn end(said: &Value, from: Timestamp) -> Option<Timestamp> {
    let instant = said.as_str()?.parse::<Timestamp>().ok();
    instant.or_else(|| span(said).map(|span| from + span))
}

fn span(said: &Value) -> Option<Span> {
    said.as_str()?.parse::<Span>().ok().filter(|span| *span > Span::ZERO)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_000_000_000);

    fn times(payload: Value) -> Result<OrderTimes, &'static str> {
        let mut obligation =
            Obligation::of_predicate(ObligationType::Maintain, "ball.in_place", json!({}));
        obligation.payload.extend(payload.as_object().cloned().unwrap_or_default());
        order_times(&obligation, None, NOW)
    }

    #[test]
    fn an_order_binds_as_long_as_it_says_but_not_for_ever() {
        let lasts = |payload| times(payload).map(|times| times.until - NOW);
        assert_eq!(lasts(json!({})), Ok(KEPT));
        assert_eq!(lasts(json!({ "deadline": "1h" })), Ok(Span::from_secs(3_600)));
        let at = (NOW + Span::from_secs(90)).to_string();
        assert_eq!(lasts(json!({ "deadline": at })), Ok(Span::from_secs(90)));
        assert_eq!(lasts(json!({ "deadline": "400days" })), Ok(BINDS_MAX));
        for bad in ["soon", "1970-01-01T00:00:01Z", "0s"] {
            assert_eq!(lasts(json!({ "deadline": bad })), Err("deadline"), "{bad}");
        }
    }

    #[test]
    fn a_long_order_looks_more_rarely() {
        let every = |payload| times(payload).map(|times| times.every);
        assert_eq!(every(json!({ "every": "5s", "deadline": "1h" })), Ok(Span::from_secs(5)));
        assert_eq!(every(json!({ "every": "1ms", "deadline": "1h" })), Ok(EVERY_MIN));
        assert_eq!(
            every(json!({ "every": "5s", "deadline": "30days" })),
            Ok(Span::from_micros(259_200_000))
        );
        assert_eq!(every(json!({ "every": "often" })), Err("every"));
    }
}
